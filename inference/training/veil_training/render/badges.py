"""Name badges, stickers and cards on lanyards."""

import cv2
import numpy as np

from .canvas import Patch, any_colour, grey, pale, vivid
from .codes import LINEAR, QR, draw_code
from .studio import Studio, paste_portrait, template
from .words import GIVEN_NAMES, PLACES, full_name, phrase, word

ROLES = ("Engineer", "SPEAKER", "ATTENDEE", "VISITOR", "STAFF", "PRESS", "Volunteer", "Manager", "Student", "CREW")
GREETINGS = ("HELLO", "HALLO", "HOLA", "Hello!", "BONJOUR", "CIAO")


FADED_EDGE_PX = 10
"""How far in from its edges a piece of cloth begins to show."""


def _worn(studio: Studio, badge: Patch) -> Patch:
    """Puts a badge on cloth, below a lanyard or clip.

    The object recorded spans the lanyard as well, as the labels of photographed badges do.
    """
    rng = studio.rng
    w, h = badge.width, badge.height
    hangs = rng.random() < 0.8
    above = int(rng.uniform(0.3, 2.8) * max(h, 150)) if hangs else rng.randint(30, 230)
    spread = rng.uniform(0.12, 0.5) * above if hangs else 0.0
    margin = int(max(rng.randint(10, 120), spread - w / 2 + 30))
    shirt = _cloth(studio, w + 2 * margin, h + above + rng.randint(20, 120))
    middle, clip_width = shirt.width / 2, 6
    box = [margin, above, margin + w, above + h]
    if hangs:
        strap, width = vivid(rng) * rng.uniform(0.05, 1) if rng.random() < 0.7 else grey(rng, 5, 60), rng.randint(5, 18)
        for side in (-1, 1):
            shirt.line(middle, above, middle + side * spread, 0, strap, width)
        reach = spread * (1 - FADED_EDGE_PX / above) + width / 2
        box = [min(box[0], middle - reach), FADED_EDGE_PX, max(box[2], middle + reach), box[3]]
    shirt.rectangle(middle - clip_width, above - 18, middle + clip_width, above + 4, (170, 170, 175))
    if rng.random() < 0.5:
        holder = np.clip(shirt.image[above, margin] * 0.5 + 120, 0, 255)
        shirt.rectangle(margin - 6, above - 8, margin + w + 6, above + h + 6, holder)
    shirt.embed(badge, margin, above, w, h)
    shirt.mark("name_badges", (box[0], box[1], box[2], box[3]))
    soft = np.pad(
        np.ones((shirt.height - 2 * FADED_EDGE_PX, shirt.width - 2 * FADED_EDGE_PX), np.float32), FADED_EDGE_PX
    )
    shirt.alpha = cv2.GaussianBlur(soft, (0, 0), 6)
    return shirt


def _cloth(studio: Studio, width: int, height: int) -> Patch:
    rng = studio.rng
    shirt = Patch(width, height)
    cloth = vivid(rng) * rng.uniform(0.2, 1) if rng.random() < 0.6 else grey(rng, 15, 235)
    shirt.gradient(cloth * rng.uniform(0.6, 1), cloth, rng.uniform(0, 6.28))
    for _ in range(rng.randint(0, 4)):
        x = rng.randint(0, shirt.width)
        shirt.line(x, 0, x + rng.randint(-80, 80), shirt.height, cloth * rng.uniform(0.7, 0.95), rng.randint(2, 14))
    shirt.image = cv2.GaussianBlur(shirt.image, (0, 0), 3)
    return shirt


def _maybe_worn(studio: Studio, badge: Patch) -> Patch:
    if studio.rng.random() < 0.75:
        return _worn(studio, badge)
    badge.mark("name_badges")
    return badge


def _blank(studio: Studio) -> Patch:
    rng = studio.rng
    upright = rng.random() < 0.6
    w, h = (rng.randint(170, 220), rng.randint(240, 310)) if upright else (rng.randint(260, 320), rng.randint(160, 220))
    return Patch(w, h, rng.choice([np.float32([250, 250, 250]), pale(rng)]), rng.choice([0, 6, 12]))


@template("name_badges", weight=1)
def greeting_sticker(studio: Studio) -> Patch:
    """The "hello, my name is" sticker."""
    rng = studio.rng
    badge = _blank(studio)
    w, h, tint = badge.width, badge.height, vivid(rng) * rng.uniform(0.4, 1)
    badge.rectangle(0, 0, w, h * 0.3, tint)
    badge.text(
        w / 2,
        h * 0.04,
        rng.choice(GREETINGS),
        h * 0.13,
        (250, 250, 250),
        studio.bold(),
        anchor="centre",
        max_width=w * 0.9,
    )
    badge.text(
        w / 2, h * 0.19, "my name is", h * 0.07, (250, 250, 250), studio.latin(), anchor="centre", max_width=w * 0.9
    )
    name_font = rng.choice([studio.latin(), studio.cursive()])
    badge.text(
        w / 2,
        h * 0.42,
        rng.choice(GIVEN_NAMES),
        h * 0.22,
        any_colour(rng, 0, 80),
        name_font,
        anchor="centre",
        max_width=w * 0.9,
    )
    if rng.random() < 0.5:
        badge.rectangle(0, h * 0.92, w, h, tint)
    return _maybe_worn(studio, badge)


@template("name_badges", weight=3)
def conference_badge(studio: Studio) -> Patch:
    """Conference, company or school badge: banner, perhaps a portrait, name, affiliation, code."""
    rng = studio.rng
    badge = _blank(studio)
    w, h, y = badge.width, badge.height, 12.0
    if rng.random() < 0.8:
        band = h * rng.uniform(0.12, 0.28)
        if rng.random() < 0.2:
            badge.paste(studio.photo(w, band), 0, 0)
        else:
            badge.rectangle(0, 0, w, band, vivid(rng) * rng.uniform(0.4, 1))
        banner = rng.choice(
            [phrase(rng, 2).upper(), "CONFERENCE", "SUMMIT 2031", rng.choice(ROLES), "COLLEGE OF " + rng.choice(PLACES)]
        )
        badge.text(
            w / 2, band * 0.25, banner, band * 0.45, (250, 250, 250), studio.bold(), max_width=w * 0.9, anchor="centre"
        )
        y = band + 8
    if rng.random() < 0.5:
        side = min(w * 0.5, h * 0.4)
        paste_portrait(studio, badge, w / 2 - side * 0.4, y, w / 2 + side * 0.4, y + side)
        y += side + 6
    name_size = h * rng.uniform(0.08, 0.16)
    badge.text(
        w / 2,
        y,
        rng.choice(GIVEN_NAMES),
        name_size,
        any_colour(rng, 0, 70),
        studio.bold(),
        max_width=w * 0.9,
        anchor="centre",
    )
    y += name_size * 1.2
    for _ in range(rng.randint(1, 3)):
        if y < h * 0.85:
            line = rng.choice([full_name(rng), phrase(rng, 2), word(rng) + " Inc.", rng.choice(ROLES)])
            badge.text(
                w / 2, y, line, h * 0.065, any_colour(rng, 0, 100), studio.latin(), max_width=w * 0.9, anchor="centre"
            )
            y += h * 0.1
    if rng.random() < 0.3 and y < h * 0.7:
        side = min(h - y - 8, w * 0.3)
        draw_code(studio, badge, QR, w / 2 - side / 2, y + 2, side, side)
    elif rng.random() < 0.2 and y < h * 0.85:
        draw_code(studio, badge, LINEAR, w * 0.2, h * 0.88, w * 0.6, h * 0.08)
    return _maybe_worn(studio, badge)


@template("name_badges", weight=0.8)
def name_bar(studio: Studio) -> Patch:
    """Small metal or plastic name bar pinned to clothing."""
    rng = studio.rng
    badge = Patch(rng.randint(200, 280), rng.randint(60, 90), radius=6)
    tone = rng.choice([np.float32([215, 190, 120]), grey(rng, 190, 240), grey(rng, 10, 50), vivid(rng) * 0.6])
    badge.gradient(tone, tone * 0.85, 1.57)
    ink = (25, 25, 25) if badge.image.mean() > 128 else (245, 245, 245)
    badge.text(
        badge.width / 2,
        badge.height * 0.15,
        full_name(rng),
        badge.height * 0.4,
        ink,
        studio.bold(),
        anchor="centre",
        max_width=badge.width * 0.9,
    )
    badge.text(
        badge.width / 2,
        badge.height * 0.65,
        rng.choice(ROLES),
        badge.height * 0.22,
        ink,
        studio.latin(),
        anchor="centre",
    )
    return _maybe_worn(studio, badge)


@template("name_badges", held_out=True)
def corner_badge(studio: Studio) -> Patch:
    """Badge with a coloured corner, portrait at the left and name at the right."""
    rng = studio.rng
    badge = Patch(310, 200, (250, 250, 250), 10)
    badge.polygon([(0, 0), (310, 0), (310, 40), (0, 90)], vivid(rng))
    badge.text(
        14,
        12,
        rng.choice(PLACES).upper() + " " + rng.choice(["FORUM", "LABS", "CLINIC"]),
        22,
        (250, 250, 250),
        studio.bold(),
        max_width=280,
    )
    paste_portrait(studio, badge, 16, 78, 106, 186)
    ink = any_colour(rng, 0, 60)
    badge.text(122, 98, rng.choice(GIVEN_NAMES), 30, ink, studio.bold(), max_width=176)
    badge.text(122, 140, full_name(rng), 16, ink, studio.latin(), max_width=176)
    badge.text(122, 166, rng.choice(ROLES), 15, ink, studio.latin(), max_width=176)
    return _maybe_worn(studio, badge)
