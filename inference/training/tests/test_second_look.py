from pathlib import Path

import cv2
import numpy as np
import pytest
import torch

from veil_training.categories import DETECTED, INDEX
from veil_training.decode import session
from veil_training.evaluate import CategoryResult
from veil_training.manifest import Label, Photo
from veil_training.second_look.answers import Truth, answers_for, truth_of
from veil_training.second_look.choose import Choice, best_choices, fused
from veil_training.second_look.crops import INPUT_PX, PADDING_LEVEL, cut, relative, windows
from veil_training.second_look.export import export_second_look
from veil_training.second_look.network import SecondLook, mask_of
from veil_training.second_look.quantise import quantise_second_look
from veil_training.second_look.shards import crops_of, read_shards, write_shard
from veil_training.second_look.trainer import SecondLookSettings, train_second_look
from veil_training.second_look.views import views_of

HEAD, PLATE, DOCUMENT, PASSPORT = (INDEX[n] for n in ("heads", "license_plates", "documents", "passports"))


def truth(boxes: list[list[float]], categories: list[int], absence: float = 0.0) -> Truth:
    return Truth(
        np.float32(boxes).reshape(-1, 4),
        np.int64(categories),
        np.zeros(len(boxes), bool),
        np.full(len(DETECTED), absence, np.float32),
    )


def test_a_proposal_on_a_label_is_right_and_is_nothing_else():
    answers = answers_for(np.float32([[10, 10, 50, 50]]), truth([[12, 10, 52, 50]], [HEAD]))
    assert answers.wanted[0, HEAD] == 1
    assert answers.weights[0, HEAD] == 1
    assert answers.wanted[0, PLATE] == 0
    assert answers.weights[0, PLATE] == 1
    assert answers.boxes[0].tolist() == [12, 10, 52, 50]


def test_a_proposal_half_on_a_label_teaches_nothing_of_it():
    answers = answers_for(np.float32([[0, 0, 40, 40]]), truth([[20, 0, 60, 40]], [HEAD], absence=1))
    assert answers.weights[0, HEAD] == 0
    assert answers.weights[0, PLATE] == 1


def test_a_passport_may_be_a_document_as_well():
    answers = answers_for(np.float32([[0, 0, 40, 40]]), truth([[0, 0, 40, 40]], [PASSPORT]))
    assert answers.weights[0, DOCUMENT] == 0


def test_silence_counts_where_a_photo_was_looked_at():
    photo = Photo(
        "a.webp", "everyday", "train", (Label("heads", (0, 0, 9, 9)),), frozenset({"tattoos", "payment_cards"})
    )
    absence = truth_of(photo).absence
    assert absence[INDEX["tattoos"]] == 1
    assert absence[INDEX["credit_cards"]] == 1
    assert absence[INDEX["heads"]] == 0
    assert 0 < absence[INDEX["qr_codes"]] < 1


def test_a_denied_box_is_known_to_be_none_of_its_kind_alone():
    photo = Photo("a.jpg", "s", "train", denied=(("heads", (10.0, 10.0, 50.0, 50.0)),))
    answers = answers_for(np.float32([[12, 10, 50, 50], [100, 100, 150, 150]]), truth_of(photo))
    assert answers.wanted[:, HEAD].tolist() == [0, 0]
    assert answers.weights[:, HEAD].tolist() == [1, 0]
    assert answers.weights[0, PLATE] == answers.weights[1, PLATE]


def test_a_code_at_an_unknown_place_denies_nothing():
    photo = Photo("a.webp", "everyday", "train", (Label("qr_codes", None),), frozenset({"qr_codes"}))
    assert truth_of(photo).absence[INDEX["qr_codes"]] == 0


def test_a_window_outside_the_picture_is_grey():
    image = np.full((20, 20, 3), 200, np.uint8)
    crop = cut(image, np.float32([-40, 0, 40]), 8)
    assert (crop[:, :6] == PADDING_LEVEL).all()


@pytest.mark.parametrize("side", [6.0, 16.0, 64.0, 150.0])
def test_a_crop_shows_what_its_window_holds(side: float):
    image = np.zeros((200, 200, 3), np.uint8)
    image[:, 100:] = 240
    crop = cut(image, np.float32([100 - side / 2, 100 - side / 2, side]), 16)
    assert crop[8, :6].max() < 60
    assert crop[8, 10:].min() > 180


def test_boxes_are_shares_of_their_windows():
    boxes = np.float32([[10, 20, 30, 60]])
    frames = windows(boxes, 1.5)
    assert frames.tolist() == [[-10, 10, 60]]
    assert np.allclose(relative(boxes, frames), [[20 / 60, 10 / 60, 40 / 60, 50 / 60]])


def test_the_mask_is_the_box():
    mask = mask_of(torch.tensor([[0.25, 0.5, 0.75, 1.0]]), 8)[0, 0]
    assert mask.sum() == 4 * 4
    assert mask[4:, 2:6].min() == 1


def shard(folder: Path, count: int = 24) -> None:
    rng = np.random.default_rng(0)
    image = rng.integers(0, 255, (120, 160, 3), dtype=np.uint8)
    corners = rng.uniform(0, 80, (count, 2))
    proposals = np.concatenate([corners, corners + rng.uniform(12, 40, (count, 2))], 1).astype(np.float32)
    answers = answers_for(proposals, truth(proposals[: count // 2].tolist(), [HEAD] * (count // 2), absence=1))
    write_shard(folder, "one", crops_of(image, proposals, answers, np.full(count, HEAD), np.full(count, 0.4), 0))


def test_crops_are_kept_and_seen(tmp_path: Path):
    shard(tmp_path)
    crops = read_shards([tmp_path], tmp_path / "pixels.npy")
    views = views_of(crops, np.arange(8), np.random.default_rng(1))
    assert views.pixels.shape == (8, 3, INPUT_PX, INPUT_PX)
    plain = views_of(crops, np.arange(8), None)
    side = (plain.boxes[:, 2:] - plain.boxes[:, :2]).amax(1)
    assert torch.allclose(side, torch.full((8,), 1 / 1.5), atol=1e-3)


def test_training_goes_on_where_it_was_and_is_exported(tmp_path: Path):
    shard(tmp_path / "crops")
    settings = SecondLookSettings((tmp_path / "crops",), tmp_path / "run", seconds=2, batch_size=4)
    train_second_look(settings)
    first = torch.load(tmp_path / "run" / "last.pt", weights_only=True)["step"]
    train_second_look(settings)
    stored = torch.load(tmp_path / "run" / "last.pt", weights_only=True)
    assert stored["step"] > first
    network = SecondLook().eval()
    network.load_state_dict(stored["average"])
    sha256, difference = export_second_look(network, tmp_path / "look.onnx", tmp_path / "weights.pt")
    assert len(sha256) == 64
    assert difference < 1e-4
    assert (tmp_path / "weights.pt").exists()


def test_both_looks_are_fused_in_log_odds():
    assert fused(np.float32([0.9]), np.float32([0.1]), 0.5)[0] == pytest.approx(0.5)
    assert fused(np.float32([0.9]), np.float32([0.1]), 0.0)[0] == pytest.approx(0.9)


def test_less_of_the_second_look_is_taken_where_more_gains_nothing():
    def choice(weight: float, recall: float) -> Choice:
        result = CategoryResult(0.4, 10, recall, recall, 0.1, 10, 1.5)
        return Choice("heads", weight, 0.0, 0.4, 0.0, result)

    assert best_choices([choice(0.0, 0.8), choice(0.3, 0.802), choice(0.5, 0.9)])["heads"].weight == 0.5
    assert best_choices([choice(0.0, 0.8), choice(0.3, 0.802)])["heads"].weight == 0.0


def test_in_integers_it_answers_nearly_the_same(tmp_path: Path):
    torch.manual_seed(0)
    rng = np.random.default_rng(0)
    photos = []
    for name in ("a.png", "b.png"):
        cv2.imwrite(str(tmp_path / name), rng.integers(0, 256, (96, 128, 3), dtype=np.uint8))
        photos.append(Photo(name, "", "train", (Label("heads", (20, 20, 60, 70)),)))
    floats, integers = tmp_path / "look.onnx", tmp_path / "look.int8.onnx"
    export_second_look(SecondLook().eval(), floats)
    quantise_second_look(floats, integers, tmp_path, photos)
    crops = rng.integers(0, 256, (8, INPUT_PX, INPUT_PX, 3), dtype=np.uint8)
    asked = {"crops": crops, "boxes": np.float32([[0.2, 0.2, 0.8, 0.8]] * 8)}
    wanted, got = (session(path, 1).run(["scores", "refined"], asked) for path in (floats, integers))
    assert np.abs(wanted[0] - got[0]).max() < 0.05
    assert np.abs(wanted[1] - got[1]).max() < 0.05
    assert integers.stat().st_size < 0.4 * floats.stat().st_size
