import numpy as np
import pytest

from veil_training.geometry import covered_fraction, grow_boxes, line_height, project, shrink_quad, suppress


def test_covered_fraction_counts_overlaps_once():
    target = np.float32([0, 0, 10, 10])
    halves = np.float32([[-5, -5, 6, 20], [4, 0, 8, 10]])
    assert covered_fraction(target, halves) == pytest.approx(0.8)
    assert covered_fraction(target, np.zeros((0, 4), np.float32)) == 0
    assert covered_fraction(target, np.float32([[20, 20, 30, 30]])) == 0


def test_grow_keeps_the_centre():
    assert grow_boxes(np.float32([[10, 10, 20, 30]]), 0.1).tolist() == [[9.5, 9.0, 20.5, 31.0]]


def test_shrink_moves_every_side_by_the_same_distance():
    line = np.float32([[0, 0], [100, 0], [100, 20], [0, 20]])
    assert line_height(line) == 20
    assert shrink_quad(line, 0.25).tolist() == [[5, 5], [95, 5], [95, 15], [5, 15]]


def test_suppression_drops_duplicates_and_parts_inside():
    boxes = np.float32([[0, 0, 10, 10], [0, 0, 10, 9], [1, 1, 4, 4], [20, 20, 30, 30]])
    assert suppress(boxes, np.float32([0.5, 0.9, 0.8, 0.1])).tolist() == [1, 3]


def test_projection_divides_by_depth():
    homography = np.array([[1.0, 0, 0], [0, 1, 0], [0, 0, 2]])
    assert project(np.float32([[4, 6]]), homography).tolist() == [[2, 3]]
