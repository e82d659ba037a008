from dataclasses import replace

import numpy as np
import pytest
import torch

from veil_training.categories import CARD_LIKE_INDEX, INDEX
from veil_training.checkpoint import averaged_model, load_weights, restore, save, save_weights
from veil_training.decode import Reader, text_quads
from veil_training.evaluate import PhotoResult, measure
from veil_training.export import export_onnx
from veil_training.loader import collate
from veil_training.losses import Batch
from veil_training.model import ModelSettings, Prediction, scores
from veil_training.sample import Sample
from veil_training.targets import targets_of
from veil_training.trainer import Trainer, TrainSettings, learning_rate

SMALL = ModelSettings((8, 8, 8, 8, 8, 8), (1, 1, 1, 1, 1), 8, 8)
SETTINGS = TrainSettings(batch_size=2, side=128, warmup_steps=2)
CPU = torch.device("cpu")


def _batch(seed: int) -> Batch:
    rng = np.random.default_rng(seed)
    samples = []
    for _ in range(2):
        sample = Sample.empty(rng.integers(0, 255, (128, 128, 3), np.uint8))
        corner = rng.uniform(10, 60, 2)
        boxes = np.float32([[*corner, *(corner + 30)], [*(corner + 20), *(corner + 60)]])
        sample.add_boxes(boxes, np.array([INDEX["heads"], INDEX["passports"]]), np.array([False, False]))
        samples.append(sample)
    return collate([s.image for s in samples], [targets_of(s) for s in samples])


def _trainer() -> Trainer:
    torch.manual_seed(1)
    return Trainer(SETTINGS, SMALL, CPU)


def test_a_resumed_run_continues_exactly(tmp_path):
    whole = _trainer()
    for seed in range(4):
        whole.step(_batch(seed))
    interrupted = _trainer()
    for seed in range(2):
        interrupted.step(_batch(seed))
    save(tmp_path / "checkpoint.pt", interrupted.state)
    resumed = _trainer()
    restore(tmp_path / "checkpoint.pt", resumed.state, CPU)
    for seed in range(2, 4):
        resumed.step(_batch(seed))
    for name, value in whole.state.model.state_dict().items():
        assert torch.equal(value, resumed.state.model.state_dict()[name]), name
    for name, value in whole.state.average.values.items():
        assert torch.equal(value, resumed.state.average.values[name]), name


def test_frozen_statistics_stay_while_weights_learn():
    trainer = Trainer(replace(SETTINGS, frozen_statistics=True), SMALL, CPU)
    before = {name: value.clone() for name, value in trainer.state.model.state_dict().items()}
    trainer.step(_batch(0))
    after = trainer.state.model.state_dict()
    changed = {name for name in before if not torch.equal(before[name], after[name])}
    assert not any("running" in name for name in changed)
    assert "stem.0.weight" in changed


def test_restoring_another_architecture_is_refused(tmp_path):
    save(tmp_path / "checkpoint.pt", _trainer().state)
    other = Trainer(SETTINGS, ModelSettings((8, 8, 8, 8, 8, 16), (1, 1, 1, 1, 1), 8, 8), CPU)
    with pytest.raises(ValueError, match="architecture"):
        restore(tmp_path / "checkpoint.pt", other.state, CPU)


def test_training_learns_a_batch_by_heart():
    trainer = _trainer()
    parts = [trainer.step(_batch(0)) for _ in range(60)]
    assert parts[-1]["box"] < 0.9 * parts[0]["box"]
    assert parts[-1]["positive_score"] > 2 * parts[0]["positive_score"]


def test_no_object_at_all_is_trainable():
    trainer = _trainer()
    blank = Sample.empty(np.zeros((128, 128, 3), np.uint8))
    parts = trainer.step(collate([blank.image] * 2, [targets_of(blank)] * 2))
    assert np.isfinite(parts["gradient_norm"])


def test_each_object_gets_points_and_contested_ones_go_to_the_smaller():
    trainer = _trainer()
    sample = Sample.empty(np.zeros((128, 128, 3), np.uint8))
    boxes = np.float32([[30, 30, 70, 70], [32, 32, 68, 68]])
    sample.add_boxes(boxes, np.array([0, 1]), np.array([False, False]))
    batch = collate([sample.image], [targets_of(sample)])
    points = len(trainer.loss.points)
    chosen = trainer.loss.assign(torch.zeros(1, 8, points), torch.full((1, 4, points), 2.0), batch)
    assert len(set(chosen.point.tolist())) == len(chosen.point)
    assert 1 in chosen.object.tolist()


def test_card_scores_share_one_probability():
    logits = torch.full((1, 12, 1), -9.0)
    logits[0, CARD_LIKE_INDEX[0]] = 2.0
    logits[0, CARD_LIKE_INDEX[1]] = 2.0
    prediction = Prediction(logits, torch.zeros(1, 1, 1), torch.ones(1, 4, 1), torch.zeros(1, 1, 1, 1))
    found = scores(prediction)[0, :, 0]
    assert found[CARD_LIKE_INDEX[0]] == found[CARD_LIKE_INDEX[1]] == 0.5
    assert found[CARD_LIKE_INDEX[2]] < 0.01
    assert found[INDEX["heads"]] < 0.01


def test_schedule_is_flat_until_the_cooldown():
    settings = TrainSettings(learning_rate=1.0, warmup_steps=10, final_step=100, cooldown_steps=20)
    assert learning_rate(settings, 0) == 0.1
    assert learning_rate(settings, 50) == 1
    assert learning_rate(settings, 90) == 0.5


def test_export_answers_like_the_network_at_any_size(tmp_path):
    trainer = _trainer()
    trainer.step(_batch(0))
    save(tmp_path / "checkpoint.pt", trainer.state)
    model = averaged_model(tmp_path / "checkpoint.pt")
    report = export_onnx(model, tmp_path / "model.onnx")
    assert report.max_difference["scores"] < 1e-4
    assert report.max_difference["boxes"] < 1e-2
    found = Reader(tmp_path / "model.onnx")(np.zeros((150, 333, 3), np.uint8))
    assert found.boxes.shape[1] == 4
    save_weights(tmp_path / "weights.pt", model)
    again = load_weights(tmp_path / "weights.pt")
    assert torch.allclose(again.stem[0].weight, model.stem[0].weight, atol=1e-3)


def test_text_quads_undo_the_shrinking():
    sample = Sample.empty(np.zeros((256, 256, 3), np.uint8))
    sample.add_lines(np.float32([[[20, 40], [220, 40], [220, 80], [20, 80]]]), np.array([False]))
    probability = targets_of(sample).text.astype(np.float32) / 255
    quads, quad_scores = text_quads(probability)
    assert len(quads) == 1 and quad_scores[0] > 0.5
    assert np.allclose([*quads[0].min(0), *quads[0].max(0)], [20, 40, 220, 80], atol=6)


def test_text_quads_lean_to_no_side():
    rng = np.random.default_rng(1)
    margins = []
    for _ in range(200):
        x, y, width, height = rng.uniform((20, 20, 60, 14), (60, 150, 150, 40))
        sample = Sample.empty(np.zeros((256, 256, 3), np.uint8))
        sample.add_lines(
            np.float32([[[x, y], [x + width, y], [x + width, y + height], [x, y + height]]]), np.array([False])
        )
        quads, _ = text_quads(targets_of(sample).text.astype(np.float32) / 255)
        margins.append(
            [*(np.float32([x, y]) - quads[0].min(0)), *(quads[0].max(0) - np.float32([x + width, y + height]))]
        )
    left, top, right, bottom = np.mean(margins, 0)
    assert abs(left - right) < 0.4 and abs(top - bottom) < 0.4


def test_close_lines_stay_two_and_a_faint_one_is_found():
    probability = np.zeros((64, 64), np.float32)
    probability[10:13, 5:40] = probability[15:18, 5:40] = 0.9
    probability[13:15, 10:14] = 0.4
    probability[40:43, 5:40] = 0.45
    quads, scores = text_quads(probability)
    assert np.allclose(sorted(scores), [0.45, 0.9, 0.9]) and len(quads) == 3


def test_the_yardstick_counts_cover_and_false_boxes():
    result = PhotoResult(
        targets=np.float32([[0, 0, 10, 10], [50, 50, 60, 60]]),
        tolerated=np.float32([[80, 80, 90, 90]]),
        boxes=np.float32([[0, 0, 10, 9.5], [80, 80, 90, 90], [30, 30, 40, 40], [50, 50, 60, 60]]),
        scores=np.float32([0.9, 0.9, 0.9, 0.1]),
        complete=True,
    )
    figures = measure([result], 0.5)
    assert figures.targets == 2
    assert figures.coverage_recall == 0.5
    assert figures.false_boxes_per_photo == 1
