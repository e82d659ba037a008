"""What a template draws with: randomness, fonts, photos, portraits, and the registry of templates."""

from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random

import cv2
import numpy as np

from .canvas import Patch, any_colour, hsv, pale, vivid
from .fonts import FontLibrary


@dataclass
class Portrait:
    """A head with some surroundings: RGB uint8 crop and the head's box [4] in it."""

    image: np.ndarray
    head: np.ndarray


@dataclass
class Studio:
    """Everything random or borrowed that templates use.

    photos: small RGB uint8 pictures for screen and page content. held_out: draw from the
    templates and vocabulary kept for evaluation.
    """

    rng: Random
    fonts: FontLibrary
    photos: list[np.ndarray] = field(default_factory=list)
    portraits: list[Portrait] = field(default_factory=list)
    held_out: bool = False

    @property
    def noise(self) -> np.random.Generator:
        """Generator for pixel noise, seeded from the studio's own randomness."""
        return np.random.default_rng(self.rng.getrandbits(63))

    def latin(self) -> str:
        """A font for running text."""
        return self.rng.choice(self.fonts.latin)

    def bold(self) -> str:
        """A heavy font."""
        return self.rng.choice(self.fonts.bold)

    def mono(self) -> str:
        """A font of constant width."""
        return self.rng.choice(self.fonts.mono)

    def cursive(self) -> str:
        """A slanted or handwritten font."""
        return self.rng.choice(self.fonts.cursive)

    def photo(self, width: float, height: float) -> np.ndarray:
        """A picture of the given size, float32; a gradient where there are no photos."""
        size = max(2, int(width)), max(2, int(height))
        if not self.photos:
            patch = Patch(*size)
            patch.gradient(any_colour(self.rng), any_colour(self.rng), self.rng.uniform(0, 6.28))
            return cv2.resize(patch.image, size)
        source = self.rng.choice(self.photos)
        h, w = source.shape[:2]
        ratio = size[0] / size[1]
        cut_w, cut_h = (w, max(2, int(w / ratio))) if w / h < ratio else (max(2, int(h * ratio)), h)
        x, y = self.rng.randint(0, max(0, w - cut_w)), self.rng.randint(0, max(0, h - cut_h))
        part = source[y : y + cut_h, x : x + cut_w]
        return cv2.resize(part, size, interpolation=cv2.INTER_AREA).astype(np.float32)


Make = Callable[[Studio], Patch]


@dataclass(frozen=True)
class Template:
    """A way to draw one category. held_out templates are for evaluation alone."""

    category: str
    make: Make
    weight: float
    held_out: bool


TEMPLATES: dict[str, list[Template]] = {}


def template(category: str, weight: float = 1.0, held_out: bool = False) -> Callable[[Make], Make]:
    """Registers a drawing function `make(studio) -> Patch` under a category."""

    def register(make: Make) -> Make:
        TEMPLATES.setdefault(category, []).append(Template(category, make, weight, held_out))
        return make

    return register


def draw(studio: Studio, category: str) -> Patch:
    """A fresh object of a category, from the templates of the studio's side of the split if it has any."""
    choices = [t for t in TEMPLATES[category] if t.held_out == studio.held_out] or TEMPLATES[category]
    made = studio.rng.choices(choices, [t.weight for t in choices])[0].make(studio)
    np.clip(made.image, 0, 255, out=made.image)
    return made


def paste_portrait(studio: Studio, patch: Patch, x0: float, y0: float, x1: float, y1: float) -> None:
    """Puts a head-and-shoulders picture into a rectangle and marks the head."""
    width, height = int(x1 - x0), int(y1 - y0)
    if width < 6 or height < 6:
        return
    if studio.portraits and studio.rng.random() < 0.88:
        _photographed_portrait(studio, patch, x0, y0, width, height)
    else:
        _drawn_portrait(studio, patch, x0, y0, width, height)


def _photographed_portrait(studio: Studio, patch: Patch, x0: float, y0: float, width: int, height: int) -> None:
    rng = studio.rng
    portrait = rng.choice(studio.portraits)
    image, head = portrait.image.astype(np.float32), portrait.head.copy()
    if rng.random() < 0.5:
        image = image[:, ::-1]
        head[[0, 2]] = image.shape[1] - head[[2, 0]]
    head_h = head[3] - head[1]
    cut_h = min(head_h * rng.uniform(1.35, 2.1), image.shape[0])
    cut_w = min(cut_h * width / height, image.shape[1])
    cut_h = cut_w * height / width
    left = float(np.clip((head[0] + head[2]) / 2 - cut_w / 2, 0, image.shape[1] - cut_w))
    centre_y = (head[1] + head[3]) / 2 + head_h * 0.15
    top = float(np.clip(centre_y - cut_h / 2, 0, image.shape[0] - cut_h))
    part = image[int(top) : int(top + cut_h) + 1, int(left) : int(left + cut_w) + 1]
    part = cv2.resize(part, (width, height), interpolation=cv2.INTER_AREA)
    if rng.random() < 0.3:
        part = np.repeat(part.mean(2, keepdims=True), 3, 2)
    patch.paste(part, x0, y0)
    ratio = width / cut_w
    shift = np.float32([x0 - left * ratio, y0 - top * ratio] * 2)
    limit = np.float32([x0, y0, x0, y0]), np.float32([x0 + width, y0 + height] * 2)
    box = np.clip(head * ratio + shift, *limit)
    patch.mark("heads", tuple(float(v) for v in box))


def _drawn_portrait(studio: Studio, patch: Patch, x0: float, y0: float, width: int, height: int) -> None:
    rng = studio.rng
    x1, y1, centre = x0 + width, y0 + height, x0 + width / 2
    patch.rectangle(x0, y0, x1, y1, pale(rng))
    skin, hair = hsv(rng.randint(8, 36), rng.randint(60, 150), rng.randint(80, 235)), any_colour(rng, 10, 90)
    patch.rectangle(centre - width * 0.38, y0 + height * 0.75, centre + width * 0.38, y1, vivid(rng))
    for colour, dy, rx, ry in ((hair, 0.42, 0.27, 0.31), (skin, 0.47, 0.21, 0.27)):
        axes = max(1, int(width * rx)), max(1, int(height * ry))
        cv2.ellipse(
            patch.image, (int(centre), int(y0 + height * dy)), axes, 0, 0, 360, colour.tolist(), -1, cv2.LINE_AA
        )
    for dx in (-0.08, 0.08):
        patch.circle(centre + dx * width, y0 + height * 0.44, width * 0.025, (30, 30, 30))
    mouth = y0 + height * 0.6
    patch.line(centre - width * 0.06, mouth, centre + width * 0.06, mouth, (140, 50, 50), height * 0.02)
    half = width * 0.27
    patch.mark("heads", (centre - half, y0 + height * 0.11, centre + half, y0 + height * 0.74))


def guilloche(studio: Studio, patch: Patch, count: int, colour: np.ndarray, amplitude: float) -> None:
    """Fine wavy security lines over the whole patch; `amplitude` is a share of its height."""
    rng = studio.rng
    x = np.arange(0, patch.width, 3)
    phase, frequency = rng.uniform(0, 6), rng.uniform(1, 4) / patch.width * 6.28
    for i in range(count):
        middle = patch.height * (i + 0.5) / count
        y = middle + amplitude * patch.height * np.sin(x * frequency + phase + i * rng.uniform(0.1, 0.25))
        points = np.stack([x, y], 1).astype(np.int32)
        cv2.polylines(patch.image, [points], False, colour.tolist(), 1, cv2.LINE_AA)


def signature(
    studio: Studio, patch: Patch, x: float, y: float, width: float, height: float, colour: np.ndarray
) -> None:
    """A handwritten squiggle; not marked, since it is not printed text."""
    noise = studio.noise
    knots = studio.rng.randint(6, 14)
    xs = np.linspace(x, x + width, knots) + noise.normal(size=knots) * width * 0.04
    ys = y + height / 2 + noise.normal(size=knots) * height * 0.35
    t = np.linspace(0, knots - 1, knots * 8)
    points = np.stack([np.interp(t, range(knots), xs), np.interp(t, range(knots), ys)], 1)
    points = cv2.GaussianBlur(points.astype(np.float32), (1, 9), 3)
    cv2.polylines(patch.image, [points.astype(np.int32)], False, np.asarray(colour).tolist(), 1, cv2.LINE_AA)
