"""Writes the network as ONNX and checks that it answers as before."""

import hashlib
import json
import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import onnx
import torch

from .categories import CARD_LIKE, DETECTED, STRIDES, TEXT_STRIDE
from .decode import session
from .model import Detector, Exported, parameter_count

OPSET = 17
EXAMPLE_SHAPE = (1, 3, 256, 320)
CHECK_SHAPE = (2, 3, 128, 192)
OUTPUTS = ("scores", "boxes", "text")


@dataclass(frozen=True)
class ExportReport:
    """What was written. max_difference: largest absolute deviation from the network, per output."""

    sha256: str
    bytes: int
    parameters: int
    max_difference: dict[str, float]


def export_onnx(model: Detector, path: Path) -> ExportReport:
    """Exports with dynamic batch, height and width, names and grid in the metadata; verifies with onnxruntime."""
    exported = Exported(model.to(memory_format=torch.contiguous_format)).eval()
    axes = {
        "image": {0: "n", 2: "h", 3: "w"},
        "scores": {0: "n", 2: "points"},
        "boxes": {0: "n", 2: "points"},
        "text": {0: "n", 2: "h4", 3: "w4"},
    }
    partial = path.with_suffix(".partial")
    torch.onnx.export(
        exported,
        (torch.zeros(EXAMPLE_SHAPE),),
        str(partial),
        opset_version=OPSET,
        input_names=["image"],
        output_names=list(OUTPUTS),
        dynamic_axes=axes,
        dynamo=False,
    )
    graph = onnx.load(str(partial))
    for key, value in {
        "categories": json.dumps(DETECTED),
        "strides": json.dumps(STRIDES),
        "card_like": json.dumps(CARD_LIKE),
        "text_stride": str(TEXT_STRIDE),
    }.items():
        entry = graph.metadata_props.add()
        entry.key, entry.value = key, value
    onnx.checker.check_model(graph)
    onnx.save(graph, str(partial))
    os.replace(partial, path)
    content = path.read_bytes()
    return ExportReport(
        hashlib.sha256(content).hexdigest(), len(content), parameter_count(model), _differences(exported, path)
    )


@torch.no_grad()
def _differences(exported: Exported, path: Path) -> dict[str, float]:
    pixels = torch.rand(CHECK_SHAPE, generator=torch.Generator().manual_seed(0)) * 255
    wanted = exported(pixels)
    answered = session(path, 1).run(list(OUTPUTS), {"image": pixels.numpy()})
    pairs = zip(OUTPUTS, wanted, answered, strict=True)
    return {name: float(np.abs(a.numpy() - b).max()) for name, a, b in pairs}
