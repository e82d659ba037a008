"""Trains the second look on collected crops, for as long as it is given; goes on where it was."""

import json
import math
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from ..categories import DETECTED
from .network import SecondLook
from .shards import Crops, read_shards, without_loose
from .views import Views, views_of

DRAWN_BY = 0.6
"""Kinds of crops are drawn by this power of their number: rare ones more often than their share."""

BOX_WEIGHT, SHORT_WEIGHT = 4.0, 1.5
"""Weight of the box against the categories, and of an edge that lies too far in against one too far out."""

AVERAGE_STEPS = 1500
BATCHES_DRAWN = 64
"""Batches whose crops are chosen at once: choosing by weight costs as much for one as for thousands."""
LOG_STEPS = 100
SAVE_SECONDS = 120
WARM_UP_STEPS = 200


@dataclass(frozen=True)
class SecondLookSettings:
    """crops: folders of shards. learning_rate falls to a hundredth over `seconds`."""

    crops: tuple[Path, ...]
    run_dir: Path
    seconds: float
    batch_size: int = 128
    learning_rate: float = 2e-3
    weight_decay: float = 0.02
    seed: int = 1
    threads: int = 1
    start_from: Path | None = None


def kinds_of(crops: Crops) -> np.ndarray:
    """Kind [n] of each crop: what it is, else 100 + what it was taken for."""
    is_something = crops.wanted.max(1) > 0
    mistaken = np.where(crops.proposed >= 0, crops.proposed, 0) + 100
    synthetic = np.where(np.isnan(crops.scores), 200, 0)
    return np.where(is_something, crops.wanted.argmax(1) + synthetic, mistaken)


def _chances(crops: Crops) -> np.ndarray:
    kinds = kinds_of(crops)
    names, inverse, counts = np.unique(kinds, return_inverse=True, return_counts=True)
    chance = (counts**DRAWN_BY / counts)[inverse]
    return chance / chance.sum() if len(names) else chance


def loss_of(logits: Tensor, boxes: Tensor, views: Views) -> tuple[Tensor, Tensor]:
    """Losses of the categories and of the box."""
    each = functional.binary_cross_entropy_with_logits(logits, views.wanted, reduction="none")
    category = (each * views.weights).sum() / max(len(logits), 1)
    placed = ~torch.isnan(views.places[:, 0])
    if not placed.any():
        return category, boxes.sum() * 0
    off = boxes[placed] - views.places[placed]
    # Left and top edges lie too far in when they are too large, right and bottom when too small.
    inward = off * torch.tensor([1.0, 1.0, -1.0, -1.0])
    weight = torch.where(inward > 0, SHORT_WEIGHT, 1.0)
    size = (views.places[placed][:, 2:] - views.places[placed][:, :2]).clamp(min=0.05).repeat(1, 2)
    return category, (
        functional.smooth_l1_loss(off / size, torch.zeros_like(off), beta=0.05, reduction="none") * weight
    ).mean()


def _batches(settings: SecondLookSettings, rng: np.random.Generator) -> Iterator[Views]:
    crops = without_loose(read_shards(settings.crops, settings.run_dir / "pixels.npy"))
    chances = _chances(crops)
    print(len(crops), "crops", flush=True)
    while True:
        chosen = rng.choice(len(crops), settings.batch_size * BATCHES_DRAWN, p=chances)
        for batch in np.split(chosen, BATCHES_DRAWN):
            yield views_of(crops, batch, rng)


def train_second_look(settings: SecondLookSettings) -> None:
    """Trains until time is over; `last.pt` holds weights, average and counters."""
    torch.set_num_threads(settings.threads)
    cv2.setNumThreads(1)
    torch.manual_seed(settings.seed)
    settings.run_dir.mkdir(parents=True, exist_ok=True)
    network = SecondLook().to(memory_format=torch.channels_last)
    if settings.start_from is not None:
        network.load_state_dict(torch.load(settings.start_from, weights_only=True))
    average = SecondLook()
    average.load_state_dict(network.state_dict())
    optimiser = torch.optim.AdamW(network.parameters(), settings.learning_rate, weight_decay=settings.weight_decay)
    path, step = settings.run_dir / "last.pt", 0
    if path.exists():
        stored = torch.load(path, weights_only=True)
        network.load_state_dict(stored["weights"])
        average.load_state_dict(stored["average"])
        optimiser.load_state_dict(stored["optimiser"])
        step = stored["step"]
    begun = saved = time.monotonic()
    losses: list[tuple[float, float]] = []
    with (settings.run_dir / "log.jsonl").open("a") as log:
        for views in _batches(settings, np.random.default_rng(time.time_ns())):
            spent = (time.monotonic() - begun) / settings.seconds
            rate = settings.learning_rate * max(0.01, 0.5 * (1 + math.cos(math.pi * min(1, spent))))
            for group in optimiser.param_groups:
                group["lr"] = rate * min(1, (step + 1) / WARM_UP_STEPS)
            network.train()
            with torch.autocast("cpu", torch.bfloat16):
                logits, boxes = network(views.pixels.to(memory_format=torch.channels_last), views.boxes)
            category, box = loss_of(logits.float(), boxes.float(), views)
            optimiser.zero_grad()
            (category + BOX_WEIGHT * box).backward()
            torch.nn.utils.clip_grad_norm_(network.parameters(), 5.0)
            optimiser.step()
            step += 1
            _follow(average, network, step)
            losses.append((category.item(), box.item()))
            if step % LOG_STEPS == 0:
                mean = np.mean(losses, 0)
                losses.clear()
                seconds = time.monotonic() - begun
                log.write(
                    json.dumps(
                        {
                            "step": step,
                            "category": round(float(mean[0]), 4),
                            "box": round(float(mean[1]), 4),
                            "seconds": round(seconds),
                        }
                    )
                    + "\n"
                )
                log.flush()
            if time.monotonic() - saved > SAVE_SECONDS or spent >= 1:
                saved = time.monotonic()
                state = {
                    "weights": network.state_dict(),
                    "average": average.state_dict(),
                    "optimiser": optimiser.state_dict(),
                    "step": step,
                    "categories": list(DETECTED),
                }
                torch.save(state, path.with_suffix(".part"))
                path.with_suffix(".part").rename(path)
            if spent >= 1:
                return


@torch.no_grad()
def _follow(average: SecondLook, network: SecondLook, step: int) -> None:
    keep = min(1 - 1 / AVERAGE_STEPS, (1 + step) / (10 + step))
    own, other = average.state_dict(), network.state_dict()
    for name, value in own.items():
        if value.dtype.is_floating_point:
            value.lerp_(other[name].float(), 1 - keep)
        else:
            value.copy_(other[name])
