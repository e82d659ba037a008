"""Writing in scenes: shop fronts, posters, prints, graffiti, subtitles."""

import numpy as np

from .canvas import Patch, any_colour, grey, vivid
from .fonts import glyph_mask
from .studio import Studio, template
from .words import WORDS, digits, phrase, price, word

MIN_CONTRAST = 70


def _line(studio: Studio, words: int) -> tuple[str, str]:
    rng = studio.rng
    if rng.random() < 0.25:
        return studio.fonts.foreign(rng, rng.randint(3, 14))
    font = studio.bold() if rng.random() < 0.4 else studio.cursive() if rng.random() < 0.2 else studio.latin()
    return phrase(rng, words), font


def _contrasting(studio: Studio, ground: np.ndarray) -> np.ndarray:
    ink = any_colour(studio.rng)
    if abs(float(ink.mean()) - float(np.mean(ground))) < MIN_CONTRAST:
        return np.float32([255, 255, 255]) if np.mean(ground) < 128 else np.float32([10, 10, 10])
    return ink


@template("writing", weight=3)
def free_lines(studio: Studio) -> Patch:
    """One to three lines straight on the scene, with an outline or shadow where they need one."""
    rng = studio.rng
    masks = []
    size = rng.randint(16, 46)
    for i in range(rng.choice([1, 1, 1, 2, 3])):
        text, font = _line(studio, rng.randint(1, 5))
        masks.append(glyph_mask(text, font, size if i == 0 else size * rng.uniform(0.5, 1))[:, :640])
    gap = rng.randint(4, 14)
    width = max(m.shape[1] for m in masks) + 16
    patch = Patch(width, sum(m.shape[0] + gap for m in masks) + 12, any_colour(rng))
    patch.alpha[:] = 0
    ink = any_colour(rng)
    shadow = rng.random() < 0.85
    ground = 255 - ink if shadow else ink
    patch.image[:] = ground
    y, centred, font_alpha = 6, rng.random() < 0.5, rng.uniform(0.75, 1)
    for mask in masks:
        h, w = mask.shape
        x = (width - w) // 2 if centred else 8
        weight = mask.astype(np.float32) / 255
        if shadow:
            _spread(patch, weight, x, y)
        patch.paste(np.broadcast_to(ink, (h, w, 3)), x, y, weight)
        area = patch.alpha[y : y + h, x : x + w]
        patch.alpha[y : y + h, x : x + w] = np.maximum(area, weight * font_alpha)
        patch.lines.append(np.float32([[x, y], [x + w, y], [x + w, y + h], [x, y + h]]))
        y += h + gap
    return patch


def _spread(patch: Patch, weight: np.ndarray, x: int, y: int) -> None:
    h, w = weight.shape
    for dx, dy in ((-1, 0), (1, 0), (0, -1), (0, 1), (2, 2)):
        area = patch.alpha[y + dy : y + dy + h, x + dx : x + dx + w]
        np.maximum(area, weight[: area.shape[0], : area.shape[1]] * 0.8, out=area)


@template("writing", weight=2)
def sign_board(studio: Studio) -> Patch:
    """Shop front or name board: large letters on a panel."""
    rng = studio.rng
    w, h = rng.randint(240, 460), rng.randint(50, 120)
    ground = vivid(rng) if rng.random() < 0.6 else grey(rng, 10, 250)
    board = Patch(w, h, ground, rng.choice([0, 0, 6]))
    if rng.random() < 0.3:
        board.gradient(ground, ground * rng.uniform(0.6, 1), 1.57)
    ink = _contrasting(studio, ground)
    text, font = _line(studio, rng.randint(1, 3))
    board.text(w / 2, h * 0.14, text, h * 0.5, ink, font, max_width=w * 0.9, anchor="centre")
    if rng.random() < 0.5:
        board.text(
            w / 2,
            h * 0.74,
            phrase(rng, rng.randint(2, 5)),
            h * 0.16,
            ink,
            studio.latin(),
            max_width=w * 0.8,
            anchor="centre",
        )
    return board


@template("writing", weight=1.5)
def poster(studio: Studio) -> Patch:
    """Poster, menu board or package with lines of several sizes."""
    rng = studio.rng
    w, h = rng.randint(200, 320), rng.randint(220, 400)
    board = Patch(w, h, vivid(rng) if rng.random() < 0.6 else grey(rng, 15, 250))
    if rng.random() < 0.3:
        board.image[:] = studio.photo(w, h) * 0.6
    ink = _contrasting(studio, board.image)
    y = 12.0
    while y < h - 20:
        size = rng.choice([10, 12, 14, 18, 26, 38])
        text, font = _line(studio, max(1, int(w / size / 3)))
        _, ink_h = board.text(
            w * rng.choice([0.07, 0.5]),
            y,
            text,
            size,
            ink,
            font,
            max_width=w * 0.42 if rng.random() < 0.2 else w * 0.86,
        )
        if rng.random() < 0.25:
            board.text(w * 0.93, y, price(rng), size, ink, font, anchor="right")
        y += ink_h + rng.randint(4, 16)
    return board


@template("writing", weight=1)
def subtitle(studio: Studio) -> Patch:
    """Caption strip of a broadcast or a dated camera stamp."""
    rng = studio.rng
    w, h = rng.randint(300, 460), rng.randint(26, 44)
    strip = Patch(w, h, rng.choice([(10, 10, 10), (190, 20, 30), (240, 240, 240), (20, 40, 120)]))
    strip.alpha[:] = rng.uniform(0.6, 1)
    ink = _contrasting(studio, strip.image)
    strip.text(w * 0.04, h * 0.22, phrase(rng, rng.randint(3, 7)), h * 0.5, ink, studio.bold(), max_width=w * 0.9)
    return strip


@template("writing", held_out=True)
def ticker(studio: Studio) -> Patch:
    """Label with a caption above a large number, in held-out fonts."""
    rng = studio.rng
    board = Patch(260, 130, grey(rng, 20, 250), 4)
    ink = _contrasting(studio, board.image)
    board.text(
        130, 14, " ".join(rng.choice(WORDS) for _ in range(3)), 22, ink, studio.latin(), max_width=240, anchor="centre"
    )
    board.text(130, 48, digits(rng, 5), 46, ink, studio.bold(), max_width=240, anchor="centre")
    board.text(130, 104, word(rng), 16, ink, studio.latin(), max_width=240, anchor="centre")
    return board
