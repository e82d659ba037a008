import json

import cv2
import numpy as np

from veil_training.manifest import BY_EYE
from veil_training.pack import PackSettings, pack, unpack


def test_a_pack_brings_everything_in_bounded_parts(tmp_path, fonts):
    assert fonts.latin
    data, run = tmp_path / "photos", tmp_path / "run"
    data.mkdir()
    run.mkdir()
    rng = np.random.default_rng(0)
    rows = []
    for name, part in (("a.png", "train"), ("b.png", "train"), ("c.png", "eval")):
        cv2.imwrite(str(data / name), rng.integers(0, 255, (64, 64, 3), np.uint8))
        rows.append({"file": name, "source": "s", "part": part, "boxes": []})
    manifest = data / "manifest.jsonl"
    manifest.write_text("".join(json.dumps(r) + "\n" for r in rows))
    (run / "pseudo_labels.jsonl").write_text('{"file": "a.png"}\n{"file": "c.png"}\n')
    (run / "checkpoint.pt").write_bytes(bytes(1 << 20))
    settings = PackSettings(data, manifest, run, ("/usr/share/fonts",), tmp_path / "pack", part_mib=1, font_mib=1)
    parts = pack(settings)
    assert all(p.stat().st_size <= 1 << 20 for p in parts)
    unpack(parts, tmp_path / "out")
    assert sorted(p.name for p in (tmp_path / "out" / "photos").iterdir()) == ["a.png", "b.png", "manifest.jsonl"]
    assert (tmp_path / "out" / "run" / "pseudo_labels.jsonl").read_text() == '{"file": "a.png"}\n'
    assert (tmp_path / "out" / "run" / "checkpoint.pt").stat().st_size == 1 << 20
    assert (tmp_path / "out" / "veil_training" / "render" / "scene.py").exists()
    by_eye = tmp_path / "out" / "veil_training" / "by_eye"
    assert sorted(p.name for p in by_eye.rglob("*.jsonl")) == sorted(p.name for p in BY_EYE.rglob("*.jsonl"))
    assert any((tmp_path / "out" / "fonts").iterdir())
