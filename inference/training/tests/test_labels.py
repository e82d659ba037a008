import json

import cv2
import numpy as np

from veil_training.categories import INDEX
from veil_training.evaluator import EvaluatorSettings, relabel
from veil_training.export import export_onnx
from veil_training.labels import labelled
from veil_training.manifest import Label, Photo
from veil_training.model import Detector, ModelSettings

IMAGE = np.zeros((200, 200, 3), np.uint8)


def _of(sample, category: str, ignored: bool) -> list[list[float]]:
    chosen = (sample.labels == INDEX[category]) & (sample.ignored == ignored)
    return sample.boxes[chosen].tolist()


def test_a_face_off_any_person_must_be_surer():
    face = [50, 50, 70, 75]
    on_person = {"faces": [[*face, 0.7]], "objects": {"person": [[40, 30, 90, 190, 0.9]]}}
    photo = Photo("a.jpg", "s", "train")
    assert len(_of(labelled(photo, IMAGE, on_person), "heads", ignored=False)) == 1
    assert _of(labelled(photo, IMAGE, {"faces": [[*face, 0.7]]}), "heads", ignored=False) == []
    assert len(_of(labelled(photo, IMAGE, {"faces": [[*face, 0.9]]}), "heads", ignored=False)) == 1


def test_the_top_of_a_person_without_a_face_is_ignored():
    findings = {"objects": {"person": [[40, 0, 80, 200, 0.9]]}}
    sample = labelled(Photo("a.jpg", "s", "train"), IMAGE, findings)
    assert np.allclose(_of(sample, "heads", ignored=True), [[40, 0, 80, 60]])


def test_a_vehicle_without_a_known_plate_is_no_negative():
    findings = {"objects": {"car": [[10, 10, 150, 120, 0.8]]}, "plates": [[60, 90, 90, 100, 0.95]]}
    photo = Photo("a.jpg", "s", "train")
    assert _of(labelled(photo, IMAGE, findings), "license_plates", ignored=False) == [[60, 90, 90, 100]]
    findings["plates"] = []
    parts = np.float32(_of(labelled(photo, IMAGE, findings), "license_plates", ignored=True))
    assert len(parts) == 9 and (parts[:, 2] - parts[:, 0]).max() < 50
    assert [*parts[:, :2].min(0), *parts[:, 2:].max(0)] == [10, 10, 150, 120]


def test_a_laptop_is_more_than_its_screen():
    findings = {"objects": {"laptop": [[10, 10, 90, 90, 0.95]], "tv": [[100, 20, 180, 70, 0.95]]}}
    sample = labelled(Photo("a.jpg", "s", "train"), IMAGE, findings)
    assert _of(sample, "screens", ignored=False) == [[100, 20, 180, 70]]
    assert _of(sample, "screens", ignored=True) == [[10, 10, 90, 90]]


def test_own_findings_need_a_witness():
    own = {"street_signs": [[10, 10, 40, 40, 0.9]], "heads": [[100, 20, 120, 45, 0.64], [10, 150, 20, 160, 0.38]]}
    photo = Photo("a.jpg", "s", "train", (Label("street_signs", None),))
    sample = labelled(photo, IMAGE, {}, own)
    assert _of(sample, "street_signs", ignored=False) == [[10, 10, 40, 40]]
    assert _of(sample, "heads", ignored=False) == []
    assert _of(sample, "heads", ignored=True) == [[100, 20, 120, 45]]
    person = {"objects": {"person": [[90, 10, 130, 190, 0.9]]}}
    assert _of(labelled(photo, IMAGE, person, own), "heads", ignored=False) == [[100, 20, 120, 45]]


def test_own_mistakes_are_negatives_unless_the_photo_holds_one():
    own = {"tattoos": [[10, 10, 40, 40, 0.9]], "documents": [[60, 10, 90, 40, 0.4]]}
    plain = labelled(Photo("a.jpg", "s", "train"), IMAGE, {}, own)
    assert _of(plain, "documents", ignored=True) == [[60, 10, 90, 40]]
    assert INDEX["tattoos"] not in plain.labels
    assert plain.negative_weight[INDEX["tattoos"]] > plain.negative_weight[INDEX["documents"]]
    holds = labelled(Photo("a.jpg", "s", "train", (Label("tattoos", None),)), IMAGE, {}, own)
    assert _of(holds, "tattoos", ignored=False) == [[10, 10, 40, 40]]


def test_hand_labels_come_first_and_completeness_silences_teachers():
    findings = {"faces": [[50, 50, 70, 75, 0.99]], "plates": [[60, 90, 90, 100, 0.95]]}
    photo = Photo("a.jpg", "s", "train", (Label("heads", (45, 40, 75, 80)),), frozenset({"heads", "license_plates"}))
    sample = labelled(photo, IMAGE, findings)
    assert sample.boxes.tolist() == [[45, 40, 75, 80]]


def test_the_best_network_relabels_only_when_due(tmp_path):
    settings = EvaluatorSettings(tmp_path, (), 1, 1.0, tmp_path, tmp_path / "manifest.jsonl")
    assert not relabel(settings)
    export_onnx(Detector(ModelSettings((8,) * 6, (1,) * 5, 8, 8)), tmp_path / "best.onnx")
    (tmp_path / "log.jsonl").write_text('{"samples": 10}\n')
    assert not relabel(settings)
    cv2.imwrite(str(tmp_path / "a.jpg"), IMAGE)
    boxes = [{"cat": "heads", "box": None}]
    row = {"file": "a.jpg", "source": "s", "part": "train", "boxes": boxes}
    (tmp_path / "manifest.jsonl").write_text(json.dumps(row) + "\n")
    (tmp_path / "log.jsonl").write_text('{"samples": 200000}\n')
    assert relabel(settings)
    assert json.loads((tmp_path / "own_labels.jsonl").read_text())["file"] == "a.jpg"
    assert not relabel(settings)


def test_the_top_of_a_labelled_person_does_not_hide_the_face_in_it():
    photo = Photo("a.jpg", "portraits", "train", (Label("person", (10.0, 10.0, 190.0, 390.0)),))
    face = [[60, 40, 120, 110, 0.95]]
    found = labelled(
        photo, np.zeros((400, 200, 3), np.uint8), {"faces": face, "objects": {"person": [[10, 10, 190, 390, 0.9]]}}
    )
    heads = found.labels == INDEX["heads"]
    assert heads.sum() == 1
    assert not found.ignored[heads].any()


def test_what_a_person_denied_is_not_spared_as_an_own_finding():
    own = {"heads": [[50, 50, 70, 75, 0.5], [120, 50, 140, 75, 0.5]]}
    denied = Photo("a.jpg", "s", "train", denied=(("heads", (50.0, 50.0, 70.0, 75.0)),))
    assert _of(labelled(denied, IMAGE, {}, own), "heads", ignored=True) == [[120, 50, 140, 75]]
