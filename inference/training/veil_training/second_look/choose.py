"""Chooses, category by category, how both looks are weighed, and says what coverage costs which presence."""

from dataclasses import dataclass

import numpy as np
from sklearn.linear_model import LogisticRegression

from ..categories import DETECTED
from ..geometry import covered_fraction, grow_boxes, intersections
from ..manifest import Photo
from .answers import absent_from, labels_of
from .proposals import Proposals

FEWEST = 20
"""With fewer right or wrong proposals no regression is fitted: FIXED holds."""
FIXED = (1.0, 0.7, 0.0)
LEAST = 1e-4
COVERED_SHARE, GROWTH = 0.9, 0.1
"""A label is covered where boxes grown by GROWTH hold that share of it."""
NEVER = -1e9


def log_odds(probabilities: np.ndarray) -> np.ndarray:
    """Log-odds, kept off 0 and 1 as in the service."""
    certain = np.clip(probabilities, LEAST, 1 - LEAST)
    return np.log(certain / (1 - certain))


@dataclass
class Curve:
    """From which confidence on each label is covered, and the surest proposal of each photo without the category."""

    covered_from: np.ndarray
    surest_absent: np.ndarray

    def at(self, threshold: float) -> tuple[float, float]:
        """Coverage and presence from a threshold on."""
        if not len(self.covered_from) or not len(self.surest_absent):
            return float("nan"), float("nan")
        return float((self.covered_from >= threshold).mean()), float((self.surest_absent >= threshold).mean())

    def threshold_for_presence(self, most: float) -> float:
        """The lowest threshold at which the category is present in at most that share of photos without it."""
        ordered = np.sort(self.surest_absent)[::-1]
        index = int(np.floor(most * len(ordered) + 1e-9))
        return float(ordered[index]) + 1e-9 if index < len(ordered) else NEVER


def weights_for(category: int, proposals: Proposals, logits: np.ndarray) -> tuple[float, float, float]:
    """Weights of stage one's and of the second look's log-odds, and the offset."""
    chosen = (proposals.categories == category) & ~np.isnan(proposals.own)
    answers = proposals.own[chosen]
    if min((answers == 1).sum(), (answers == 0).sum()) < FEWEST:
        return FIXED
    fitted = LogisticRegression(C=1.0).fit(columns_of(chosen, proposals, logits), answers)
    return float(fitted.coef_[0][0]), float(fitted.coef_[0][1]), float(fitted.intercept_[0])


def confidences(category: int, proposals: Proposals, logits: np.ndarray) -> np.ndarray:
    """Log-odds [n] of both looks, two-fold by photo: none is judged by weights that it helped to fit."""
    found = np.full(len(proposals.boxes), NEVER)
    half = proposals.photos * 2654435761 % 97 % 2
    for fold in (0, 1):
        one = (proposals.categories == category) & (half == fold)
        rest = proposals.part(half != fold)
        first, second, offset = weights_for(category, rest, logits[half != fold])
        found[one] = columns_of(one, proposals, logits) @ np.array([first, second]) + offset
    return found


def curve_of(category: int, photos: list[Photo], proposals: Proposals, found: np.ndarray) -> Curve:
    """The curve of a category over photos, which are those that the proposals' files name, in their order."""
    name = DETECTED[category]
    covered_from, surest = [], []
    own = np.where(proposals.categories == category)[0]
    for index, photo in enumerate(photos):
        mine = own[proposals.photos[own] == index]
        if name in absent_from(photo):
            surest.append(found[mine].max(initial=NEVER))
        if photo.faces_only and name == "heads":
            continue
        mine = mine[np.argsort(-found[mine])]
        boxes = grow_boxes(proposals.boxes[mine], GROWTH)
        for label in labels_of(photo, name)[0]:
            covered_from.append(_covered_from(label, boxes, found[mine]))
    return Curve(np.array(covered_from), np.array(surest))


def table(photos: list[Photo], proposals: Proposals, by_name: dict[str, np.ndarray]) -> str:
    """Coverage at some presences, stage one alone beside what each name's logits [n, 12] add."""
    presences = (0.01, 0.02, 0.04, 0.06, 0.1)
    lines = ["| category | by | " + " | ".join(f"covered at {most:.0%}" for most in presences) + " |"]
    lines.append("|---" * (len(presences) + 2) + "|")
    for category, name in enumerate(DETECTED):
        found = {"stage one": np.where(proposals.categories == category, log_odds(proposals.scores), NEVER)}
        for by, logits in by_name.items():
            found[by] = confidences(category, proposals, logits)
        for by, values in found.items():
            curve = curve_of(category, photos, proposals, values)
            reached = [curve.at(curve.threshold_for_presence(most))[0] for most in presences]
            lines.append(f"| {name} | {by} | " + " | ".join(f"{one:.3f}" for one in reached) + " |")
    return "\n".join(lines)


def columns_of(chosen: np.ndarray, proposals: Proposals, logits: np.ndarray) -> np.ndarray:
    """Log-odds [n, 2] of stage one and of the second look for chosen proposals."""
    bound = -float(log_odds(np.array([0.0]))[0])
    second = np.clip(logits[np.arange(len(logits)), proposals.categories], -bound, bound)
    return np.stack([log_odds(proposals.scores[chosen]), second[chosen]], 1)


def _covered_from(label: np.ndarray, boxes: np.ndarray, found: np.ndarray) -> float:
    touching = np.where(intersections(boxes, label[None])[:, 0] > 0)[0]
    for count in range(1, len(touching) + 1):
        if covered_fraction(label, boxes[touching[:count]]) >= COVERED_SHARE:
            return float(found[touching[count - 1]])
    return NEVER
