"""Trains the head that moves a box's sides, leaning outward: a side that stays inside its label identifies."""

from dataclasses import dataclass

import numpy as np
import torch

from ..categories import DETECTED
from .features import Features
from .head import LEARNING_RATE, LEAST_DEVIATION, WEIGHT_DECAY, Teaching
from .network import BoxHead
from .proposals import Proposals

OUTWARD = 0.92
"""Quantile that each side is taught: in so many of a hundred cases the label's side lies within."""
STEPS, BATCH, MOST_LEARNING_RATE = 6000, 128, 1.5e-3
FARTHEST = 0.6
"""A side moves at most so many widths or heights."""
STATISTICS_FROM = 4000


@dataclass
class BoxTeaching:
    """Right proposals by index, how often each is drawn, offsets wanted [n, 4], and the middle maps' statistics."""

    right: np.ndarray
    drawn: np.ndarray
    wanted: torch.Tensor
    middle_mean: torch.Tensor
    middle_deviation: torch.Tensor


def wanted_offsets(boxes: np.ndarray, places: np.ndarray) -> np.ndarray:
    """Outward offsets [n, 4] from boxes to labels, in shares of the box's width and height."""
    sides = np.maximum(boxes[:, 2:] - boxes[:, :2], 1e-3)
    outward = np.concatenate([boxes[:, :2] - places[:, :2], places[:, 2:] - boxes[:, 2:]], 1)
    return np.clip(outward / np.tile(sides, 2), -FARTHEST, FARTHEST).astype(np.float32)


def pinball(offsets: torch.Tensor, wanted: torch.Tensor, quantile: float = OUTWARD) -> torch.Tensor:
    """Loss whose least value is at a quantile of what is wanted (Koenker and Bassett, 1978)."""
    missing = wanted - offsets
    return torch.maximum(quantile * missing, (quantile - 1) * missing).mean()


def box_teaching_of(proposals: Proposals, features: Features) -> BoxTeaching:
    """Right proposals, each category drawn by the root of its number."""
    right = np.where((proposals.own == 1) & ~np.isnan(features.places[:, 0]))[0]
    drawn = np.zeros(len(right))
    for index in range(len(DETECTED)):
        own = proposals.categories[right] == index
        drawn[own] = max(1, own.sum()) ** -0.5
    some = np.random.default_rng(0).permutation(len(features.middle))[:STATISTICS_FROM]
    maps = features.middle[some].astype(np.float32)
    mean, deviation = maps.mean((0, 2, 3)), maps.std((0, 2, 3)) + np.float32(LEAST_DEVIATION)
    return BoxTeaching(
        right,
        drawn,
        torch.from_numpy(wanted_offsets(features.boxes, features.places)),
        torch.from_numpy(mean)[:, None, None],
        torch.from_numpy(deviation)[:, None, None],
    )


def train_box_head(
    teaching: Teaching, boxes: BoxTeaching, features: Features, allowed: np.ndarray, seed: int, steps: int = STEPS
) -> BoxHead:
    """Trains on the right proposals whose entry in `allowed` [n] is not 0."""
    torch.manual_seed(seed)
    rng, net = np.random.default_rng(seed), BoxHead()
    chances = boxes.drawn * allowed[boxes.right]
    chances = chances / chances.sum()
    optimizer = torch.optim.AdamW(net.parameters(), LEARNING_RATE, weight_decay=WEIGHT_DECAY)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, MOST_LEARNING_RATE, steps)
    for _ in range(steps):
        chosen = boxes.right[rng.choice(len(chances), BATCH, p=chances)]
        middle = torch.from_numpy(features.middle[chosen].astype(np.float32))
        offsets = net(teaching.features[chosen], (middle - boxes.middle_mean) / boxes.middle_deviation)
        loss = pinball(offsets, boxes.wanted[chosen])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        schedule.step()
    return net.eval()


def stored_box_head(net: BoxHead, boxes: BoxTeaching) -> dict[str, object]:
    """What `SecondLook` reads beside the heads, in half precision."""
    weights = {name: value.half() for name, value in net.state_dict().items()}
    return {"middle_mean": boxes.middle_mean, "middle_deviation": boxes.middle_deviation, "box_head": weights}
