"""Tunes the backbone's last blocks with a head of their own, on the middle maps that `features` keeps. Averaged with
the heads on frozen features they rank better than either alone."""

from dataclasses import dataclass
from time import monotonic

import numpy as np
import torch
from torch.nn.functional import binary_cross_entropy_with_logits

from ..categories import DETECTED
from .features import Features
from .head import GROUPS, WEIGHT_DECAY, Teaching, groups_of, set_learning_rates, train_head
from .network import Tail, features_of
from .proposals import Proposals

TAIL_LEARNING_RATE, HEAD_LEARNING_RATE = 1e-4, 5e-4
BATCH = 64
REPORTED_STEPS = 200


@dataclass
class TunedTail:
    """Tuned blocks, and the head trained together with them."""

    tail: Tail
    head: torch.nn.Sequential


def tune_tail(teaching: Teaching, seen: Features, allowed: np.ndarray, seed: int, minutes: float) -> TunedTail:
    """Trains for some minutes on the proposals whose entry in `allowed` [n] is not 0."""
    head = train_head(teaching, allowed, seed).train()
    tail = Tail().train()
    rng = np.random.default_rng(seed)
    chances = teaching.drawn * allowed
    chances = chances / chances.sum()
    groups = [
        {"params": tail.parameters(), "lr": TAIL_LEARNING_RATE},
        {"params": head.parameters(), "lr": HEAD_LEARNING_RATE},
    ]
    optimizer = torch.optim.AdamW(groups, weight_decay=WEIGHT_DECAY)
    rates = [group["lr"] for group in optimizer.param_groups]
    began, step, losses = monotonic(), 0, 0.0
    while (done := (monotonic() - began) / 60 / minutes) < 1:
        set_learning_rates(optimizer, rates, step, done)
        chosen = rng.choice(len(chances), BATCH, p=chances)
        logits = head(_standardized(tail, seen, chosen, teaching))
        each = binary_cross_entropy_with_logits(logits, teaching.wanted[chosen], reduction="none")
        loss = (each * teaching.weights[chosen]).sum() / BATCH
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        step, losses = step + 1, losses + loss.item()
        if step % REPORTED_STEPS == 0:
            print(f"step {step}, {done:.0%}: loss {losses / REPORTED_STEPS:.4f}", flush=True)
            losses = 0.0
    return TunedTail(tail.eval(), head.eval())


@torch.no_grad()
def tuned_logits(tuned: TunedTail, teaching: Teaching, shown: Features, chosen: np.ndarray | None = None) -> np.ndarray:
    """Logits [n, 12] of proposals. If `chosen` is given, only those rows are computed, and the others are 0."""
    logits = np.zeros((len(shown.pooled), len(DETECTED)), np.float32)
    rows = np.arange(len(logits)) if chosen is None else chosen
    for start in range(0, len(rows), BATCH):
        some = rows[start : start + BATCH]
        logits[some] = tuned.head(_standardized(tuned.tail, shown, some, teaching)).numpy()
    return logits


def tuned_logits_without_source(
    teaching: Teaching, taught: tuple[Proposals, Features], measured: tuple[Proposals, Features], minutes: float
) -> np.ndarray:
    """Logits [n, 12] on measured proposals. Each comes from blocks tuned without photos of its source or its kin."""
    (proposals, seen), (others, shown) = taught, measured
    own, other = groups_of(proposals.files[proposals.photos], others.files[others.photos])
    logits = np.zeros((len(other), len(DETECTED)), np.float32)
    for group in range(GROUPS):
        tuned = tune_tail(teaching, seen, (own != group).astype(float), group, minutes)
        logits += tuned_logits(tuned, teaching, shown, np.flatnonzero(other == group))
    return logits


def stored_tail(tuned: TunedTail, teaching: Teaching) -> dict[str, object]:
    """The weights that `SecondLook` reads in addition to the heads, in half precision."""
    halves = {
        name: {key: value.half() for key, value in net.state_dict().items()}
        for name, net in (("tail", tuned.tail), ("tail_head", tuned.head))
    }
    return {**halves, "tail_mean": teaching.mean, "tail_deviation": teaching.deviation}


def _standardized(tail: Tail, seen: Features, rows: np.ndarray, teaching: Teaching) -> torch.Tensor:
    middle = torch.from_numpy(seen.middle[rows].astype(np.float32))
    features = features_of(middle, tail(middle), torch.from_numpy(seen.boxes[rows]))
    return (features - teaching.mean) / teaching.deviation
