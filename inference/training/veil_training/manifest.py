"""The labelled photo folder: one JSON line a photo, as `write_manifest` writes and the evaluation reads."""

import json
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from .categories import INDEX
from .geometry import quad_of_box


@dataclass(frozen=True)
class Label:
    """One instance. box is None where the photo holds it at an unknown place."""

    category: str
    box: tuple[float, float, float, float] | None
    quad: np.ndarray | None = None
    ignored: bool = False


@dataclass(frozen=True)
class Photo:
    """A photo of the folder. `complete_for` names the categories of which every instance is labelled.

    by_eye: whether some of these labels are ours, set by eye where an earlier network was unsure.
    denied: categories and boxes [4] that an earlier network found there and a person saw not to be one.
    """

    file: str
    source: str
    part: str
    labels: tuple[Label, ...] = ()
    complete_for: frozenset[str] = frozenset()
    faces_only: bool = False
    by_eye: bool = False
    denied: tuple[tuple[str, tuple[float, float, float, float]], ...] = ()
    extra: dict[str, Any] = field(default_factory=dict, compare=False)


def _label(entry: dict[str, Any]) -> Label:
    quad = entry.get("quad")
    box = entry.get("box")
    return Label(
        entry["cat"],
        tuple(float(v) for v in box) if box else None,
        np.float32(quad).reshape(4, 2) if quad else None,
        bool(entry.get("ignore")),
    )


def read_manifest(path: Path, part: str | None = None) -> list[Photo]:
    """Photos of a manifest, of one part when given."""
    photos = []
    for line in path.read_text().splitlines():
        row = json.loads(line)
        if part and row.get("part") != part:
            continue
        photos.append(
            Photo(
                row["file"],
                row.get("source", ""),
                row.get("part", ""),
                tuple(_label(b) for b in row.get("boxes", [])),
                frozenset(row.get("complete_for") or ()),
                row.get("labels") == "faces",
            )
        )
    return photos


BY_EYE = Path(__file__).with_name("by_eye")
"""One JSON line a photo: `file`, `boxes`, `complete_for`, as in a manifest."""

VERDICTS = "verdicts"
"""Folder in it. One JSON line a photo: `file` and `verdicts`, each `{cat, box, is_one}` about a box that was found:
true, false, or null where a person could not tell. They say nothing about the rest of the photo."""


def with_labels_by_eye(photos: Iterable[Photo]) -> list[Photo]:
    """The photos with the labels that we set by eye.

    They stand in place of the manifest's for the categories that they are complete for; for others the manifest's stand
    where it has any.
    """
    looked_at: dict[str, list[dict[str, Any]]] = {}
    for file in sorted(BY_EYE.glob("*.jsonl")):
        for row in map(json.loads, file.read_text().splitlines()):
            looked_at.setdefault(row["file"], []).append(row)
    verdicts = _verdicts()
    relabelled = (_relabelled(photo, looked_at.get(photo.file, [])) for photo in photos)
    return [_judged(photo, verdicts.get(photo.file, [])) for photo in relabelled]


def photos_with_answers(path: Path, part: str) -> list[Photo]:
    """The photos of a part that are labeled for at least one category, or marked as without it."""
    photos = with_labels_by_eye(read_manifest(path, part))
    return [p for p in photos if p.complete_for or p.denied or any(label.category in INDEX for label in p.labels)]


def _verdicts() -> dict[str, list[dict[str, Any]]]:
    found: dict[str, list[dict[str, Any]]] = {}
    for file in sorted((BY_EYE / VERDICTS).glob("*.jsonl")):
        for row in map(json.loads, file.read_text().splitlines()):
            found.setdefault(row["file"], []).extend(row["verdicts"])
    return found


def _judged(photo: Photo, verdicts: list[dict[str, Any]]) -> Photo:
    """The photo with the boxes that were judged, but for categories of which all its labels are known."""
    fresh = [v for v in verdicts if v["cat"] not in photo.complete_for]
    if not fresh:
        return photo
    seen = tuple(Label(v["cat"], tuple(v["box"]), None, v["is_one"] is None) for v in fresh if v["is_one"] is not False)
    denied = tuple((v["cat"], tuple(v["box"])) for v in fresh if v["is_one"] is False)
    return replace(photo, labels=photo.labels + seen, denied=photo.denied + denied)


def _relabelled(photo: Photo, rows: list[dict[str, Any]]) -> Photo:
    for row in rows:
        categories = frozenset(row["complete_for"])
        kept = tuple(label for label in photo.labels if label.category not in categories)
        known = {label.category for label in kept}
        seen = tuple(label for label in map(_label, row["boxes"]) if label.category not in known)
        photo = replace(photo, labels=kept + seen, complete_for=photo.complete_for | categories, by_eye=True)
    return photo


def manifest_row(photo: Photo, width: int, height: int) -> dict[str, Any]:
    """JSON object of a photo, in the folder's format."""
    boxes = []
    for label in photo.labels:
        entry: dict[str, Any] = {"cat": label.category, "box": [round(v, 1) for v in label.box or ()] or None}
        if label.quad is not None:
            entry["quad"] = np.round(label.quad, 1).reshape(-1).tolist()
        if label.ignored:
            entry["ignore"] = True
        boxes.append(entry)
    return {
        "file": photo.file,
        "w": width,
        "h": height,
        "source": photo.source,
        "part": photo.part,
        "boxes": boxes,
        "complete_for": sorted(photo.complete_for),
        **photo.extra,
    }


def load_image(path: Path) -> np.ndarray:
    """RGB uint8 [h, w, 3]; raises OSError when the file is no image."""
    image = cv2.imread(str(path), cv2.IMREAD_COLOR)
    if image is None:
        raise OSError(f"not an image: {path}")
    return cv2.cvtColor(image, cv2.COLOR_BGR2RGB)


def quad_of(label: Label) -> np.ndarray:
    """Outline [4, 2] of a placed label: its quad, else its box's corners."""
    if label.quad is not None:
        return label.quad
    if label.box is None:
        raise ValueError("label has no place")
    return quad_of_box(np.float32(label.box))
