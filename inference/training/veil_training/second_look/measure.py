"""Measures the second look on photos: what stage one proposed is kept once, then judged with and without it."""

import json
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np

from ..categories import CATEGORIES, DETECTED, INDEX
from ..decode import Detections, Reader, suppressed
from ..evaluate import PhotoResult, _result
from ..manifest import Photo, load_image, read_manifest, with_labels_by_eye
from .answers import SPELLING
from .crops import CONTEXT, INPUT_PX, cut, windows

MOST_OF_A_CATEGORY: dict[str, int] = {"heads": 60, "street_signs": 20, "license_plates": 20}
MOST_OF_OTHERS = 10


@dataclass
class Proposals:
    """What stage one proposed on some photos: boxes [n, 4] in pixels, categories, scores, photo indices [n], crops
    uint8 [n, 64, 64, 3], windows [n, 3]; sizes [photos, 2]."""

    boxes: np.ndarray
    categories: np.ndarray
    scores: np.ndarray
    photos: np.ndarray
    crops: np.ndarray
    frames: np.ndarray


def propose(photos: list[Photo], data: Path, model: Path, out: Path) -> None:
    """Writes the proposals of photos as out.npz."""
    cv2.setNumThreads(1)
    reader = Reader(model)
    rows: list[tuple[np.ndarray, ...]] = []
    for index, photo in enumerate(photos):
        image = load_image(data / photo.file)
        found = reader(image)
        keep = []
        for category, name in enumerate(DETECTED):
            own = np.where(found.categories == category)[0]
            keep.append(own[np.argsort(-found.scores[own])][: MOST_OF_A_CATEGORY.get(name, MOST_OF_OTHERS)])
        chosen = np.concatenate(keep)
        boxes = found.boxes[chosen]
        frames = windows(boxes, CONTEXT)
        crops = (
            np.stack([cut(image, f, INPUT_PX) for f in frames])
            if len(frames)
            else np.zeros((0, INPUT_PX, INPUT_PX, 3), np.uint8)
        )
        rows.append((boxes, found.categories[chosen], found.scores[chosen], np.full(len(chosen), index), crops, frames))
        if index % 100 == 99:
            print(index + 1, "photos", flush=True)
    np.savez(out, *(np.concatenate(column) for column in zip(*rows, strict=True)))


def read_proposals(path: Path) -> Proposals:
    """Reverse of `propose`."""
    with np.load(path) as stored:
        return Proposals(*(stored[f"arr_{i}"] for i in range(6)))


def evaluation_photos(manifest: Path, every: int = 1) -> list[Photo]:
    """Photos of part eval that say something about a category."""
    photos = with_labels_by_eye(read_manifest(manifest, "eval"))
    told = [p for p in photos if p.complete_for or any(label.category in CATEGORIES for label in p.labels)]
    return told[::every]


def looked_for_absence(manifest: Path) -> set[str]:
    """Files that were looked at for what they do not hold."""
    rows = map(json.loads, manifest.read_text().splitlines())
    return {row["file"] for row in rows if row.get("looked_at") == "absence" and row.get("part") == "eval"}


def results_of(
    photos: list[Photo], proposals: Proposals, scores: np.ndarray, boxes: np.ndarray
) -> dict[str, list[PhotoResult]]:
    """The yardstick's results by category, after suppression by the new scores."""
    results: dict[str, list[PhotoResult]] = {name: [] for name in DETECTED}
    starts = np.searchsorted(proposals.photos, np.arange(len(photos) + 1))
    for index, photo in enumerate(photos):
        part = slice(starts[index], starts[index + 1])
        box, score, category = boxes[part], scores[part], proposals.categories[part]
        kept = suppressed(box, score, category)
        empty = np.zeros((0, 4, 2), np.float32)
        found = Detections(box[kept], score[kept], category[kept], empty, np.zeros(0, np.float32))
        complete = {SPELLING.get(name, name) for name in photo.complete_for}
        for name in DETECTED:
            result = _result(photo, name, found)
            result.complete = name in complete
            if len(result.targets) or result.complete:
                results[name].append(result)
    return results


def presence(
    photos: list[Photo], files: set[str], proposals: Proposals, scores: np.ndarray, category: str
) -> tuple[np.ndarray, int]:
    """The highest score [k] on each photo known to lack a category, 0 where nothing was proposed."""
    starts = np.searchsorted(proposals.photos, np.arange(len(photos) + 1))
    best = []
    for index, photo in enumerate(photos):
        complete = {SPELLING.get(name, name) for name in photo.complete_for}
        labelled = {SPELLING.get(label.category, label.category) for label in photo.labels}
        if photo.file not in files or category not in complete or category in labelled:
            continue
        part = slice(starts[index], starts[index + 1])
        own = proposals.categories[part] == INDEX[category]
        best.append(scores[part][own].max(initial=0))
    return np.float32(best), len(best)
