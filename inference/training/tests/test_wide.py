"""The wide look before the second look."""

from pathlib import Path

import numpy as np
import pytest
import torch

from veil_training.categories import DETECTED
from veil_training.decode import session
from veil_training.manifest import Label, Photo
from veil_training.second_look.export import WIDE_ANSWERS, export_wide
from veil_training.second_look.proposals import Proposals
from veil_training.second_look.wide import VIEW_PX, WIDE_PX, WideNetwork, WideViews, _chances, _seen, wide_logits
from veil_training.second_look.wide_choice import after_wide_look, filter_judgments, wide_weights

HEADS = DETECTED.index("heads")


def views_of(count: int) -> WideViews:
    rng = np.random.default_rng(0)
    crops = rng.integers(0, 256, (count, VIEW_PX, VIEW_PX, 3), dtype=np.uint8)
    boxes = np.float32([[0.2, 0.3, 0.7, 0.8]] * count)
    return WideViews(crops, boxes)


def test_views_without_chance_are_the_middle_of_the_crop():
    views = views_of(2)
    crops, boxes = _seen(views, np.arange(2), None)
    edge = (VIEW_PX - WIDE_PX) // 2
    middle = views.crops[:, edge : edge + WIDE_PX, edge : edge + WIDE_PX]
    assert np.allclose(crops.permute(0, 2, 3, 1).numpy(), middle, atol=1e-2)
    assert np.allclose(boxes.numpy(), [[0.125, 0.25, 0.75, 0.875]] * 2, atol=1e-6)


def test_moved_views_take_their_boxes_along():
    views = views_of(40)
    # A white patch where the box is, on the gray of the padding.
    views.crops[:] = 114
    views.crops[:, 24:64, 16:56] = 255
    crops, boxes = _seen(views, np.arange(40), np.random.default_rng(1))
    bright = (crops.mean(1) > crops.mean(1).amin((1, 2), keepdim=True) + 60).numpy()
    for patch, box in zip(bright, boxes.numpy() * WIDE_PX, strict=True):
        rows, columns = np.where(patch.any(1))[0], np.where(patch.any(0))[0]
        edges = np.array([columns[0], rows[0], columns[-1] + 1, rows[-1] + 1])
        assert np.abs(edges - box.clip(0, WIDE_PX)).max() < 1.6


def test_what_is_exported_answers_as_before(tmp_path: Path):
    net = WideNetwork().eval()
    path = tmp_path / "wide.onnx"
    _, difference = export_wide(net, path)
    assert difference < 1e-4
    views = views_of(3)
    crops, boxes = _seen(views, np.arange(3), None)
    asked = {"crops": crops.permute(0, 2, 3, 1).numpy().round().astype(np.uint8), "boxes": boxes.numpy()}
    scores, refined = session(path, 1).run(WIDE_ANSWERS, asked)
    assert np.allclose(scores, torch.from_numpy(wide_logits(net, views)).sigmoid().numpy(), atol=2e-2)
    assert np.allclose(refined, boxes.numpy(), atol=1e-6)


def judged(name: str) -> tuple[list[Photo], Proposals, np.ndarray, np.ndarray]:
    """Photos with one proposal each, every second right; stage one's scores say nothing, the wide look's logits all."""
    category, count = DETECTED.index(name), 60
    is_right = np.arange(count) % 2 == 0
    label = (Label(name, (20.0, 20.0, 60.0, 60.0)),)
    photos = [
        Photo(f"{index}.png", "", "eval", label if right else (), complete_for=frozenset({name}))
        for index, right in enumerate(is_right)
    ]
    known = np.full((count, len(DETECTED)), np.nan, np.float32)
    known[:, category] = is_right
    boxes = np.tile(np.float32([20, 20, 60, 60]), (count, 1))
    scores = np.random.default_rng(2).uniform(0.2, 0.8, count).astype(np.float32)
    files = np.array([photo.file for photo in photos])
    proposals = Proposals(files, np.arange(count), boxes, np.full(count, category), scores, known, boxes)
    logits = np.zeros((count, len(DETECTED)), np.float32)
    logits[:, category] = np.where(is_right, 2.0, -2.0)
    return photos, proposals, logits, is_right


def test_the_filter_is_as_strict_as_coverage_allows():
    photos, proposals, logits, is_right = judged("license_plates")
    answers = np.tile(np.where(is_right, np.float32(0.9), np.float32(0.1))[:, None], (1, len(DETECTED)))
    judgment = filter_judgments(photos, proposals, logits, answers)["license_plates"]
    stage_one = np.log(proposals.scores / (1 - proposals.scores))
    combined = (
        judgment["stage_one_weight"] * stage_one
        + judgment["second_look_weight"] * logits[:, DETECTED.index("license_plates")]
        + judgment["offset"]
    )
    passes = 1 / (1 + np.exp(-combined)) >= judgment["filters_below"]
    assert passes[is_right].all()
    assert passes[~is_right].mean() == pytest.approx(0.2, abs=0.05)


def test_confidences_become_those_of_both_looks_and_the_least_get_no_second_look():
    _, proposals, logits, is_right = judged("heads")
    logits[1, HEADS] = -30.0
    weights = {"heads": {"stage_one_weight": 0.1, "second_look_weight": 1.0, "offset": 0.0}}
    after, passing = after_wide_look(proposals, logits, weights)
    assert after.scores[is_right].min() > 0.8 > 0.2 > after.scores[~is_right].max()
    assert np.flatnonzero(~passing).tolist() == [1]
    assert np.array_equal(proposals.scores, judged("heads")[1].scores)
    # Plates, which are not weighed, stay as they are.
    plates = judged("license_plates")[1]
    assert np.array_equal(after_wide_look(plates, logits, weights)[0].scores, plates.scores)


def test_both_looks_are_weighed_by_what_they_know():
    _, proposals, logits, _ = judged("heads")
    (judgment,) = wide_weights(proposals, logits).values()
    assert judgment["second_look_weight"] > 1 > abs(judgment["stage_one_weight"])


def test_proposals_of_sources_left_out_are_never_drawn():
    _, proposals, _, _ = judged("heads")
    drawn = proposals.photos % 2 == 0
    chances = _chances(proposals, drawn)
    assert chances.sum() == pytest.approx(1)
    assert not chances[~drawn].any()
    assert chances[drawn & ~np.isnan(proposals.own)].all()
