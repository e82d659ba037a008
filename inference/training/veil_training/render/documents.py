"""Pages, forms, receipts and handwritten sheets."""

import cv2
import numpy as np

from .canvas import Patch, any_colour, grey, vivid
from .codes import LINEAR, QR, draw_code
from .studio import Studio, signature, template
from .words import date, digits, full_name, phrase, price, street, word

PAPERS = ((252, 252, 250), (255, 255, 255), (245, 242, 232), (235, 235, 240), (250, 246, 225))


def _crumpled(studio: Studio, page: Patch) -> None:
    low = studio.rng.uniform(0.8, 0.94)
    shape = studio.rng.randint(2, 6), studio.rng.randint(2, 6)
    shade = studio.noise.uniform(low, 1, shape).astype(np.float32)
    page.image *= cv2.resize(shade, (page.width, page.height), interpolation=cv2.INTER_CUBIC)[..., None]


def _sheet(studio: Studio) -> tuple[Patch, int]:
    """Blank sheet and its margin in pixels."""
    rng = studio.rng
    width = rng.randint(230, 290)
    height = width * 1.414 if rng.random() < 0.75 else width * rng.uniform(0.65, 1.3)
    page = Patch(width, height, rng.choice(PAPERS))
    return page, int(width * rng.uniform(0.05, 0.14))


def _table(studio: Studio, page: Patch, margin: int, y: float, size: int, ink: np.ndarray, font: str) -> float:
    """Ruled table with some filled cells; returns the height used, 0 when it does not fit."""
    rng = studio.rng
    rows, columns, row_h = rng.randint(2, 7), rng.randint(2, 5), size + 6
    if y + rows * row_h > page.height - margin:
        return 0
    room = page.width - 2 * margin
    rule = np.minimum(ink * 1.5 + 40, 200)
    for r in range(rows + 1):
        page.line(margin, y + r * row_h, page.width - margin, y + r * row_h, rule)
    for c in range(columns + 1):
        x = margin + c * room / columns
        page.line(x, y, x, y + rows * row_h, rule)
    for r in range(rows):
        for c in range(columns):
            if rng.random() < 0.7:
                x = margin + c * room / columns + 3
                page.text(x, y + r * row_h + 3, word(rng), size, ink, font, max_width=room / columns - 6)
    return rows * row_h + 8


def _paragraph(
    studio: Studio, page: Patch, x: float, y: float, width: float, bottom: float, size: int, ink: np.ndarray, font: str
) -> float:
    """Running text; returns the y below it."""
    rng = studio.rng
    last = 1.0 if rng.random() < 0.4 else rng.uniform(0.3, 0.9)
    count, gap = rng.randint(2, 7), rng.randint(2, 5)
    for i in range(count):
        if y > bottom - size:
            break
        share = last if i == count - 1 else rng.uniform(0.93, 1)
        words = max(1, int(width * share / (size * 3)))
        page.text(x, y, phrase(rng, words), size, ink, font, max_width=width * share)
        y += size + gap
    return y + rng.randint(4, 12)


def _body(studio: Studio, page: Patch, margin: int, y: float, kinds: tuple[str, ...]) -> None:
    """Fills a sheet with blocks of the given kinds until the lower margin."""
    rng = studio.rng
    ink, font, size = grey(rng, 0, 75), studio.latin(), rng.choice([6, 7, 8, 9, 10, 12])
    room, bottom = page.width - 2 * margin, page.height - margin
    two_columns = "text" in kinds and rng.random() < 0.15
    while y < bottom - size:
        kind = rng.choice(kinds)
        if kind == "table" and (used := _table(studio, page, margin, y, size, ink, font)):
            y += used
        elif kind == "field":
            page.text(margin, y, phrase(rng, rng.randint(1, 2)) + ":", size, ink, font, max_width=room * 0.35)
            page.line(page.width * 0.42, y + size, page.width - margin, y + size, ink)
            if rng.random() < 0.5:
                page.text(
                    page.width * 0.44,
                    y - 2,
                    full_name(rng),
                    size + 2,
                    (20, 30, 120),
                    studio.cursive(),
                    max_width=room * 0.5,
                )
            y += size + 8
        elif kind == "picture":
            height = min(rng.randint(30, 70), bottom - y)
            page.paste(studio.photo(room, height), margin, y)
            y += height + 6
        elif two_columns:
            ends = [
                _paragraph(studio, page, x, y, room / 2 - 6, bottom, size, ink, font)
                for x in (margin, page.width / 2 + 4)
            ]
            y = max(ends)
        else:
            y = _paragraph(studio, page, margin, y, room, bottom, size, ink, font)


@template("documents", weight=3)
def letter(studio: Studio) -> Patch:
    """Letter, report or book page."""
    rng = studio.rng
    page, margin = _sheet(studio)
    y = float(margin)
    if rng.random() < 0.6:
        ink = vivid(rng) * 0.6 if rng.random() < 0.5 else grey(rng, 0, 70)
        page.text(
            margin,
            y,
            phrase(rng, rng.randint(1, 4)),
            rng.randint(12, 24),
            ink,
            studio.bold(),
            max_width=page.width - 2 * margin,
        )
        y += 30
    if rng.random() < 0.3:
        page.circle(page.width - margin - 20, margin + 10, rng.randint(8, 18), vivid(rng))
    if rng.random() < 0.4:
        for line in (full_name(rng), street(rng), date(rng)):
            page.text(margin, y, line, 8, grey(rng, 0, 70), studio.latin())
            y += 12
        y += 10
    kinds = ("text",) * rng.randint(6, 14) + ("picture",) * rng.randint(0, 2)
    _body(studio, page, margin, y, kinds)
    if rng.random() < 0.3:
        signature(
            studio,
            page,
            page.width * 0.55,
            page.height * 0.86,
            page.width * 0.3,
            page.height * 0.06,
            np.float32([30, 40, 130]),
        )
    if rng.random() < 0.2:
        page.image[:, :30] *= np.linspace(0.6, 1, 30, dtype=np.float32)[None, :, None]
    _crumpled(studio, page)
    page.mark("documents")
    return page


@template("documents", weight=2)
def form(studio: Studio) -> Patch:
    """Form or invoice: fields, tables, a code."""
    rng = studio.rng
    page, margin = _sheet(studio)
    title = rng.choice(["INVOICE", "APPLICATION", "FORM " + digits(rng, 3), "DELIVERY NOTE", phrase(rng, 2).upper()])
    page.text(margin, margin, title, rng.randint(12, 22), vivid(rng) * 0.5, studio.bold(), max_width=page.width * 0.6)
    _body(studio, page, margin, margin + 32, ("field", "field", "field", "table", "text"))
    if rng.random() < 0.3:
        draw_code(studio, page, LINEAR, page.width * 0.62, margin * 0.4, page.width * 0.3, 18)
    elif rng.random() < 0.25:
        side = page.width * 0.16
        draw_code(studio, page, QR, page.width - side - margin, page.height - side - margin, side, side)
    _crumpled(studio, page)
    page.mark("documents")
    return page


@template("documents", weight=2.5)
def receipt(studio: Studio) -> Patch:
    """Till receipt on thermal paper."""
    rng = studio.rng
    width = rng.randint(130, 200)
    page = Patch(width, width * rng.uniform(1.4, 3.2), rng.choice([(250, 250, 248), (240, 238, 230), (252, 245, 235)]))
    font, ink, y = studio.mono(), grey(rng, 20, 120), 8.0
    for i in range(rng.randint(1, 4)):
        size = rng.randint(12, 20) if i == 0 else 9
        line = phrase(rng, 2).upper() if i == 0 else street(rng)
        page.text(
            width / 2, y, line, size, ink, studio.bold() if i == 0 else font, max_width=width * 0.9, anchor="centre"
        )
        y += size + 5
    size = rng.randint(8, 12)
    while y < page.height - 34:
        if rng.random() < 0.1:
            page.line(6, y + 4, width - 6, y + 4, ink)
            y += 10
            continue
        page.text(8, y, phrase(rng, rng.randint(1, 3)), size, ink, font, max_width=width * 0.6)
        page.text(width - 8, y, price(rng), size, ink, font, anchor="right")
        y += size + rng.randint(2, 6)
    if rng.random() < 0.3:
        draw_code(studio, page, LINEAR, width * 0.15, page.height - 30, width * 0.7, 20)
    if rng.random() < 0.4:
        _crumpled(studio, page)
    page.mark("documents")
    return page


@template("documents", weight=1)
def handwritten(studio: Studio) -> Patch:
    """Lined or squared sheet with handwriting."""
    rng = studio.rng
    page, margin = _sheet(studio)
    step = rng.randint(14, 24)
    rule = np.float32([150, 180, 220])
    for y in range(step, page.height, step):
        page.line(0, y, page.width, y, rule)
    if rng.random() < 0.4:
        for x in range(step, page.width, step):
            page.line(x, 0, x, page.height, rule)
    font, ink = studio.cursive(), rng.choice([(25, 35, 120), (30, 30, 30), (90, 20, 30)])
    for y in range(step * 2, page.height - step, step):
        if rng.random() < 0.8:
            words = phrase(rng, rng.randint(2, 6))
            page.text(margin, y - step * 0.75, words, step * 0.75, ink, font, max_width=page.width - 2 * margin)
    _crumpled(studio, page)
    page.mark("documents")
    return page


@template("documents", held_out=True)
def certificate(studio: Studio) -> Patch:
    """Landscape certificate with an ornate border, centred lines and a seal."""
    rng = studio.rng
    page = Patch(380, 270, (250, 246, 230))
    tone = vivid(rng) * 0.6
    for inset, width in ((8, 4), (16, 1)):
        page.rectangle(inset, inset, 380 - inset, 270 - inset, tone, width)
    page.text(190, 34, rng.choice(["Certificate", "Diploma", "Award"]), 34, tone, studio.cursive(), anchor="centre")
    for i, line in enumerate((phrase(rng, 4), full_name(rng), phrase(rng, 6), phrase(rng, 5))):
        page.text(
            190,
            92 + i * 28,
            line,
            22 if i == 1 else 13,
            any_colour(rng, 0, 60),
            studio.latin(),
            anchor="centre",
            max_width=320,
        )
    page.circle(300, 222, 22, tone)
    signature(studio, page, 60, 210, 90, 30, np.float32([30, 30, 60]))
    page.mark("documents")
    return page


@template("documents", held_out=True)
def statement(studio: Studio) -> Patch:
    """Account statement: a banner and a table from edge to edge."""
    rng = studio.rng
    page = Patch(280, 396, (253, 253, 253))
    page.rectangle(0, 0, 280, 46, vivid(rng) * 0.8)
    page.text(14, 14, word(rng).title() + " Statement", 20, (250, 250, 250), studio.bold(), max_width=200)
    font, ink, y = studio.latin(), grey(rng, 10, 60), 66
    while y < 372:
        page.text(14, y, date(rng), 9, ink, font)
        page.text(90, y, phrase(rng, 3), 9, ink, font, max_width=120)
        page.text(266, y, price(rng), 9, ink, font, anchor="right")
        y += 16
    page.mark("documents")
    return page
