"""Passports: data page alone, opened booklet, and cover."""

import math

import numpy as np

from .canvas import Patch, any_colour, pale, vivid
from .studio import Studio, guilloche, paste_portrait, signature, template
from .words import PLACES, date, full_name, letters, machine_readable_lines, pattern, phrase

PAGE_W, PAGE_H = 355, 250
"""ID-3 format (125 × 88 mm) at about 72 dpi."""

TITLES = ("PASSPORT", "PASSEPORT", "REISEPASS", "PASAPORTE", "PASSAPORTO", "PASZPORT", "PASSAPORTE")
CAPTIONS = (
    "Surname / Nom", "Given names / Prénoms", "Nationality", "Date of birth", "Sex", "Place of birth",
    "Date of issue", "Authority", "Date of expiry", "Passport No.",
)  # fmt: skip
COVERS = ((100, 20, 35), (20, 35, 90), (20, 70, 50), (25, 25, 30), (150, 30, 40), (60, 40, 30))


def data_page(studio: Studio, portrait_right: bool = False) -> Patch:
    """The page with portrait, fields and the two-line machine-readable zone."""
    rng = studio.rng
    page = Patch(PAGE_W, PAGE_H, radius=6)
    page.gradient(pale(rng), pale(rng), rng.uniform(0, 6.28))
    for _ in range(rng.randint(1, 4)):
        guilloche(studio, page, rng.randint(6, 16), pale(rng) * rng.uniform(0.75, 1), rng.uniform(0.05, 0.5))
    pw, ph = PAGE_W * rng.uniform(0.24, 0.29), PAGE_H * rng.uniform(0.46, 0.54)
    px = PAGE_W * (0.95 - 0.27 if portrait_right else 0.05)
    paste_portrait(studio, page, px, PAGE_H * 0.2, px + pw, PAGE_H * 0.2 + ph)
    caption_font, value_font, ink = studio.latin(), studio.bold(), any_colour(rng, 0, 60)
    page.text(PAGE_W * 0.05, PAGE_H * 0.05, rng.choice(TITLES), rng.randint(14, 22), vivid(rng) * 0.5, value_font)
    header = letters(rng, 3) + "   " + pattern(rng, "AA9999999")
    page.text(PAGE_W * 0.5, PAGE_H * 0.05, header, 16, (30, 30, 30), value_font)
    x, y = PAGE_W * (0.05 if portrait_right else 0.36), PAGE_H * 0.16
    for _ in range(rng.randint(5, 7)):
        page.text(x, y, rng.choice(CAPTIONS), 8, vivid(rng) * 0.6, caption_font)
        value = rng.choice([full_name(rng).upper(), date(rng), rng.choice(PLACES).upper(), letters(rng, 3)])
        page.text(x, y + 9, value, 12, ink, value_font)
        if rng.random() < 0.4:
            page.text(x + PAGE_W * 0.34, y + 9, date(rng), 12, ink, value_font)
        y += PAGE_H * 0.085
    if rng.random() < 0.5:
        signature(studio, page, PAGE_W * 0.6, PAGE_H * 0.6, PAGE_W * 0.28, PAGE_H * 0.1, ink)
    zone = np.minimum(255, page.image[int(PAGE_H * 0.8), 10] * rng.uniform(0.95, 1.1))
    page.rectangle(0, PAGE_H * 0.78, PAGE_W, PAGE_H, zone)
    font = studio.mono() if rng.random() < 0.85 else studio.latin()
    for i, line in enumerate(machine_readable_lines(rng, 2, 44)):
        page.text(PAGE_W * 0.03, PAGE_H * (0.815 + 0.09 * i), line, 17, (25, 25, 25), font, max_width=PAGE_W * 0.94)
    return page


@template("passports", weight=2)
def single_page(studio: Studio) -> Patch:
    """Data page that fills the picture of the passport."""
    page = data_page(studio)
    page.mark("passports")
    return page


@template("passports", weight=2)
def opened(studio: Studio) -> Patch:
    """Booklet lying open: observations or visa page above, data page below."""
    rng = studio.rng
    page = data_page(studio)
    booklet = Patch(PAGE_W, PAGE_H * 2, radius=6)
    booklet.gradient(pale(rng), pale(rng), rng.uniform(0, 6.28))
    guilloche(studio, booklet, 12, pale(rng) * 0.9, 0.1)
    ink = any_colour(rng, 0, 60)
    for i in range(rng.randint(0, 7)):
        booklet.text(
            PAGE_W * 0.1,
            PAGE_H * 0.15 + i * 24,
            phrase(rng, rng.randint(2, 5)),
            12,
            ink,
            studio.latin(),
            max_width=PAGE_W * 0.8,
        )
    if rng.random() < 0.3:
        stamp = vivid(rng) * 0.7
        booklet.circle(rng.uniform(80, 280), rng.uniform(60, 190), rng.randint(25, 45), stamp, 3)
    booklet.embed(page, 0, PAGE_H, PAGE_W, PAGE_H)
    booklet.image[PAGE_H - 3 : PAGE_H + 4] *= 0.75
    booklet.mark("passports")
    return booklet


@template("passports", weight=1)
def cover(studio: Studio) -> Patch:
    """Closed booklet: gold print and an emblem on dark cloth."""
    rng = studio.rng
    booklet = Patch(180, 255, rng.choice(COVERS), 10)
    booklet.image += studio.noise.normal(size=(booklet.height, booklet.width, 1)).astype(np.float32) * 4
    gold = np.float32([205, 170, 90]) * rng.uniform(0.7, 1.1)
    issuer = rng.choice(["UNION OF STATES", "REPUBLIC OF " + rng.choice(PLACES).upper(), "FEDERAL REPUBLIC"])
    booklet.text(90, 30, issuer, 13, gold, studio.bold(), max_width=150, anchor="centre")
    booklet.circle(90, 125, rng.randint(25, 40), gold, 3)
    for _ in range(rng.randint(3, 9)):
        angle = rng.uniform(0, 6.28)
        booklet.line(90, 125, 90 + 35 * math.cos(angle), 125 + 35 * math.sin(angle), gold, 3)
    booklet.text(90, 200, rng.choice(TITLES), rng.randint(18, 26), gold, studio.bold(), max_width=150, anchor="centre")
    if rng.random() < 0.6:
        booklet.rectangle(78, 235, 102, 245, gold, 2)
    booklet.mark("passports")
    return booklet


@template("passports", held_out=True)
def right_portrait_page(studio: Studio) -> Patch:
    """Data page with the portrait at the right and the facing page's edge above."""
    page = data_page(studio, portrait_right=True)
    whole = page.framed(0, 46, 0, 0)
    whole.image[:46] = pale(studio.rng)
    whole.alpha[:46] = 1
    whole.image[44:48] *= 0.7
    whole.mark("passports")
    return whole
