"""Things that a detector confuses with its targets: wheels, windows, tiles, clocks, logos, appliances."""

import math

import cv2
import numpy as np

from .canvas import Patch, any_colour, grey, pale, vivid
from .studio import Studio, template

DISTRACTOR = "distractor"
"""Registry key of these templates; it is not a category and nothing is marked."""


def _disc(side: int) -> Patch:
    patch = Patch(side, side)
    mask = np.zeros((side, side), np.uint8)
    cv2.circle(mask, (side // 2, side // 2), side // 2 - 1, 255, -1, cv2.LINE_AA)
    patch.alpha = mask.astype(np.float32) / 255
    return patch


@template(DISTRACTOR)
def wheel(studio: Studio) -> Patch:
    """Tyre with a spoked rim."""
    rng = studio.rng
    patch = _disc(160)
    patch.image[:] = grey(rng, 10, 45)
    patch.circle(80, 80, 56, grey(rng, 120, 220))
    spokes = rng.randint(4, 12)
    for i in range(spokes):
        angle = 6.28 * i / spokes
        patch.line(80, 80, 80 + 54 * math.cos(angle), 80 + 54 * math.sin(angle), grey(rng, 30, 90), rng.randint(4, 12))
    patch.circle(80, 80, 12, grey(rng, 60, 200))
    return patch


@template(DISTRACTOR)
def windows(studio: Studio) -> Patch:
    """Facade with a grid of windows, or a single window with bars."""
    rng = studio.rng
    columns, rows = rng.randint(1, 6), rng.randint(1, 6)
    patch = Patch(60 * columns + 20, 76 * rows + 20, pale(rng) * rng.uniform(0.4, 1))
    for r in range(rows):
        for c in range(columns):
            x, y = 20 + 60 * c, 20 + 76 * r
            glass = studio.photo(40, 56) * rng.uniform(0.2, 0.9) if rng.random() < 0.5 else None
            patch.rectangle(x - 3, y - 3, x + 43, y + 59, grey(rng, 150, 250))
            if glass is None:
                patch.rectangle(x, y, x + 40, y + 56, any_colour(rng, 20, 150))
            else:
                patch.paste(glass, x, y)
            patch.line(x + 20, y, x + 20, y + 56, grey(rng, 150, 250), 2)
    return patch


@template(DISTRACTOR)
def tiles(studio: Studio) -> Patch:
    """Checker, bricks or mosaic: regular, yet no code."""
    rng = studio.rng
    cell, columns, rows = rng.randint(8, 24), rng.randint(5, 16), rng.randint(5, 16)
    patch = Patch(cell * columns, cell * rows, any_colour(rng))
    colours = [any_colour(rng) for _ in range(rng.randint(2, 4))]
    bricks = rng.random() < 0.4
    for r in range(rows):
        shift = cell // 2 if bricks and r % 2 else 0
        for c in range(-1, columns):
            colour = colours[(r + c) % len(colours)] if rng.random() < 0.85 else any_colour(rng)
            x = c * cell + shift
            patch.rectangle(x + 1, r * cell + 1, x + cell - 1, (r + 1) * cell - 1, colour)
    return patch


@template(DISTRACTOR)
def stripes(studio: Studio) -> Patch:
    """Fence, blind, grille or striped cloth: bars without the rhythm of a barcode."""
    rng = studio.rng
    patch = Patch(rng.randint(100, 240), rng.randint(80, 240), any_colour(rng))
    pitch, colour = rng.randint(8, 22), any_colour(rng)
    upright = rng.random() < 0.5
    for x in range(0, patch.width if upright else patch.height, pitch):
        box = (x, 0, x + pitch // 2, patch.height) if upright else (0, x, patch.width, x + pitch // 2)
        patch.rectangle(*box, colour)
    return patch


@template(DISTRACTOR)
def clock(studio: Studio) -> Patch:
    """Wall clock with ticks and hands."""
    rng = studio.rng
    patch = _disc(160)
    patch.image[:] = any_colour(rng)
    patch.circle(80, 80, 70, rng.choice([grey(rng, 220, 255), grey(rng, 5, 40)]))
    ink = np.float32([20, 20, 20]) if patch.image[80, 40].mean() > 128 else np.float32([240, 240, 240])
    for i in range(12):
        a = 6.28 * i / 12
        patch.line(80 + 58 * math.cos(a), 80 + 58 * math.sin(a), 80 + 66 * math.cos(a), 80 + 66 * math.sin(a), ink, 4)
    for length, width in ((36, 6), (56, 4)):
        a = rng.uniform(0, 6.28)
        patch.line(80, 80, 80 + length * math.cos(a), 80 + length * math.sin(a), ink, width)
    return patch


@template(DISTRACTOR)
def emblem(studio: Studio) -> Patch:
    """Abstract logo, ball, button or lamp."""
    rng = studio.rng
    patch = _disc(140) if rng.random() < 0.6 else Patch(140, 140, radius=rng.choice([4, 30]))
    patch.gradient(vivid(rng), any_colour(rng), rng.uniform(0, 6.28))
    for _ in range(rng.randint(1, 4)):
        x, y = rng.uniform(20, 120), rng.uniform(20, 120)
        if rng.random() < 0.5:
            patch.circle(x, y, rng.uniform(8, 50), any_colour(rng), rng.choice([-1, 6]))
        else:
            patch.polygon([(rng.uniform(0, 140), rng.uniform(0, 140)) for _ in range(3)], any_colour(rng))
    return patch


@template(DISTRACTOR)
def appliance(studio: Studio) -> Patch:
    """Fridge, cupboard, door or box: a large plain rectangle with seams and handles."""
    rng = studio.rng
    patch = Patch(rng.randint(120, 200), rng.randint(140, 320), radius=rng.choice([0, 0, 8]))
    tone = grey(rng, 60, 250) if rng.random() < 0.7 else any_colour(rng)
    patch.gradient(tone, tone * rng.uniform(0.75, 1), rng.uniform(0, 6.28))
    for _ in range(rng.randint(1, 4)):
        y = rng.uniform(0.1, 0.9) * patch.height
        patch.line(0, y, patch.width, y, tone * 0.6, 2)
        patch.rectangle(patch.width * 0.8, y + 6, patch.width * 0.86, y + 40, tone * 0.5)
    return patch


@template(DISTRACTOR)
def picture_frame(studio: Studio) -> Patch:
    """Framed picture on a wall: rectangle with content that is neither screen nor document."""
    rng = studio.rng
    w, h = rng.randint(120, 260), rng.randint(120, 260)
    border, mat = rng.randint(6, 20), rng.choice([0, 14, 24])
    patch = Patch(w, h, rng.choice([any_colour(rng, 60, 200), np.float32([150, 110, 60])]))
    patch.rectangle(border, border, w - border, h - border, (245, 243, 238))
    inset = border + mat
    painting = studio.photo(w - 2 * inset, h - 2 * inset)
    if rng.random() < 0.6:
        painting = np.round(painting / 48) * 48
    patch.paste(painting, inset, inset)
    return patch
