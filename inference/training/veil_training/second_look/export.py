"""Writes the second look as ONNX and checks that it answers as before."""

import hashlib
import os
from pathlib import Path

import numpy as np
import onnx
import torch

from ..decode import session
from .crops import INPUT_PX
from .network import SecondLook
from .wide import WIDE_PX, ExportedWide, WideNetwork

OPSET = 17
ANSWERS = ["scores", "refined", "quarters", "scene"]
WIDE_ANSWERS = ANSWERS[:2]


def load_network(weights: Path) -> SecondLook:
    """The backbone as it comes, and the heads that `train_heads` wrote."""
    return SecondLook(torch.load(weights, weights_only=True)).eval()


def export_second_look(network: SecondLook, path: Path) -> tuple[str, float]:
    """Exports with a dynamic number of crops; returns the file's SHA-256 and the largest difference of an answer."""
    return _export(network, path, ANSWERS, INPUT_PX)


def export_wide(network: WideNetwork, path: Path) -> tuple[str, float]:
    """Like `export_second_look`, for the wide look."""
    return _export(ExportedWide(network).eval(), path, WIDE_ANSWERS, WIDE_PX)


@torch.no_grad()
def _export(network: torch.nn.Module, path: Path, answers: list[str], side: int) -> tuple[str, float]:
    generator = torch.Generator().manual_seed(0)
    crops = torch.randint(0, 256, (3, side, side, 3), generator=generator, dtype=torch.uint8)
    boxes = torch.tensor([[0.2, 0.2, 0.8, 0.8], [0.3, 0.1, 0.7, 0.9], [0.1, 0.4, 0.9, 0.6]])
    partial = path.with_suffix(".partial")
    torch.onnx.export(
        network,
        (crops, boxes),
        str(partial),
        opset_version=OPSET,
        input_names=["crops", "boxes"],
        output_names=answers,
        dynamic_axes={name: {0: "n"} for name in ("crops", "boxes", *answers)},
        dynamo=False,
    )
    onnx.checker.check_model(onnx.load(str(partial)))
    os.replace(partial, path)
    answered = session(path, 1).run(answers, {"crops": crops.numpy(), "boxes": boxes.numpy()})
    wanted = network(crops, boxes)
    difference = max(float(np.abs(a.numpy() - b).max()) for a, b in zip(wanted, answered, strict=True))
    return hashlib.sha256(path.read_bytes()).hexdigest(), difference
