import json

import cv2
import numpy as np
import torch

from veil_training.categories import CATEGORIES
from veil_training.checkpoint import save
from veil_training.decode import GROWTH, LARGE_FROM_PX, long_sides, session, text_long_side
from veil_training.evaluate import CategoryResult
from veil_training.model import ModelSettings
from veil_training.quantise import add_integers
from veil_training.release import UNMEASURED_THRESHOLD, ReleaseSettings, release, thresholds
from veil_training.trainer import TrainSettings, build_state

SMALL = ModelSettings((8, 8, 8, 8, 8, 8), (1, 1, 1, 1, 1), 8, 8)


def test_thresholds_cover_every_category_within_limits():
    figures = {"heads": CategoryResult(0.06, 1, 1, 1, 0, 1, 1), "tattoos": CategoryResult(0.9, 1, 1, 1, 0, 1, 1)}
    chosen = thresholds(figures)
    assert set(chosen) == set(CATEGORIES)
    assert (chosen["heads"], chosen["tattoos"], chosen["screens"]) == (0.15, 0.8, UNMEASURED_THRESHOLD)


def test_a_release_holds_network_manifest_and_card(tmp_path):
    save(tmp_path / "checkpoint.pt", build_state(TrainSettings(), SMALL, torch.device("cpu")))
    cv2.imwrite(str(tmp_path / "a.jpg"), np.full((90, 120, 3), 120, np.uint8))
    label = {"cat": "heads", "box": [10, 10, 40, 50]}
    rows = [
        {"file": "a.jpg", "source": "s", "part": part, "boxes": [label], "complete_for": ["heads"], "licence": "CC0"}
        for part in ("train", "eval")
    ]
    manifest = tmp_path / "manifest.jsonl"
    manifest.write_text("".join(json.dumps(r) + "\n" for r in rows))
    out = tmp_path / "models"
    settings = ReleaseSettings(
        tmp_path / "checkpoint.pt", out, ((tmp_path, manifest),), manifest, "7", tmp_path / "weights.pt"
    )
    figures = release(settings)
    assert figures["heads"].targets == 1
    written = json.loads((out / "veil-detector.json").read_text())
    assert written["outputs"]["strides"] == [4, 8, 16, 32, 64]
    assert written["suppression"]["engulfing"]["qr_codes"] == 2
    for side in (640, 641, 800, 801):
        scales = [
            s
            for s in written["scales"]
            if s.get("min_source_long_side", 0) <= side <= s.get("max_source_long_side", side)
        ]
        assert [s["long_side"] for s in scales if s["text"]] == [text_long_side(side, 1)]
        assert [s["long_side"] for s in scales if s.get("boxes", True)] == [*long_sides(side, 1)]
    assert written["mirrored"]["max_source_long_side"] == LARGE_FROM_PX
    assert written["growth"]["heads"] == dict.fromkeys(("left", "top", "right", "bottom"), GROWTH["heads"])
    assert written["training"]["data"] == [{"source": "s", "licence": "CC0", "photos": 1}]
    assert written["sha256"] in (out / "veil-detector.md").read_text()
    assert (tmp_path / "weights.pt").stat().st_size > 0
    sha256 = add_integers(out, tmp_path, manifest)
    with_integers = json.loads((out / "veil-detector.json").read_text())
    integers = with_integers.pop("integers")
    assert with_integers == written
    assert (integers["file"], integers["sha256"]) == ("veil-detector.int8.onnx", sha256)
    assert integers["layout"] == "nhwc_uint8"
    pixels = np.random.default_rng(0).integers(0, 256, (1, 128, 192, 3), np.uint8)
    planes = pixels.transpose(0, 3, 1, 2).astype(np.float32)
    wanted = session(out / written["file"], 1).run(None, {"image": planes})
    answered = session(out / integers["file"], 1).run(None, {"image": pixels})
    assert all(np.abs(a - b).max() < 0.05 * max(1, np.abs(a).max()) for a, b in zip(wanted, answered, strict=True))
