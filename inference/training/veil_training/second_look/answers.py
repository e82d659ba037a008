"""Which categories a proposal is known to be, and known not to be, as far as the photo's labels tell."""

from dataclasses import dataclass

import numpy as np

from ..categories import DETECTED, INDEX
from ..geometry import areas, intersections, pairwise_iou
from ..labels import head_of_face
from ..manifest import Photo

SAME_IOU, APART_IOU = 0.4, 0.1
COVERED_SHARE, LARGEST_RATIO = 0.6, 4.0
"""A proposal is right from SAME_IOU on, or where it holds that share of a label and is at most so many times larger."""
INSIDE_SHARE = 0.5
"""A proposal that lies this far inside a label is neither right nor wrong."""

SPELLING = {"payment_cards": "credit_cards"}


@dataclass
class Answers:
    """For each proposal: known [n, 12], 1 right, 0 wrong, nan unknown; places [n, 12, 4], the label it is right for."""

    known: np.ndarray
    places: np.ndarray


def named(category: str) -> str:
    """The network's name of a manifest's category."""
    return SPELLING.get(category, category)


def labels_of(photo: Photo, category: str) -> tuple[np.ndarray, np.ndarray, bool]:
    """Placed labels [n, 4] of a category, ignored ones [m, 4], and whether one has no place."""
    placed, ignored, is_unplaced = [], [], False
    for label in photo.labels:
        if named(label.category) != category:
            continue
        if label.box is None:
            is_unplaced = True
            continue
        box = np.float32(label.box)
        if photo.faces_only and category == "heads":
            box = head_of_face(box[None])[0]
        (ignored if label.ignored else placed).append(box)
    if category == "heads" and not placed:
        # A person without a labeled head has one somewhere.
        ignored += [np.float32(p.box) for p in photo.labels if p.category == "person" and p.box is not None]
    return np.float32(placed).reshape(-1, 4), np.float32(ignored).reshape(-1, 4), is_unplaced


def answers_for(photo: Photo, boxes: np.ndarray) -> Answers:
    """Answers for boxes [n, 4] in pixels of the photo."""
    known = np.full((len(boxes), len(DETECTED)), np.nan, np.float32)
    places = np.full((len(boxes), len(DETECTED), 4), np.nan, np.float32)
    complete = {named(category) for category in photo.complete_for}
    own_areas = np.maximum(areas(boxes), 1e-3)
    for index, category in enumerate(DETECTED):
        labels, ignored, is_unplaced = labels_of(photo, category)
        is_near = np.zeros(len(boxes), bool)
        if len(labels):
            overlap, shared = pairwise_iou(boxes, labels), intersections(boxes, labels)
            holds = shared / np.maximum(areas(labels), 1e-3) >= COVERED_SHARE
            right = (overlap >= SAME_IOU) | (holds & (own_areas[:, None] <= LARGEST_RATIO * areas(labels)))
            best = np.where(right, overlap + 1, overlap).argmax(1)
            is_right = right.any(1)
            known[is_right, index] = 1
            places[is_right, index] = labels[best[is_right]]
            is_near |= (overlap >= APART_IOU).any(1) | (shared / own_areas[:, None] >= INSIDE_SHARE).any(1)
        if len(ignored):
            is_near |= (intersections(boxes, ignored) > 0).any(1)
        if category in complete and not is_unplaced:
            known[np.isnan(known[:, index]) & ~is_near, index] = 0
    for category, box in photo.denied:
        index = INDEX.get(named(category))
        if index is None:
            continue
        is_same = pairwise_iou(boxes, np.float32([box]))[:, 0] >= SAME_IOU
        known[np.isnan(known[:, index]) & is_same, index] = 0
    return Answers(known, places)


def absent_from(photo: Photo) -> set[str]:
    """Categories that a photo is known not to show."""
    present = {named(label.category) for label in photo.labels}
    absent = {named(category) for category in photo.complete_for} - present
    return absent - {"heads"} if "person" in present else absent
