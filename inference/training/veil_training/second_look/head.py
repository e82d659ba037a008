"""Trains the heads on cached features and computes their logits, also with each source left out."""

from dataclasses import dataclass

import numpy as np
import torch
from torch.nn.functional import binary_cross_entropy_with_logits

from ..categories import DETECTED
from .network import head
from .proposals import Proposals

HEADS, STEPS, BATCH = 2, 1800, 192
LEARNING_RATE, MOST_LEARNING_RATE, WEIGHT_DECAY = 1e-3, 2e-3, 0.05
OTHER_CATEGORIES = 0.2
"""Weight of what is known of categories that a proposal was not made for."""
HEADS_DRAWN = 2.0
LEAST_DEVIATION = 1e-2
WARM_UP_STEPS, LEAST_SHARE = 100, 0.01
"""Of tuning: steps until the full learning rate, and its final share."""

KIN = (
    ("hardhat",),
    ("coco",),
    ("robertlucian",),
    ("zxing",),
    ("caltech101", "dogs_cats", "raccoons", "mslearn", "playing"),
    ("sroie",),
    ("princeid",),
    ("kaggle_road",),
    ("creativetim", "website"),
    ("negatives_",),
    ("workers_barehead", "hats_unsplash"),
    ("stefano", "qr_bounds"),
    ("clothing",),
)
"""Sources that are near kin: left out together."""
GROUPS = 4


@dataclass
class Teaching:
    """Standardized features [n, f], what is known [n, 12] with weights [n, 12], and how often each is drawn [n]."""

    features: torch.Tensor
    wanted: torch.Tensor
    weights: torch.Tensor
    drawn: np.ndarray
    mean: torch.Tensor
    deviation: torch.Tensor


def teaching_of(proposals: Proposals, pooled: np.ndarray) -> Teaching:
    """Standardizes pooled features by their own statistics. Draws each answer of a category by the root of its
    number."""
    mean = pooled.mean(0, dtype=np.float32)
    deviation = pooled.std(0, dtype=np.float32) + np.float32(LEAST_DEVIATION)
    known = torch.from_numpy(proposals.known)
    weights = (~known.isnan()).float() * OTHER_CATEGORIES
    weights[torch.arange(len(known)), torch.from_numpy(proposals.categories)] = 1.0
    weights[known.isnan()] = 0.0
    drawn = np.zeros(len(known))
    for index in range(len(DETECTED)):
        for answer in (0, 1):
            own = np.where((proposals.categories == index) & (proposals.own == answer))[0]
            if len(own):
                drawn[own] = len(own) ** -0.5 * (HEADS_DRAWN if index == 0 else 1.0)
    standardized = torch.from_numpy(((pooled - mean) / deviation).astype(np.float32))
    return Teaching(
        standardized, known.nan_to_num(), weights, drawn, torch.from_numpy(mean), torch.from_numpy(deviation)
    )


def train_head(teaching: Teaching, allowed: np.ndarray, seed: int, steps: int = STEPS) -> torch.nn.Sequential:
    """Trains a head on the proposals whose entry in `allowed` [n] is not 0."""
    torch.manual_seed(seed)
    rng, net = np.random.default_rng(seed), head()
    chances = teaching.drawn * allowed
    chances = chances / chances.sum()
    optimizer = torch.optim.AdamW(net.parameters(), LEARNING_RATE, weight_decay=WEIGHT_DECAY)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, MOST_LEARNING_RATE, steps)
    for _ in range(steps):
        chosen = torch.from_numpy(rng.choice(len(chances), BATCH, p=chances))
        losses = binary_cross_entropy_with_logits(
            net(teaching.features[chosen]), teaching.wanted[chosen], reduction="none"
        )
        loss = (losses * teaching.weights[chosen]).sum() / BATCH
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        schedule.step()
    return net.eval()


def set_learning_rates(optimizer: torch.optim.Optimizer, rates: list[float], step: int, done: float) -> None:
    """Sets the groups' learning rates: a warm-up by steps, then a half cosine over the share of time that is done."""
    share = min(1.0, (step + 1) / WARM_UP_STEPS) * (0.5 * (1 + np.cos(np.pi * done)) + LEAST_SHARE)
    for group, rate in zip(optimizer.param_groups, rates, strict=True):
        group["lr"] = rate * share


@torch.no_grad()
def logits_of(nets: list[torch.nn.Sequential], teaching: Teaching, features: np.ndarray) -> np.ndarray:
    """Mean logits [n, 12] of heads for features as `features_for` computes them."""
    standardized = (torch.from_numpy(features).float() - teaching.mean) / teaching.deviation
    return torch.stack([net(standardized) for net in nets]).mean(0).numpy()


def train_heads(teaching: Teaching) -> tuple[list[torch.nn.Sequential], dict[str, object]]:
    """Heads on everything, and what `SecondLook` reads."""
    nets = [train_head(teaching, np.ones(len(teaching.drawn)), seed) for seed in range(HEADS)]
    halves = [{name: value.half() for name, value in net.state_dict().items()} for net in nets]
    return nets, {"mean": teaching.mean, "deviation": teaching.deviation, "heads": halves}


def groups_of(files: np.ndarray, more: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """A group 0…GROUPS - 1 for each file of both lists; near kin share one."""

    def key(file: str) -> str:
        source = file.split("/")[0]
        return next((f"kin {i}" for i, names in enumerate(KIN) if source.startswith(names)), source)

    keys = sorted({key(str(file)) for file in (*files, *more)})
    order = np.random.default_rng(4).permutation(len(keys))
    group = {keys[place]: i % GROUPS for i, place in enumerate(order)}
    return tuple(np.array([group[key(str(file))] for file in one]) for one in (files, more))


def logits_without_source(
    teaching: Teaching, taught: Proposals, measured: Proposals, features: np.ndarray
) -> np.ndarray:
    """Logits [n, 12] on measured proposals, each by a head that saw no photo of its source or of near kin."""
    own, other = groups_of(taught.files[taught.photos], measured.files[measured.photos])
    logits = np.zeros((len(other), len(DETECTED)), np.float32)
    for group in range(GROUPS):
        net = train_head(teaching, (own != group).astype(float), group)
        logits[other == group] = logits_of([net], teaching, features[other == group])
    return logits
