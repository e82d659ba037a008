import numpy as np

from veil_training.categories import INDEX
from veil_training.decode import LARGE_FROM_SIDE, LOG_ODDS_PER_DOUBLING, calibrated, long_sides, text_long_side


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
