import numpy as np

from veil_training.categories import INDEX
from veil_training.sample import Sample, cut_window, mirrored, mosaic
from veil_training.shards import Shard, write_shard


def _sample(side: int = 64) -> Sample:
    image = np.zeros((side, side, 3), np.uint8)
    image[8:24, 8:24] = 255
    sample = Sample.empty(image)
    sample.add_boxes(np.float32([[8, 8, 24, 24]]), np.array([INDEX["heads"]]), np.array([False]))
    sample.add_lines(np.float32([[[8, 8], [24, 8], [24, 12], [8, 12]]]), np.array([False]))
    return sample


def test_mirrored_twice_is_the_same():
    sample = _sample()
    again = mirrored(mirrored(sample))
    assert np.array_equal(again.image, sample.image)
    assert np.array_equal(again.boxes, sample.boxes)
    assert np.array_equal(again.lines, sample.lines)


def test_labels_follow_the_pixels_through_a_window():
    view = cut_window(_sample(), 4, 4, 32, 64)
    ys, xs = np.where(view.image[..., 0] > 127)
    assert np.allclose(view.boxes[0], [xs.min(), ys.min(), xs.max() + 1, ys.max() + 1], atol=1)


def test_a_box_that_is_mostly_cut_off_is_ignored():
    view = cut_window(_sample(), 20, 0, 40, 40)
    assert view.boxes.tolist() == [[0, 8, 4, 24]]
    assert view.ignored.tolist() == [True]


def test_mosaic_takes_the_weakest_knowledge():
    parts = [_sample() for _ in range(4)]
    parts[2].negative_weight = parts[2].negative_weight * 0.5
    joined = mosaic(parts, 64)
    assert joined.image.shape == (128, 128, 3)
    assert joined.boxes[3].tolist() == [72, 72, 88, 88]
    assert set(joined.negative_weight.tolist()) == {0.5}


def test_a_shard_returns_what_was_written(tmp_path):
    bare = Sample.empty(np.full((64, 64, 3), 90, np.uint8), 0.5)
    write_shard(tmp_path / "a.npz", [bare, _sample(), bare])
    shard = Shard(tmp_path / "a.npz")
    assert len(shard) == 3
    read = shard.sample(1)
    assert read.boxes.tolist() == [[8, 8, 24, 24]]
    assert read.lines.shape == (1, 4, 2)
    assert np.abs(read.image.astype(int) - _sample().image).mean() < 2
    assert len(shard.sample(2).boxes) == 0
    assert shard.sample(2).negative_weight[0] == 0.5
