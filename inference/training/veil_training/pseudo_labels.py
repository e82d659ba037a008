"""Runs the teachers over the training photos; results are appended to a JSON-lines file."""

import json
import random
import sys
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from .categories import DETECTED
from .decode import Reader
from .geometry import pairwise_iou
from .manifest import Photo, load_image
from .teachers import FaceTeacher, Findings, ObjectTeacher, PlateTeacher, TextTeacher, read_codes

FACE_LONG_SIDES = (448, 960)
TEXT_LONG_SIDE = 736


def _rows(found: Findings) -> list[list[float]]:
    return np.round(np.concatenate([found.boxes, found.scores[:, None]], 1), 2).tolist()


class Teachers:
    """All published detectors together."""

    def __init__(self, folder: Path):
        self.faces, self.text = FaceTeacher(folder), TextTeacher(folder)
        self.objects, self.plates = ObjectTeacher(folder), PlateTeacher(folder)

    def findings(self, image: np.ndarray) -> dict[str, Any]:
        """What the teachers see on an RGB image, as plain JSON values in pixels."""
        small = self.faces(image, FACE_LONG_SIDES[0])
        large = self.faces(image, FACE_LONG_SIDES[1])
        both = Findings(np.concatenate([small.boxes, large.boxes]), np.concatenate([small.scores, large.scores]))
        faces = both.suppressed(0.4) if len(both.scores) else both
        quads, scores = self.text(image, TEXT_LONG_SIDE)
        lines = [[*np.round(q.reshape(-1), 1).tolist(), round(float(s), 2)] for q, s in zip(quads, scores, strict=True)]
        return {
            "faces": _rows(faces),
            "lines": lines,
            "objects": {name: _rows(found) for name, found in self.objects(image).items()},
            "plates": _rows(self.plates(image)),
            "codes": [[name, np.round(quad.reshape(-1), 1).tolist()] for name, quad in read_codes(image)],
        }


def teach(photos: list[Photo], data: Path, weights: Path, out: Path) -> None:
    """Appends a line for every photo that has none yet, in a fixed shuffled order."""
    done = set()
    if out.exists():
        done = {json.loads(line)["file"] for line in out.read_text().splitlines() if line.endswith("}")}
    queue = [p for p in photos if p.file not in done]
    random.Random(0).shuffle(queue)
    cv2.setNumThreads(1)
    teachers = Teachers(weights)
    with out.open("a") as sink:
        for photo in queue:
            try:
                image = load_image(data / photo.file)
            except OSError as error:
                print(f"skipped: {error}", file=sys.stderr, flush=True)
                continue
            sink.write(json.dumps({"file": photo.file, **teachers.findings(image)}) + "\n")
            sink.flush()


def novel(boxes: np.ndarray, known: np.ndarray, iou: float = 0.3) -> np.ndarray:
    """Mask [n] of the boxes that match none of `known`."""
    if not len(boxes) or not len(known):
        return np.ones(len(boxes), bool)
    return pairwise_iou(boxes, known).max(1) < iou


def label_with_own(photos: list[Photo], data: Path, model: Path, out: Path, min_score: float) -> int:
    """Writes what an exported model of ours sees on photos.

    One line a photo: its file and, by category, rows of x0, y0, x1, y1, score. Returns their number.
    """
    reader = Reader(model)
    wanted = photos
    partial = out.with_suffix(".partial")
    with partial.open("w") as sink:
        for photo in wanted:
            found = reader(load_image(data / photo.file))
            boxes = {}
            for category in DETECTED:
                place, score = found.of(category)
                keep = score >= min_score
                if keep.any():
                    boxes[category] = _rows(Findings(place[keep], score[keep]))
            sink.write(json.dumps({"file": photo.file, "boxes": boxes}) + "\n")
    partial.replace(out)
    return len(wanted)
