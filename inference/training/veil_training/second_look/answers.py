"""What the second look should answer about a proposal, as far as the photo's labels tell."""

from dataclasses import dataclass, field

import numpy as np

from ..categories import CARD_LIKE_INDEX, DETECTED, INDEX
from ..geometry import areas, intersections, pairwise_iou
from ..labels import OWN_MISTAKEN, head_of_face
from ..manifest import Photo

SAME_IOU, APART_IOU, INSIDE_SHARE = 0.4, 0.15, 0.5
"""A proposal is right from the first on, wrong below the second unless that share of it lies inside a label."""

SILENT_WEIGHT = 0.5
"""Weight of absence where a photo was not looked at for a category that everyday photos hardly ever hold."""

HOLDS_UNPLACED = ("zxing", "stefano", "princeid", "hand_approx", "sroie", "qr_bounds", "book_covers")
"""Sources whose photos hold codes, cards or pages that have no box: their silence says nothing."""

SPELLING = {"payment_cards": "credit_cards"}


@dataclass
class Truth:
    """Labels of one picture: boxes [n, 4], categories [n] as indices of DETECTED, ignored [n], and how much the
    absence of each category counts [12]. denied: a category and boxes [m, 4] that are known not to be of it."""

    boxes: np.ndarray
    categories: np.ndarray
    ignored: np.ndarray
    absence: np.ndarray
    denied: dict[int, np.ndarray] = field(default_factory=dict)


@dataclass
class Answers:
    """For each proposal: wanted [n, 12] in 0 or 1 with weights [n, 12];
    the box [n, 4] of its label, nan without."""

    wanted: np.ndarray
    weights: np.ndarray
    boxes: np.ndarray


def truth_of(photo: Photo) -> Truth:
    """What a photo's labels say."""
    boxes, categories, ignored = [], [], []
    absence = np.zeros(len(DETECTED), np.float32)
    if not photo.source.startswith(HOLDS_UNPLACED):
        for name in OWN_MISTAKEN:
            absence[INDEX[name]] = SILENT_WEIGHT
    for name in photo.complete_for:
        name = SPELLING.get(name, name)
        if name in INDEX:
            absence[INDEX[name]] = 1
    for label in photo.labels:
        name = SPELLING.get(label.category, label.category)
        if name not in INDEX:
            continue
        if label.box is None:
            absence[INDEX[name]] = 0
            continue
        box = np.float32(label.box)
        if photo.faces_only and name == "heads":
            box = head_of_face(box[None])[0]
        boxes.append(box)
        categories.append(INDEX[name])
        ignored.append(label.ignored)
    denied: dict[int, list[tuple[float, ...]]] = {}
    for name, box in photo.denied:
        denied.setdefault(INDEX[name], []).append(box)
    return Truth(
        np.float32(boxes).reshape(-1, 4),
        np.int64(categories).reshape(-1),
        np.array(ignored, bool).reshape(-1),
        absence,
        {category: np.float32(listed) for category, listed in denied.items()},
    )


def _may_be_both(one: int, other: int) -> bool:
    """Cards lie on pages and screens show them: the label of one does not deny the other."""
    flat = {*CARD_LIKE_INDEX, INDEX["screens"]}
    documents, tattoo = INDEX["documents"], INDEX["tattoos"]
    if {one, other} <= flat:
        return documents in (one, other) or INDEX["screens"] in (one, other)
    return tattoo in (one, other) and INDEX["heads"] in (one, other)


EXCLUDED = np.array(
    [[one != other and not _may_be_both(one, other) for other in range(len(DETECTED))] for one in range(len(DETECTED))]
)
"""[12, 12]: whether what is the first cannot be the second."""


def answers_for(proposals: np.ndarray, truth: Truth) -> Answers:
    """Answers for proposals [n, 4] in pixels of the picture."""
    count = len(proposals)
    wanted = np.zeros((count, len(DETECTED)), np.float32)
    weights = np.tile(truth.absence, (count, 1))
    places = np.full((count, 4), np.nan, np.float32)
    for category, boxes in truth.denied.items():
        weights[(pairwise_iou(proposals, boxes) >= SAME_IOU).any(1), category] = 1
    if not len(truth.boxes):
        return Answers(wanted, weights, places)
    overlap = pairwise_iou(proposals, truth.boxes)
    inside = intersections(proposals, truth.boxes) / np.maximum(areas(proposals)[:, None], 1e-3)
    for category in np.unique(truth.categories):
        own = truth.categories == category
        near = ((overlap[:, own] >= APART_IOU) | (inside[:, own] >= INSIDE_SHARE)).any(1)
        weights[near, category] = 0
    real = np.where(~truth.ignored)[0]
    if not len(real):
        return Answers(wanted, weights, places)
    best = real[overlap[:, real].argmax(1)]
    right = overlap[np.arange(count), best] >= SAME_IOU
    for i in np.where(right)[0]:
        category = int(truth.categories[best[i]])
        weights[i, EXCLUDED[category]] = np.maximum(weights[i, EXCLUDED[category]], 1)
        places[i] = truth.boxes[best[i]]
    for j in real:
        same = overlap[:, j] >= SAME_IOU
        wanted[same, truth.categories[j]] = 1
        weights[same, truth.categories[j]] = 1
    return Answers(wanted, weights, places)
