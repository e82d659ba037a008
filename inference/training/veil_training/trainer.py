"""The optimisation loop: one step, the schedule, and when to write what."""

import json
import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from .checkpoint import Average, State, restore, save
from .losses import Batch, DetectionLoss
from .model import Detector, ModelSettings
from .peers import Peers

ALONE = Peers(0, 1)
INITIAL_SEED = 20
"""Peers start from the same weights."""


@dataclass(frozen=True)
class TrainSettings:
    """Optimiser, schedule and intervals.

    The learning rate warms up, stays constant, and falls to zero over the last `cooldown_steps`
    before `final_step`, or the last `cooldown_seconds` of the run's time, if there are such
    (warmup-stable-decay): a run may end at any time and its averaged weights are usable.
    frozen_statistics: normalisation keeps the means and variances it has, for training on from a good network.
    """

    batch_size: int = 24
    side: int = 320
    learning_rate: float = 2e-3
    weight_decay: float = 0.03
    warmup_steps: int = 300
    spare_after_steps: int = 1500
    average_decay: float = 0.9995
    gradient_clip: float = 8.0
    checkpoint_seconds: float = 180.0
    log_steps: int = 50
    final_step: int | None = None
    cooldown_steps: int = 3000
    cooldown_seconds: float = 0.0
    frozen_statistics: bool = False


def build_state(settings: TrainSettings, architecture: ModelSettings, device: torch.device) -> State:
    """Fresh network, average and optimiser."""
    model = Detector(architecture).to(device, memory_format=torch.channels_last)
    decayed = [p for p in model.parameters() if p.ndim > 1]
    plain = [p for p in model.parameters() if p.ndim <= 1]
    groups = [{"params": decayed, "weight_decay": settings.weight_decay}, {"params": plain, "weight_decay": 0.0}]
    optimiser = torch.optim.AdamW(groups, lr=settings.learning_rate, betas=(0.9, 0.98))
    return State(model, Average(model, settings.average_decay), optimiser)


def learning_rate(settings: TrainSettings, step: int, seconds_left: float = math.inf) -> float:
    """Rate of the step that follows `step` finished ones, `seconds_left` before the run's end."""
    rate = settings.learning_rate * min(1.0, (step + 1) / settings.warmup_steps)
    if settings.final_step is not None:
        left = settings.final_step - step
        rate *= min(1.0, max(0.0, left / settings.cooldown_steps))
    if settings.cooldown_seconds:
        rate *= min(1.0, max(0.0, seconds_left / settings.cooldown_seconds))
    return rate


def photometric(images: torch.Tensor) -> torch.Tensor:
    """uint8 [B, h, w, 3] to float [B, 3, h, w] in 0…255 with random contrast, tint and brightness."""
    batch = images.shape[0]
    noise = {"device": images.device}
    pixels = images.permute(0, 3, 1, 2).float() - 127.5
    pixels = pixels * (1 + 0.25 * torch.randn(batch, 1, 1, 1, **noise).clamp(-1.5, 1.5))
    pixels = pixels + 8 * torch.randn(batch, 3, 1, 1, **noise) + 14 * torch.randn(batch, 1, 1, 1, **noise)
    return (pixels.clamp(-127.5, 127.5) + 127.5).contiguous(memory_format=torch.channels_last)


class Trainer:
    """Runs steps on batches and keeps the state; with peers, each on its own share of a step's batch."""

    def __init__(
        self, settings: TrainSettings, architecture: ModelSettings, device: torch.device, peers: Peers = ALONE
    ):
        self.settings, self.device, self.peers = settings, device, peers
        torch.manual_seed(INITIAL_SEED)
        self.state = build_state(settings, architecture, device)
        self.loss = DetectionLoss(settings.side, device)

    def step(self, batch: Batch, seconds_left: float = math.inf) -> dict[str, float]:
        """One optimiser step; returns the parts of the loss."""
        state, settings = self.state, self.settings
        rate = learning_rate(settings, state.step, seconds_left)
        for group in state.optimiser.param_groups:
            group["lr"] = rate
        state.model.train()
        if settings.frozen_statistics:
            for module in state.model.modules():
                if isinstance(module, torch.nn.BatchNorm2d):
                    module.eval()
        batch = batch.to(self.device)
        with torch.autocast(self.device.type, torch.bfloat16):
            prediction = state.model(photometric(batch.images))
        total, parts = self.loss(prediction, batch, warm=state.step >= settings.spare_after_steps)
        state.optimiser.zero_grad(set_to_none=True)
        total.backward()
        self.peers.average_gradients(state.model)
        norm = torch.nn.utils.clip_grad_norm_(state.model.parameters(), settings.gradient_clip)
        if not math.isfinite(float(norm)):
            raise FloatingPointError(f"gradient is not finite at step {state.step}")
        state.optimiser.step()
        state.step += 1
        state.samples += batch.images.shape[0] * self.peers.count
        state.average.update(state.model, state.step)
        return {**parts, "rate": rate, "gradient_norm": float(norm)}


class Log:
    """JSON lines with the mean of each figure since the last line."""

    def __init__(self, path: Path):
        self.path = path
        self.sums: dict[str, float] = {}
        self.count, self.samples, self.since = 0, 0, time.monotonic()

    def add(self, parts: dict[str, float], samples: int) -> None:
        """Takes in the figures of a step."""
        for name, value in parts.items():
            self.sums[name] = self.sums.get(name, 0.0) + value
        self.count += 1
        self.samples += samples

    def write(self, **fields: Any) -> None:
        """Writes a line and starts anew."""
        seconds = time.monotonic() - self.since
        means = {name: round(value / self.count, 5) for name, value in self.sums.items()}
        row = {**fields, **means, "samples_per_second": round(self.samples / max(seconds, 1e-3), 1)}
        with self.path.open("a") as sink:
            sink.write(json.dumps(row) + "\n")
        print(json.dumps(row), flush=True)
        self.sums, self.count, self.samples, self.since = {}, 0, 0, time.monotonic()


def train(
    trainer: Trainer, batches: Iterator[Batch], run_dir: Path, seconds: float, stopped: Callable[[], bool]
) -> None:
    """Steps until `seconds` are over, `stopped` says so in the leader, or the final step is reached.

    Resumes from and writes run_dir/checkpoint.pt.
    """
    state, settings, peers = trainer.state, trainer.settings, trainer.peers
    checkpoint = run_dir / "checkpoint.pt"
    if checkpoint.exists():
        restore(checkpoint, state, trainer.device)
    if peers.rank:
        torch.manual_seed(state.step * peers.count + peers.rank)
    log = Log(run_dir / "log.jsonl")
    started = saved = time.monotonic()
    seconds_before = state.seconds
    for batch in batches:
        left = seconds - (time.monotonic() - started)
        log.add(trainer.step(batch, left), batch.images.shape[0] * peers.count)
        now = time.monotonic()
        state.seconds = seconds_before + now - started
        final = settings.final_step is not None and state.step >= settings.final_step
        over = peers.leader_says(now - started > seconds or final or stopped())
        if peers.leads and state.step % settings.log_steps == 0:
            log.write(step=state.step, samples=state.samples, hours=round(state.seconds / 3600, 3))
        if peers.leads and (over or now - saved > settings.checkpoint_seconds):
            save(checkpoint, state)
            saved = now
        if over:
            return
