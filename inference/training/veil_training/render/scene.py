"""Composes training and evaluation scenes: a background, objects at random poses, a camera."""

import math
from random import Random

import cv2
import numpy as np

from ..categories import CARD_LIKE
from ..sample import Sample
from . import badges, cards, codes, documents, passports, plates, screens, signs, tattoos, textlines
from .canvas import Patch, any_colour, hsv
from .degrade import degrade
from .negatives import DISTRACTOR
from .place import place, pose
from .studio import Studio, draw

__all__ = [
    "MIX",
    "badges",
    "cards",
    "codes",
    "compose",
    "documents",
    "passports",
    "plain_background",
    "plates",
    "screens",
    "signs",
    "tattoos",
    "textlines",
]  # fmt: skip

SIZE_PX: dict[str, tuple[float, float]] = {
    "license_plates": (11, 280),
    "street_signs": (10, 240),
    "qr_codes": (16, 340),
    "barcodes": (22, 360),
    "writing": (40, 400),
    "name_badges": (26, 360),
    "tattoos": (32, 460),
    "documents": (50, 520),
    "screens": (30, 480),
    "id_cards": (36, 480),
    "passports": (44, 520),
    "credit_cards": (32, 480),
    DISTRACTOR: (20, 420),
}
"""Long side of the labelled object in a training crop, drawn uniformly in its logarithm."""

MIX: dict[str, float] = {
    "license_plates": 1.4,
    "street_signs": 1.4,
    "qr_codes": 0.9,
    "barcodes": 1.1,
    "writing": 1.1,
    "name_badges": 1.1,
    "tattoos": 1.4,
    "documents": 1.2,
    "screens": 1.5,
    "id_cards": 1.1,
    "passports": 1.0,
    "credit_cards": 1.0,
    DISTRACTOR: 1.2,
}
UPRIGHT = ("street_signs", "screens", "license_plates", DISTRACTOR)


def plain_background(rng: Random, side: int) -> Sample:
    """Table, wall or cloth: a gradient with grain and lines."""
    patch = Patch(side, side)
    base = hsv(rng.uniform(0, 60), rng.randint(0, 140), rng.randint(30, 250)) if rng.random() < 0.6 else any_colour(rng)
    patch.gradient(base, base * rng.uniform(0.6, 1.2), rng.uniform(0, 6.28))
    noise = np.random.default_rng(rng.getrandbits(63))
    shape = rng.choice([4, 12, 40]), rng.choice([4, 12, 40])
    grain = cv2.resize(noise.standard_normal(shape, np.float32), (side, side))
    patch.image += grain[..., None] * rng.uniform(1, 16)
    if rng.random() < 0.3:
        for _ in range(rng.randint(3, 14)):
            x = rng.randint(0, side)
            patch.line(x, 0, x + rng.randint(-60, 60), side, base * rng.uniform(0.6, 1.1), rng.randint(1, 5))
    return Sample.empty(np.clip(patch.image, 0, 255).astype(np.uint8))


def _long_side(rng: Random, category: str, limit: float) -> float:
    low, high = SIZE_PX[category]
    return math.exp(rng.uniform(math.log(low), math.log(max(low * 1.2, min(high, limit)))))


def _patch_side(patch: Patch, object_side: float, limit: float) -> float:
    """Long side of the whole patch at which its first object has the wanted one."""
    if not patch.objects:
        return object_side
    extents = [float((quad.max(0) - quad.min(0)).max()) for _, quad in patch.objects]
    return min(object_side * max(patch.width, patch.height) / max(extents), limit)


def _put(studio: Studio, scene: Sample, category: str, object_side: float, centre: tuple[float, float] | None) -> None:
    rng, side = studio.rng, scene.image.shape[0]
    patch = draw(studio, category)
    whole = _patch_side(patch, object_side, side * 1.7)
    if centre is None:
        spread = 0.15 if object_side > side * 0.65 else 0.3
        uniform = object_side < side * 0.65
        centre = tuple(
            rng.uniform(0.06, 0.94) * side if uniform else side / 2 + rng.gauss(0, spread) * side for _ in range(2)
        )
    tilt = 1.4 if category == "screens" else 1.0
    place(rng, scene, patch, pose(rng, patch, whole, centre, category in UPRIGHT, tilt))


def _fan(studio: Studio, scene: Sample) -> None:
    """Card-like things of several kinds side by side or overlapping, as on a desk or in a hand."""
    rng, side = studio.rng, scene.image.shape[0]
    kinds = rng.sample(CARD_LIKE, rng.randint(2, 4))
    size = rng.uniform(0.28, 0.5) * side
    for i, kind in enumerate(kinds):
        x = side * (0.25 + 0.5 * (i % 2)) + rng.gauss(0, 0.05) * side
        y = side * (0.28 + 0.44 * (i // 2)) + rng.gauss(0, 0.05) * side
        _put(studio, scene, kind, size * rng.uniform(0.8, 1.15), (x, y))


def _tattoo_on(studio: Studio, scene: Sample, skin: tuple[float, float, float]) -> None:
    """Ink laid over photographed skin at (x, y) with a radius in pixels."""
    x, y, radius = skin
    patch = tattoos.tattoo_ink(studio)
    if patch.objects:
        side = _patch_side(patch, radius * studio.rng.uniform(0.9, 1.8), 460)
        place(studio.rng, scene, patch, pose(studio.rng, patch, side, (x, y), False))


def skin_spots(image: np.ndarray, min_radius_px: float = 14) -> list[tuple[float, float, float]]:
    """Centres and radii of discs that lie in skin-coloured areas (YCrCb bounds of Chai and Ngan, 1999)."""
    small = cv2.cvtColor(image, cv2.COLOR_RGB2YCrCb)
    mask = cv2.inRange(small, (50, 136, 78), (250, 172, 126))
    mask = cv2.morphologyEx(mask, cv2.MORPH_OPEN, np.ones((5, 5), np.uint8))
    distance = cv2.distanceTransform(mask, cv2.DIST_L2, 3)
    np.minimum(distance, min(image.shape[:2]) / 2, out=distance)
    spots = []
    for _ in range(4):
        _, radius, _, (x, y) = cv2.minMaxLoc(distance)
        if radius < min_radius_px:
            break
        spots.append((float(x), float(y), float(radius)))
        cv2.circle(distance, (x, y), int(radius * 1.6), 0, -1)
    return spots


def compose(studio: Studio, scene: Sample, wanted: str | None = None) -> Sample:
    """Adds objects to a square background, then degrades the picture.

    `wanted` forces at least one object of that category.
    """
    rng, _side = studio.rng, scene.image.shape[0]
    kind = rng.random()
    if wanted is None and kind < 0.12:
        _fan(studio, scene)
    else:
        _scatter(studio, scene, wanted)
    if (wanted in (None, "tattoos")) and rng.random() < (0.25 if wanted is None else 0.8):
        for spot in skin_spots(scene.image)[: rng.randint(1, 2)]:
            if not _over_head(scene, spot):
                _tattoo_on(studio, scene, spot)
    scene.image = degrade(rng, scene.image)
    return scene


def _over_head(scene: Sample, spot: tuple[float, float, float]) -> bool:
    """Faces are skin too, but tattoos on them would teach that faces are tattoos."""
    heads = scene.boxes[scene.labels == 0]
    x, y, r = spot
    inside = (heads[:, 0] - r < x) & (x < heads[:, 2] + r) & (heads[:, 1] - r < y) & (y < heads[:, 3] + r)
    return bool(inside.any())


def _scatter(studio: Studio, scene: Sample, wanted: str | None) -> None:
    rng, side = studio.rng, scene.image.shape[0]
    count = rng.choice([1, 1, 2, 2, 3, 4, 6])
    kinds = rng.choices(list(MIX), list(MIX.values()), k=count)
    if wanted:
        kinds = [wanted, *rng.choices(list(MIX), list(MIX.values()), k=rng.choice([0, 0, 1]))]
    limit = side * 1.3 if count < 3 else side * (0.5 if count < 5 else 0.3)
    sizes = sorted(((_long_side(rng, k, limit), k) for k in kinds), reverse=True)
    for size, kind in sizes:
        _put(studio, scene, kind, size, None)
