"""What the network should answer for a sample, as arrays."""

from dataclasses import dataclass

import cv2
import numpy as np

from .categories import CARD_LIKE_INDEX, DETECTED, TEXT_STRIDE
from .geometry import areas, line_height, shrink_quad
from .grid import CANDIDATES, candidates, grid_points, object_size, smallest_sizes
from .sample import ANY_CATEGORY, Sample

DENSE: tuple[int, ...] = tuple(i for i in range(len(DETECTED)) if i not in CARD_LIKE_INDEX)
"""Categories with a probability of their own; the last dense channel is "anything card-like"."""

DENSE_CHANNELS = len(DENSE) + 1
CHANNEL_OF: dict[int, int] = {
    **{category: channel for channel, category in enumerate(DENSE)},
    **dict.fromkeys(CARD_LIKE_INDEX, len(DENSE)),
}

WEIGHT_STEPS = 4
"""Negative weights are stored as uint8 in quarters."""

UNCHOSEN_WEIGHT = 0.25
"""Weight of a candidate point that is not chosen, as a negative of its own category."""

SHRINK_RATIO = 0.27
MIN_CORE_HEIGHT_PX = 4.5
TEXT_NEGATIVE, TEXT_CORE, TEXT_IGNORED = 0, 1, 2
MAX_OBJECTS = 96


@dataclass
class Targets:
    """Per sample: boxes [G, 4], labels [G], candidate points [G, K] (-1 is none), negative weights in
    quarters uint8 [DENSE_CHANNELS, N], text core share and text weight uint8 [h/4, w/4] in 0…255."""

    boxes: np.ndarray
    labels: np.ndarray
    candidates: np.ndarray
    negative_weight: np.ndarray
    text: np.ndarray
    text_weight: np.ndarray


def _negative_weight(sample: Sample, side: int) -> np.ndarray:
    """An ignored box hides the levels that may answer for something of its size or smaller, not those for larger;
    one of any category hides all."""
    points, _ = grid_points(side, side)
    per_channel = np.ones(DENSE_CHANNELS, np.float32)
    per_channel[: len(DENSE)] = sample.negative_weight[list(DENSE)]
    per_channel[-1] = sample.negative_weight[list(CARD_LIKE_INDEX)].min()
    quarters = np.round(per_channel * WEIGHT_STEPS).astype(np.uint8)
    weight = np.repeat(quarters[:, None], len(points), 1)
    smallest = smallest_sizes(side, side)
    for box, label in zip(sample.boxes[sample.ignored], sample.labels[sample.ignored], strict=True):
        inside = (points >= box[:2]).all(1) & (points <= box[2:]).all(1)
        if label == ANY_CATEGORY:
            weight[:, inside] = 0
        else:
            weight[CHANNEL_OF[int(label)], inside & (smallest <= object_size(box))] = 0
    return weight


def text_maps(lines: np.ndarray, ignored: np.ndarray, side: int) -> tuple[np.ndarray, np.ndarray]:
    """Share of each cell inside a line's shrunk core, and its loss weight; uint8 [side/4, side/4] in 0…255.

    The maps are drawn at twice the resolution and averaged, so that thin cores keep a value.
    """
    fine = side * 2 // TEXT_STRIDE
    scale = fine / side
    kind = np.full((fine, fine), TEXT_NEGATIVE, np.uint8)
    for line, is_ignored in zip(lines, ignored, strict=True):
        height = line_height(line)
        core_possible = height >= MIN_CORE_HEIGHT_PX and not is_ignored
        outline = np.int32(np.round(line * scale * 16))
        cv2.fillPoly(kind, [outline], TEXT_NEGATIVE if core_possible and height >= 7 else TEXT_IGNORED, shift=4)
        if core_possible:
            core = shrink_quad(line, SHRINK_RATIO)
            cv2.fillPoly(kind, [np.int32(np.round(core * scale * 16))], TEXT_CORE, shift=4)
    coarse = (side // TEXT_STRIDE, side // TEXT_STRIDE)
    core_share = cv2.resize((kind == TEXT_CORE).astype(np.uint8) * 255, coarse, interpolation=cv2.INTER_AREA)
    hidden = cv2.resize((kind == TEXT_IGNORED).astype(np.uint8) * 255, coarse, interpolation=cv2.INTER_AREA)
    return core_share, np.where((hidden > 0) & (core_share < 128), 0, 255).astype(np.uint8)


def targets_of(sample: Sample) -> Targets:
    """Targets of a square sample whose side is a multiple of 64."""
    side = sample.image.shape[0]
    weight = _negative_weight(sample, side)
    sure = ~sample.ignored
    boxes, labels = sample.boxes[sure], sample.labels[sure]
    if len(boxes) > MAX_OBJECTS:
        keep = np.argsort(-areas(boxes))[:MAX_OBJECTS]
        boxes, labels = boxes[keep], labels[keep]
    chosen = np.full((len(boxes), CANDIDATES), -1, np.int64)
    for i, (box, label) in enumerate(zip(boxes, labels, strict=True)):
        chosen[i] = candidates(box, side)
        valid = chosen[i][chosen[i] >= 0]
        channel = weight[CHANNEL_OF[int(label)]]
        channel[valid] = np.minimum(channel[valid], round(UNCHOSEN_WEIGHT * WEIGHT_STEPS))
    text, text_weight = text_maps(sample.lines, sample.lines_ignored, side)
    return Targets(boxes, labels, chosen, weight, text, text_weight)
