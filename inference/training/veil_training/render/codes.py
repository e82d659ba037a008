"""QR codes, linear barcodes and other matrix codes, drawn from real encodings."""

import string

import cv2
import numpy as np
import zxingcpp

from .canvas import Patch, any_colour, grey, pale, vivid
from .studio import Studio, template
from .words import CAPITALS, DIGITS, digits, letters, phrase, word

QR = ("QRCode", "QRCode", "QRCode", "QRCode", "QRCode", "QRCode", "MicroQRCode", "RMQRCode")
LINEAR = ("EAN13", "EAN13", "Code128", "Code128", "UPCA", "Code39", "EAN8", "ITF", "Codabar", "Code93", "ITF14")
MATRIX = ("DataMatrix", "DataMatrix", "Aztec", "Aztec", "PDF417", "PDF417", "PDF417", "MaxiCode", "MicroPDF417")
FIXED_DIGITS = {"EAN13": 12, "EAN8": 7, "UPCA": 11, "ITF14": 13}
CAPITALS_ONLY = ("Code39", "Code93")
MAX_DRAWS = 20
PRINTABLE = string.ascii_letters + string.digits


def _payload(studio: Studio, symbology: str) -> str:
    rng = studio.rng
    if symbology in FIXED_DIGITS:
        return digits(rng, FIXED_DIGITS[symbology])
    if symbology == "ITF":
        return digits(rng, rng.choice([8, 10, 12, 14]))
    if symbology == "Codabar":
        return "A" + digits(rng, rng.randint(5, 12)) + "B"
    if symbology in CAPITALS_ONLY:
        return letters(rng, rng.randint(4, 12), CAPITALS + DIGITS)
    if symbology == "MicroQRCode":
        return digits(rng, rng.randint(3, 9))
    if symbology in ("Code128", "RMQRCode", "MicroPDF417"):
        return letters(rng, rng.randint(5, 18), PRINTABLE)
    longest = 60 if symbology == "MaxiCode" else 200
    prefix = rng.choice(["https://", "WIFI:T:WPA;S:", "", "tel:+", "BEGIN:VCARD\n", ""])
    return prefix + letters(rng, min(longest, rng.choice([6, 12, 20, 30, 50, 80, 120, 200])), PRINTABLE)


def _encoded(
    studio: Studio, symbology: str, format_: zxingcpp.BarcodeFormat, options: dict[str, str]
) -> zxingcpp.Barcode:
    """A random payload's symbol; a payload that does not fit the symbology is drawn anew."""
    for _ in range(MAX_DRAWS):
        try:
            return zxingcpp.create_barcode(_payload(studio, symbology), format_, **options)
        except (ValueError, RuntimeError):
            continue
    raise ValueError(f"no payload of {MAX_DRAWS} fits {symbology}")


def symbol(studio: Studio, symbology: str) -> np.ndarray:
    """Modules of an encoded symbol as ink coverage float32 [h, w] (1 is dark), without quiet zone."""
    options: dict[str, str] = {}
    if symbology == "QRCode":
        options["ec_level"] = studio.rng.choice(["L", "M", "Q", "H"])
    format_ = getattr(zxingcpp.BarcodeFormat, symbology)
    barcode = _encoded(studio, symbology, format_, options)
    pixels = np.array(zxingcpp.write_barcode_to_image(barcode, scale=1 if symbology != "MaxiCode" else 4))
    dark = pixels < 128
    rows, columns = np.where(dark.any(1))[0], np.where(dark.any(0))[0]
    return dark[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1].astype(np.float32)


def category_of(symbology: str) -> str:
    """QR codes are a category of their own; every other symbology is a barcode."""
    return "qr_codes" if symbology in QR else "barcodes"


def draw_code(
    studio: Studio, patch: Patch, symbologies: tuple[str, ...], x: float, y: float, width: float, height: float
) -> None:
    """Prints a code with its quiet zone into a rectangle of a patch and marks it."""
    rng = studio.rng
    symbology = rng.choice(symbologies)
    ink = symbol(studio, symbology)
    if symbology not in LINEAR:
        ratio = ink.shape[1] / ink.shape[0]
        fitted_w = min(width, height * ratio)
        x, width, height = x + (width - fitted_w) / 2, fitted_w, fitted_w / ratio
    w, h = int(width), int(height)
    if w < 8 or h < 6:
        return
    mask = cv2.resize(ink, (w, h), interpolation=cv2.INTER_AREA)
    margin = max(2, w * 0.06)
    patch.rectangle(x - margin, y - margin, x + w + margin, y + h + margin, (252, 252, 252))
    patch.paste(np.broadcast_to(any_colour(rng, 0, 40), (h, w, 3)), x, y, mask)
    patch.mark(category_of(symbology), (x, y, x + w, y + h))


def _label(studio: Studio, symbology: str) -> Patch:
    rng = studio.rng
    ink = symbol(studio, symbology)
    margin = rng.randint(5, 60)
    linear = symbology in LINEAR
    width = rng.randint(190, 340) if linear else rng.randint(130, 240)
    height = width * rng.uniform(0.15, 0.75) if linear else width * ink.shape[0] / ink.shape[1]
    w, h = int(width), max(16, int(height))
    paper = rng.choice([np.float32([252, 252, 252]), np.float32([250, 250, 242]), pale(rng)])
    colour = any_colour(rng, 0, 60) if rng.random() < 0.85 else vivid(rng) * 0.5
    if rng.random() < 0.06:
        paper, colour = colour, paper
    patch = Patch(w + 2 * margin, h + 2 * margin, paper, rng.choice([0, 0, 8]))
    method = cv2.INTER_AREA if rng.random() < 0.6 else cv2.INTER_NEAREST
    mask = cv2.resize(ink, (w, h), interpolation=method)
    if rng.random() < 0.1:
        mask *= 1 - 0.7 * cv2.resize(studio.noise.random((6, 9)).astype(np.float32), (w, h))
    patch.paste(np.broadcast_to(np.float32(colour), (h, w, 3)), margin, margin, mask)
    patch.mark(category_of(symbology), (margin, margin, margin + w, margin + h))
    if symbology == "QRCode" and rng.random() < 0.2:
        radius, cx, cy = w * 0.1, margin + w / 2, margin + h / 2
        patch.rectangle(cx - radius, cy - radius, cx + radius, cy + radius, paper)
        patch.circle(cx, cy, radius * 0.8, vivid(rng))
    _captions(studio, patch, margin, h, colour)
    return patch


def _captions(studio: Studio, patch: Patch, margin: int, height: int, colour: np.ndarray) -> None:
    rng = studio.rng
    options = {"max_width": patch.width * 0.9, "anchor": "centre"}
    if margin > 20 and rng.random() < 0.5:
        above = rng.choice(["SCAN ME", "Scan here", phrase(rng, 2), word(rng)])
        patch.text(patch.width / 2, 3, above, min(margin * 0.6, 24), colour, studio.bold(), **options)
    if margin > 12 and rng.random() < 0.6:
        below = rng.choice([digits(rng, 13), phrase(rng, 2), f"www.{word(rng).lower()}.com"])
        y = margin + height + margin * 0.15
        patch.text(patch.width / 2, y, below, min(margin * 0.6, 20), colour, studio.latin(), **options)


@template("qr_codes")
def qr_label(studio: Studio) -> Patch:
    """A QR code on a sticker or poster."""
    return _label(studio, studio.rng.choice(QR))


@template("qr_codes", held_out=True)
def qr_ticket(studio: Studio) -> Patch:
    """A ticket stub with a QR code at its right end."""
    rng = studio.rng
    patch = Patch(360, 150, pale(rng), 8)
    patch.line(210, 0, 210, 150, grey(rng, 90, 160), 2)
    for i, size in enumerate((24, 14, 14, 12)):
        patch.text(16, 14 + i * 32, phrase(rng, 3), size, any_colour(rng, 0, 70), studio.latin(), max_width=180)
    draw_code(studio, patch, ("QRCode",), 228, 18, 114, 114)
    return patch


@template("barcodes")
def linear_label(studio: Studio) -> Patch:
    """A linear barcode on a label."""
    return _label(studio, studio.rng.choice(LINEAR))


@template("barcodes", weight=0.7)
def matrix_label(studio: Studio) -> Patch:
    """A matrix or stacked code that is not a QR code."""
    return _label(studio, studio.rng.choice(MATRIX))


@template("barcodes", weight=0.5)
def product_back(studio: Studio) -> Patch:
    """The back of a package: small print, a logo and a barcode."""
    rng = studio.rng
    w, h = rng.randint(220, 320), rng.randint(240, 380)
    patch = Patch(w, h, vivid(rng) if rng.random() < 0.6 else pale(rng), rng.choice([0, 6]))
    ink = np.float32([245, 245, 245]) if patch.image.mean() < 140 else any_colour(rng, 0, 60)
    patch.text(w * 0.08, 12, phrase(rng, 2), 24, ink, studio.bold(), max_width=w * 0.8)
    for i in range(rng.randint(4, 12)):
        patch.text(w * 0.08, 48 + i * 12, phrase(rng, 7), 9, ink, studio.latin(), max_width=w * 0.84)
    draw_code(studio, patch, LINEAR, w * rng.uniform(0.1, 0.35), h * 0.74, w * 0.5, h * rng.uniform(0.12, 0.2))
    return patch


@template("barcodes", held_out=True)
def parcel_label(studio: Studio) -> Patch:
    """A shipping label: address block, one wide linear code, sometimes a matrix code."""
    rng = studio.rng
    patch = Patch(300, 420, (250, 250, 248))
    ink = any_colour(rng, 0, 40)
    for y in (80, 190, 330):
        patch.line(0, y, 300, y, ink, 2)
    patch.text(14, 14, letters(rng, 3) + " EXPRESS", 32, ink, studio.bold())
    for i in range(4):
        patch.text(14, 92 + i * 22, phrase(rng, 3), 15, ink, studio.latin(), max_width=170)
    draw_code(studio, patch, LINEAR, 30, 208, 240, rng.randint(70, 100))
    if rng.random() < 0.6:
        draw_code(studio, patch, ("DataMatrix", "Aztec", "PDF417"), 205, 96, 80, 80)
    patch.text(150, 350, digits(rng, 12), 24, ink, studio.mono(), anchor="centre")
    return patch
