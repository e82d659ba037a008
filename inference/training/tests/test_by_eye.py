import json

import cv2
import numpy as np

from veil_training import manifest
from veil_training.__main__ import main
from veil_training.manifest import Label, Photo, with_labels_by_eye
from veil_training.photo_samples import PhotoLibrary


def test_labels_by_eye_stand_above_the_manifest_for_their_categories(tmp_path, monkeypatch):
    head, plate = Label("heads", (0, 0, 9, 9)), Label("license_plates", (1, 1, 5, 3))
    seen = {"file": "a.jpg", "boxes": [{"cat": "heads", "box": [2, 2, 8, 8]}], "complete_for": ["heads"]}
    (tmp_path / "heads.jsonl").write_text(json.dumps(seen) + "\n")
    monkeypatch.setattr(manifest, "BY_EYE", tmp_path)
    looked_at, other = with_labels_by_eye([Photo("a.jpg", "s", "train", (head, plate)), Photo("b.jpg", "s", "train")])
    assert looked_at.labels == (plate, Label("heads", (2, 2, 8, 8)))
    assert (looked_at.complete_for, looked_at.by_eye) == (frozenset({"heads"}), True)
    assert other == Photo("b.jpg", "s", "train")


def test_labels_by_eye_that_are_not_complete_stand_where_the_manifest_has_none(tmp_path, monkeypatch):
    head, plate = Label("heads", (0, 0, 9, 9)), Label("license_plates", (1, 1, 5, 3))
    boxes = [{"cat": "license_plates", "box": [1, 1, 6, 3]}]
    rows = [{"file": file, "boxes": boxes, "complete_for": []} for file in ("a.jpg", "b.jpg")]
    (tmp_path / "plates.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    monkeypatch.setattr(manifest, "BY_EYE", tmp_path)
    known, bare = with_labels_by_eye([Photo("a.jpg", "s", "train", (plate,)), Photo("b.jpg", "s", "train", (head,))])
    assert known.labels == (plate,)
    assert bare.labels == (head, Label("license_plates", (1, 1, 6, 3)))


def test_the_set_by_eye_holds_evaluation_photos_looked_at(tmp_path, monkeypatch):
    seen = [
        {"file": f, "boxes": [{"cat": "heads", "box": [2, 2, 8, 8]}], "complete_for": []} for f in ("a.png", "b.png")
    ]
    (tmp_path / "evaluation.jsonl").write_text("".join(json.dumps(row) + "\n" for row in seen))
    monkeypatch.setattr(manifest, "BY_EYE", tmp_path)
    rows = [{"file": f, "part": part} for f, part in (("a.png", "eval"), ("b.png", "train"), ("c.png", "eval"))]
    (tmp_path / "all.manifest").write_text("".join(json.dumps(row) + "\n" for row in rows))
    cv2.imwrite(str(tmp_path / "a.png"), np.zeros((10, 20, 3), np.uint8))
    arguments = ["--data", str(tmp_path), "--manifest", str(tmp_path / "all.manifest"), "--out", str(tmp_path / "out")]
    monkeypatch.setattr("sys.argv", ["veil_training", "by-eye-set", *arguments])
    main()
    (photo,) = manifest.read_manifest(tmp_path / "out", "eval")
    assert (photo.file, photo.labels) == ("a.png", (Label("heads", (2, 2, 8, 8)),))


def test_photos_looked_at_are_a_source_of_their_own(tmp_path):
    findings = tmp_path / "pseudo_labels.jsonl"
    findings.write_text("".join(json.dumps({"file": f, "codes": []}) + "\n" for f in ("a.jpg", "b.jpg")))
    photos = [Photo("a.jpg", "s", "train", by_eye=True), Photo("b.jpg", "s", "train")]
    library = PhotoLibrary(photos, tmp_path, findings)
    assert library.refresh() == 2
    assert set(library.by_source) == {"s", "s by eye"}


def test_every_label_by_eye_is_a_box_with_a_place():
    rows = [json.loads(line) for f in manifest.BY_EYE.glob("*.jsonl") for line in f.read_text().splitlines()]
    looked_at = [(row["file"], name) for row in rows for name in row["complete_for"]]
    assert len(set(looked_at)) == len(looked_at) > 0
    for row in rows:
        assert all(b["box"][0] < b["box"][2] and b["box"][1] < b["box"][3] for b in row["boxes"])


def test_verdicts_add_what_is_one_and_deny_what_is_none(tmp_path, monkeypatch):
    boxes = {True: [0, 0, 9, 9], False: [20, 0, 29, 9], None: [40, 0, 49, 9]}
    verdicts = [{"cat": "heads", "box": box, "is_one": is_one} for is_one, box in boxes.items()]
    (tmp_path / "verdicts").mkdir()
    (tmp_path / "verdicts" / "heads.jsonl").write_text(json.dumps({"file": "a.jpg", "verdicts": verdicts}) + "\n")
    monkeypatch.setattr(manifest, "BY_EYE", tmp_path)
    known = Photo("a.jpg", "s", "train", complete_for=frozenset({"heads"}))
    judged, complete = with_labels_by_eye([Photo("a.jpg", "s", "train"), known])
    assert judged.labels == (Label("heads", (0, 0, 9, 9)), Label("heads", (40, 0, 49, 9), None, True))
    assert judged.denied == (("heads", (20, 0, 29, 9)),)
    assert complete == known
