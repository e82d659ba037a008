"""A drawing surface that records what it holds."""

import math
from random import Random

import cv2
import numpy as np

from ..geometry import quad_of_box
from .fonts import glyph_mask

MIN_TEXT_CONTRAST = 22.0
"""Text that differs less from its ground, in the channel that differs most, is not learnt as text."""

Colour = tuple[float, float, float] | np.ndarray


def _rgb(colour: Colour) -> tuple[float, float, float]:
    return tuple(float(v) for v in colour)  # type: ignore[return-value]


class Patch:
    """A flat object before it is placed into a scene.

    image: float32 [h, w, 3] in 0…255. alpha: float32 [h, w] in 0…1. objects: (category, quad
    [4, 2]) pairs. lines: text-line quads [4, 2]. faint_lines: text too small or pale to be
    learnt, nor to be denied. multiply: whether the scene shows through
    (ink on skin) instead of being covered.
    """

    def __init__(self, width: float, height: float, colour: Colour = (255, 255, 255), radius: float = 0):
        self.width, self.height = max(4, int(width)), max(4, int(height))
        self.image = np.empty((self.height, self.width, 3), np.float32)
        self.image[:] = np.asarray(colour, np.float32)
        self.alpha = np.ones((self.height, self.width), np.float32)
        self.objects: list[tuple[str, np.ndarray]] = []
        self.lines: list[np.ndarray] = []
        self.faint_lines: list[np.ndarray] = []
        self.multiply = False
        if radius >= 1:
            self.alpha = rounded_mask(self.width, self.height, int(radius))

    def rectangle(self, x0: float, y0: float, x1: float, y1: float, colour: Colour, thickness: float = -1) -> None:
        """Filled rectangle, or an outline of `thickness` pixels."""
        t = -1 if thickness < 0 else max(1, int(thickness))
        cv2.rectangle(self.image, (int(x0), int(y0)), (int(x1), int(y1)), _rgb(colour), t)

    def circle(self, x: float, y: float, radius: float, colour: Colour, thickness: float = -1) -> None:
        """Filled circle, or an outline of `thickness` pixels."""
        t = -1 if thickness < 0 else max(1, int(thickness))
        cv2.circle(self.image, (int(x), int(y)), max(1, int(radius)), _rgb(colour), t, cv2.LINE_AA)

    def line(self, x0: float, y0: float, x1: float, y1: float, colour: Colour, thickness: float = 1) -> None:
        """Straight line."""
        ends = (int(x0), int(y0)), (int(x1), int(y1))
        cv2.line(self.image, *ends, _rgb(colour), max(1, int(thickness)), cv2.LINE_AA)

    def polygon(self, points: list[tuple[float, float]] | np.ndarray, colour: Colour) -> None:
        """Filled polygon."""
        cv2.fillPoly(self.image, [np.int32(np.round(points))], _rgb(colour), cv2.LINE_AA)

    def gradient(self, start: Colour, end: Colour, angle: float) -> None:
        """Linear blend over the whole surface; `angle` in radians."""
        x = np.linspace(-0.5, 0.5, self.width, dtype=np.float32)[None] * math.cos(angle)
        y = np.linspace(-0.5, 0.5, self.height, dtype=np.float32)[:, None] * math.sin(angle)
        t = np.clip(x + y + 0.5, 0, 1)[..., None]
        self.image[:] = np.float32(start) * (1 - t) + np.float32(end) * t

    def paste(self, image: np.ndarray, x: float, y: float, mask: np.ndarray | None = None) -> bool:
        """Copies `image` with its top left at (x, y), through `mask` in 0…1; False if off the surface."""
        x, y = int(x), int(y)
        h, w = image.shape[:2]
        x0, y0, x1, y1 = max(0, x), max(0, y), min(self.width, x + w), min(self.height, y + h)
        if x1 <= x0 or y1 <= y0:
            return False
        part = image[y0 - y : y1 - y, x0 - x : x1 - x]
        if mask is None:
            self.image[y0:y1, x0:x1] = part
            return True
        weight = mask[y0 - y : y1 - y, x0 - x : x1 - x, None]
        under = self.image[y0:y1, x0:x1]
        self.image[y0:y1, x0:x1] = under + (part - under) * weight
        return True

    def text(
        self,
        x: float,
        y: float,
        string: str,
        size: float,
        colour: Colour,
        font: str,
        *,
        max_width: float | None = None,
        anchor: str = "left",
        emboss: bool = False,
        marked: bool = True,
    ) -> tuple[int, int]:
        """Draws a line of text whose ink starts at (x, y) and records it; returns ink width and height.

        Text that is not `marked`, or that hardly differs from its ground, is recorded as faint.
        `anchor` is left, centre or right and says what x means. Text wider than `max_width` is
        squeezed to it.
        """
        mask = glyph_mask(string, font, size)
        if max_width and mask.shape[1] > max_width:
            ratio = max_width / mask.shape[1]
            new_size = max(2, int(max_width)), max(2, int(mask.shape[0] * max(0.7, ratio)))
            mask = cv2.resize(mask, new_size, interpolation=cv2.INTER_AREA)
        h, w = mask.shape
        left = int(x - w / 2 if anchor == "centre" else x - w if anchor == "right" else x)
        top = int(y)
        weight = mask.astype(np.float32) / 255
        legible = emboss or self._contrast(left, top, w, h, colour) > MIN_TEXT_CONTRAST
        if emboss:
            self.paste(np.full((h, w, 3), 255, np.float32), left - 1, top - 1, weight * 0.6)
            self.paste(np.zeros((h, w, 3), np.float32), left + 1, top + 1, weight * 0.6)
        ink = np.broadcast_to(np.asarray(colour, np.float32), (h, w, 3))
        drawn = self.paste(ink, left, top, weight)
        if drawn and h > 2 and w > 2:
            kept = self.lines if marked and legible else self.faint_lines
            kept.append(quad_of_box(np.float32([left, top, left + w, top + h])))
        return w, h

    def _contrast(self, x: int, y: int, width: int, height: int, colour: Colour) -> float:
        under = self.image[max(0, y) : max(0, y + height), max(0, x) : max(0, x + width)]
        if not under.size:
            return 0.0
        return float(np.abs(under.reshape(-1, 3).mean(0) - np.asarray(colour, np.float32)).max())

    def mark(self, category: str, box: tuple[float, float, float, float] | None = None) -> None:
        """Records an object; the whole surface when no box is given."""
        self.objects.append((category, quad_of_box(np.float32(box or (0, 0, self.width, self.height)))))

    def embed(self, other: "Patch", x: float, y: float, width: float, height: float) -> None:
        """Draws another patch scaled to `width` × `height` and takes over its labels."""
        size = max(2, int(width)), max(2, int(height))
        image = cv2.resize(other.image, size, interpolation=cv2.INTER_AREA)
        alpha = cv2.resize(other.alpha, size, interpolation=cv2.INTER_AREA)
        self.paste(image, x, y, alpha)
        scale = np.float32([size[0] / other.width, size[1] / other.height])
        origin = np.float32([int(x), int(y)])
        self.objects += [(c, q * scale + origin) for c, q in other.objects]
        self.lines += [q * scale + origin for q in other.lines]
        self.faint_lines += [q * scale + origin for q in other.faint_lines]

    def framed(self, left: float, top: float, right: float, bottom: float) -> "Patch":
        """A larger transparent surface with this one on it, labels moved along."""
        frame = Patch(self.width + left + right, self.height + top + bottom)
        frame.alpha[:] = 0
        x, y = int(left), int(top)
        frame.image[y : y + self.height, x : x + self.width] = self.image
        frame.alpha[y : y + self.height, x : x + self.width] = self.alpha
        offset = np.float32([x, y])
        frame.objects = [(c, q + offset) for c, q in self.objects]
        frame.lines = [q + offset for q in self.lines]
        frame.faint_lines = [q + offset for q in self.faint_lines]
        frame.multiply = self.multiply
        return frame


def rounded_mask(width: int, height: int, radius: int) -> np.ndarray:
    """Alpha [h, w] of a rectangle with round corners."""
    mask = np.zeros((height, width), np.uint8)
    r = max(1, min(radius, width // 2 - 1, height // 2 - 1))
    cv2.rectangle(mask, (r, 0), (width - r - 1, height - 1), 255, -1)
    cv2.rectangle(mask, (0, r), (width - 1, height - r - 1), 255, -1)
    for x in (r, width - r - 1):
        for y in (r, height - r - 1):
            cv2.circle(mask, (x, y), r, 255, -1, cv2.LINE_AA)
    return mask.astype(np.float32) / 255


def hsv(hue_deg: float, saturation: float, value: float) -> np.ndarray:
    """RGB float32 [3] from hue in degrees, saturation and value in 0…255."""
    pixel = np.uint8([[[int(hue_deg / 2) % 180, np.clip(saturation, 0, 255), np.clip(value, 0, 255)]]])
    return cv2.cvtColor(pixel, cv2.COLOR_HSV2RGB)[0, 0].astype(np.float32)


def pale(rng: Random) -> np.ndarray:
    """A light colour of little saturation."""
    return hsv(rng.uniform(0, 360), rng.randint(5, 90), rng.randint(190, 255))


def vivid(rng: Random) -> np.ndarray:
    """A saturated colour."""
    return hsv(rng.uniform(0, 360), rng.randint(120, 255), rng.randint(60, 240))


def grey(rng: Random, low: int, high: int) -> np.ndarray:
    """A nearly neutral colour between two levels."""
    return np.float32([rng.randint(low, high)] * 3) + np.float32([rng.uniform(-6, 6) for _ in range(3)])


def any_colour(rng: Random, low: int = 0, high: int = 255) -> np.ndarray:
    """A colour with independent channels between two levels."""
    return np.float32([rng.randint(low, high) for _ in range(3)])
