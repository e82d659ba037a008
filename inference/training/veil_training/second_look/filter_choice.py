"""Chooses how strict the filter is: the weights of both confidences, and what is not worth a second look."""

import numpy as np
from sklearn.linear_model import LogisticRegression

from ..categories import DETECTED
from ..manifest import Photo
from .choose import FEWEST, NEVER, columns_of, curve_of
from .proposals import Proposals

FILTERED: dict[str, float] = {"heads": 0.001, "license_plates": 0.0, "screens": 0.0, "street_signs": 0.0}
"""What of a category's coverage a filter may cost."""
BELIEVED_FROM = 0.1
"""The second look's probability from which a proposal may count in the end: the scene and company raise it."""
SHARES = np.linspace(0.02, 0.9, 45)


def filter_judgments(
    photos: list[Photo], proposals: Proposals, logits: np.ndarray, taught: np.ndarray
) -> dict[str, dict[str, float]]:
    """The manifest's judgments: the strictest filter that costs no more coverage than `FILTERED` says.

    logits [n, 12] are the filter's, taught [n, 12] the teacher's probabilities on the same proposals of part eval.
    """
    judgments: dict[str, dict[str, float]] = {}
    for name, most_lost in FILTERED.items():
        category = DETECTED.index(name)
        own = proposals.categories == category
        believed = taught[:, category] >= BELIEVED_FROM
        worth = (believed & (proposals.own != 0))[own]
        if min(worth.sum(), (~worth).sum()) < FEWEST:
            continue
        fitted = LogisticRegression(C=1.0).fit(columns_of(own, proposals, logits), worth)
        found = np.full(len(own), NEVER)
        found[own] = fitted.decision_function(columns_of(own, proposals, logits))
        surest = np.where(own & believed, taught[:, category], NEVER)
        everything = curve_of(category, photos, proposals, surest).at(BELIEVED_FROM)[0]
        strictest, kept = float(found[own].min()), 1.0
        for share in SHARES:
            cut = float(np.quantile(found[own], share))
            passed = np.where(found >= cut, surest, NEVER)
            covered = curve_of(category, photos, proposals, passed).at(BELIEVED_FROM)[0]
            if covered < everything - most_lost - 1e-9:
                break
            strictest, kept = cut, 1 - float(share)
        judgments[name] = {
            "stage_one_weight": round(float(fitted.coef_[0][0]), 3),
            "second_look_weight": round(float(fitted.coef_[0][1]), 3),
            "offset": round(float(fitted.intercept_[0]), 3),
            "filters_below": round(float(1 / (1 + np.exp(-strictest))), 4),
        }
        print(f"{name}: {kept:.0%} of proposals pass; the second look covers {everything:.4f}", flush=True)
    return judgments
