"""Training state on disk."""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import nn

from .model import Detector, ModelSettings


class Average:
    """Exponential moving average of weights and normalisation statistics, with a warm start."""

    def __init__(self, model: nn.Module, decay: float):
        self.decay = decay
        self.values = {k: v.detach().clone() for k, v in model.state_dict().items()}

    @torch.no_grad()
    def update(self, model: nn.Module, step: int) -> None:
        """Takes in the weights after optimiser step `step`, counted from 1.

        The average reaches back over a ninth of the run at first: at a constant learning rate a
        shorter one is as noisy as the weights themselves.
        """
        decay = min(self.decay, (1 + step) / (10 + step))
        kept, current = [], []
        for name, value in model.state_dict().items():
            if value.is_floating_point():
                kept.append(self.values[name])
                current.append(value)
            else:
                self.values[name].copy_(value)
        torch._foreach_lerp_(kept, current, 1 - decay)


@dataclass
class State:
    """Everything a run continues from."""

    model: Detector
    average: Average
    optimiser: torch.optim.Optimizer
    step: int = 0
    samples: int = 0
    seconds: float = 0.0
    best: float = -1.0


def save(path: Path, state: State) -> None:
    """Writes a checkpoint; a reader never sees half of one."""
    values: dict[str, Any] = {
        "settings": state.model.settings.as_dict(),
        "model": state.model.state_dict(),
        "average": state.average.values,
        "optimiser": state.optimiser.state_dict(),
        "step": state.step,
        "samples": state.samples,
        "seconds": state.seconds,
        "best": state.best,
        "torch_rng": torch.get_rng_state(),
    }
    partial = path.with_suffix(".partial")
    torch.save(values, partial)
    os.replace(partial, path)


def restore(path: Path, state: State, device: torch.device) -> None:
    """Loads a checkpoint into a state of the same architecture."""
    values = torch.load(path, map_location=device, weights_only=True)
    if ModelSettings.from_dict(values["settings"]) != state.model.settings:
        raise ValueError(f"{path} holds another architecture: {values['settings']}")
    state.model.load_state_dict(values["model"])
    state.average.values = {k: v.to(device) for k, v in values["average"].items()}
    state.optimiser.load_state_dict(values["optimiser"])
    state.step, state.samples = values["step"], values["samples"]
    state.seconds, state.best = values["seconds"], values["best"]
    torch.set_rng_state(values["torch_rng"].cpu())


def averaged_model(path: Path) -> Detector:
    """The averaged network of a checkpoint, in evaluation mode on the CPU."""
    values = torch.load(path, map_location="cpu", weights_only=True)
    model = Detector(ModelSettings.from_dict(values["settings"]))
    model.load_state_dict(values["average"])
    return model.eval()


def save_weights(path: Path, model: Detector) -> None:
    """Writes averaged weights alone in half precision: small enough for a repository."""
    halved = {k: v.half() if v.is_floating_point() else v for k, v in model.state_dict().items()}
    partial = path.with_suffix(".partial")
    torch.save({"settings": model.settings.as_dict(), "weights": halved}, partial)
    os.replace(partial, path)


def load_weights(path: Path) -> Detector:
    """Reverse of `save_weights`, in single precision."""
    values = torch.load(path, map_location="cpu", weights_only=True)
    model = Detector(ModelSettings.from_dict(values["settings"]))
    model.load_state_dict({k: v.float() if v.is_floating_point() else v for k, v in values["weights"].items()})
    return model


def start_from(state: State, path: Path) -> None:
    """Puts weights written by `save_weights` into a fresh state, its average included."""
    model = load_weights(path)
    if model.settings != state.model.settings:
        raise ValueError(f"{path} holds another architecture: {model.settings}")
    state.model.load_state_dict(model.state_dict())
    for name, value in state.model.state_dict().items():
        state.average.values[name].copy_(value)
