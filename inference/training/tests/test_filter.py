"""The filter before the second look."""

from pathlib import Path

import numpy as np
import torch

from veil_training.categories import DETECTED
from veil_training.decode import session
from veil_training.manifest import Label, Photo
from veil_training.second_look.export import FILTER_ANSWERS, export_filter
from veil_training.second_look.filter import FILTER_PX, VIEW_PX, FilterNetwork, FilterViews, _seen, filter_logits
from veil_training.second_look.filter_choice import filter_judgments
from veil_training.second_look.proposals import Proposals

HEADS = DETECTED.index("heads")


def views_of(count: int) -> FilterViews:
    rng = np.random.default_rng(0)
    crops = rng.integers(0, 256, (count, VIEW_PX, VIEW_PX, 3), dtype=np.uint8)
    boxes = np.float32([[0.2, 0.3, 0.7, 0.8]] * count)
    return FilterViews(crops, boxes, rng.random((count, len(DETECTED))).astype(np.float32))


def test_views_without_chance_are_the_middle_of_the_crop():
    views = views_of(2)
    crops, boxes = _seen(views, np.arange(2), None)
    edge = (VIEW_PX - FILTER_PX) // 2
    middle = views.crops[:, edge : edge + FILTER_PX, edge : edge + FILTER_PX]
    assert np.allclose(crops.permute(0, 2, 3, 1).numpy(), middle, atol=1e-2)
    assert np.allclose(boxes.numpy(), [[0.125, 0.25, 0.75, 0.875]] * 2, atol=1e-6)


def test_moved_views_take_their_boxes_along():
    views = views_of(40)
    # A white patch where the box is, on the gray of the padding.
    views.crops[:] = 114
    views.crops[:, 24:64, 16:56] = 255
    crops, boxes = _seen(views, np.arange(40), np.random.default_rng(1))
    bright = (crops.mean(1) > crops.mean(1).amin((1, 2), keepdim=True) + 60).numpy()
    for patch, box in zip(bright, boxes.numpy() * FILTER_PX, strict=True):
        rows, columns = np.where(patch.any(1))[0], np.where(patch.any(0))[0]
        edges = np.array([columns[0], rows[0], columns[-1] + 1, rows[-1] + 1])
        assert np.abs(edges - box.clip(0, FILTER_PX)).max() < 1.6


def test_what_is_exported_answers_as_before(tmp_path: Path):
    net = FilterNetwork().eval()
    path = tmp_path / "filter.onnx"
    _, difference = export_filter(net, path)
    assert difference < 1e-4
    views = views_of(3)
    crops, boxes = _seen(views, np.arange(3), None)
    asked = {"crops": crops.permute(0, 2, 3, 1).numpy().round().astype(np.uint8), "boxes": boxes.numpy()}
    scores, refined = session(path, 1).run(FILTER_ANSWERS, asked)
    assert np.allclose(scores, torch.from_numpy(filter_logits(net, views)).sigmoid().numpy(), atol=2e-2)
    assert np.allclose(refined, boxes.numpy(), atol=1e-6)


def test_the_filter_is_as_strict_as_coverage_allows():
    photos, boxes, taught, known = [], [], [], []
    for index in range(60):
        is_head = index % 2 == 0
        label = (Label("heads", (20.0, 20.0, 60.0, 60.0)),) if is_head else ()
        photos.append(Photo(f"{index}.png", "", "eval", label, complete_for=frozenset({"heads"})))
        boxes.append([20, 20, 60, 60])
        taught.append(0.9 if is_head else 0.1)
        known.append(1.0 if is_head else 0.0)
    rng = np.random.default_rng(2)
    count = len(photos)
    everything = np.full((count, len(DETECTED)), np.nan, np.float32)
    everything[:, HEADS] = known
    proposals = Proposals(
        np.array([photo.file for photo in photos]),
        np.arange(count),
        np.float32(boxes),
        np.zeros(count, int),
        rng.uniform(0.2, 0.8, count).astype(np.float32),
        everything,
        np.float32(boxes),
    )
    logits = np.zeros((count, len(DETECTED)), np.float32)
    logits[:, HEADS] = np.where(np.array(known) == 1, 2.0, -2.0)
    answers = np.tile(np.float32(taught)[:, None], (1, len(DETECTED)))
    judgment = filter_judgments(photos, proposals, logits, answers)["heads"]
    stage_one = np.log(proposals.scores / (1 - proposals.scores))
    combined = (
        judgment["stage_one_weight"] * stage_one
        + judgment["second_look_weight"] * logits[:, HEADS]
        + judgment["offset"]
    )
    passes = 1 / (1 + np.exp(-combined)) >= judgment["filters_below"]
    assert passes[np.array(known) == 1].all()
    assert passes[np.array(known) == 0].mean() < 0.2
