"""Tattoo art: ink on a patch of drawn skin, or ink alone to be laid on photographed skin."""

import math

import cv2
import numpy as np

from ..geometry import quad_of_box
from .canvas import Patch, hsv, vivid
from .fonts import glyph_mask
from .studio import Studio, template
from .words import date, full_name, phrase, word

SIDE = 220
MIN_INK_PX = 80
MIN_INK_CONTRAST = 35.0


class _Art:
    """Ink coverage [h, w] in 0…1 with its colours [h, w, 3]; lettering is neither learnt as writing nor denied."""

    def __init__(self, studio: Studio):
        self.studio, self.rng = studio, studio.rng
        self.ink = np.zeros((SIDE, SIDE), np.float32)
        self.colour = np.empty((SIDE, SIDE, 3), np.float32)
        self.colour[:] = self.rng.choice([(25, 28, 35), (30, 40, 60), (20, 20, 22), (40, 55, 60)])
        self.x, self.y = self.rng.uniform(85, 135), self.rng.uniform(85, 135)
        self.radius = self.rng.uniform(40, 80)
        self.lettering: list[np.ndarray] = []

    def fill(self, points: np.ndarray, value: float = 1) -> None:
        cv2.fillPoly(self.ink, [np.int32(points)], value, cv2.LINE_AA)

    def stroke(self, points: np.ndarray, thickness: int, closed: bool = False) -> None:
        cv2.polylines(self.ink, [np.int32(points)], closed, 1.0, thickness, cv2.LINE_AA)

    def curve(self, harmonics: int) -> np.ndarray:
        """Smooth random closed curve [60, 2] about the centre."""
        t = np.linspace(0, 1, 60)
        x, y = np.zeros(60), np.zeros(60)
        for k in range(1, harmonics):
            x += self.rng.gauss(0, 1) / k * np.sin(6.28 * k * t + self.rng.uniform(0, 6))
            y += self.rng.gauss(0, 1) / k * np.sin(6.28 * k * t + self.rng.uniform(0, 6))
        return np.stack([self.x + self.radius * 0.6 * x, self.y + self.radius * 0.6 * y], 1)

    def tint(self, mask: np.ndarray, colour: np.ndarray, strength: float) -> None:
        """Colour fill with uneven shading."""
        shade = cv2.resize(self.studio.noise.uniform(0.4, 1, (5, 5)).astype(np.float32), (SIDE, SIDE))
        self.colour[mask > 0.5] = colour
        self.ink = np.maximum(self.ink, mask * strength * shade)


def _lines(art: _Art) -> None:
    for _ in range(art.rng.randint(2, 6)):
        art.stroke(art.curve(art.rng.randint(3, 7)), art.rng.randint(1, 4))


def _tribal(art: _Art) -> None:
    for _ in range(art.rng.randint(2, 6)):
        spine = art.curve(art.rng.randint(3, 6))[:28]
        width = np.sin(np.linspace(0, math.pi, 28))[:, None] * art.rng.uniform(4, 14)
        normal = np.gradient(spine, axis=0)[:, ::-1] * np.float32([1, -1])
        normal /= np.maximum(np.linalg.norm(normal, axis=1, keepdims=True), 1e-3)
        art.fill(np.concatenate([spine + normal * width, (spine - normal * width)[::-1]]))


def _lettering(art: _Art) -> None:
    rng = art.rng
    y = art.y - 30
    for _ in range(rng.randint(1, 4)):
        text = rng.choice([full_name(rng), word(rng).title(), phrase(rng, 2), date(rng)])
        font = rng.choice([art.studio.cursive(), art.studio.bold()])
        mask = glyph_mask(text, font, rng.randint(20, 50))[:, : SIDE - 12].astype(np.float32) / 255
        h, w = mask.shape
        x, top = int(np.clip(art.x - w / 2, 0, SIDE - w)), int(np.clip(y, 0, SIDE - h))
        art.ink[top : top + h, x : x + w] = np.maximum(art.ink[top : top + h, x : x + w], mask)
        art.lettering.append(quad_of_box(np.float32([x, top, x + w, top + h])))
        y += h + 6


def _flower(art: _Art) -> None:
    rng = art.rng
    petals, rings = rng.randint(5, 12), rng.randint(1, 4)
    coloured, tone = rng.random() < 0.55, vivid(rng)
    for ring in range(rings):
        radius = art.radius * (1 - 0.22 * ring)
        for i in range(petals):
            angle = 6.28 * i / petals + ring * 0.3
            centre = int(art.x + radius * 0.55 * math.cos(angle)), int(art.y + radius * 0.55 * math.sin(angle))
            axes = max(2, int(radius * 0.45)), max(2, int(radius * rng.uniform(0.14, 0.26)))
            outline = cv2.ellipse2Poly(centre, axes, int(math.degrees(angle)), 0, 360, 12)
            if coloured:
                mask = np.zeros((SIDE, SIDE), np.float32)
                cv2.fillPoly(mask, [outline], 1.0)
                art.tint(mask, tone * rng.uniform(0.6, 1), rng.uniform(0.4, 0.9))
            art.stroke(outline, rng.randint(1, 3), closed=True)
    cv2.circle(art.ink, (int(art.x), int(art.y)), max(2, int(art.radius * 0.2)), 1.0, rng.choice([-1, 2]), cv2.LINE_AA)


def _star(art: _Art) -> None:
    rng = art.rng
    points, inner = rng.choice([4, 5, 6, 8]), rng.uniform(0.3, 0.6)
    angles = np.arange(2 * points) * math.pi / points
    radii = np.where(np.arange(2 * points) % 2, art.radius, art.radius * inner)
    shape = np.stack([art.x + radii * np.cos(angles), art.y + radii * np.sin(angles)], 1)
    if rng.random() < 0.5:
        mask = np.zeros((SIDE, SIDE), np.float32)
        cv2.fillPoly(mask, [np.int32(shape)], 1.0)
        art.tint(mask, vivid(rng), rng.uniform(0.4, 0.9))
    art.stroke(shape, rng.randint(2, 4), closed=True)


def _engraving(art: _Art) -> None:
    """A photograph turned into black-and-grey or coloured shading, as realistic tattoos are."""
    rng = art.rng
    side = int(min(2 * art.radius, SIDE - 4))
    picture = cv2.GaussianBlur(art.studio.photo(side, side), (0, 0), 1.2)
    darkness = np.clip((rng.uniform(130, 190) - picture.mean(2)) / 110, 0, 1)
    window = np.zeros((side, side), np.float32)
    cv2.ellipse(
        window, (side // 2, side // 2), (side // 2 - 3, int(side * rng.uniform(0.35, 0.48))), 0, 0, 360, 1.0, -1
    )
    window = cv2.GaussianBlur(window, (0, 0), rng.uniform(2, 8))
    x, y = int(np.clip(art.x - side / 2, 0, SIDE - side)), int(np.clip(art.y - side / 2, 0, SIDE - side))
    area = art.ink[y : y + side, x : x + side]
    art.ink[y : y + side, x : x + side] = np.maximum(area, darkness * window)
    if rng.random() < 0.5:
        art.colour[y : y + side, x : x + side] = picture * 0.7


def _figure(art: _Art) -> None:
    """Outlined and filled closed shapes: hearts, animals, skulls only in silhouette."""
    rng = art.rng
    for _ in range(rng.randint(1, 4)):
        outline = art.curve(rng.randint(4, 8))
        if rng.random() < 0.7:
            mask = np.zeros((SIDE, SIDE), np.float32)
            cv2.fillPoly(mask, [np.int32(outline)], 1.0)
            art.tint(mask, vivid(rng) * rng.uniform(0.5, 1), rng.uniform(0.4, 0.95))
        art.stroke(outline, rng.randint(1, 4), closed=True)


def _geometric(art: _Art) -> None:
    """Held-out motif: nested polygons, dots and parallel lines."""
    rng = art.rng
    sides = rng.choice([3, 4, 6])
    for k in range(rng.randint(2, 5)):
        radius = art.radius * (1 - 0.18 * k)
        angles = np.arange(sides) * 2 * math.pi / sides + k * 0.26
        art.stroke(np.stack([art.x + radius * np.cos(angles), art.y + radius * np.sin(angles)], 1), 2, closed=True)
    for i in range(rng.randint(4, 12)):
        angle = i * 0.6
        cv2.circle(
            art.ink, (int(art.x + art.radius * math.cos(angle)), int(art.y + art.radius * math.sin(angle))), 3, 1.0, -1
        )
    for i in range(rng.randint(2, 6)):
        y = art.y + art.radius * 0.2 * (i - 3)
        art.stroke(np.float32([[art.x - art.radius, y], [art.x + art.radius, y]]), 1)


MOTIFS = (_lines, _tribal, _lettering, _flower, _star, _engraving, _engraving, _figure, _figure)


def _compose(studio: Studio) -> _Art:
    art = _Art(studio)
    rng = studio.rng
    count = rng.choice([1, 1, 2, 2, 3, 4])
    for _ in range(count):
        (_geometric if studio.held_out else rng.choice(MOTIFS))(art)
        if count > 2:
            art.x, art.y = rng.uniform(50, 170), rng.uniform(50, 170)
            art.radius = rng.uniform(30, 60)
    if rng.random() < 0.4:
        art.ink = np.maximum(art.ink, 0.5 * cv2.GaussianBlur(art.ink, (0, 0), rng.uniform(3, 8)))
    art.ink = np.clip(cv2.GaussianBlur(art.ink, (0, 0), rng.uniform(0.4, 1.2)), 0, 1)
    return art


def _extent(ink: np.ndarray) -> tuple[float, float, float, float] | None:
    ys, xs = np.where(ink > 0.25)
    if len(ys) < MIN_INK_PX:
        return None
    return float(xs.min()), float(ys.min()), float(xs.max() + 1), float(ys.max() + 1)


def tattoo_ink(studio: Studio) -> Patch:
    """Ink alone: alpha is its coverage, to be multiplied onto photographed skin."""
    art = _compose(studio)
    patch = Patch(SIDE, SIDE)
    patch.image, patch.alpha = art.colour, art.ink * studio.rng.uniform(0.6, 0.97)
    patch.multiply = True
    patch.faint_lines = art.lettering
    box = _extent(art.ink)
    if box:
        patch.mark("tattoos", box)
    return patch


def _on_drawn_skin(studio: Studio) -> Patch:
    rng, noise = studio.rng, studio.noise
    art = _compose(studio)
    skin = hsv(rng.uniform(8, 38), rng.randint(50, 160), rng.randint(70, 245))
    patch = Patch(SIDE, SIDE, skin)
    blotches = cv2.resize(noise.normal(size=(6, 6)).astype(np.float32), (SIDE, SIDE), interpolation=cv2.INTER_CUBIC)
    patch.image *= (1 + 0.1 * blotches)[..., None]
    upright = rng.random() < 0.6
    across = np.linspace(-1, 1, SIDE, dtype=np.float32) * rng.uniform(0.5, 0.98)
    shade = 0.45 + 0.55 * np.sqrt(np.clip(1 - across**2, 0, 1))
    light = np.broadcast_to(shade[None] if upright else shade[:, None], (SIDE, SIDE))
    patch.image *= light[..., None]
    patch.image += noise.normal(size=(SIDE, SIDE, 1)).astype(np.float32) * 3
    alpha = (art.ink * rng.uniform(0.55, 0.97))[..., None]
    patch.image = patch.image * (1 - alpha) + art.colour * np.clip(light, 0.4, 1.2)[..., None] * alpha
    box = _extent(art.ink * (np.abs(art.colour - skin).max(2) > MIN_INK_CONTRAST))
    if box:
        patch.mark("tattoos", box)
    patch.faint_lines = art.lettering
    if rng.random() < 0.75:
        edge = rng.uniform(0.02, 0.12) * SIDE
        taper = [edge * rng.uniform(0.5, 3) for _ in range(2)]
        limb = np.float32([[edge, 0], [SIDE - edge, 0], [SIDE - taper[0], SIDE], [taper[1], SIDE]])
        mask = np.zeros((SIDE, SIDE), np.float32)
        cv2.fillPoly(mask, [np.int32(limb if upright else limb[:, ::-1])], 1.0)
        patch.alpha = cv2.GaussianBlur(mask, (0, 0), 1.5)
    return patch


@template("tattoos")
def on_drawn_skin(studio: Studio) -> Patch:
    """Art on a rendered limb."""
    return _on_drawn_skin(studio)


@template("tattoos", held_out=True)
def geometric_on_drawn_skin(studio: Studio) -> Patch:
    """Held-out motif on a rendered limb."""
    return _on_drawn_skin(studio)
