"""Grid points of the detector and which of them may answer for a box."""

from functools import lru_cache

import numpy as np

from .categories import STRIDES

LEVEL_RANGES_PX: tuple[tuple[float, float], ...] = ((0, 28), (14, 64), (36, 130), (80, 260), (160, 1e9))
"""Object sizes a level may answer for; neighbours overlap, and the assignment chooses by quality."""

CANDIDATES_PER_LEVEL = 9
CANDIDATES = 2 * CANDIDATES_PER_LEVEL
CENTRE_REACH_STRIDES = 2.0
CENTRE_SHARE = 0.35


@lru_cache(maxsize=64)
def grid_points(height: int, width: int, level_strides: tuple[int, ...] = STRIDES) -> tuple[np.ndarray, np.ndarray]:
    """Points float32 [N, 2] as x, y in pixels and their strides [N]; levels in a row, each row-major."""
    points, strides = [], []
    for stride in level_strides:
        y, x = np.mgrid[0 : height // stride, 0 : width // stride]
        points.append(np.stack([(x.ravel() + 0.5) * stride, (y.ravel() + 0.5) * stride], 1))
        strides.append(np.full(x.size, stride))
    return np.concatenate(points).astype(np.float32), np.concatenate(strides).astype(np.float32)


@lru_cache(maxsize=64)
def smallest_sizes(height: int, width: int) -> np.ndarray:
    """For each of `grid_points` the smallest object in pixels that its level may answer for, float32 [N]."""
    counts = [(height // s) * (width // s) for s in STRIDES]
    return np.repeat([low for low, _ in LEVEL_RANGES_PX], counts).astype(np.float32)


def object_size(box: np.ndarray) -> float:
    """Size in pixels that decides the level: between the geometric mean and the long side."""
    w, h = float(box[2] - box[0]), float(box[3] - box[1])
    return 0.6 * (w * h) ** 0.5 + 0.4 * max(w, h)


def candidates(box: np.ndarray, side: int) -> np.ndarray:
    """Indices int64 [CANDIDATES] of grid points near the centre of `box` on fitting levels, padded with -1.

    At least one point is returned, the nearest one of the finest fitting level.
    """
    found: list[np.ndarray] = []
    size = object_size(box)
    centre_x, centre_y = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
    start = 0
    for stride, (low, high) in zip(STRIDES, LEVEL_RANGES_PX, strict=True):
        columns = side // stride
        if low <= size < high:
            reach = CENTRE_REACH_STRIDES * stride
            half_w = min(reach, max((box[2] - box[0]) * CENTRE_SHARE, stride * 0.71))
            half_h = min(reach, max((box[3] - box[1]) * CENTRE_SHARE, stride * 0.71))
            found.append(start + _near(centre_x, centre_y, half_w, half_h, stride, columns))
        start += columns * columns
    indices = np.concatenate(found)[:CANDIDATES]
    return np.concatenate([indices, np.full(CANDIDATES - len(indices), -1)]).astype(np.int64)


def _near(x: float, y: float, half_w: float, half_h: float, stride: int, columns: int) -> np.ndarray:
    """Row-major indices of up to CANDIDATES_PER_LEVEL points within the half extents, nearest first."""
    axis = []
    for centre, half in ((x, half_w), (y, half_h)):
        low, high = int(np.ceil((centre - half) / stride - 0.5)), int(np.floor((centre + half) / stride - 0.5))
        nearest = int(np.clip(centre // stride, 0, columns - 1))
        span = np.arange(max(0, low), min(columns - 1, high) + 1)
        axis.append(span if len(span) else np.array([nearest]))
    columns_, rows = np.meshgrid(*axis)
    distance = ((columns_ + 0.5) * stride - x) ** 2 + ((rows + 0.5) * stride - y) ** 2
    order = np.argsort(distance.ravel(), kind="stable")[:CANDIDATES_PER_LEVEL]
    return (rows.ravel() * columns + columns_.ravel())[order]
