"""One labelled crop, and the geometric operations that keep pixels and labels in step."""

from dataclasses import dataclass

import cv2
import numpy as np

from .categories import DETECTED
from .geometry import areas, clip_boxes, transform_boxes

ANY_CATEGORY = -1
"""Label of an ignore box that hides every category."""

MIN_VISIBLE = 0.4
"""Visible share of a cut box under which it is ignored instead of learnt."""

MIN_LONG_SIDE_PX = 7.0


@dataclass
class Sample:
    """An RGB crop with its labels.

    image: uint8 [h, w, 3]. boxes: float32 [n, 4] in pixels. labels: int64 [n], index into
    DETECTED or ANY_CATEGORY. ignored: bool [n], no loss inside. lines: float32 [m, 4, 2].
    lines_ignored: bool [m]. negative_weight: float32 [12], how much an unlabelled place counts
    as a negative: 1 where every instance is labelled, 0.5 where that is unknown.
    """

    image: np.ndarray
    boxes: np.ndarray
    labels: np.ndarray
    ignored: np.ndarray
    lines: np.ndarray
    lines_ignored: np.ndarray
    negative_weight: np.ndarray

    @staticmethod
    def empty(image: np.ndarray, negative_weight: float = 1.0) -> "Sample":
        """A sample without any label."""
        return Sample(
            image,
            np.zeros((0, 4), np.float32),
            np.zeros(0, np.int64),
            np.zeros(0, bool),
            np.zeros((0, 4, 2), np.float32),
            np.zeros(0, bool),
            np.full(len(DETECTED), negative_weight, np.float32),
        )

    def add_boxes(self, boxes: np.ndarray, labels: np.ndarray, ignored: np.ndarray) -> None:
        """Appends boxes [k, 4] with labels [k] and ignore flags [k]."""
        self.boxes = np.concatenate([self.boxes, np.asarray(boxes, np.float32).reshape(-1, 4)])
        self.labels = np.concatenate([self.labels, np.asarray(labels, np.int64).reshape(-1)])
        self.ignored = np.concatenate([self.ignored, np.asarray(ignored, bool).reshape(-1)])

    def add_lines(self, lines: np.ndarray, ignored: np.ndarray) -> None:
        """Appends text lines [k, 4, 2] with ignore flags [k]."""
        self.lines = np.concatenate([self.lines, np.asarray(lines, np.float32).reshape(-1, 4, 2)])
        self.lines_ignored = np.concatenate([self.lines_ignored, np.asarray(ignored, bool).reshape(-1)])


def mapped_labels(
    sample: Sample, scale: tuple[float, float], shift: tuple[float, float], width: int, height: int
) -> Sample:
    """Labels of `sample` under `x * scale + shift`, cut to a `width` × `height` window.

    The result still holds the old image; callers put in the new one.
    """
    moved = transform_boxes(sample.boxes, scale, shift)
    cut = clip_boxes(moved, width, height)
    visible = areas(cut) / np.maximum(areas(moved), 1e-6)
    long_side = (cut[:, 2:] - cut[:, :2]).max(1, initial=0)
    short_side = (cut[:, 2:] - cut[:, :2]).min(1, initial=1e9)
    present = short_side > 0.5
    weak = (visible <= MIN_VISIBLE) | (long_side < MIN_LONG_SIDE_PX)
    lines = (sample.lines * np.float32(scale) + np.float32(shift)).astype(np.float32)
    on = np.ones(len(lines), bool)
    if len(lines):
        low, high = lines.min(1), lines.max(1)
        on = (high[:, 0] > 0) & (high[:, 1] > 0) & (low[:, 0] < width) & (low[:, 1] < height)
    return Sample(
        sample.image,
        cut[present],
        sample.labels[present],
        (sample.ignored | weak)[present],
        lines[on],
        sample.lines_ignored[on],
        sample.negative_weight,
    )


def cut_window(sample: Sample, x: int, y: int, side: int, out: int) -> Sample:
    """The square window at (x, y) of `side` pixels, resized to `out` pixels."""
    ratio = out / side
    image = sample.image[y : y + side, x : x + side]
    if side != out:
        method = cv2.INTER_AREA if side > out else cv2.INTER_LINEAR
        image = cv2.resize(image, (out, out), interpolation=method)
    result = mapped_labels(sample, (ratio, ratio), (-x * ratio, -y * ratio), out, out)
    result.image = image
    return result


def mirrored(sample: Sample) -> Sample:
    """Left and right exchanged."""
    width = sample.image.shape[1]
    boxes = sample.boxes.copy()
    boxes[:, [0, 2]] = width - sample.boxes[:, [2, 0]]
    lines = sample.lines[:, [1, 0, 3, 2]].copy()
    lines[..., 0] = width - lines[..., 0]
    return Sample(
        np.ascontiguousarray(sample.image[:, ::-1]),
        boxes,
        sample.labels,
        sample.ignored,
        lines,
        sample.lines_ignored,
        sample.negative_weight,
    )


def mosaic(parts: list[Sample], tile: int) -> Sample:
    """Four samples, each already `tile` pixels wide and high, as one of twice the side.

    Where a part's knowledge of a category is weaker than the best part's, the weaker weight is
    used for the whole: over-confident negatives do harm, missing ones only slow down.
    """
    canvas = np.empty((2 * tile, 2 * tile, 3), np.uint8)
    result = Sample.empty(canvas)
    result.negative_weight = np.min([p.negative_weight for p in parts], axis=0)
    for i, part in enumerate(parts):
        x, y = (i % 2) * tile, (i // 2) * tile
        canvas[y : y + tile, x : x + tile] = part.image
        result.add_boxes(transform_boxes(part.boxes, (1, 1), (x, y)), part.labels, part.ignored)
        result.add_lines(part.lines + np.float32([x, y]), part.lines_ignored)
    return result
