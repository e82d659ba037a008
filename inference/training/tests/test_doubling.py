import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from veil_training.decode import session
from veil_training.doubling import double_by_copying


def network(mode: str, scales: list[float]) -> onnx.ModelProto:
    """A map in bytes, enlarged."""
    attributes = {"mode": mode, "coordinate_transformation_mode": "asymmetric", "nearest_mode": "floor"}
    nodes = [
        helper.make_node("DequantizeLinear", ["bytes", "scale", "centre"], ["values"], "read"),
        helper.make_node("Resize", ["values", "", "scales"], ["enlarged"], "enlarge", **attributes),
    ]
    constants = {"scale": np.float32(0.083), "centre": np.uint8(142), "scales": np.array(scales, np.float32)}
    graph = helper.make_graph(
        nodes,
        "enlarges",
        [helper.make_tensor_value_info("bytes", TensorProto.UINT8, ["n", 5, "h", "w"])],
        [helper.make_tensor_value_info("enlarged", TensorProto.FLOAT, ["n", 5, "h2", "w2"])],
        [numpy_helper.from_array(np.asarray(value), name) for name, value in constants.items()],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def test_copies_are_what_the_enlargement_was(tmp_path):
    before, after = tmp_path / "before.onnx", tmp_path / "after.onnx"
    onnx.save(network("nearest", [1, 1, 2, 2]), str(before))
    after.write_bytes(before.read_bytes())
    assert double_by_copying(after) == 1
    assert "Resize" not in {node.op_type for node in onnx.load(str(after)).graph.node}
    values = np.random.default_rng(0).integers(0, 256, (2, 5, 3, 4), np.uint8)
    wanted, found = (session(path, 1).run(None, {"bytes": values})[0] for path in (before, after))
    assert found.shape == (2, 5, 6, 8)
    np.testing.assert_array_equal(found, wanted)


@pytest.mark.parametrize(("mode", "scales"), [("linear", [1, 1, 2, 2]), ("nearest", [1, 1, 4, 4])])
def test_other_enlargements_stay(tmp_path, mode, scales):
    path = tmp_path / "network.onnx"
    onnx.save(network(mode, scales), str(path))
    assert double_by_copying(path) == 0
    assert "Resize" in {node.op_type for node in onnx.load(str(path)).graph.node}
