"""The views made on an accelerator and their targets, against the loaders' own arithmetic."""

import numpy as np
import torch

from veil_training.device_pool import HIDDEN_LINE, NO_BOX, DevicePool, entries_of
from veil_training.device_targets import batch_of, candidates_of
from veil_training.grid import candidates
from veil_training.loader import collate
from veil_training.sample import ANY_CATEGORY, Sample
from veil_training.targets import targets_of

SIDE, VIEW = 192, 128


def _sample(rng: np.random.Generator) -> Sample:
    """A dark picture with bright boxes and one line of writing."""
    sample = Sample.empty(np.full((SIDE, SIDE, 3), 20, np.uint8), 0.5)
    for label in (0, 4, ANY_CATEGORY, 9):
        x, y = rng.integers(0, SIDE - 70, 2)
        w, h = rng.integers(12, 60, 2)
        sample.image[y : y + h, x : x + w] = 220
        sample.add_boxes(np.array([[x, y, x + w, y + h]]), np.array([label]), np.array([label == ANY_CATEGORY]))
    sample.add_lines(np.float32([[[10, 100], [150, 100], [150, 120], [10, 120]]]), np.array([False]))
    return sample


def _pool(count: int = 8) -> DevicePool:
    rng = np.random.default_rng(5)
    torch.manual_seed(3)
    pool = DevicePool(count, torch.device("cpu"))
    pool.add(entries_of([_sample(rng) for _ in range(count)]))
    return pool


def test_candidates_are_those_of_the_loaders():
    rng = np.random.default_rng(0)
    corners = rng.uniform(0, 320, (300, 2, 2)).astype(np.float32)
    boxes = np.concatenate([corners.min(1), corners.max(1) + 1], 1)
    found = candidates_of(torch.from_numpy(boxes), 320).numpy()
    for box, listed in zip(boxes, found, strict=True):
        assert set(listed.tolist()) == set(candidates(box, 320).tolist())


def test_targets_are_those_of_the_loaders():
    views = _pool().views(24, VIEW)
    batch = batch_of(views)
    samples = []
    for i in range(24):
        known = views.labels[i] != NO_BOX
        sample = Sample.empty(views.images[i].permute(1, 2, 0).numpy())
        sample.add_boxes(views.boxes[i][known].numpy(), views.labels[i][known].numpy(), views.ignored[i][known].numpy())
        sample.negative_weight = views.negative_weight[i].numpy()
        samples.append(sample)
    expected = collate([s.image for s in samples], [targets_of(s) for s in samples])
    assert len(expected.boxes) > 20
    for name in ("boxes", "labels", "owner", "negative_weight"):
        assert torch.equal(getattr(batch, name), getattr(expected, name)), name


def test_labels_follow_the_pixels():
    views = _pool().views(64, VIEW)
    inside, outside = [], []
    for image, boxes, labels, ignored in zip(views.images, views.boxes, views.labels, views.ignored, strict=True):
        bright = image[0].float()
        mask = torch.zeros_like(bright, dtype=torch.bool)
        for box in boxes[labels != NO_BOX]:
            x0, y0, x1, y1 = box.round().int().tolist()
            mask[y0:y1, x0:x1] = True
        inside.append(bright[mask])
        outside.append(bright[~mask])
        assert ((labels >= 0) & ~ignored).sum() <= 16
    assert torch.cat(inside).median() == 220
    assert (torch.cat(outside) > 150).float().mean() < 0.01


def test_a_core_too_low_at_the_views_scale_is_ignored():
    sample = Sample.empty(np.zeros((SIDE, SIDE, 3), np.uint8))
    sample.add_lines(np.float32([[[0, 90], [192, 90], [192, 95], [0, 95]]]), np.array([False]))
    sample.add_lines(np.float32([[[0, 20], [192, 20], [192, 50], [0, 50]]]), np.array([True]))
    entries = entries_of([sample])
    assert int(entries.outlines.max()) == HIDDEN_LINE and int(entries.cores.max()) == 5
    pool = DevicePool(1, torch.device("cpu"))
    pool.add(entries)
    tiles = pool._mosaics(4, VIEW)
    assert set(tiles.kind.unique().tolist()) == {0, 2}


def test_new_samples_replace_the_oldest():
    pool = _pool(4)
    bright = Sample.empty(np.full((SIDE, SIDE, 3), 77, np.uint8))
    pool.add(entries_of([bright] * 3))
    pool.add(entries_of([bright] * 3))
    assert pool.count == 4 and bool((pool.store.images == 77).all())
