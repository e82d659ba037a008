"""Identity cards, driving licences and payment cards."""

import cv2
import numpy as np

from .canvas import Patch, any_colour, grey, pale, vivid
from .codes import LINEAR, QR, draw_code
from .studio import Studio, guilloche, paste_portrait, signature, template
from .words import PLACES, date, digits, full_name, letters, machine_readable_lines, pattern, phrase, street, word

CARD_W, CARD_H = 320, 202
"""ID-1 format (85.60 × 53.98 mm) at about 95 dpi."""

ID_TITLES = (
    "IDENTITY CARD", "NATIONAL ID", "PERSONALAUSWEIS", "CARTE D'IDENTITE", "RESIDENCE PERMIT", "CARTA DI IDENTITA",
    "DNI", "STUDENT CARD", "DOWOD OSOBISTY", "CEDULA DE IDENTIDAD", "VOTER CARD", "HEALTH INSURANCE CARD",
)  # fmt: skip
LICENCE_TITLES = ("DRIVER LICENSE", "DRIVING LICENCE", "PERMIS DE CONDUIRE", "FÜHRERSCHEIN", "LICENCIA DE CONDUCIR")
FIELD_NAMES = (
    "Surname", "Given names", "Date of birth", "DOB", "Nationality", "Sex", "Expires", "ID No", "Address", "Class",
    "Nom", "Prénom", "1.", "2.", "3.", "4b.", "5.", "Place of birth", "Issued",
)  # fmt: skip
BANKS = ("BANK", "MyBank", "CITY BANK", "Credit Union", "First National", "BANCO", "debit", "platinum", "business")


def _fields(studio: Studio, card: Patch, x: float, y: float, width: float, height: float) -> None:
    """Rows of small captions and larger values."""
    rng = studio.rng
    rows = rng.randint(4, 8)
    caption_font, value_font = studio.latin(), studio.bold()
    caption_ink, value_ink = vivid(rng) * 0.6, any_colour(rng, 0, 70)
    step = height / rows
    for i in range(rows):
        top = y + i * step
        if rng.random() < 0.6:
            size = max(6, step * 0.33)
            card.text(x, top, rng.choice(FIELD_NAMES), size, caption_ink, caption_font, marked=size > 7)
        value = rng.choice(
            [full_name(rng).upper(), date(rng), pattern(rng, "AA9999999"), rng.choice(PLACES), street(rng), "M", "F"]
        )
        card.text(x, top + step * 0.38, value, max(7, step * 0.52), value_ink, value_font, max_width=width)


def _background(studio: Studio, card: Patch) -> None:
    rng = studio.rng
    card.gradient(pale(rng), pale(rng), rng.uniform(0, 6.28))
    if rng.random() < 0.15:
        card.image = card.image * 0.75 + studio.photo(card.width, card.height) * 0.25
    for _ in range(rng.randint(0, 3)):
        guilloche(studio, card, rng.randint(4, 14), pale(rng) * rng.uniform(0.75, 1), rng.uniform(0.05, 0.4))


def _chip(card: Patch, x: float, y: float, scale: float, colour: tuple[int, int, int]) -> None:
    w, h = 46 * scale, 34 * scale
    card.rectangle(x, y, x + w, y + h, colour)
    for share in (0.33, 0.67):
        card.line(x + w * share, y, x + w * share, y + h, (90, 70, 30))
        card.line(x, y + h * share, x + w, y + h * share, (90, 70, 30))


def _title(studio: Studio, card: Patch, titles: tuple[str, ...], height: float) -> None:
    rng = studio.rng
    tint = vivid(rng) * rng.uniform(0.3, 1)
    ink: np.ndarray = tint * 0.7
    if rng.random() < 0.6:
        card.rectangle(0, 0, card.width, height, tint)
        ink = np.float32([250, 250, 250])
    text = rng.choice(titles)
    if rng.random() < 0.35:
        text = f"{rng.choice(['REPUBLIC OF ', 'STATE OF ', ''])}{rng.choice(PLACES).upper()} {text}"
    x = card.width * rng.choice([0.3, 0.5])
    anchor = "centre" if x > card.width * 0.4 else "left"
    left = x if anchor == "centre" else card.width * 0.04
    card.text(left, 4, text, height * 0.62, ink, studio.bold(), max_width=card.width * 0.8, anchor=anchor)
    if rng.random() < 0.3:
        for i in range(3):
            card.rectangle(card.width - 40, 6 + i * 6, card.width - 12, 12 + i * 6, vivid(rng))


@template("id_cards", weight=3)
def landscape_card(studio: Studio) -> Patch:
    """Identity card or licence with portrait at one side and fields at the other."""
    rng = studio.rng
    card = Patch(CARD_W, CARD_H, radius=rng.choice([0, 8, 12]))
    _background(studio, card)
    top = CARD_H * rng.uniform(0.1, 0.2)
    _title(studio, card, ID_TITLES if rng.random() < 0.6 else LICENCE_TITLES, top)
    on_left = rng.random() < 0.7
    px, py = CARD_W * (0.04 if on_left else 0.69), top + CARD_H * 0.08
    pw, ph = CARD_W * rng.uniform(0.24, 0.3), CARD_H * rng.uniform(0.48, 0.6)
    paste_portrait(studio, card, px, py, px + pw, py + ph)
    left = CARD_W * (0.37 if on_left else 0.05)
    _fields(studio, card, left, top + 8, CARD_W * 0.58, CARD_H - top - 16)
    if rng.random() < 0.3:
        _chip(card, CARD_W * rng.choice([0.06, 0.8]), CARD_H * 0.42, 0.9, (212, 175, 80))
    if rng.random() < 0.5:
        signature(studio, card, px, py + ph + 2, pw, CARD_H * 0.14, any_colour(rng, 0, 60))
    if rng.random() < 0.2:
        small = rng.uniform(0.12, 0.16)
        paste_portrait(studio, card, CARD_W * 0.85, CARD_H * 0.55, CARD_W * (0.85 + small * 0.75), CARD_H * 0.8)
    if rng.random() < 0.15:
        draw_code(studio, card, LINEAR, CARD_W * 0.37, CARD_H * 0.85, CARD_W * 0.5, CARD_H * 0.11)
    elif rng.random() < 0.1:
        draw_code(studio, card, QR, CARD_W * 0.82, CARD_H * 0.7, CARD_W * 0.14, CARD_W * 0.14)
    card.mark("id_cards")
    return card


@template("id_cards", weight=0.8)
def portrait_card(studio: Studio) -> Patch:
    """Upright card: picture above, fields below."""
    rng = studio.rng
    card = Patch(CARD_H, CARD_W, radius=rng.choice([0, 8, 12]))
    _background(studio, card)
    top = CARD_W * rng.uniform(0.1, 0.16)
    _title(studio, card, ID_TITLES, top)
    pw, ph = CARD_H * 0.5, CARD_W * 0.34
    paste_portrait(studio, card, CARD_H * 0.25, top + 10, CARD_H * 0.25 + pw, top + 10 + ph)
    y = top + ph + 20
    _fields(studio, card, CARD_H * 0.08, y, CARD_H * 0.84, CARD_W - y - 10)
    card.mark("id_cards")
    return card


@template("id_cards", weight=0.9)
def card_back(studio: Studio) -> Patch:
    """Back of an identity card: machine-readable zone, stripe or code, small print."""
    rng = studio.rng
    card = Patch(CARD_W, CARD_H, radius=rng.choice([0, 8, 12]))
    _background(studio, card)
    y = 14.0
    if rng.random() < 0.4:
        card.rectangle(0, 14, CARD_W, 50, (28, 24, 24))
        y = 58
    ink = any_colour(rng, 0, 60)
    for _ in range(rng.randint(2, 6)):
        card.text(14, y, phrase(rng, rng.randint(2, 6)), rng.randint(8, 12), ink, studio.latin(), max_width=190)
        y += 15
    if rng.random() < 0.4:
        draw_code(studio, card, (*QR, "PDF417", "DataMatrix"), CARD_W * 0.7, 60, CARD_W * 0.24, CARD_W * 0.18)
    if rng.random() < 0.75:
        font = studio.mono()
        for i, line in enumerate(machine_readable_lines(rng, 3, 30)):
            card.text(10, CARD_H - 60 + i * 18, line, 16, (20, 20, 20), font, max_width=CARD_W - 20)
    card.mark("id_cards")
    return card


@template("id_cards", held_out=True)
def band_licence(studio: Studio) -> Patch:
    """Licence with a coloured band down the left side and a centred portrait."""
    rng = studio.rng
    card = Patch(CARD_W, CARD_H, pale(rng), 10)
    guilloche(studio, card, 9, pale(rng) * 0.85, 0.2)
    card.rectangle(0, 0, 40, CARD_H, vivid(rng))
    card.text(20, CARD_H * 0.8, letters(rng, 1), 26, (250, 250, 250), studio.bold(), anchor="centre")
    card.text(52, 8, rng.choice(LICENCE_TITLES), 20, vivid(rng) * 0.6, studio.bold(), max_width=250)
    paste_portrait(studio, card, 52, 40, 132, 148)
    _fields(studio, card, 144, 40, 166, 120)
    signature(studio, card, 52, 155, 110, 34, any_colour(rng, 0, 50))
    card.mark("id_cards")
    return card


def _card_face(studio: Studio, card: Patch) -> np.ndarray:
    """Background of a payment card; returns a colour that can be read on it."""
    rng = studio.rng
    kind = rng.random()
    if kind < 0.5:
        card.gradient(vivid(rng) * rng.uniform(0.2, 1), vivid(rng) * rng.uniform(0.2, 1), rng.uniform(0, 6.28))
    elif kind < 0.68:
        card.gradient(grey(rng, 0, 60), grey(rng, 20, 120), rng.uniform(0, 6.28))
    elif kind < 0.8:
        card.gradient(grey(rng, 180, 250), pale(rng), rng.uniform(0, 6.28))
    else:
        card.image[:] = studio.photo(card.width, card.height) * rng.uniform(0.4, 1)
    for _ in range(rng.randint(0, 3)):
        tone = np.clip(card.image[card.height // 2, card.width // 2] * rng.uniform(0.7, 1.3), 0, 255)
        centre = rng.randint(0, card.width), rng.randint(0, card.height)
        card.circle(*centre, rng.randint(20, 200), tone, rng.choice([-1, 2, 8]))
    if rng.random() < 0.2:
        return np.float32([215, 190, 110])
    return np.float32([245, 245, 245]) if card.image.mean() < 140 else grey(rng, 10, 50)


def _network_mark(studio: Studio, card: Patch, ink: np.ndarray) -> None:
    """Two overlapping discs or a short slanted word, where the scheme's mark sits."""
    rng = studio.rng
    w, h = card.width, card.height
    if rng.random() < 0.5:
        card.circle(w * 0.83, h * 0.84, 20, vivid(rng))
        card.circle(w * 0.91, h * 0.84, 20, vivid(rng))
    else:
        name = rng.choice(["VALUTA", "PAYO", "ORBIS", "CIRRA", "NOVA", "UNIO", letters(rng, 4)])
        card.text(w * 0.77, h * 0.78, name, 28, ink, studio.cursive(), max_width=w * 0.2)


@template("credit_cards", weight=3)
def payment_front(studio: Studio) -> Patch:
    """Front with chip, number, name and expiry."""
    rng = studio.rng
    card = Patch(CARD_W, CARD_H, radius=12)
    ink = _card_face(studio, card)
    bank = rng.choice([*BANKS, word(rng) + " Bank"])
    card.text(CARD_W * 0.06, CARD_H * 0.08, bank, rng.randint(16, 26), ink, studio.latin())
    x, y = CARD_W * 0.08, CARD_H * 0.33
    _chip(card, x, y, 1, rng.choice([(212, 175, 80), (190, 190, 195)]))
    if rng.random() < 0.5:
        for i in range(3):
            centre, axes = (int(x + 62), int(y + 17)), (6 + 5 * i, 6 + 5 * i)
            cv2.ellipse(card.image, centre, axes, 0, -40, 40, ink.tolist(), 2, cv2.LINE_AA)
    emboss, font = rng.random() < 0.5, rng.choice([studio.mono(), studio.bold()])
    if rng.random() < 0.85:
        number = "  ".join(digits(rng, 4) for _ in range(4))
        card.text(
            CARD_W * 0.07, CARD_H * 0.56, number, rng.randint(20, 28), ink, font, max_width=CARD_W * 0.86, emboss=emboss
        )
    if rng.random() < 0.85:
        name = full_name(rng).upper()
        card.text(CARD_W * 0.07, CARD_H * 0.82, name, 15, ink, font, max_width=CARD_W * 0.5, emboss=emboss)
    if rng.random() < 0.8:
        expiry = f"{rng.randint(1, 12):02d}/{rng.randint(20, 39)}"
        card.text(CARD_W * 0.4, CARD_H * 0.71, expiry, 14, ink, font, emboss=emboss)
    _network_mark(studio, card, ink)
    card.mark("credit_cards")
    return card


@template("credit_cards", weight=0.8)
def payment_back(studio: Studio) -> Patch:
    """Back with magnetic stripe and signature panel."""
    rng = studio.rng
    card = Patch(CARD_W, CARD_H, radius=12)
    ink = _card_face(studio, card)
    card.rectangle(0, CARD_H * 0.1, CARD_W, CARD_H * 0.3, (25, 22, 22))
    card.rectangle(CARD_W * 0.05, CARD_H * 0.4, CARD_W * 0.7, CARD_H * 0.54, (235, 235, 230))
    card.text(CARD_W * 0.72, CARD_H * 0.43, digits(rng, 3), 16, (20, 20, 20), studio.latin())
    for i in range(rng.randint(1, 4)):
        card.text(CARD_W * 0.05, CARD_H * 0.62 + i * 14, phrase(rng, 7), 9, ink, studio.latin(), max_width=CARD_W * 0.9)
    if rng.random() < 0.4:
        number = "  ".join(digits(rng, 4) for _ in range(4))
        card.text(CARD_W * 0.05, CARD_H * 0.85, number, 18, ink, studio.mono(), max_width=CARD_W * 0.7)
    card.mark("credit_cards")
    return card


@template("credit_cards", weight=0.8)
def payment_upright(studio: Studio) -> Patch:
    """Upright modern card with little print."""
    rng = studio.rng
    card = Patch(CARD_H, CARD_W, radius=12)
    ink = _card_face(studio, card)
    _chip(card, CARD_H * 0.38, CARD_W * rng.choice([0.12, 0.3]), 1, rng.choice([(212, 175, 80), (190, 190, 195)]))
    card.text(CARD_H * 0.5, CARD_W * 0.06, rng.choice(BANKS), 20, ink, studio.bold(), anchor="centre")
    if rng.random() < 0.4:
        for i in range(4):
            card.text(CARD_H * 0.12, CARD_W * 0.5 + i * 24, digits(rng, 4), 20, ink, studio.mono())
    _network_mark(studio, card, ink)
    card.mark("credit_cards")
    return card


@template("credit_cards", held_out=True)
def payment_split(studio: Studio) -> Patch:
    """Two-tone card, chip at the right, number in two rows."""
    rng = studio.rng
    card = Patch(CARD_W, CARD_H, vivid(rng) * 0.5, 14)
    tone = vivid(rng)
    card.polygon([(0, 0), (CARD_W * 0.6, 0), (CARD_W * 0.35, CARD_H), (0, CARD_H)], tone)
    ink = np.float32([245, 245, 245])
    card.text(20, 14, word(rng).title() + " Bank", 24, ink, studio.bold())
    _chip(card, CARD_W * 0.76, CARD_H * 0.3, 1, (212, 175, 80))
    font = studio.mono()
    for i in range(2):
        card.text(20, 96 + i * 28, f"{digits(rng, 4)} {digits(rng, 4)}", 22, ink, font)
    card.text(20, 166, full_name(rng).upper(), 15, ink, studio.latin(), max_width=200)
    card.mark("credit_cards")
    return card
