"""Writes a labelled folder of rendered photos: to train with, or to measure with, then from templates, fonts and photos
never used for training."""

import json
from dataclasses import dataclass
from pathlib import Path
from random import Random

import cv2
import numpy as np

from .categories import CATEGORIES, DETECTED, WRITING
from .geometry import box_of_quad, line_height
from .labels import RARE, head_of_face
from .manifest import Label, Photo, load_image, manifest_row, read_manifest
from .photo_samples import portrait_around, random_crop
from .render.fonts import discover
from .render.scene import compose, plain_background
from .render.studio import Studio
from .sample import Sample
from .teachers import FaceTeacher

SIDE_PX = 640
BORROWED = 120
MIN_LINE_HEIGHT_PX = 6.0
PORTRAIT_SURE = 0.8
SEEDS = {"eval": 20_000_000, "train": 30_000_000}
JPEG_QUALITY = 90


@dataclass(frozen=True)
class RenderedSetSettings:
    """Backgrounds are photos of `part`. Portraits need the face teacher's weights."""

    data: Path
    manifest: Path
    out: Path
    fonts: tuple[str, ...]
    weights: Path | None
    targets_per_category: int = 100
    skipped: tuple[str, ...] = ("heads",)
    part: str = "eval"

    @property
    def is_held_out(self) -> bool:
        """Whether only templates and fonts are used that training never sees."""
        return self.part == "eval"


@dataclass(frozen=True)
class Scene:
    """A rendered picture and the categories of which it holds nothing unlabelled."""

    sample: Sample
    complete_for: frozenset[str]


def _studio(settings: RenderedSetSettings, photos: list[Photo], rng: Random) -> Studio:
    held_out = settings.is_held_out
    studio = Studio(rng, discover(settings.fonts, held_out=held_out), held_out=held_out)
    faces = FaceTeacher(settings.weights) if settings.weights else None
    for photo in rng.sample(photos, min(BORROWED, len(photos))):
        image = load_image(settings.data / photo.file)
        ratio = 240 / max(image.shape[:2])
        studio.photos.append(cv2.resize(image, None, fx=ratio, fy=ratio, interpolation=cv2.INTER_AREA))
        if faces is not None:
            found = faces(image, 640, PORTRAIT_SURE)
            studio.portraits += [portrait_around(image, head) for head in head_of_face(found.boxes)[:1]]
    return studio


def _scene(settings: RenderedSetSettings, studio: Studio, bare: Studio, photos: list[Photo], wanted: str) -> Scene:
    """Half the scenes on drawn grounds with nothing unlabelled in them, half on photos."""
    rng = studio.rng
    if rng.random() < 0.5:
        return Scene(compose(bare, plain_background(rng, SIDE_PX), wanted), frozenset(CATEGORIES))
    whole = Sample.empty(load_image(settings.data / rng.choice(photos).file))
    ground = random_crop(rng, whole, SIDE_PX, whole=rng.random() < 0.5)
    return Scene(compose(studio, ground, wanted), frozenset(RARE))


def _photo(name: str, part: str, scene: Sample, complete_for: frozenset[str]) -> Photo:
    labels = [
        Label(DETECTED[label], tuple(float(v) for v in box), ignored=bool(ignored))
        for box, label, ignored in zip(scene.boxes, scene.labels, scene.ignored, strict=True)
    ]
    labels += [
        Label(WRITING, tuple(float(v) for v in box_of_quad(line)), line, bool(ignored) or _illegible(line))
        for line, ignored in zip(scene.lines, scene.lines_ignored, strict=True)
    ]
    return Photo(name, "rendered", part, tuple(labels), complete_for)


def _illegible(line: np.ndarray) -> bool:
    return line_height(line) < MIN_LINE_HEIGHT_PX or bool((line < 0).any() or (line > SIDE_PX).any())


def write_rendered_set(settings: RenderedSetSettings) -> dict[str, int]:
    """Writes pictures and manifest.jsonl; returns the number of countable targets by category.

    Only drawn objects are labelled. Photographed backgrounds may hold real heads, text and so on;
    such scenes are complete for cards alone, those on drawn grounds for everything.
    """
    settings.out.mkdir(parents=True, exist_ok=True)
    rng = Random(SEEDS[settings.part])
    photos = [
        p for p in read_manifest(settings.manifest, settings.part) if not p.source.startswith(("zxing", "stefano"))
    ]
    studio = _studio(settings, photos, rng)
    bare = Studio(rng, studio.fonts, [], studio.portraits, held_out=settings.is_held_out)
    counts = dict.fromkeys((c for c in CATEGORIES if c not in settings.skipped), 0)
    with (settings.out / "manifest.jsonl").open("w") as sink:
        index = 0
        while short := [c for c in counts if counts[c] < settings.targets_per_category]:
            scene = _scene(settings, studio, bare, photos, short[index % len(short)])
            name = f"rendered_{index:05d}.jpg"
            bgr = cv2.cvtColor(scene.sample.image, cv2.COLOR_RGB2BGR)
            cv2.imwrite(str(settings.out / name), bgr, [cv2.IMWRITE_JPEG_QUALITY, JPEG_QUALITY])
            photo = _photo(name, settings.part, scene.sample, scene.complete_for)
            for label in photo.labels:
                if label.category in counts and not label.ignored:
                    counts[label.category] += 1
            sink.write(json.dumps(manifest_row(photo, SIDE_PX, SIDE_PX)) + "\n")
            index += 1
    return counts
