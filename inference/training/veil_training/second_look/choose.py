"""Chooses how much the second look counts and from which confidence on a category is reported."""

import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch

from ..categories import DETECTED, INDEX
from ..evaluate import FALSE_BOXES_PER_PHOTO, CategoryResult, PhotoResult, measure
from ..manifest import Photo
from .crops import INPUT_PX
from .measure import Proposals, presence, results_of
from .network import SecondLook

WEIGHTS = (0.0, 0.15, 0.3, 0.5, 0.7)
REFINEMENTS = (0.0, 0.5, 1.0)
MOST_PRESENT: dict[str, float] = {
    "heads": 1.0,
    "license_plates": 0.08,
    "screens": 0.12,
    "street_signs": 0.08,
    "id_cards": 0.03,
    "passports": 0.03,
    "credit_cards": 0.03,
    "name_badges": 0.03,
    "qr_codes": 0.03,
    "barcodes": 0.03,
    "documents": 0.08,
    "tattoos": 0.08,
}
"""Share of everyday photos without a category in which it may be found."""

SURE = 1e-4
THRESHOLDS = np.round(np.arange(0.02, 0.98, 0.02), 3)


@dataclass
class Choice:
    """One setting of a category and what it brings."""

    category: str
    weight: float
    refinement: float
    threshold: float
    present: float
    result: CategoryResult


@torch.no_grad()
def answers_of(network: SecondLook, proposals: Proposals) -> tuple[np.ndarray, np.ndarray]:
    """Scores [n] of the proposed category and refined boxes [n, 4] in pixels."""
    scores, boxes = [], []
    offset = np.concatenate([proposals.frames[:, :2]] * 2, 1)
    given = ((proposals.boxes - offset) / proposals.frames[:, 2:]).astype(np.float32)
    for start in range(0, len(given), 256):
        part = slice(start, start + 256)
        crops = torch.from_numpy(proposals.crops[part]).permute(0, 3, 1, 2).float()
        assert crops.shape[-1] == INPUT_PX
        logits, refined = network(crops, torch.from_numpy(given[part]))
        own = logits.sigmoid().numpy()[np.arange(len(logits)), proposals.categories[part]]
        scores.append(own)
        boxes.append(refined.numpy())
    return np.concatenate(scores), np.concatenate(boxes) * proposals.frames[:, 2:] + offset


def log_odds(values: np.ndarray) -> np.ndarray:
    """Log-odds of probabilities, kept within bounds."""
    certain = np.clip(values, SURE, 1 - SURE)
    return np.log(certain / (1 - certain))


def fused(first: np.ndarray, second: np.ndarray, weight: float) -> np.ndarray:
    """Confidence after both looks."""
    return 1 / (1 + np.exp(-((1 - weight) * log_odds(first) + weight * log_odds(second))))


def _at_best(category: str, results: list[PhotoResult], best: np.ndarray) -> tuple[float, float, CategoryResult]:
    """The lowest threshold within the limits, how often the category is present at it, and its figures.

    Both limits are met from some threshold on, so that halving finds it.
    """
    low, high = 0, len(THRESHOLDS) - 1
    while low < high:
        middle = (low + high) // 2
        threshold = float(THRESHOLDS[middle])
        present = float((best >= threshold).mean()) if len(best) else 0.0
        fits = present <= MOST_PRESENT[category] and (
            measure(results, threshold).false_boxes_per_photo <= FALSE_BOXES_PER_PHOTO
        )
        low, high = (low, middle) if fits else (middle + 1, high)
    threshold = float(THRESHOLDS[low])
    return threshold, float((best >= threshold).mean()) if len(best) else 0.0, measure(results, threshold)


def choices(photos: list[Photo], absent: set[str], proposals: Proposals, network: SecondLook) -> list[Choice]:
    """For each category the figures of every weight and refinement."""
    second, refined = answers_of(network, proposals)
    found: list[Choice] = []
    for weight in WEIGHTS:
        scores = fused(proposals.scores, second, weight)
        for refinement in REFINEMENTS:
            if weight == 0 and refinement > 0:
                continue
            boxes = proposals.boxes + np.float32(refinement) * (refined - proposals.boxes)
            results = results_of(photos, proposals, scores, boxes.astype(np.float32))
            for category in DETECTED:
                best, _ = presence(photos, absent, proposals, scores, category)
                threshold, present, result = _at_best(category, results[category], best)
                found.append(Choice(category, weight, refinement, threshold, present, result))
    return sorted(found, key=lambda one: (INDEX[one.category], one.weight, one.refinement))


def table(found: list[Choice]) -> str:
    """The figures as Markdown."""
    lines = [
        "| category | weight | refinement | threshold | present | covered | IoU 0.5 | false a photo | area |",
        "|---" * 9 + "|",
    ]
    for choice in found:
        r = choice.result
        settings = f"{choice.category} | {choice.weight} | {choice.refinement} | {choice.threshold:.2f}"
        recall = f"{choice.present:.3f} | {r.coverage_recall:.3f} of {r.targets} | {r.recall:.3f}"
        lines.append(f"| {settings} | {recall} | {r.false_boxes_per_photo:.2f} ({r.photos}) | {r.masked_ratio:.2f} |")
    return "\n".join(lines)


LEAST_GAIN = 0.005
FROM = 0.1
"""Stage one's confidence from which a proposal is seen again."""


def best_choices(found: list[Choice]) -> dict[str, Choice]:
    """The setting of each category that covers most; less of the second look where that gains less than LEAST_GAIN.

    A category without targets here keeps stage one's word.
    """
    best: dict[str, Choice] = {}
    for choice in found:
        known = best.get(choice.category)
        if known is None or choice.result.coverage_recall > known.result.coverage_recall + LEAST_GAIN:
            best[choice.category] = choice
    return best


def write_choices(found: list[Choice], path: Path) -> dict[str, float]:
    """Puts the best settings into the manifest of the second look; returns the thresholds that belong to them."""
    fields = json.loads(path.read_text())
    chosen = best_choices(found)
    fields["judgments"] = {
        name: {"from": FROM, "weight": choice.weight, "refinement": choice.refinement}
        for name, choice in chosen.items()
        if choice.weight > 0
    }
    path.write_text(json.dumps(fields, indent=2) + "\n")
    return {name: choice.threshold for name, choice in chosen.items()}
