"""Stage one's proposals on photos, with what is known of each: for training the second look and for measuring it."""

from dataclasses import dataclass, fields
from pathlib import Path

import cv2
import numpy as np

from ..categories import DETECTED
from ..decode import Reader
from ..geometry import clip_boxes, intersections
from ..manifest import Photo, load_image
from .answers import answers_for, labels_of

FROM: dict[str, float] = {"heads": 0.15, "screens": 0.12, "street_signs": 0.15, "barcodes": 0.15, "tattoos": 0.12}
FROM_OF_OTHERS = 0.2
MOST_OF_A_PHOTO: dict[str, int] = {"heads": 40, "license_plates": 8, "screens": 8, "street_signs": 10}
MOST_OF_OTHERS = 5

RIGHT_TAUGHT: dict[str, int] = {"heads": 6}
WRONG_TAUGHT: dict[str, int] = {"heads": 8}
RIGHT_TAUGHT_OF_OTHERS, WRONG_TAUGHT_OF_OTHERS = 7, 3
"""Most proposals of a category and photo that training sees."""

MOVED_COPIES: dict[str, int] = {"heads": 0, "license_plates": 1, "street_signs": 1, "screens": 1}
MOVED_COPIES_OF_OTHERS = 4
MOVED, SCALED = 0.1, 0.15
"""Standard deviations of a moved label's shift and logarithmic scale, as shares of its sides."""


@dataclass
class Proposals:
    """files [photos]; of each proposal the photo's index, box [n, 4] in pixels, category, stage one's score (-1 for a
    moved label), what is known [n, 12] and the label's box [n, 4] of its own category."""

    files: np.ndarray
    photos: np.ndarray
    boxes: np.ndarray
    categories: np.ndarray
    scores: np.ndarray
    known: np.ndarray
    places: np.ndarray

    @property
    def own(self) -> np.ndarray:
        """What is known of each proposal's own category."""
        return self.known[np.arange(len(self.categories)), self.categories]

    def save(self, path: Path) -> None:
        """Writes them as an .npz."""
        np.savez(path, **{field.name: getattr(self, field.name) for field in fields(self)})

    @staticmethod
    def load(path: Path) -> "Proposals":
        """Reverse of `save`."""
        with np.load(path) as stored:
            return Proposals(*(stored[field.name] for field in fields(Proposals)))

    def part(self, chosen: np.ndarray) -> "Proposals":
        """The proposals for which `chosen` [n] is true, of the same files."""
        columns = {field.name: getattr(self, field.name) for field in fields(Proposals)}
        return Proposals(**{name: one if name == "files" else one[chosen] for name, one in columns.items()})

    @staticmethod
    def joined(parts: "list[Proposals]") -> "Proposals":
        """Concatenates parts; photo indices count on across them."""
        firsts = np.cumsum([0, *(len(part.files) for part in parts)])
        columns = {field.name: [getattr(part, field.name) for part in parts] for field in fields(Proposals)}
        columns["photos"] = [part.photos + first for part, first in zip(parts, firsts, strict=False)]
        return Proposals(**{name: np.concatenate(column) for name, column in columns.items()})


def propose(photos: list[Photo], data: Path, model: Path, *, is_training: bool) -> Proposals:
    """What stage one proposes on photos, as far as an answer is known or, for measuring, a label is touched."""
    cv2.setNumThreads(1)
    reader, rng = Reader(model), np.random.default_rng(3)
    rows: list[tuple[np.ndarray, ...]] = []
    for index, photo in enumerate(photos):
        image = load_image(data / photo.file)
        found = reader(image)
        keep = _worth_a_look(found.scores, found.categories)
        boxes, scores, categories = found.boxes[keep], found.scores[keep], found.categories[keep]
        if is_training:
            moved, of = _moved_labels(photo, rng)
            boxes = np.concatenate([boxes, clip_boxes(moved, image.shape[1], image.shape[0])])
            scores = np.concatenate([scores, np.full(len(moved), -1, np.float32)])
            categories = np.concatenate([categories, of])
        answers = answers_for(photo, boxes)
        each = np.arange(len(boxes))
        own = answers.known[each, categories]
        chosen = (
            _taught(own, categories, scores, rng)
            if is_training
            else ~np.isnan(own) | _touched(photo, boxes, categories)
        )
        rows.append(
            (np.full(len(boxes), index), boxes, categories, scores, answers.known, answers.places[each, categories])
        )
        rows[-1] = tuple(column[chosen] for column in rows[-1])
        if index % 100 == 99:
            print(index + 1, "photos", flush=True)
    joined = (np.concatenate(column) for column in zip(*rows, strict=True))
    return Proposals(np.array([photo.file for photo in photos]), *joined)


def _worth_a_look(scores: np.ndarray, categories: np.ndarray) -> np.ndarray:
    keep = []
    for index, name in enumerate(DETECTED):
        own = np.where((categories == index) & (scores >= FROM.get(name, FROM_OF_OTHERS)))[0]
        keep.append(own[np.argsort(-scores[own])][: MOST_OF_A_PHOTO.get(name, MOST_OF_OTHERS)])
    return np.concatenate(keep)


def _moved_labels(photo: Photo, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    boxes, categories = [], []
    for index, name in enumerate(DETECTED):
        for box in labels_of(photo, name)[0]:
            for _ in range(MOVED_COPIES.get(name, MOVED_COPIES_OF_OTHERS)):
                size = box[2:] - box[:2]
                center = (box[2:] + box[:2]) / 2 + rng.normal(0, MOVED, 2) * size
                size = size * np.exp(rng.normal(0, SCALED, 2))
                boxes.append(np.concatenate([center - size / 2, center + size / 2]))
                categories.append(index)
    return np.float32(boxes).reshape(-1, 4), np.int64(categories)


def _touched(photo: Photo, boxes: np.ndarray, categories: np.ndarray) -> np.ndarray:
    touched = np.zeros(len(boxes), bool)
    for index, name in enumerate(DETECTED):
        labels = labels_of(photo, name)[0]
        if len(labels):
            touched |= (categories == index) & (intersections(boxes, labels) > 0).any(1)
    return touched


def _taught(own: np.ndarray, categories: np.ndarray, scores: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Moved labels that still count, and of the proposals the surest half and others by chance."""
    chosen = (scores < 0) & (own == 1)
    for index, name in enumerate(DETECTED):
        limits = {
            1: RIGHT_TAUGHT.get(name, RIGHT_TAUGHT_OF_OTHERS),
            0: WRONG_TAUGHT.get(name, WRONG_TAUGHT_OF_OTHERS),
        }
        for answer, most in limits.items():
            one = np.where((categories == index) & (own == answer) & (scores >= 0))[0]
            one = one[np.argsort(-scores[one])]
            surest, rest = one[: most // 2], one[most // 2 :]
            chosen[surest] = True
            chosen[rng.permutation(rest)[: most - len(surest)]] = True
    return chosen
