"""Street signs: regulatory, warning, direction and street-name signs."""

import math

import cv2
import numpy as np

from .canvas import Patch, grey
from .studio import Studio, template
from .words import PLACES, street

WHITE, BLACK = np.float32([246, 246, 246]), np.float32([18, 18, 18])
RED, BLUE, YELLOW, GREEN, ORANGE, BROWN = (
    np.float32(c) for c in ((195, 25, 35), (20, 75, 165), (245, 195, 20), (20, 105, 65), (240, 125, 30), (120, 70, 35))
)
SIDE = 160
CENTRE = SIDE / 2
STOP_WORDS = ("STOP", "STOP", "STOP", "PARE", "ALTO", "DUR", "ARRET")


def _shaped(points: list[tuple[float, float]] | None, radius: float = 0) -> Patch:
    """Square patch whose alpha is a polygon, or a disc when `points` is None."""
    patch = Patch(SIDE, SIDE)
    mask = np.zeros((SIDE, SIDE), np.uint8)
    if points is None:
        cv2.circle(mask, (int(CENTRE), int(CENTRE)), int(radius), 255, -1, cv2.LINE_AA)
    else:
        cv2.fillPoly(mask, [np.int32(np.round(points))], 255, cv2.LINE_AA)
    patch.alpha = mask.astype(np.float32) / 255
    return patch


def _polygon(sides: int, radius: float, start: float) -> list[tuple[float, float]]:
    """Regular polygon about the centre; `start` in radians."""
    angles = [start + 2 * math.pi * i / sides for i in range(sides)]
    return [(CENTRE + radius * math.cos(a), CENTRE + radius * math.sin(a)) for a in angles]


def _pictogram(studio: Studio, patch: Patch, colour: np.ndarray, scale: float = 1.0) -> None:
    """Abstract figure of discs, bars and arrows in the middle of a sign."""
    rng = studio.rng
    for _ in range(rng.randint(2, 4)):
        x, y = CENTRE + rng.uniform(-22, 22) * scale, CENTRE + rng.uniform(-22, 22) * scale
        kind = rng.randrange(4)
        if kind == 0:
            patch.circle(x, y, rng.uniform(5, 14) * scale, colour)
        elif kind == 1:
            patch.rectangle(x - 9 * scale, y - 14 * scale, x + 9 * scale, y + 14 * scale, colour)
        elif kind == 2:
            patch.line(x - 20 * scale, y - 15 * scale, x + 15 * scale, y + 20 * scale, colour, 8 * scale)
        else:
            _arrow(patch, x, y, 26 * scale, rng.uniform(0, 6.28), colour)


def _arrow(patch: Patch, x: float, y: float, length: float, angle: float, colour: np.ndarray) -> None:
    dx, dy = math.cos(angle) * length, math.sin(angle) * length
    patch.line(x - dx, y - dy, x + dx * 0.6, y + dy * 0.6, colour, length * 0.3)
    tips = [(x + dx * 1.2, y + dy * 1.2)]
    tips += [(x + dx * 0.4 - s * dy * 0.6, y + dy * 0.4 + s * dx * 0.6) for s in (-1, 1)]
    patch.polygon(tips, colour)


def _finish(studio: Studio, sign: Patch) -> Patch:
    """Labels the visible part; fades it; puts it on a post now and then."""
    rng = studio.rng
    ys, xs = np.where(sign.alpha > 0.5)
    sign.mark("street_signs", (xs.min(), ys.min(), xs.max() + 1, ys.max() + 1))
    if rng.random() < 0.3:
        sign.image *= rng.uniform(0.4, 0.95)
    if rng.random() < 0.12:
        wash = grey(rng, 120, 200)
        sign.image = sign.image * 0.7 + wash * 0.3
    if rng.random() > 0.5:
        return sign
    post = sign.framed(0, 0, 0, rng.randint(60, 220))
    x, half = sign.width // 2, rng.randint(2, 6)
    behind = post.alpha[:, x - half : x + half, None]
    strip = post.image[:, x - half : x + half]
    post.image[:, x - half : x + half] = strip * behind + grey(rng, 60, 180) * (1 - behind)
    post.alpha[10:, x - half : x + half] = 1
    return post


@template("street_signs", weight=2)
def prohibition(studio: Studio) -> Patch:
    """Red ring: speed limits and prohibitions, and no entry."""
    rng = studio.rng
    sign = _shaped(None, 78)
    sign.circle(CENTRE, CENTRE, 78, RED)
    if rng.random() < 0.12:
        sign.rectangle(CENTRE - 50, CENTRE - 12, CENTRE + 50, CENTRE + 12, WHITE)
        return _finish(studio, sign)
    sign.circle(CENTRE, CENTRE, rng.randint(54, 64), rng.choice([WHITE, WHITE, WHITE, YELLOW]))
    if rng.random() < 0.6:
        limit = str(rng.choice([20, 30, 40, 50, 60, 70, 80, 90, 100, 120]))
        sign.text(CENTRE, CENTRE - 30, limit, 72, BLACK, studio.bold(), max_width=100, anchor="centre")
    else:
        _pictogram(studio, sign, BLACK, 1.2)
    if rng.random() < 0.25:
        sign.line(CENTRE - 45, CENTRE - 45, CENTRE + 45, CENTRE + 45, RED, 12)
    return _finish(studio, sign)


@template("street_signs", weight=1.5)
def warning(studio: Studio) -> Patch:
    """Triangles and diamonds."""
    rng = studio.rng
    if rng.random() < 0.6:
        start = -math.pi / 2 if rng.random() < 0.8 else math.pi / 2
        sign = _shaped(_polygon(3, 80, start))
        sign.image[:] = RED
        sign.polygon(_polygon(3, rng.randint(48, 58), start), rng.choice([WHITE, WHITE, YELLOW]))
        if rng.random() < 0.85:
            _pictogram(studio, sign, BLACK, 0.7)
        return _finish(studio, sign)
    sign = _shaped(_polygon(4, 80, 0))
    ground = rng.choice([YELLOW, YELLOW, ORANGE, WHITE])
    sign.image[:] = BLACK if rng.random() < 0.5 else WHITE
    sign.polygon(_polygon(4, 74, 0), ground)
    if rng.random() < 0.25:
        sign.polygon(_polygon(4, 52, 0), YELLOW)
    else:
        _pictogram(studio, sign, BLACK, 1.1)
    return _finish(studio, sign)


@template("street_signs", weight=1)
def stop(studio: Studio) -> Patch:
    """Red octagon."""
    sign = _shaped(_polygon(8, 80, math.pi / 8))
    sign.image[:] = WHITE
    sign.polygon(_polygon(8, 74, math.pi / 8), RED)
    word = studio.rng.choice(STOP_WORDS)
    sign.text(CENTRE, CENTRE - 24, word, 52, WHITE, studio.bold(), max_width=125, anchor="centre")
    return _finish(studio, sign)


@template("street_signs", weight=1.5)
def mandatory(studio: Studio) -> Patch:
    """Blue discs and squares: directions, crossings, parking."""
    rng = studio.rng
    if rng.random() < 0.5:
        sign = _shaped(None, 78)
        sign.circle(CENTRE, CENTRE, 78, WHITE)
        sign.circle(CENTRE, CENTRE, 74, BLUE)
    else:
        sign = _shaped([(6, 6), (154, 6), (154, 154), (6, 154)])
        sign.image[:] = rng.choice([BLUE, BLUE, BLUE, GREEN])
        sign.rectangle(12, 12, 148, 148, WHITE, 3)
    kind = rng.random()
    if kind < 0.35:
        _arrow(sign, CENTRE, CENTRE, 42, rng.choice([-1.57, 0, 3.14, -0.78, 0.78]), WHITE)
    elif kind < 0.6:
        sign.polygon([(CENTRE, 20), (CENTRE + 55, CENTRE + 45), (CENTRE - 55, CENTRE + 45)], WHITE)
        sign.rectangle(CENTRE - 5, CENTRE - 20, CENTRE + 6, CENTRE + 20, BLACK)
        sign.circle(CENTRE, CENTRE - 26, 7, BLACK)
        sign.line(CENTRE, CENTRE + 15, CENTRE - 18, CENTRE + 40, BLACK, 6)
        sign.line(CENTRE, CENTRE + 15, CENTRE + 18, CENTRE + 40, BLACK, 6)
    elif kind < 0.75:
        sign.text(CENTRE, 34, "P", 120, WHITE, studio.bold(), anchor="centre", marked=False)
    else:
        _pictogram(studio, sign, WHITE, 1.3)
    return _finish(studio, sign)


@template("street_signs", weight=1)
def text_plate(studio: Studio) -> Patch:
    """White upright plate with words and a number, as in North America."""
    rng = studio.rng
    sign = Patch(104, rng.randint(130, 160), WHITE, 6)
    sign.rectangle(4, 4, sign.width - 5, sign.height - 5, BLACK, 2)
    upper = rng.choice(["SPEED", "NO", "ONE", "KEEP", "ZONE", "BUS"])
    lower = rng.choice(["LIMIT", "PARKING", "WAY", "RIGHT", "ONLY"])
    for text, y, size in ((upper, 16, 24), (lower, 44, 24), (str(rng.randint(1, 16) * 5), 78, 56)):
        sign.text(52, y, text, size, BLACK, studio.bold(), max_width=84, anchor="centre")
    return _finish(studio, sign)


@template("street_signs", weight=2.5)
def street_name(studio: Studio) -> Patch:
    """Street-name sign, in Latin letters or another script."""
    rng = studio.rng
    ground, ink = rng.choice(
        [
            (GREEN, WHITE),
            (BLUE, WHITE),
            (WHITE, BLACK),
            (BLACK, WHITE),
            (np.float32([120, 30, 30]), WHITE),
            (WHITE, BLUE),
        ]
    )
    w, h = rng.randint(180, 320), rng.randint(44, 80)
    sign = Patch(w, h, ground, rng.choice([0, 5]))
    text, font = (street(rng), studio.bold())
    if rng.random() < 0.15:
        text, font = studio.fonts.foreign(rng, 6)
    two = rng.random() < 0.25
    sign.text(
        w / 2,
        h * (0.12 if two else 0.2),
        text,
        h * (0.45 if two else 0.65),
        ink,
        font,
        max_width=w * 0.88,
        anchor="centre",
    )
    if two:
        sign.text(
            w / 2, h * 0.65, rng.choice(PLACES), h * 0.22, ink, studio.latin(), max_width=w * 0.8, anchor="centre"
        )
    if rng.random() < 0.5:
        sign.rectangle(3, 3, w - 4, h - 4, ink, 2)
    return _finish(studio, sign)


@template("street_signs", weight=1.5)
def direction(studio: Studio) -> Patch:
    """Direction board with places, arrows and distances."""
    rng = studio.rng
    ground, ink = rng.choice([(BLUE, WHITE), (GREEN, WHITE), (WHITE, BLACK), (YELLOW, BLACK), (BROWN, WHITE)])
    w, h = rng.randint(180, 320), rng.randint(70, 210)
    sign = Patch(w, h, ground, 8)
    sign.rectangle(4, 4, w - 5, h - 5, ink, 2)
    rows = max(1, min(4, h // 45))
    font = studio.bold()
    for i in range(rows):
        row_h = h / rows
        y = row_h * (i + 0.22) + 2
        sign.text(w * 0.2, y, rng.choice(PLACES), row_h * 0.5, ink, font, max_width=w * 0.52)
        _arrow(sign, w * 0.1, row_h * (i + 0.5), row_h * 0.25, rng.choice([0, 3.14, -1.57, -0.78]), ink)
        if rng.random() < 0.6:
            sign.text(w * 0.95, y, str(rng.randint(1, 400)), row_h * 0.42, ink, font, anchor="right")
    return _finish(studio, sign)


@template("street_signs", weight=0.7)
def traffic_light(studio: Studio) -> Patch:
    """Signal head with two or three lamps, upright or lying; labelled as the road-sign data sets do."""
    rng = studio.rng
    lamps, lit = rng.choice([2, 3, 3, 3]), rng.randrange(3)
    body = Patch(64, 60 * lamps + 12, grey(rng, 10, 70) if rng.random() < 0.75 else YELLOW * 0.8, rng.choice([0, 8]))
    glow = [np.float32([250, 50, 40]), np.float32([250, 190, 40]), np.float32([60, 230, 120])]
    for i in range(lamps):
        colour = glow[i + 3 - lamps]
        bright = i == lit or (lamps == 2 and rng.random() < 0.5)
        y = 36 + 60 * i
        body.circle(32, y, 25, colour * (1 if bright else rng.uniform(0.12, 0.3)))
        if bright and rng.random() < 0.3:
            body.circle(32, y, 12, np.minimum(colour + 120, 255))
        if rng.random() < 0.6:
            cv2.ellipse(body.image, (32, y), (27, 27), 0, 180, 360, (8.0, 8.0, 8.0), 5, cv2.LINE_AA)
    return _finish(studio, body)


@template("street_signs", weight=0.5)
def cluster(studio: Studio) -> Patch:
    """Two signs above each other on one post."""
    upper, lower = (studio.rng.choice([prohibition, warning, mandatory, text_plate])(studio) for _ in range(2))
    both = Patch(max(upper.width, lower.width), upper.height + lower.height + 6)
    both.alpha[:] = 0
    y = 0
    for part in (upper, lower):
        x = (both.width - part.width) // 2
        both.image[y : y + part.height, x : x + part.width] = part.image
        both.alpha[y : y + part.height, x : x + part.width] = part.alpha
        offset = np.float32([x, y])
        both.objects += [(c, q + offset) for c, q in part.objects]
        both.lines += [q + offset for q in part.lines]
        both.faint_lines += [q + offset for q in part.faint_lines]
        y += part.height + 6
    return both


@template("street_signs", held_out=True)
def arrow_board(studio: Studio) -> Patch:
    """Direction sign cut to the shape of an arrow."""
    rng = studio.rng
    ground, ink = rng.choice([(WHITE, BLACK), (YELLOW, BLACK), (BLUE, WHITE), (GREEN, WHITE)])
    w, h = 300, rng.randint(56, 80)
    sign = Patch(w, h, ground)
    mask = np.zeros((h, w), np.uint8)
    cv2.fillPoly(mask, [np.int32([[0, 0], [w - 40, 0], [w - 1, h // 2], [w - 40, h - 1], [0, h - 1]])], 255)
    sign.alpha = mask.astype(np.float32) / 255
    sign.text(16, h * 0.22, rng.choice(PLACES), h * 0.55, ink, studio.bold(), max_width=190)
    sign.text(w - 46, h * 0.25, str(rng.randint(1, 90)), h * 0.45, ink, studio.bold(), anchor="right")
    return _finish(studio, sign)


@template("street_signs", held_out=True)
def round_street_plate(studio: Studio) -> Patch:
    """Street name on a plate with round ends and a house number."""
    rng = studio.rng
    w, h = 300, rng.randint(54, 74)
    ground, ink = rng.choice([(BLUE, WHITE), (np.float32([30, 60, 40]), WHITE), (WHITE, BLACK)])
    sign = Patch(w, h, ground, h / 2 - 2)
    sign.text(w * 0.44, h * 0.22, street(rng), h * 0.5, ink, studio.latin(), max_width=w * 0.66, anchor="centre")
    sign.text(w * 0.9, h * 0.22, str(rng.randint(1, 199)), h * 0.5, ink, studio.bold(), max_width=40, anchor="centre")
    return _finish(studio, sign)
