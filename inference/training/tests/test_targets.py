import numpy as np

from veil_training.categories import INDEX
from veil_training.grid import candidates, grid_points
from veil_training.labels import negative_weights
from veil_training.manifest import Label, Photo
from veil_training.sample import ANY_CATEGORY, Sample
from veil_training.targets import CHANNEL_OF, DENSE_CHANNELS, WEIGHT_STEPS, targets_of

SIDE = 128


def _blank(weight: float = 1.0) -> Sample:
    return Sample.empty(np.zeros((SIDE, SIDE, 3), np.uint8), weight)


def test_candidates_lie_inside_and_on_fitting_levels():
    points, strides = grid_points(SIDE, SIDE)
    box = np.float32([40, 40, 80, 70])
    chosen = candidates(box, SIDE)
    chosen = chosen[chosen >= 0]
    assert ((points[chosen] > box[:2]) & (points[chosen] < box[2:])).all()
    assert set(strides[chosen]) == {8, 16}


def test_the_tiniest_box_has_a_candidate():
    assert (candidates(np.float32([126.5, 126.5, 127.5, 127.5]), SIDE) >= 0).any()


def test_ignore_boxes_mask_their_category_at_their_size_and_below():
    sample = _blank()
    sample.add_boxes(np.float32([[0, 0, 64, 64]]), np.array([INDEX["heads"]]), np.array([True]))
    weight = targets_of(sample).negative_weight
    points, strides = grid_points(SIDE, SIDE)
    inside = (points <= 64).all(1) & (strides <= 16)
    heads = weight[CHANNEL_OF[INDEX["heads"]]]
    assert (heads[inside] == 0).all()
    assert (heads[~inside] == WEIGHT_STEPS).all()
    assert (np.delete(weight, CHANNEL_OF[INDEX["heads"]], 0) == WEIGHT_STEPS).all()


def test_an_ignore_box_without_category_masks_all():
    sample = _blank()
    sample.add_boxes(np.float32([[0, 0, SIDE, SIDE]]), np.array([ANY_CATEGORY]), np.array([True]))
    assert (targets_of(sample).negative_weight == 0).all()


def test_unknown_categories_weigh_half_and_cards_share_a_channel():
    weight = targets_of(_blank(0.5)).negative_weight
    assert weight.shape[0] == DENSE_CHANNELS
    assert (weight == WEIGHT_STEPS // 2).all()
    assert CHANNEL_OF[INDEX["passports"]] == CHANNEL_OF[INDEX["documents"]] == DENSE_CHANNELS - 1


def test_a_photo_that_holds_a_card_somewhere_does_not_deny_it():
    photo = Photo("a.jpg", "s", "train", (Label("id_cards", None),), frozenset({"heads"}))
    weight = negative_weights(photo)
    assert weight[INDEX["id_cards"]] == 0
    assert weight[INDEX["passports"]] == 1
    assert weight[INDEX["heads"]] == 1
    assert weight[INDEX["tattoos"]] == 0.5


def test_text_core_is_inside_the_line_and_illegible_lines_are_ignored():
    sample = _blank()
    line = np.float32([[10, 20], [110, 20], [110, 44], [10, 44]])
    tiny = np.float32([[10, 100], [110, 100], [110, 103], [10, 103]])
    sample.add_lines(np.stack([line, tiny]), np.array([False, False]))
    targets = targets_of(sample)
    rows, columns = np.where(targets.text > 127)
    assert rows.min() * 4 >= 20 and (rows.max() + 1) * 4 <= 44
    assert columns.min() * 4 >= 10 and (columns.max() + 1) * 4 <= 110
    assert targets.text_weight[25, 10] == 0
    assert targets.text_weight[15, 10] == 255
