"""The yardstick: how much of what is there would be covered, at how many false boxes."""

from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from .categories import CATEGORIES
from .decode import Detections, Reader
from .geometry import areas, box_of_quad, covered_fraction, grow_boxes, intersections, pairwise_iou
from .labels import head_of_face
from .manifest import Photo, load_image

COVERED_SHARE = 0.9
GROWTH = 0.1
FALSE_BOXES_PER_PHOTO = 0.5
MATCH_IOU, TOLERATED_IOU, TOLERATED_INSIDE = 0.5, 0.3, 0.5
CARDS = ("id_cards", "passports", "credit_cards")
"""Any of these counts when one of them is asked for."""

THRESHOLDS = np.round(np.concatenate([np.arange(0.06, 0.5, 0.02), np.arange(0.5, 0.95, 0.05)]), 2)


@dataclass
class PhotoResult:
    """Boxes to find and tolerate, and what was found, of one category on one photo."""

    targets: np.ndarray
    tolerated: np.ndarray
    boxes: np.ndarray
    scores: np.ndarray
    complete: bool


@dataclass
class CategoryResult:
    """Figures of one category at one threshold."""

    threshold: float
    targets: int
    coverage_recall: float
    recall: float
    false_boxes_per_photo: float
    photos: int
    masked_ratio: float
    extra: dict[str, Any] = field(default_factory=dict)


def _rows(boxes: list[np.ndarray]) -> np.ndarray:
    return np.float32(boxes).reshape(-1, 4)


def _result(photo: Photo, category: str, detections: Detections) -> PhotoResult:
    targets, tolerated = [], []
    for label in photo.labels:
        if label.box is None and label.quad is None:
            continue
        box = np.float32(label.box) if label.box else box_of_quad(label.quad)
        if label.category == category:
            (tolerated if label.ignored else targets).append(box)
            if photo.faces_only and category == "heads":
                tolerated.append(head_of_face(box[None])[0])
        elif category in CARDS and label.category in CARDS:
            tolerated.append(box)
    names = CARDS if category in CARDS else (category,)
    found = [detections.of(name) for name in names]
    return PhotoResult(
        _rows(targets),
        _rows(tolerated),
        np.concatenate([b for b, _ in found]),
        np.concatenate([s for _, s in found]),
        category in photo.complete_for,
    )


def _false_boxes(result: PhotoResult, boxes: np.ndarray) -> int:
    known = np.concatenate([result.targets, result.tolerated])
    if not len(boxes):
        return 0
    if not len(known):
        return len(boxes)
    inside = intersections(boxes, known).max(1) / np.maximum(areas(boxes), 1e-3)
    return int(((pairwise_iou(boxes, known).max(1) < TOLERATED_IOU) & (inside < TOLERATED_INSIDE)).sum())


def measure(results: list[PhotoResult], threshold: float) -> CategoryResult:
    """Figures of a category over photos. False boxes and areas are counted where it is labelled completely."""
    targets = covered = matched = false = photos = 0
    masked = wanted = 0.0
    for result in results:
        boxes = result.boxes[result.scores >= threshold]
        grown = grow_boxes(boxes, GROWTH)
        targets += len(result.targets)
        for target in result.targets:
            covered += covered_fraction(target, grown) >= COVERED_SHARE
        if len(result.targets) and len(boxes):
            matched += int((pairwise_iou(result.targets, boxes).max(1) >= MATCH_IOU).sum())
        if len(result.targets) and result.complete:
            masked += float(areas(grown).sum())
            wanted += float(areas(result.targets).sum())
        if result.complete:
            photos += 1
            false += _false_boxes(result, boxes)
    return CategoryResult(
        threshold=float(threshold),
        targets=targets,
        coverage_recall=covered / max(1, targets),
        recall=matched / max(1, targets),
        false_boxes_per_photo=false / max(1, photos),
        photos=photos,
        masked_ratio=masked / max(1e-6, wanted),
    )


def best_threshold(results: list[PhotoResult]) -> CategoryResult:
    """The figures at the lowest threshold that keeps to FALSE_BOXES_PER_PHOTO."""
    for threshold in THRESHOLDS:
        figures = measure(results, threshold)
        if figures.false_boxes_per_photo <= FALSE_BOXES_PER_PHOTO:
            return figures
    return figures


def evaluate(model: Path, folders: list[tuple[Path, list[Photo]]], threads: int = 1) -> dict[str, CategoryResult]:
    """Each category's figures at its own best threshold over photos of several folders.

    Categories without targets are left out.
    """
    reader = Reader(model, threads)
    results: dict[str, list[PhotoResult]] = defaultdict(list)
    for folder, photos in folders:
        for photo in photos:
            detections = reader(load_image(folder / photo.file))
            for category in CATEGORIES:
                result = _result(photo, category, detections)
                if len(result.targets) or result.complete:
                    results[category].append(result)
    measured = {c: best_threshold(r) for c, r in results.items() if any(len(p.targets) for p in r)}
    return {c: measured[c] for c in CATEGORIES if c in measured}


def mean_coverage(figures: dict[str, CategoryResult]) -> float:
    """One number to compare models by: coverage recall averaged over categories."""
    return float(np.mean([f.coverage_recall for f in figures.values()])) if figures else 0.0


def markdown(figures: dict[str, CategoryResult]) -> str:
    """The figures as a table."""
    columns = (
        "category",
        "targets",
        "coverage recall",
        "recall at IoU 0.5",
        "false boxes a photo",
        "masked / target area",
        "threshold",
    )
    lines = [f"| {' | '.join(columns)} |", "|---" * len(columns) + "|"]
    for name, f in figures.items():
        unit = f"{f.false_boxes_per_photo:.2f} ({f.photos})"
        lines.append(
            f"| {name} | {f.targets} | {f.coverage_recall:.3f} | {f.recall:.3f} | {unit} "
            f"| {f.masked_ratio:.2f} | {f.threshold:.2f} |"
        )
    return "\n".join(lines)
