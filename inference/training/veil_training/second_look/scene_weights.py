"""Weighs both looks at a proposal beside what its photo shows, by a logistic regression."""

import numpy as np
import torch
from sklearn.linear_model import LogisticRegression

from .choose import columns_of
from .features import Features
from .network import MIDDLE_CELLS, SecondLook
from .proposals import Proposals
from .scene import SceneViews, cell_shares
from .scene_head import SCENE_CLASSES

REGULARIZATION = 0.03
"""Inverse strength: .01 to 1 were tried, two-fold by photo."""
SCENE_JUDGED = ("heads", "license_plates", "screens", "street_signs")
"""Badges gain nothing, and of tattoos there are too few."""
LEAST_DEVIATION = 0.05
BATCH = 256


@torch.no_grad()
def logits_and_maps(network: SecondLook, features: Features, views: SceneViews) -> tuple[np.ndarray, np.ndarray]:
    """Computes logits [n, 12] of proposals and scene probabilities [m, classes, cells, cells] of views."""
    logits = [
        network.logits_of(*(torch.from_numpy(one[batch].astype(np.float32)) for one in columns)).numpy()
        for columns in [(features.pooled, features.middle, features.boxes)]
        for batch in _batches(len(features.pooled))
    ]
    maps = [
        network.scene(*(torch.from_numpy(one[batch].astype(np.float32)) for one in (views.middle, views.top)))
        for batch in _batches(len(views.files))
    ]
    return np.concatenate(logits), torch.cat(maps).sigmoid().numpy()


def _batches(count: int) -> list[slice]:
    return [slice(start, start + BATCH) for start in range(0, count, BATCH)]


def surroundings(proposals: Proposals, views: SceneViews, maps: np.ndarray) -> np.ndarray:
    """Features [n, 3 × classes + 2] of proposals: the mean of each class inside, below and above the box, then the
    logarithms of its side in pixels and of its share of the photo's side."""
    of_file: dict[str, list[int]] = {}
    for index in np.where(~views.mirrored)[0]:
        of_file.setdefault(str(views.files[index]), []).append(index)
    found = np.zeros((len(proposals.boxes), 3 * len(SCENE_CLASSES) + 2), np.float32)
    for row, box, photo in zip(found, proposals.boxes, proposals.photos, strict=True):
        own = of_file[str(proposals.files[photo])]
        for at, place in enumerate(_places_of(box)):
            shares = [cell_shares(place, views.windows[i], MIDDLE_CELLS) for i in own]
            total = sum(float(one.sum()) for one in shares)
            if total > 0:
                sums = sum((maps[i] * one).sum((1, 2)) for i, one in zip(own, shares, strict=True))
                row[at : 3 * len(SCENE_CLASSES) : 3] = sums / total
        side = np.sqrt(max(1.0, float((box[2] - box[0]) * (box[3] - box[1]))))
        width, height = views.sizes[own[0]]
        row[-2:] = np.log(side), np.log(side / np.sqrt(width * height))
    return found


def _places_of(box: np.ndarray) -> list[np.ndarray]:
    left, top, right, bottom = box
    width, height = right - left, bottom - top
    inner = np.array([left + 0.2 * width, top + 0.2 * height, right - 0.2 * width, bottom - 0.2 * height])
    below = np.array([left - 0.5 * width, bottom, right + 0.5 * width, bottom + 1.5 * height])
    return [inner, below, np.array([left - width, top - height, right + width, top])]


def weights_in_scene(category: int, proposals: Proposals, logits: np.ndarray, around: np.ndarray) -> dict[str, object]:
    """Fits the manifest's `in_scene` of a category on labeled proposals."""
    chosen = (proposals.categories == category) & ~np.isnan(proposals.own)
    values = np.concatenate([columns_of(chosen, proposals, logits), around[chosen]], 1)
    mean, deviation = values.mean(0), values.std(0) + LEAST_DEVIATION
    fitted = LogisticRegression(C=REGULARIZATION, max_iter=4000)
    fitted.fit((values - mean) / deviation, proposals.own[chosen])
    weights = fitted.coef_[0] / deviation
    rounded = [round(float(one), 3) for one in weights]
    return {
        "stage_one_weight": rounded[0],
        "second_look_weight": rounded[1],
        "offset": round(float(fitted.intercept_[0] - (weights * mean).sum()), 3),
        "pixels_weight": rounded[-2],
        "share_weight": rounded[-1],
        "weights": {name: rounded[2 + 3 * i : 5 + 3 * i] for i, name in enumerate(SCENE_CLASSES)},
    }
