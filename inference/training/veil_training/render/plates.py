"""Licence plates of many countries, alone or mounted on a vehicle."""

import cv2
import numpy as np

from .canvas import Patch, any_colour, grey, pale, vivid
from .studio import Studio, template
from .words import PLACES, digits, letters, pattern, phrase, word

WHITE, YELLOW, DARK = (240, 240, 238), (245, 200, 40), (20, 20, 24)
EU_PATTERNS = ("AA 999 AA", "AAA 999", "9AAA999", "AA99 AAA", "A-AA 9999", "AA 9999", "AAA-999", "A999 AA", "AA-99-99")
REGIONS = ("CALIFORNIA", "TEXAS", "NEW YORK", "Florida", "OHIO", "Arizona", "ONTARIO", "Colorado", "GEORGIA", "MEXICO")


def _finish(studio: Studio, plate: Patch) -> Patch:
    rng = studio.rng
    if rng.random() < 0.35:
        plate.image *= rng.uniform(0.45, 0.95)
    if rng.random() < 0.3:
        dirt = studio.noise.random((5, 9)).astype(np.float32) * 60
        plate.image = plate.image * 0.85 + cv2.resize(dirt, (plate.width, plate.height))[..., None]
    plate.mark("license_plates")
    return _mounted(studio, plate) if rng.random() < 0.7 else plate


def _mounted(studio: Studio, plate: Patch) -> Patch:
    """Bumper or boot lid around the plate, with lamps, badges and gaps."""
    rng = studio.rng
    margin = rng.randint(20, 100)
    body = Patch(plate.width + 2 * margin, plate.height + 2 * margin)
    night = rng.random() < 0.25
    paint = vivid(rng) * rng.uniform(0.2, 1) if rng.random() < 0.6 else grey(rng, 10, 230)
    paint = paint * (rng.uniform(0.05, 0.25) if night else 1)
    body.gradient(paint * rng.uniform(0.5, 1), paint, rng.choice([1.57, -1.57]))
    if rng.random() < 0.6:
        body.rectangle(margin - 5, margin - 5, margin + plate.width + 4, margin + plate.height + 4, grey(rng, 5, 40))
    if rng.random() < 0.5:
        y = margin - rng.randint(6, 16)
        body.line(0, y, body.width, y, paint * 0.5, 3)
    if rng.random() < 0.3:
        label = rng.choice(["TURBO", "4x4", "HYBRID", letters(rng, 3), word(rng)])
        body.text(rng.randint(0, body.width // 2), 2, label, rng.randint(10, 18), (220, 220, 220), studio.bold())
    if rng.random() < 0.4:
        colours = [(200, 30, 30), (250, 240, 200), (240, 120, 30)]
        colour, radius = rng.choice(colours), rng.randint(15, 40)
        for x in (0, body.width):
            body.circle(x, margin, radius, colour)
    if rng.random() < 0.3:
        for i in range(rng.randint(3, 8)):
            y = margin + plate.height + 6 + i * 6
            body.line(0, y, body.width, y, paint * 0.4, 2)
    body.embed(plate, margin, margin, plate.width, plate.height)
    if night:
        _glare(studio, body)
    soft = np.pad(np.ones((body.height - 16, body.width - 16), np.float32), 8)
    body.alpha = cv2.GaussianBlur(soft, (0, 0), 5)
    return body


def _glare(studio: Studio, body: Patch) -> None:
    rng = studio.rng
    glow = np.zeros((body.height, body.width), np.float32)
    for _ in range(rng.randint(1, 3)):
        centre = rng.randint(0, body.width), rng.randint(0, body.height)
        cv2.circle(glow, centre, rng.randint(4, 18), 1.0, -1)
    glow = cv2.GaussianBlur(glow, (0, 0), rng.uniform(6, 25))
    body.image += (glow / max(1e-3, glow.max()))[..., None] * np.float32(rng.choice([(255, 230, 180), (255, 80, 60)]))


@template("license_plates", weight=4)
def european(studio: Studio) -> Patch:
    """Long single-line plate, often with a blue band at the left."""
    rng = studio.rng
    yellow = rng.random() < 0.18
    plate = Patch(260, rng.randint(50, 62), YELLOW if yellow else WHITE, 4)
    left, ink = 14, grey(rng, 0, 45)
    if rng.random() < 0.65:
        plate.rectangle(0, 0, 26, plate.height, (20, 50, 150))
        plate.circle(13, plate.height * 0.35, 7, (230, 200, 50), 1)
        country = letters(rng, rng.randint(1, 3), "ABCDEFGHIKLNPRSTUZ")
        plate.text(13, plate.height * 0.62, country, 11, (255, 255, 255), studio.bold(), anchor="centre", marked=False)
        left = 32
    number = pattern(rng, rng.choice(EU_PATTERNS))
    middle, room = (left + plate.width) / 2, plate.width - left - 12
    plate.text(
        middle, plate.height * 0.14, number, plate.height * 0.92, ink, studio.bold(), max_width=room, anchor="centre"
    )
    if rng.random() < 0.3:
        plate.circle(middle + rng.randint(-40, 20), plate.height / 2, 7, vivid(rng))
    if rng.random() < 0.7:
        plate.rectangle(0, 0, plate.width - 1, plate.height - 1, ink, 2)
    return _finish(studio, plate)


@template("license_plates", weight=4)
def american(studio: Studio) -> Patch:
    """Short plate with a region's name above the number."""
    rng = studio.rng
    plate = Patch(240, rng.randint(112, 128), WHITE, 8)
    kind = rng.random()
    if kind < 0.5:
        plate.gradient(pale(rng), pale(rng), 1.57)
    elif kind < 0.65:
        plate.image[:] = vivid(rng)
    elif kind < 0.75:
        plate.image[:] = studio.photo(plate.width, plate.height) * 0.4 + 140
    ink = np.float32([245, 245, 245]) if 0.5 <= kind < 0.65 else vivid(rng) * 0.6
    plate.text(
        120,
        6,
        rng.choice(REGIONS),
        rng.randint(16, 24),
        vivid(rng) * 0.8,
        studio.bold(),
        max_width=200,
        anchor="centre",
    )
    number = pattern(rng, rng.choice(["9AAA999", "AAA 9999", "AAA999", "XXXXXX", "999 AAA", "AA9 9AA"]))
    plate.text(120, 36, number, 66, ink, studio.bold(), max_width=216, anchor="centre")
    if rng.random() < 0.7:
        plate.text(120, plate.height - 18, phrase(rng, 2), 12, vivid(rng) * 0.7, studio.latin(), anchor="centre")
    for x in (20, 220):
        plate.circle(x, 10, 4, (90, 90, 90))
    return _finish(studio, plate)


@template("license_plates", weight=2)
def asian(studio: Studio) -> Patch:
    """Plates of India, China and Japan."""
    rng = studio.rng
    kind = rng.choice(["india", "china", "japan"])
    if kind == "india":
        plate = Patch(260, 60, rng.choice([WHITE, (245, 200, 20)]), 5)
        plate.text(130, 9, pattern(rng, "AA 99 AA 9999"), 48, DARK, studio.bold(), max_width=244, anchor="centre")
        return _finish(studio, plate)
    cjk = studio.fonts.scripts.get("cjk") or studio.fonts.bold
    if kind == "china":
        ground, ink = rng.choice([((20, 50, 160), WHITE), ((90, 190, 120), DARK), ((240, 190, 30), DARK)])
        plate = Patch(260, 66, ground, 5)
        plate.text(34, 10, chr(rng.randint(0x4E00, 0x5FFF)), 44, ink, rng.choice(cjk), anchor="centre")
        plate.text(158, 10, pattern(rng, "A·XXXXX"), 50, ink, studio.bold(), max_width=180, anchor="centre")
        plate.rectangle(2, 2, plate.width - 3, plate.height - 3, ink, 2)
        return _finish(studio, plate)
    ground, ink = rng.choice([(WHITE, (20, 90, 50)), ((240, 200, 30), DARK), ((20, 90, 60), WHITE)])
    plate = Patch(220, 110, ground, 5)
    place = chr(rng.randint(0x4E00, 0x5FFF)) + chr(rng.randint(0x4E00, 0x5FFF)) + " " + digits(rng, 3)
    plate.text(110, 6, place, 30, ink, rng.choice(cjk), max_width=190, anchor="centre")
    plate.text(110, 44, pattern(rng, "99-99"), 66, ink, studio.bold(), max_width=200, anchor="centre")
    return _finish(studio, plate)


@template("license_plates", weight=2)
def two_lines(studio: Studio) -> Patch:
    """Square plates of motorcycles, vans and Brazilian cars."""
    rng = studio.rng
    w, h = rng.choice([(150, rng.randint(95, 120)), (200, 75)])
    ground = rng.choice([(165, 165, 170), (170, 30, 30), WHITE, YELLOW, WHITE])
    ink = WHITE if ground == (170, 30, 30) else DARK
    plate = Patch(w, h, ground, 5)
    upper, lower = (
        (pattern(rng, "AA 99"), pattern(rng, "9999")) if w == 150 else (rng.choice(PLACES), pattern(rng, "AAA-9999"))
    )
    share = 0.42 if w == 150 else 0.25
    plate.text(w / 2, 5, upper, h * share, ink, studio.bold(), max_width=w - 20, anchor="centre")
    plate.text(
        w / 2, h * (share + 0.1), lower, h * (0.85 - share), ink, studio.bold(), max_width=w - 16, anchor="centre"
    )
    plate.rectangle(0, 0, w - 1, h - 1, ink, 2)
    return _finish(studio, plate)


@template("license_plates", weight=2)
def arabic_or_mercosur(studio: Studio) -> Patch:
    """Bilingual Arabic plates and South American ones with a blue head."""
    rng = studio.rng
    if rng.random() < 0.5:
        plate = Patch(260, 84, WHITE, 5)
        plate.rectangle(0, 0, 260, 17, (20, 40, 140))
        plate.text(
            130,
            3,
            rng.choice(["BRASIL", "ARGENTINA", "URUGUAY"]),
            13,
            WHITE,
            studio.bold(),
            anchor="centre",
            marked=False,
        )
        plate.text(130, 22, pattern(rng, "AAA9A99"), 62, DARK, studio.bold(), max_width=236, anchor="centre")
        return _finish(studio, plate)
    plate = Patch(250, 90, WHITE, 5)
    plate.line(0, 45, 250, 45, DARK, 2)
    arabic = studio.fonts.scripts.get("arabic") or studio.fonts.bold
    script = "".join(chr(rng.randint(0x0627, 0x064A)) for _ in range(6))
    plate.text(125, 6, script, 30, DARK, rng.choice(arabic), max_width=190, anchor="centre")
    plate.text(125, 52, pattern(rng, "9999 AAA"), 34, DARK, studio.bold(), max_width=190, anchor="centre")
    plate.rectangle(0, 0, 249, 89, DARK, 2)
    return _finish(studio, plate)


@template("license_plates", held_out=True)
def boxed_region(studio: Studio) -> Patch:
    """Plate with the region in a separate box at the right, as in Russia and Kazakhstan."""
    rng = studio.rng
    plate = Patch(280, rng.randint(56, 64), WHITE, 6)
    ink = any_colour(rng, 0, 40)
    plate.text(112, 9, pattern(rng, "A 999 AA"), 50, ink, studio.bold(), max_width=196, anchor="centre")
    plate.line(222, 2, 222, plate.height - 2, ink, 2)
    plate.text(250, 7, digits(rng, rng.randint(2, 3)), 28, ink, studio.bold(), max_width=48, anchor="centre")
    plate.text(250, 40, "RUS", 13, ink, studio.latin(), anchor="centre", marked=False)
    plate.rectangle(0, 0, plate.width - 1, plate.height - 1, ink, 2)
    return _finish(studio, plate)
