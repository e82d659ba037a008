"""The second look in 8-bit integers, which processors compute faster, beside the network it is made from."""

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import numpy as np
import onnx
from onnxruntime.quantization import CalibrationDataReader, QuantFormat, QuantType, quantize_static
from onnxruntime.quantization.shape_inference import quant_pre_process

from ..categories import DETECTED
from ..manifest import Photo, load_image, read_manifest
from .crops import cut, relative, windows

CALIBRATION_PHOTOS = 240
CROPS_OF_A_PHOTO = 4
JITTER = 0.15
"""Proposals are not where labels are: each edge of a calibration box moves by up to this share of the side."""

INTEGER_OPERATIONS = ["Conv", "Add", "Clip", "Relu"]
"""With convolutions and sums alone, outputs are scaled before ReLU6 cuts them, and .02 of the AUC is lost."""

IN_FLOATS = "/side_head/"
"""The sides of a box lose more by rounding than they cost: badges are painted a tenth larger in integers."""


class _Crops(CalibrationDataReader):
    """Crops around labels and around places where nothing is labelled, a photo's at a time."""

    def __init__(self, folder: Path, photos: list[Photo], side: int, context: float):
        self._inputs = self._read(folder, photos, side, context)

    @staticmethod
    def _read(folder: Path, photos: list[Photo], side: int, context: float) -> Iterator[dict[str, np.ndarray]]:
        rng = np.random.default_rng(0)
        for photo in photos:
            image = load_image(folder / photo.file)
            boxes = _boxes(photo, image.shape[1], image.shape[0], rng)
            frames = windows(boxes, context)
            crops = np.stack([cut(image, frame, side) for frame in frames])
            yield {"crops": crops, "boxes": relative(boxes, frames)}

    def get_next(self) -> dict[str, np.ndarray] | None:
        return next(self._inputs, None)


def _boxes(photo: Photo, width: int, height: int, rng: np.random.Generator) -> np.ndarray:
    """A photo's boxes [n, 4]: labels, moved a little, and places drawn anywhere for those that are missing."""
    labels = [label.box for label in photo.labels if label.box is not None and label.category in DETECTED]
    chosen = [labels[i] for i in rng.permutation(len(labels))[: CROPS_OF_A_PHOTO - 1]]
    drawn = rng.uniform(0, 1, (CROPS_OF_A_PHOTO - len(chosen), 4))
    sides = np.float32([width, height]) * (0.04 + 0.3 * drawn[:, 2:] ** 2)
    corners = (np.float32([width, height]) - sides) * drawn[:, :2]
    boxes = np.concatenate([np.float32(chosen).reshape(-1, 4), np.concatenate([corners, corners + sides], 1)])
    reach = np.tile(boxes[:, 2:] - boxes[:, :2], 2) * JITTER
    return (boxes + rng.uniform(-1, 1, boxes.shape) * reach).astype(np.float32)


def quantise_second_look(
    model: Path, out: Path, folder: Path, photos: list[Photo], *, side: int, context: float
) -> str:
    """Writes `model` in 8-bit integers, ranges taken from crops with that side and context; returns its SHA-256.

    Weights have 7 bits: on processors without VNNI a sum of two products of 8 bits overflows.
    """
    chosen = Random(0).sample(photos, min(CALIBRATION_PHOTOS, len(photos)))
    with TemporaryDirectory() as scratch:
        prepared = Path(scratch) / "prepared.onnx"
        quant_pre_process(str(model), str(prepared), skip_symbolic_shape=True)
        nodes = onnx.load(str(prepared)).graph.node
        quantize_static(
            str(prepared),
            str(out),
            _Crops(folder, chosen, side, context),
            quant_format=QuantFormat.QDQ,
            per_channel=True,
            reduce_range=True,
            activation_type=QuantType.QUInt8,
            weight_type=QuantType.QInt8,
            op_types_to_quantize=INTEGER_OPERATIONS,
            nodes_to_exclude=[node.name for node in nodes if node.name.startswith(IN_FLOATS)],
        )
    return hashlib.sha256(out.read_bytes()).hexdigest()


def add_integers(described: Path, data: Path, manifest: Path) -> str:
    """Adds the integer network beside the one that a manifest of the second look describes; returns the file's SHA-256.

    data and manifest are those of the training photos: what is measured later is never calibrated on.
    """
    fields = json.loads(described.read_text())
    model = described.with_name(fields["file"])
    out = model.with_suffix(".int8.onnx")
    sha256 = quantise_second_look(
        model,
        out,
        data,
        read_manifest(manifest, "train"),
        side=fields["crop_pixels"],
        context=fields["context"],
    )
    fields["integers"] = {"file": out.name, "sha256": sha256}
    described.write_text(json.dumps(fields, indent=2) + "\n")
    return sha256
