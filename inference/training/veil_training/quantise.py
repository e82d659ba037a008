"""The network in 8-bit integers, which CPUs compute twice as fast, beside the one it is made from."""

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import cv2
import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from onnxruntime.quantization import CalibrationDataReader, QuantFormat, QuantType, quantize_static
from onnxruntime.quantization.shape_inference import quant_pre_process

from .decode import PADDING_LEVEL, SIDE_MULTIPLE
from .doubling import double_by_copying
from .manifest import Photo, read_manifest
from .model import PIXEL_MEAN, PIXEL_SCALE
from .release import MODEL_ID

CALIBRATION_PHOTOS = 160
CALIBRATION_LONG_SIDES = (640, 320, 192)
FIRST_LAYERS = ("/stem/", "/stages.0/", "/stages.1/stages.1.0/")
MOST_OUTPUTS_OF_A_HEAD = 16
# A ReLU becomes the lower end of its convolution's range, and a copy of neighbours copies bytes.
INTEGER_OPERATIONS = ["Conv", "Relu", "Resize"]


class _Photos(CalibrationDataReader):
    """Photos as the service shows them to the network, one at a time, at its sizes in turn."""

    def __init__(self, folder: Path, photos: list[Photo]):
        self._inputs = self._read(folder, photos)

    @staticmethod
    def _read(folder: Path, photos: list[Photo]) -> Iterator[dict[str, np.ndarray]]:
        for index, photo in enumerate(photos):
            image = cv2.cvtColor(cv2.imread(str(folder / photo.file)), cv2.COLOR_BGR2RGB)
            factor = CALIBRATION_LONG_SIDES[index % len(CALIBRATION_LONG_SIDES)] / max(image.shape[:2])
            width, height = (max(1, round(side * factor)) for side in (image.shape[1], image.shape[0]))
            image = cv2.resize(image, (width, height), interpolation=cv2.INTER_CUBIC)
            right, below = -width % SIDE_MULTIPLE, -height % SIDE_MULTIPLE
            padded = np.pad(image, ((0, below), (0, right), (0, 0)), constant_values=PADDING_LEVEL)
            normalised = (padded.astype(np.float32) - PIXEL_MEAN) * np.float32(PIXEL_SCALE)
            yield {"image": normalised.transpose(2, 0, 1)[None]}

    def get_next(self) -> dict[str, np.ndarray] | None:
        return next(self._inputs, None)


def _without_normalisation(model: Path) -> None:
    """Takes the first two nodes out, so that no range is taken of them; `_take_bytes` puts them back."""
    network = onnx.load(str(model))
    nodes = network.graph.node
    centre = next(node for node in nodes if node.op_type == "Sub" and node.input[0] == "image")
    scale = next(node for node in nodes if node.op_type == "Mul" and node.input[0] == centre.output[0])
    for node in nodes:
        for index, name in enumerate(node.input):
            if name == scale.output[0]:
                node.input[index] = "image"
    nodes.remove(centre)
    nodes.remove(scale)
    onnx.checker.check_model(network)
    onnx.save(network, str(model))


def _take_bytes(model: Path) -> None:
    """Has the network take pixels as they are decoded, [n, height, width, 3] in uint8, and normalise them itself.

    Whoever cuts a view then converts nothing, which took a fifth of the time of a photo. Planes are made of bytes, a
    quarter of what floats are; the first convolution's weights hold the scale, a power of two, so that no sum changes.
    """
    network = onnx.load(str(model))
    graph = network.graph
    first = next(node for node in graph.node if node.op_type == "Conv" and node.input[0] == "image")
    for weights in (one for one in graph.initializer if one.name == first.input[1]):
        scaled = numpy_helper.to_array(weights) * np.float32(PIXEL_SCALE)
        weights.CopyFrom(numpy_helper.from_array(scaled, weights.name))
    for node in graph.node:
        for index, name in enumerate(node.input):
            if name == "image":
                node.input[index] = "centred"
    batch, _, height, width = (side.dim_param for side in graph.input[0].type.tensor_type.shape.dim)
    graph.input[0].CopyFrom(helper.make_tensor_value_info("image", TensorProto.UINT8, [batch, height, width, 3]))
    graph.initializer.append(numpy_helper.from_array(np.array(PIXEL_MEAN, np.float32), "pixel_mean"))
    steps = [
        helper.make_node("Transpose", ["image"], ["planes"], "pixels/planes", perm=[0, 3, 1, 2]),
        helper.make_node("Cast", ["planes"], ["levels"], "pixels/cast", to=TensorProto.FLOAT),
        helper.make_node("Sub", ["levels", "pixel_mean"], ["centred"], "pixels/centre"),
    ]
    for index, node in enumerate(steps):
        graph.node.insert(index, node)
    onnx.checker.check_model(network)
    onnx.save(network, str(model))


def _kept_in_floats(model: Path) -> list[str]:
    """The first layers, half of the error for a tenth of the time, and the last ones, whose numbers are the answer."""
    graph = onnx.load(str(model)).graph
    shapes = {weight.name: weight.dims for weight in graph.initializer}
    convolutions = [(node.name, shapes[node.input[1]]) for node in graph.node if node.op_type == "Conv"]
    return [
        name
        for name, (outputs, _, height, _) in convolutions
        if any(layer in name for layer in FIRST_LAYERS) or (height == 1 and outputs <= MOST_OUTPUTS_OF_A_HEAD)
    ]


def quantise(model: Path, out: Path, folder: Path, photos: list[Photo]) -> str:
    """Writes `model` in 8-bit integers for pixels as bytes, ranges taken from photos; returns its SHA-256.

    Weights have 7 bits: on processors without VNNI a sum of two products of 8 bits overflows. Ranges span all that
    was seen: clipped ones cost the scores of the clearest targets. Sums stay in floats.
    """
    chosen = Random(0).sample(photos, min(CALIBRATION_PHOTOS, len(photos)))
    with TemporaryDirectory() as scratch:
        prepared = Path(scratch) / "prepared.onnx"
        quant_pre_process(str(model), str(prepared), skip_symbolic_shape=True)
        _without_normalisation(prepared)
        quantize_static(
            str(prepared),
            str(out),
            _Photos(folder, chosen),
            quant_format=QuantFormat.QDQ,
            per_channel=True,
            reduce_range=True,
            activation_type=QuantType.QUInt8,
            weight_type=QuantType.QInt8,
            op_types_to_quantize=INTEGER_OPERATIONS,
            nodes_to_exclude=_kept_in_floats(prepared),
        )
    double_by_copying(out)
    _take_bytes(out)
    return hashlib.sha256(out.read_bytes()).hexdigest()


def add_integers(release: Path, data: Path, manifest: Path) -> str:
    """Adds the integer network to a release folder and its manifest; returns the file's SHA-256.

    data and manifest are those of the training photos: what is measured later is never calibrated on.
    """
    described = release / f"{MODEL_ID}.json"
    out = release / f"{MODEL_ID}.int8.onnx"
    sha256 = quantise(release / f"{MODEL_ID}.onnx", out, data, read_manifest(manifest, "train"))
    fields = json.loads(described.read_text())
    fields["integers"] = {"file": out.name, "sha256": sha256, "layout": "nhwc_uint8"}
    described.write_text(json.dumps(fields, indent=2) + "\n")
    return sha256
