"""Collects crops: what stage one proposes on photos and on rendered scenes, and labelled boxes moved a little."""

import time
from dataclasses import dataclass
from pathlib import Path
from random import Random

import cv2
import numpy as np

from ..categories import DETECTED
from ..decode import Detections, Reader
from ..geometry import clip_boxes
from ..manifest import Label, Photo, load_image, read_manifest, with_labels_by_eye
from ..photo_samples import portrait_around, random_crop
from ..render.fonts import discover
from ..render.scene import compose, plain_background
from ..render.studio import Studio
from ..sample import Sample
from .answers import Answers, Truth, answers_for, truth_of
from .shards import Crops, crops_of, joined, write_shard

PHOTOS_PER_SHARD, SCENES_PER_SHARD = 100, 50
MIN_SCORE = 0.08
MOST_OF_A_CATEGORY: dict[str, int] = {"heads": 8}
MOST_OF_OTHERS = 3
"""Proposals kept of a category and picture, best first: crowds would fill the shards with heads."""

JITTERED_PER_LABEL: dict[str, int] = {"heads": 0, "street_signs": 1, "license_plates": 1}
MOVED, SCALED = 0.12, 0.2
"""Standard deviations of a moved label's shift and logarithmic scale, as shares of its sides."""

SCENE_SIDES_PX = (384, 512, 640)
BORROWED, MIN_PORTRAIT_PX = 300, 40
WANTED: dict[str, float] = {
    "tattoos": 3.0,
    "id_cards": 2.0,
    "passports": 2.0,
    "credit_cards": 2.0,
    "name_badges": 1.5,
    "documents": 1.5,
    "barcodes": 1.2,
    "qr_codes": 1.2,
    "screens": 1.0,
    "license_plates": 0.5,
    "street_signs": 0.5,
}
"""How often a scene is made for a category's sake: the fewer real photos of it, the more often."""


@dataclass(frozen=True)
class CollectSettings:
    """Folders; `model` is stage one's network."""

    data: Path
    manifest: Path
    model: Path
    out: Path
    fonts: tuple[str, ...]
    seconds: float
    seed: int


def proposals_of(found: Detections) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Boxes [n, 4], categories [n] and scores [n] of what is worth a second look."""
    keep = []
    for category in range(len(DETECTED)):
        index = np.where((found.categories == category) & (found.scores >= MIN_SCORE))[0]
        keep.append(
            index[np.argsort(-found.scores[index])][: MOST_OF_A_CATEGORY.get(DETECTED[category], MOST_OF_OTHERS)]
        )
    chosen = np.concatenate(keep)
    return found.boxes[chosen], found.categories[chosen], found.scores[chosen]


def moved_labels(rng: np.random.Generator, truth: Truth, times: int) -> tuple[np.ndarray, np.ndarray]:
    """Labelled boxes moved and scaled a little [n, 4], and their categories [n]."""
    counts = [0 if ignored else JITTERED_PER_LABEL.get(DETECTED[c], times)
              for c, ignored in zip(truth.categories, truth.ignored, strict=True)]  # fmt: skip
    index = np.repeat(np.arange(len(truth.boxes)), counts)
    boxes = truth.boxes[index]
    size = boxes[:, 2:] - boxes[:, :2]
    centre = (boxes[:, :2] + boxes[:, 2:]) / 2 + rng.normal(0, MOVED, size.shape) * size
    size = size * np.exp(rng.normal(0, SCALED, size.shape))
    return np.concatenate([centre - size / 2, centre + size / 2], 1).astype(np.float32), truth.categories[index]


def _crops(image: np.ndarray, reader: Reader, truth: Truth, rng: np.random.Generator, times: int, photo: int) -> Crops:
    height, width = image.shape[:2]
    boxes, categories, scores = proposals_of(reader(image))
    moved, of = moved_labels(rng, truth, times)
    moved = clip_boxes(moved, width, height)
    proposals = np.concatenate([boxes, moved])
    usable = (proposals[:, 2:] - proposals[:, :2]).min(1, initial=9) >= 2
    answers = answers_for(proposals, truth)
    told = usable & (answers.weights.sum(1) > 0)
    # A moved label that no longer counts as one teaches nothing certain.
    told[len(boxes) :] &= answers.wanted[np.arange(len(boxes), len(proposals)), of] > 0
    scores = np.concatenate([scores, np.full(len(moved), np.nan, np.float32)])
    categories = np.concatenate([categories, np.full(len(moved), -1)])
    kept = Answers(answers.wanted[told], answers.weights[told], answers.boxes[told])
    return crops_of(image, proposals[told], kept, categories[told], scores[told], photo)


def _order(photos: list[Photo], rng: Random) -> list[Photo]:
    """Photos with labels of rare things first, then those known to lack them, then the rest; each shuffled."""
    rare = {name for name in DETECTED if name != "heads"}

    def rank(photo: Photo) -> int:
        if any(label.category in rare and label.box is not None for label in photo.labels):
            return 0
        return 1 if photo.complete_for else 2

    shuffled = rng.sample(photos, len(photos))
    return sorted(shuffled, key=rank)


def collect_photos(settings: CollectSettings, part: str) -> int:
    """Shards of the photos of a part; returns how many photos were looked at before time was over."""
    cv2.setNumThreads(1)
    deadline = time.monotonic() + settings.seconds
    reader, rng = Reader(settings.model), np.random.default_rng(settings.seed)
    photos = _order(with_labels_by_eye(read_manifest(settings.manifest, part)), Random(settings.seed))
    done = 0
    for start in range(0, len(photos), PHOTOS_PER_SHARD):
        name = f"photos_{part}_{start // PHOTOS_PER_SHARD:04d}"
        if (settings.out / f"{name}.npz").exists():
            done += PHOTOS_PER_SHARD
            continue
        if time.monotonic() > deadline:
            break
        parts = []
        for i, photo in enumerate(photos[start : start + PHOTOS_PER_SHARD]):
            truth = truth_of(photo)
            times = 3 if part == "train" else 0
            parts.append(_crops(load_image(settings.data / photo.file), reader, truth, rng, times, start + i))
            done += 1
        write_shard(settings.out, name, joined(parts))
        print(name, sum(map(len, parts)), flush=True)
    return done


def _truth_of_scene(scene: Sample) -> Truth:
    """A rendered scene on a photo says nothing of what the photo held besides, unless the photo was looked at."""
    placed = scene.labels >= 0
    return Truth(scene.boxes[placed], scene.labels[placed], scene.ignored[placed], scene.negative_weight)


def _is_portrait(label: Label) -> bool:
    large = label.box is not None and label.box[3] - label.box[1] >= MIN_PORTRAIT_PX
    return label.category == "heads" and not label.ignored and large


def _studio(settings: CollectSettings, photos: list[Photo], rng: Random) -> Studio:
    studio = Studio(rng, discover(settings.fonts))
    for photo in rng.sample(photos, min(BORROWED, len(photos))):
        image = load_image(settings.data / photo.file)
        ratio = 240 / max(image.shape[:2])
        studio.photos.append(cv2.resize(image, None, fx=ratio, fy=ratio, interpolation=cv2.INTER_AREA))
    heads = [(p, label) for p in photos if not p.faces_only for label in p.labels if _is_portrait(label)]
    for photo, label in rng.sample(heads, min(BORROWED, len(heads))):
        studio.portraits.append(portrait_around(load_image(settings.data / photo.file), np.float32(label.box)))
    return studio


def _ground(settings: CollectSettings, photos: list[Photo], rng: Random, side: int) -> Sample:
    if rng.random() < 0.15:
        return plain_background(rng, side)
    photo = rng.choice(photos)
    truth = truth_of(photo)
    whole = Sample.empty(load_image(settings.data / photo.file))
    whole.negative_weight = truth.absence
    whole.add_boxes(truth.boxes, truth.categories, truth.ignored)
    return random_crop(rng, whole, side, whole=rng.random() < 0.4)


def collect_scenes(settings: CollectSettings) -> int:
    """Shards of rendered scenes until time is over; returns how many scenes were made."""
    cv2.setNumThreads(1)
    deadline = time.monotonic() + settings.seconds
    reader, rng = Reader(settings.model), Random(settings.seed)
    noise = np.random.default_rng(settings.seed)
    photos = [p for p in with_labels_by_eye(read_manifest(settings.manifest, "train"))
              if p.complete_for and not p.source.startswith(("zxing", "stefano", "sroie"))]  # fmt: skip
    studio = _studio(settings, photos, rng)
    kinds, weights = list(WANTED), list(WANTED.values())
    done = 0
    while time.monotonic() < deadline:
        parts = []
        for i in range(SCENES_PER_SHARD):
            side = rng.choice(SCENE_SIDES_PX)
            wanted = rng.choices(kinds, weights)[0] if rng.random() < 0.7 else None
            scene = compose(studio, _ground(settings, photos, rng, side), wanted)
            truth = _truth_of_scene(scene)
            parts.append(_crops(scene.image, reader, truth, noise, 1, i))
            done += 1
        name = f"scenes_{settings.seed}_{time.time_ns() // 1_000_000}"
        write_shard(settings.out, name, joined(parts))
        print(name, sum(map(len, parts)), flush=True)
    return done
