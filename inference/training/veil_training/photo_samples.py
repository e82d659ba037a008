"""Random crops of labelled photos, and the pictures that renders borrow from them."""

import json
import math
from pathlib import Path
from random import Random
from typing import Any

import cv2
import numpy as np

from .categories import INDEX
from .labels import labelled
from .manifest import Photo, load_image
from .render.studio import Portrait
from .sample import Sample, mapped_labels, mirrored

NEVER_MIRRORED = ("sroie", "zxing", "stefano")
"""Sources of writing and codes: their mirror image does not exist."""

BY_EYE_MARK, BY_EYE_WEIGHT = " by eye", 4.0

PADDING_LEVELS = (114, 114, 0, 255)
MAX_ENLARGEMENT = 1.6
PORTRAIT_HEIGHT_PX = 200


class PhotoLibrary:
    """Training photos whose pseudo-labels exist; grows while the teachers still work."""

    def __init__(self, photos: list[Photo], data: Path, findings: Path, source_weights: dict[str, float] | None = None):
        self.data, self.findings_path = data, findings
        self.waiting = {p.file: p for p in photos}
        self.by_source: dict[str, list[tuple[Photo, dict[str, Any]]]] = {}
        self.weights = source_weights or {}
        self._read_bytes = 0
        self.own_path = findings.with_name("own_labels.jsonl")
        self._own_time = 0.0
        self.own: dict[str, dict[str, list[list[float]]]] = {}

    def refresh(self) -> int:
        """Takes in findings written since the last call; returns the number of photos at hand."""
        if self.findings_path.exists():
            with self.findings_path.open("rb") as source:
                source.seek(self._read_bytes)
                for line in source:
                    if not line.endswith(b"\n"):
                        break
                    self._read_bytes += len(line)
                    row = json.loads(line)
                    photo = self.waiting.pop(row["file"], None)
                    if photo is not None and _usable(photo, row):
                        self.by_source.setdefault(_source_of(photo), []).append((photo, row))
        if self.own_path.exists() and self.own_path.stat().st_mtime != self._own_time:
            self._own_time = self.own_path.stat().st_mtime
            rows = map(json.loads, self.own_path.read_text().splitlines())
            self.own = {row["file"]: row["boxes"] for row in rows}
        return sum(len(v) for v in self.by_source.values())

    def draw(self, rng: Random, without_writing: bool = False) -> Sample:
        """A whole photo with its labels; sources are drawn by the square root of their size."""
        sources = sorted(self.by_source)
        if without_writing:
            sources = [s for s in sources if not s.startswith(NEVER_MIRRORED)] or sources
        weights = [math.sqrt(len(self.by_source[s])) * self._weight_of(s) for s in sources]
        source = rng.choices(sources, weights)[0]
        photo, findings = rng.choice(self.by_source[source])
        return labelled(photo, load_image(self.data / photo.file), findings, self.own.get(photo.file))

    def _weight_of(self, source: str) -> float:
        plain = source.removesuffix(BY_EYE_MARK)
        return self.weights.get(plain, 1.0) * (BY_EYE_WEIGHT if source != plain else 1.0)

    def draw_crop(self, rng: Random, side: int, whole: bool | None = None, without_writing: bool = False) -> Sample:
        """A random square crop of a random photo, mirrored half the time where that is allowed."""
        sources_free = rng.random() < 0.5
        sample = self.draw(rng, without_writing)
        crop = random_crop(rng, sample, side, whole)
        return mirrored(crop) if sources_free and not len(crop.lines) else crop


def _source_of(photo: Photo) -> str:
    """Photos looked at by eye are drawn as a source of their own: they hold what a network got wrong."""
    return photo.source + BY_EYE_MARK if photo.by_eye else photo.source


def _usable(photo: Photo, row: dict[str, Any]) -> bool:
    """Photos known to hold a code whose place nobody knows teach the wrong thing."""
    if photo.labels or photo.complete_for:
        return True
    holds_code = photo.source.startswith(("zxing", "stefano"))
    return not holds_code or bool(row["codes"])


def random_crop(rng: Random, sample: Sample, side: int, whole: bool | None = None) -> Sample:
    """A `side` × `side` view: the whole photo, or an enlarged part around a label three times in four."""
    height, width = sample.image.shape[:2]
    fit = side / max(height, width)
    whole = rng.random() < 0.35 if whole is None else whole
    aspect = math.sqrt(rng.uniform(0.85, 1.18))
    if whole:
        scale = fit * rng.uniform(0.75, 1.15)
    else:
        scale = math.exp(rng.uniform(math.log(fit), math.log(max(fit * 1.3, MAX_ENLARGEMENT))))
    sx, sy = scale * aspect, scale / aspect
    limit_x, limit_y = width * sx - side, height * sy - side
    target = _target(rng, sample) if not whole else None
    if target is not None:
        extent = max((target[2] - target[0]) * sx, (target[3] - target[1]) * sy)
        if extent > side * 1.1:
            shrink = side * rng.uniform(0.5, 1) / extent
            sx, sy = sx * shrink, sy * shrink
            limit_x, limit_y = width * sx - side, height * sy - side
        left = (target[0] + target[2]) / 2 * sx - rng.uniform(0.15, 0.85) * side
        top = (target[1] + target[3]) / 2 * sy - rng.uniform(0.15, 0.85) * side
    else:
        left = rng.uniform(min(0, limit_x), max(0, limit_x))
        top = rng.uniform(min(0, limit_y), max(0, limit_y))
    left = min(max(left, min(0, limit_x)), max(0, limit_x))
    top = min(max(top, min(0, limit_y)), max(0, limit_y))
    result = mapped_labels(sample, (sx, sy), (-left, -top), side, side)
    matrix = np.float32([[sx, 0, -left], [0, sy, -top]])
    source = sample.image
    if min(sx, sy) < 0.6:
        small = max(1, round(width * sx)), max(1, round(height * sy))
        source = cv2.resize(source, small, interpolation=cv2.INTER_AREA)
        matrix = np.float32([[1, 0, -left], [0, 1, -top]])
    level = rng.choice([*PADDING_LEVELS, rng.randint(0, 255)])
    result.image = cv2.warpAffine(source, matrix, (side, side), flags=cv2.INTER_LINEAR, borderValue=(level,) * 3)
    return result


def _target(rng: Random, sample: Sample) -> np.ndarray | None:
    boxes = sample.boxes[~sample.ignored]
    if not len(boxes) or rng.random() > 0.75:
        return None
    return boxes[rng.randrange(len(boxes))]


def portrait_around(image: np.ndarray, head: np.ndarray) -> Portrait:
    """A head [4] with shoulders and some background, at most PORTRAIT_HEIGHT_PX high."""
    w, h = head[2] - head[0], head[3] - head[1]
    x0, y0 = int(max(0, head[0] - 0.8 * w)), int(max(0, head[1] - 0.5 * h))
    x1, y1 = int(min(image.shape[1], head[2] + 0.8 * w)), int(min(image.shape[0], head[3] + 0.9 * h))
    ratio = min(1.0, PORTRAIT_HEIGHT_PX / (y1 - y0))
    small = cv2.resize(image[y0:y1, x0:x1], None, fx=ratio, fy=ratio, interpolation=cv2.INTER_AREA)
    return Portrait(small, ((head - np.float32([x0, y0, x0, y0])) * ratio).astype(np.float32))


def borrow_portraits(library: PhotoLibrary, rng: Random, count: int, min_height_px: float = 36) -> list[Portrait]:
    """Heads with surroundings, cut from photos, for the pictures on cards."""
    portraits: list[Portrait] = []
    for _ in range(count * 4):
        if len(portraits) >= count:
            break
        sample = library.draw(rng, without_writing=True)
        heads = sample.boxes[(sample.labels == INDEX["heads"]) & ~sample.ignored]
        for box in heads[:2]:
            w, h = box[2] - box[0], box[3] - box[1]
            if h < min_height_px or not 0.6 < h / w < 1.9:
                continue
            portraits.append(portrait_around(sample.image, box))
    return portraits


def borrow_photos(library: PhotoLibrary, rng: Random, count: int, long_side: int = 240) -> list[np.ndarray]:
    """Small pictures for screens and pages."""
    pictures = []
    for _ in range(count):
        image = library.draw(rng, without_writing=True).image
        ratio = long_side / max(image.shape[:2])
        pictures.append(cv2.resize(image, None, fx=ratio, fy=ratio, interpolation=cv2.INTER_AREA))
    return pictures
