import numpy as np

from veil_training.categories import INDEX
from veil_training.decode import (
    GROWTH,
    LARGE_FROM_SIDE,
    LOG_ODDS_PER_DOUBLING,
    LONE_SHARE,
    agreed,
    calibrated,
    grown,
    long_sides,
    text_long_side,
)


def test_large_boxes_lose_odds_and_small_ones_and_cards_none():
    side = LARGE_FROM_SIDE * 1000
    boxes = np.float32([[0, 0, side, side], [0, 0, 4 * side, 4 * side], [0, 0, 4 * side, 4 * side]])
    categories = np.array([INDEX["heads"], INDEX["heads"], INDEX["passports"]])
    small, large, card = calibrated(boxes, np.float32([0.5, 0.5, 0.5]), categories, 1000, 1000)
    odds = np.exp(-2 * LOG_ODDS_PER_DOUBLING["heads"])
    np.testing.assert_allclose([small, large, card], [0.5, odds / (1 + odds), 0.5], rtol=1e-4)


def test_what_is_certain_stays_a_probability():
    boxes = np.float32([[0, 0, 900, 900], [0, 0, 900, 900], [5, 5, 5, 5]])
    scores = calibrated(boxes, np.float32([1, 0, 0.5]), np.zeros(3, np.int64), 1000, 1000)
    assert (scores[0] > 0.99, scores[1] < 0.01, scores[2]) == (True, True, 0.5)


def test_photos_from_641_pixels_are_read_at_1280_and_looked_at_so_from_801():
    sizes = [(640, 480), (480, 641), (800, 800), (801, 10)]
    assert [text_long_side(*size) for size in sizes] == [640, 1280, 1280, 1280]
    assert [long_sides(*size)[0] for size in sizes] == [640, 640, 640, 1280]


def test_heads_grow_on_each_side_and_not_past_the_photo_and_screens_stay():
    boxes = np.float32([[20, 40, 30, 60], [0, 0, 100, 80], [20, 40, 30, 60]])
    categories = np.array([INDEX["heads"], INDEX["heads"], INDEX["screens"]])
    share = GROWTH["heads"]
    wanted = [[20 - 10 * share, 40 - 20 * share, 30 + 10 * share, 60 + 20 * share], [0, 0, 100, 80], [20, 40, 30, 60]]
    np.testing.assert_allclose(grown(boxes, categories, 100, 80), wanted, rtol=1e-5)


def test_two_looks_agree_on_mean_score_and_a_box_around_both():
    own = np.float32([[0, 0, 10, 10], [50, 50, 60, 60]]), np.float32([0.6, 0.5])
    mirrored = np.float32([[100, 0, 110, 10], [1, 1, 11, 10]]), np.float32([0.4, 0.8])
    boxes, scores = agreed((own[0], mirrored[0]), (own[1], mirrored[1]))
    found = sorted(zip(boxes.tolist(), scores.round(3).tolist(), strict=True))
    lone = [np.float32(s * LONE_SHARE).round(3) for s in (0.5, 0.4)]
    assert [b for b, _ in found] == [[0, 0, 11, 10], [50, 50, 60, 60], [100, 0, 110, 10]]
    np.testing.assert_allclose([s for _, s in found], [0.7, *lone], atol=1e-3)


def test_nothing_agrees_with_nothing():
    none = np.zeros((0, 4), np.float32), np.zeros(0, np.float32)
    boxes, scores = agreed((none[0], none[0]), (none[1], none[1]))
    assert (boxes.shape, scores.shape) == ((0, 4), (0,))
