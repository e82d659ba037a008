"""Reads an exported detector as the service does: several scales, suppression, text lines from the map."""

import json
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
import onnxruntime

from .categories import DETECTED, TEXT_STRIDE, WRITING
from .geometry import box_of_quad, pairwise_iou, suppress
from .grid import grid_points

PADDING_LEVEL = 114
SIDE_MULTIPLE = 64
DEFAULT_STRIDES = (8, 16, 32, 64)
SCORE_FLOOR = 0.05
SUPPRESSION_IOU, SUPPRESSION_INSIDE = 0.5, 0.85
MAX_BEFORE_SUPPRESSION = 600

LARGE_FROM_PX, LARGE_TEXT_FROM_PX = 800, 640
"""Photos whose longer side is over the first are looked at, over the second read, at 1280 pixels, others at 640. Lines
of receipts of 800 pixels touch at 640; at 1280, photos of 640 lose large lettering."""
LARGE_FRAME_FROM_PX = 400
"""Frames of a video whose longer side is over this are looked at at 1280 pixels, others at 640. At 640, the network misses
half of the small heads."""

MIRRORED_UP_TO_PX = LARGE_FROM_PX
"""Photos whose longer side is at most so long are looked at once more in the mirror, for boxes."""
AGREEING_IOU, LONE_SHARE = 0.45, 0.85
"""Boxes of both looks that overlap so much are of one object; what one look alone has keeps this share of its score."""

TEXT_THRESHOLD, TEXT_FAINT_THRESHOLD, TEXT_MIN_CELLS = 0.5, 0.3, 3
"""At the lower one close lines grow together: cells between the two count where they lie beside no likely component."""
TEXT_MIN_MEAN = 0.4
TEXT_MIN_GROWTH_PX = 1.5
TEXT_GROWTH = 0.55
"""Growth of a line on each side as a share of its core's height. The targets' cores are shrunk by 0.27 of the line's
height, which 0.59 would undo."""
TEXT_SHIFT_PX = 1.0
"""Targets are drawn at half the input's resolution by a routine that counts from pixels' centres and fills the border
too: what the map learns lies half of such a pixel, one of the input's, right of and below the core."""

LARGE_FROM_SIDE = 0.03
LOG_ODDS_PER_DOUBLING: dict[str, float] = {
    "heads": 0.1,
    "license_plates": 0.3,
    "screens": 0.1,
    "street_signs": 0.1,
    "qr_codes": 0.1,
    "barcodes": 0.4,
    "documents": 0.05,
    "tattoos": 0.1,
}
"""By how much the log-odds of a box fall each time its side, the root of its share of the picture, doubles past
LARGE_FROM_SIDE. The network is surer of what it sees in many pixels, right or wrong: with one threshold for all sizes,
large false boxes stay or small true ones go. Read off the evaluation, where rendered scenes alone would have it two
or three times as strong; cards gain nothing from it. Plates and barcodes are small, so that a few large false boxes
make up most of what is masked: theirs are steeper."""


GROWTH: dict[str, float] = {"heads": 0.02, "license_plates": 0.02}
"""By how much a box grows on each side once everything is merged, as a share of its width and height. A box that is a
pixel short of a head of twelve leaves a tenth of it open, and one that is a pixel too long hides nothing that matters.
Read off photos: the first two hundredths gain most, other categories nothing. Before version 7 heads grew by 5 %."""


@dataclass
class Detections:
    """boxes [n, 4] in image pixels, scores [n], categories [n] as indices of DETECTED; text quads and scores."""

    boxes: np.ndarray
    scores: np.ndarray
    categories: np.ndarray
    quads: np.ndarray
    quad_scores: np.ndarray

    def of(self, category: str) -> tuple[np.ndarray, np.ndarray]:
        """Boxes and scores of a category; of writing, the boxes around its lines."""
        if category == WRITING:
            boxes = np.stack([box_of_quad(q) for q in self.quads]) if len(self.quads) else np.zeros((0, 4), np.float32)
            return boxes, self.quad_scores
        chosen = self.categories == DETECTED.index(category)
        return self.boxes[chosen], self.scores[chosen]


def session(path: Path, threads: int) -> onnxruntime.InferenceSession:
    """An inference session on the CPU with a fixed number of threads."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


def long_sides(width: int, height: int) -> tuple[int, ...]:
    """Long sides in pixels at which a photo is looked at: objects that fill it are found on the small ones."""
    large = 1280 if max(width, height) > LARGE_FROM_PX else 640
    return (large, 320, 192)


def text_long_side(width: int, height: int) -> int:
    """Long side in pixels at which writing is read."""
    return 1280 if max(width, height) > LARGE_TEXT_FROM_PX else 640


def suppressed(boxes: np.ndarray, scores: np.ndarray, categories: np.ndarray) -> np.ndarray:
    """Indices kept by suppression within each category."""
    kept = []
    for category in np.unique(categories):
        index = np.where(categories == category)[0]
        index = index[np.argsort(-scores[index], kind="stable")][:MAX_BEFORE_SUPPRESSION]
        kept.append(index[suppress(boxes[index], scores[index], SUPPRESSION_IOU, SUPPRESSION_INSIDE)])
    return np.concatenate(kept) if kept else np.zeros(0, np.int64)


def agreed(
    boxes: tuple[np.ndarray, np.ndarray], scores: tuple[np.ndarray, np.ndarray]
) -> tuple[np.ndarray, np.ndarray]:
    """Boxes [k, 4] and scores [k] of two looks at one photo, of one category, each after suppression: what both are
    sure of has the mean of their scores and a box around both boxes. Below 2 · LONE_SHARE - 1 of a box's score
    another's does not count, since the mean would be less than what the box keeps alone."""
    box, score = np.concatenate(boxes), np.concatenate(scores)
    look = np.repeat([0, 1], [len(boxes[0]), len(boxes[1])])
    overlap = pairwise_iou(box, box)
    free = np.ones(len(box), bool)
    together, sure = [], []
    for i in np.argsort(-score, kind="stable"):
        if not free[i]:
            continue
        free[i] = False
        others = np.where(free & (look != look[i]) & (overlap[i] >= AGREEING_IOU))[0]
        partners = others[score[others] > score[i] * (2 * LONE_SHARE - 1)]
        same = partners if len(partners) else others
        if len(same):
            j = same[overlap[i][same].argmax()]
            free[j] = False
        if not len(partners):
            together.append(box[i])
            sure.append(score[i] * LONE_SHARE)
            continue
        together.append(np.concatenate([np.minimum(box[i][:2], box[j][:2]), np.maximum(box[i][2:], box[j][2:])]))
        sure.append((score[i] + score[j]) / 2)
    return np.float32(together).reshape(-1, 4), np.float32(sure)


def calibrated(boxes: np.ndarray, scores: np.ndarray, categories: np.ndarray, width: int, height: int) -> np.ndarray:
    """Scores [n] that are comparable over the sizes of boxes [n, 4] in pixels, for categories [n]."""
    area = (boxes[:, 2] - boxes[:, 0]) * (boxes[:, 3] - boxes[:, 1]) / (width * height)
    doublings = np.maximum(0, np.log2(np.sqrt(np.maximum(area, 1e-12)) / LARGE_FROM_SIDE))
    loss = np.float32([LOG_ODDS_PER_DOUBLING.get(name, 0.0) for name in DETECTED])[categories]
    certain = np.clip(scores, 1e-6, 1 - 1e-6)
    odds = certain / (1 - certain) * np.exp(-loss * doublings)
    return (odds / (1 + odds)).astype(np.float32)


def grown(boxes: np.ndarray, categories: np.ndarray, width: int, height: int) -> np.ndarray:
    """Boxes [n, 4] in pixels with GROWTH of their categories [n], cut at the photo's sides."""
    share = np.float32([GROWTH.get(name, 0.0) for name in DETECTED])[categories][:, None]
    margin = (boxes[:, 2:] - boxes[:, :2]) * share
    limit = np.float32([width, height])
    return np.concatenate([np.maximum(boxes[:, :2] - margin, 0), np.minimum(boxes[:, 2:] + margin, limit)], 1)


def _text_components(probability: np.ndarray) -> list[tuple[np.ndarray, np.ndarray]]:
    """Rows and columns of each component's cells: those of likely cells, then of faint ones beside none of them."""
    found, rest = [], probability.copy()
    for threshold in (TEXT_THRESHOLD, TEXT_FAINT_THRESHOLD):
        count, component, stats, _ = cv2.connectedComponentsWithStats(
            (rest > threshold).astype(np.uint8), connectivity=8
        )
        for i in range(1, count):
            x, y, w, h, cells = stats[i]
            if cells < TEXT_MIN_CELLS:
                continue
            rows, columns = np.where(component[y : y + h, x : x + w] == i)
            found.append((rows + y, columns + x))
        taken = np.zeros(probability.shape, np.uint8)
        for rows, columns in found:
            taken[rows, columns] = 1
        rest[cv2.dilate(taken, np.ones((3, 3), np.uint8)) > 0] = 0
    return found


def text_quads(probability: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Line quads [n, 4, 2] in pixels of the network's input, and scores [n], from the map [h/4, w/4]."""
    quads, scores = [], []
    for rows, columns in _text_components(probability):
        score = float(probability[rows, columns].mean())
        if score < TEXT_MIN_MEAN:
            continue
        cell_corners = [np.stack([columns + dx, rows + dy], 1) for dx in (0, 1) for dy in (0, 1)]
        points = np.concatenate(cell_corners).astype(np.float32) * TEXT_STRIDE - TEXT_SHIFT_PX
        centre, (a, b), angle = cv2.minAreaRect(points)
        grow = 2 * max(TEXT_MIN_GROWTH_PX, TEXT_GROWTH * max(2.0, min(a, b) - TEXT_STRIDE / 2))
        quads.append(cv2.boxPoints((centre, (a + grow, b + grow), angle)))
        scores.append(score)
    return np.float32(quads).reshape(-1, 4, 2), np.float32(scores)


TextMap = tuple[np.ndarray, np.ndarray]
"""The map [1, 1, h/4, w/4] and what its pixels are multiplied with, x and y, to be the photo's."""


class Reader:
    """An exported detector with its decoder. A model that does not state its strides has DEFAULT_STRIDES."""

    def __init__(self, path: Path, threads: int = 1):
        self.session = session(path, threads)
        stated = self.session.get_modelmeta().custom_metadata_map.get("strides")
        self.strides = tuple(json.loads(stated)) if stated else DEFAULT_STRIDES

    def _scale(self, image: np.ndarray, long_side: int) -> tuple[list[np.ndarray], np.ndarray, np.ndarray]:
        height, width = image.shape[:2]
        ratio = long_side / max(height, width)
        size = max(8, round(width * ratio)), max(8, round(height * ratio))
        method = cv2.INTER_AREA if ratio < 1 else cv2.INTER_LINEAR
        small = cv2.resize(image, size, interpolation=method)
        padded_h, padded_w = (-(-s // SIDE_MULTIPLE) * SIDE_MULTIPLE for s in small.shape[:2])
        padded = np.full((padded_h, padded_w, 3), PADDING_LEVEL, np.float32)
        padded[: size[1], : size[0]] = small
        outputs = self.session.run(["scores", "boxes", "text"], {"image": padded.transpose(2, 0, 1)[None]})
        points, _ = grid_points(padded_h, padded_w, self.strides)
        back = np.float32([width / size[0], height / size[1]])
        return outputs, points, back

    def _boxes(self, image: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, dict[int, TextMap]]:
        """Boxes, scores and categories after suppression over the scales; text maps by the long side they are of."""
        height, width = image.shape[:2]
        limit = np.float32([width, height, width, height])
        boxes, scores, categories, maps = [], [], [], {}
        for long_side in long_sides(width, height):
            (score, distance, text), points, back = self._scale(image, long_side)
            category, index = np.where(score[0] > SCORE_FLOOR)
            place, reach = points[index], distance[0][:, index].T
            found = np.concatenate([place - reach[:, :2], place + reach[:, 2:]], 1) * np.tile(back, 2)
            boxes.append(np.clip(found, 0, limit).astype(np.float32))
            scores.append(score[0][category, index])
            categories.append(category)
            maps[long_side] = text, back
        box, score, category = np.concatenate(boxes), np.concatenate(scores), np.concatenate(categories)
        score = calibrated(box, score, category, width, height)
        box, score, category = (values[score > SCORE_FLOOR] for values in (box, score, category))
        keep = suppressed(box, score, category)
        return box[keep], score[keep], category[keep], maps

    def _twofold(
        self, image: np.ndarray, own: tuple[np.ndarray, np.ndarray, np.ndarray]
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """What a photo and its mirror image have together, given what the photo has."""
        box, score, category, _ = self._boxes(np.ascontiguousarray(image[:, ::-1]))
        box[:, [0, 2]] = image.shape[1] - box[:, [2, 0]]
        mirrored = box, score, category
        parts = []
        for name in np.union1d(own[2], category):
            looks = [(b[c == name], s[c == name]) for b, s, c in (own, mirrored)]
            together, sure = agreed((looks[0][0], looks[1][0]), (looks[0][1], looks[1][1]))
            keep = sure > SCORE_FLOOR
            parts.append((together[keep], sure[keep], np.full(keep.sum(), name)))
        if not parts:
            return own
        boxes, scores, categories = zip(*parts, strict=True)
        return np.concatenate(boxes), np.concatenate(scores), np.concatenate(categories)

    def __call__(self, image: np.ndarray) -> Detections:
        """Detections on an RGB image, all scales merged, scores above SCORE_FLOOR."""
        height, width = image.shape[:2]
        box, score, category, maps = self._boxes(image)
        if max(width, height) <= MIRRORED_UP_TO_PX:
            box, score, category = self._twofold(image, (box, score, category))
        text_side = text_long_side(width, height)
        if text_side not in maps:
            (_, _, text), _, back = self._scale(image, text_side)
            maps[text_side] = text, back
        text, back = maps[text_side]
        quads, quad_scores = text_quads(text[0, 0])
        return Detections(grown(box, category, width, height), score, category, quads * back, quad_scores)
