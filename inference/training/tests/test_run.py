"""The whole command on a folder of two pictures, in two pieces."""

import json

import cv2
import numpy as np

from veil_training.model import ModelSettings
from veil_training.renderer import RenderSettings
from veil_training.run import RunSettings, run
from veil_training.trainer import TrainSettings

SMALL = ModelSettings((8, 8, 8, 8, 8, 8), (1, 1, 1, 1, 1), 8, 8)


def _settings(tmp_path, final_step: int) -> RunSettings:
    render = RenderSettings(
        data=tmp_path,
        manifest=tmp_path / "manifest.jsonl",
        findings=tmp_path / "run" / "pseudo_labels.jsonl",
        pool=tmp_path / "run" / "pool",
        fonts=("/usr/share/fonts",),
        sample_side=192,
        samples_per_shard=4,
    )
    train = TrainSettings(batch_size=4, side=128, log_steps=1, final_step=final_step, cooldown_steps=1)
    return RunSettings(render, train, SMALL, None, tmp_path / "run", 300, 1, 2, 1, 1, 8)


def test_a_run_in_two_pieces_with_two_trainers(tmp_path, fonts):
    assert fonts.latin
    rows = []
    for name in ("a.jpg", "b.jpg"):
        cv2.imwrite(str(tmp_path / name), np.full((90, 120, 3), 120, np.uint8))
        rows.append({"file": name, "source": "s", "part": "train", "boxes": []})
    (tmp_path / "manifest.jsonl").write_text("\n".join(json.dumps(r) for r in rows) + "\n")
    run(_settings(tmp_path, 2))
    run(_settings(tmp_path, 4))
    log = [json.loads(line) for line in (tmp_path / "run" / "log.jsonl").read_text().splitlines()]
    assert [row["step"] for row in log] == [1, 2, 3, 4]
    assert log[-1]["samples"] == 16
    assert len(list((tmp_path / "run" / "pool").glob("*.npz"))) <= 9
