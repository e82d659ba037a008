"""Crops on disk: shards of flat arrays that training maps into memory."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from .answers import Answers
from .crops import STORED_CONTEXT, STORED_PX, cut, relative, windows


@dataclass
class Crops:
    """Crops of one shard or of many.

    pixels uint8 [n, 80, 80, 3]; boxes and places float32 [n, 4], the proposal and its label as shares of the window;
    wanted, weights float32 [n, 12]; proposed int16 [n], the category that stage one said, -1 where none; scores
    float32 [n]; sides float32 [n], the proposal's longer side in pixels; photos int32 [n], which picture of the shard.
    """

    pixels: np.ndarray
    boxes: np.ndarray
    places: np.ndarray
    wanted: np.ndarray
    weights: np.ndarray
    proposed: np.ndarray
    scores: np.ndarray
    sides: np.ndarray
    photos: np.ndarray

    def __len__(self) -> int:
        return len(self.boxes)


FIELDS = tuple(Crops.__dataclass_fields__)


def crops_of(image: np.ndarray, proposals: np.ndarray, answers: Answers, proposed: np.ndarray, scores: np.ndarray,
             photo: int) -> Crops:  # fmt: skip
    """Crops around proposals [n, 4] of an image."""
    frames = windows(proposals, STORED_CONTEXT)
    pixels = [cut(image, frame, STORED_PX) for frame in frames]
    return Crops(
        np.stack(pixels) if pixels else np.zeros((0, STORED_PX, STORED_PX, 3), np.uint8),
        relative(proposals, frames),
        relative(answers.boxes, frames),
        answers.wanted.astype(np.float32),
        answers.weights.astype(np.float32),
        np.asarray(proposed, np.int16),
        np.asarray(scores, np.float32),
        (proposals[:, 2:] - proposals[:, :2]).max(1, initial=0).astype(np.float32),
        np.full(len(proposals), photo, np.int32),
    )


def joined(parts: list[Crops]) -> Crops:
    """Many as one."""
    return Crops(*(np.concatenate([getattr(part, name) for part in parts]) for name in FIELDS))


def write_shard(folder: Path, name: str, crops: Crops) -> None:
    """Writes `name`.npz, whole or not at all."""
    folder.mkdir(parents=True, exist_ok=True)
    part = folder / f"{name}.part"
    with part.open("wb") as sink:
        np.savez(sink, **{field: getattr(crops, field) for field in FIELDS})
    part.rename(folder / f"{name}.npz")


def read_shards(folders: Iterable[Path], pixels_file: Path) -> Crops:
    """All shards of some folders in one. Pixels lie in a file mapped into memory, which the system may take back."""
    paths = [path for folder in folders for path in sorted(folder.glob("*.npz"))]
    shapes: dict[str, list[np.ndarray]] = {name: [] for name in FIELDS if name != "pixels"}
    for path in paths:
        with np.load(path) as stored:
            for name, values in shapes.items():
                values.append(stored[name])
    small = {name: np.concatenate(values) for name, values in shapes.items()}
    shape = (len(small["boxes"]), STORED_PX, STORED_PX, 3)
    pixels = np.lib.format.open_memmap(pixels_file, "w+", np.uint8, shape)
    start = 0
    for path, boxes in zip(paths, shapes["boxes"], strict=True):
        with np.load(path) as stored:
            pixels[start : start + len(boxes)] = stored["pixels"]
        start += len(boxes)
    pixels.flush()
    return Crops(pixels=np.load(pixels_file, mmap_mode="r"), **small)


GOOD_IOU, LOOSE_TIMES = 0.5, 1.5
"""Proposals that overlap their label by less than the first teach nothing, and those that are over so many times its
size are no good: with them as right ones, loose boxes came to stand over tight ones."""


def without_loose(crops: Crops) -> Crops:
    """The crops with the answers of loose proposals turned into noes."""
    low, high = np.maximum(crops.boxes[:, :2], crops.places[:, :2]), np.minimum(crops.boxes[:, 2:], crops.places[:, 2:])
    shared = np.maximum(high - low, 0).prod(1)
    own = (crops.boxes[:, 2:] - crops.boxes[:, :2]).prod(1)
    label = (crops.places[:, 2:] - crops.places[:, :2]).prod(1)
    poor = shared / np.maximum(own + label - shared, 1e-9) < GOOD_IOU
    wanted, weights = crops.wanted.copy(), crops.weights.copy()
    right = wanted > 0
    loose = poor & (own > LOOSE_TIMES * label)
    weights[right & (poor & ~loose)[:, None]] = 0
    wanted[right & loose[:, None]] = 0
    return replace(crops, wanted=wanted, weights=weights)
