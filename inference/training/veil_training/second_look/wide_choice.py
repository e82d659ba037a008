"""Chooses what the wide look says: which proposals it drops, and how it changes the confidence of others."""

from dataclasses import replace

import numpy as np
from sklearn.linear_model import LogisticRegression

from ..categories import DETECTED, INDEX
from ..manifest import Photo
from .choose import FEWEST, NEVER, columns_of, curve_of
from .proposals import Proposals

FILTERED: dict[str, float] = {"license_plates": 0.0, "screens": 0.0, "street_signs": 0.0}
"""Where it only drops proposals: what of a category's coverage that may cost."""
WEIGHED = ("heads",)
"""Where it changes confidences. Plates and screens gain nothing, and of signs twice as many were falsely hidden."""
BELIEVED_FROM = 0.1
"""The second look's probability from which a proposal may count in the end: the scene and company raise it."""
SECOND_LOOK_FROM = 0.023
"""Confidence after the wide look from which a proposal is worth a second look: two of log-odds below .15."""
SHARES = np.linspace(0.02, 0.4, 20)
"""Shares that a filter may drop. Dropping three of five cost nothing here, but a plate in a hundred in the service."""


def wide_weights(proposals: Proposals, logits: np.ndarray) -> dict[str, dict[str, float]]:
    """The manifest's judgments for WEIGHED: how stage one and the wide look (logits [n, 12]) are combined."""
    judgments = {}
    for name in WEIGHED:
        category = INDEX[name]
        chosen = (proposals.categories == category) & ~np.isnan(proposals.own)
        fitted = LogisticRegression(C=1.0).fit(columns_of(chosen, proposals, logits), proposals.own[chosen])
        judgments[name] = {
            "stage_one_weight": round(float(fitted.coef_[0][0]), 3),
            "second_look_weight": round(float(fitted.coef_[0][1]), 3),
            "offset": round(float(fitted.intercept_[0]), 3),
        }
    return judgments


def after_wide_look(
    proposals: Proposals, logits: np.ndarray, judgments: dict[str, dict[str, float]]
) -> tuple[Proposals, np.ndarray]:
    """The proposals with the confidence that the wide look gives them, and which of them [n] get a second look."""
    scores, passing = proposals.scores.copy(), np.ones(len(proposals.scores), bool)
    for name, judgment in judgments.items():
        own = proposals.categories == INDEX[name]
        weights = np.array([judgment["stage_one_weight"], judgment["second_look_weight"]])
        odds = columns_of(own, proposals, logits) @ weights + judgment["offset"]
        scores[own] = 1 / (1 + np.exp(-odds))
        passing[own] = scores[own] >= SECOND_LOOK_FROM
    return replace(proposals, scores=scores), passing


def filter_judgments(
    photos: list[Photo], proposals: Proposals, logits: np.ndarray, second: np.ndarray
) -> dict[str, dict[str, float]]:
    """The manifest's judgments for FILTERED: the strictest filter that costs no more coverage than allowed.

    logits [n, 12] are the wide look's, second [n, 12] the second look's probabilities, both of part eval.
    """
    judgments: dict[str, dict[str, float]] = {}
    for name, most_lost in FILTERED.items():
        category = DETECTED.index(name)
        own = proposals.categories == category
        believed = second[:, category] >= BELIEVED_FROM
        worth = (believed & (proposals.own != 0))[own]
        if min(worth.sum(), (~worth).sum()) < FEWEST:
            continue
        fitted = LogisticRegression(C=1.0).fit(columns_of(own, proposals, logits), worth)
        found = np.full(len(own), NEVER)
        found[own] = fitted.decision_function(columns_of(own, proposals, logits))
        surest = np.where(own & believed, second[:, category], NEVER)
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
