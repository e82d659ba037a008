"""Boxes are float32 [n, 4] as x0, y0, x1, y1 in pixels; quads are float32 [n, 4, 2], clockwise."""

import numpy as np


def quad_of_box(box: np.ndarray) -> np.ndarray:
    """Corners [4, 2] of a box [4], clockwise from the top left."""
    x0, y0, x1, y1 = box
    return np.array([[x0, y0], [x1, y0], [x1, y1], [x0, y1]], np.float32)


def box_of_quad(quad: np.ndarray) -> np.ndarray:
    """Axis-aligned bounding box [4] of points [k, 2]."""
    return np.concatenate([quad.min(0), quad.max(0)]).astype(np.float32)


def areas(boxes: np.ndarray) -> np.ndarray:
    """Areas [n] in square pixels; degenerate boxes count as zero."""
    size = np.maximum(boxes[:, 2:] - boxes[:, :2], 0)
    return size[:, 0] * size[:, 1]


def intersections(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Pairwise overlap [n, m] in square pixels."""
    size = np.minimum(a[:, None, 2:], b[None, :, 2:]) - np.maximum(a[:, None, :2], b[None, :, :2])
    size = np.maximum(size, 0)
    return size[..., 0] * size[..., 1]


def pairwise_iou(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Intersection over union [n, m]."""
    overlap = intersections(a, b)
    union = areas(a)[:, None] + areas(b)[None] - overlap
    return overlap / np.maximum(union, 1e-6)


def clip_boxes(boxes: np.ndarray, width: float, height: float) -> np.ndarray:
    """Boxes cut to the image."""
    limit = np.array([width, height, width, height], np.float32)
    return np.clip(boxes, 0, limit).astype(np.float32)


def grow_boxes(boxes: np.ndarray, fraction: float) -> np.ndarray:
    """Boxes whose width and height are larger by `fraction`, same centres."""
    margin = (boxes[:, 2:] - boxes[:, :2]) * (fraction / 2)
    return np.concatenate([boxes[:, :2] - margin, boxes[:, 2:] + margin], 1).astype(np.float32)


def transform_boxes(boxes: np.ndarray, scale: tuple[float, float], shift: tuple[float, float]) -> np.ndarray:
    """`boxes * scale + shift`, axis by axis."""
    factor = np.array([*scale, *scale], np.float32)
    offset = np.array([*shift, *shift], np.float32)
    return (boxes * factor + offset).astype(np.float32)


def covered_fraction(target: np.ndarray, boxes: np.ndarray) -> float:
    """Exact share of the box `target` [4] under the union of `boxes` [n, 4].

    Coordinates are compressed: between neighbouring edges the cover is constant.
    """
    cut = np.concatenate([np.maximum(boxes[:, :2], target[:2]), np.minimum(boxes[:, 2:], target[2:])], 1)
    cut = cut[(cut[:, 2] > cut[:, 0]) & (cut[:, 3] > cut[:, 1])]
    total = float(areas(target[None])[0])
    if not len(cut) or total <= 0:
        return 0.0
    xs, ys = np.unique(cut[:, [0, 2]]), np.unique(cut[:, [1, 3]])
    if len(xs) < 2 or len(ys) < 2:
        return 0.0
    middle_x, middle_y = (xs[1:] + xs[:-1]) / 2, (ys[1:] + ys[:-1]) / 2
    in_x = (cut[:, 0, None] < middle_x) & (cut[:, 2, None] > middle_x)
    in_y = (cut[:, 1, None] < middle_y) & (cut[:, 3, None] > middle_y)
    covered = (in_y.astype(np.float32).T @ in_x.astype(np.float32)) > 0
    return float((covered * np.diff(ys)[:, None] * np.diff(xs)[None]).sum() / total)


def line_height(quad: np.ndarray) -> float:
    """Shorter side of a text-line quad in pixels (mean of the two opposite edges)."""
    edges = np.linalg.norm(np.roll(quad, -1, 0) - quad, axis=1)
    return float(min(edges[0] + edges[2], edges[1] + edges[3]) / 2)


def shrink_quad(quad: np.ndarray, ratio: float) -> np.ndarray:
    """Quad moved inwards on each side by `ratio` times its line height."""
    edge = np.roll(quad, -1, 0) - quad
    length = np.maximum(np.linalg.norm(edge, axis=1, keepdims=True), 1e-3)
    direction = edge / length
    step = ratio * line_height(quad)
    return (quad + step * (direction - np.roll(direction, 1, 0))).astype(np.float32)


def project(quads: np.ndarray, homography: np.ndarray) -> np.ndarray:
    """Points [..., 2] through a 3×3 homography."""
    flat = quads.reshape(-1, 2).astype(np.float64)
    mapped = np.concatenate([flat, np.ones((len(flat), 1))], 1) @ homography.T
    return (mapped[:, :2] / mapped[:, 2:]).reshape(quads.shape).astype(np.float32)


def suppress(boxes: np.ndarray, scores: np.ndarray, iou: float = 0.5, inside: float = 0.85) -> np.ndarray:
    """Indices kept by greedy suppression, best first.

    A box goes when it overlaps a better one by more than `iou`, or when more than `inside` of
    it lies in a better one.
    """
    order = np.argsort(-scores)
    area = areas(boxes)
    keep: list[int] = []
    while len(order):
        best = order[0]
        keep.append(int(best))
        rest = order[1:]
        overlap = intersections(boxes[best][None], boxes[rest])[0]
        ratio = overlap / np.maximum(area[best] + area[rest] - overlap, 1e-6)
        order = rest[(ratio < iou) & (overlap / np.maximum(area[rest], 1e-6) < inside)]
    return np.array(keep, np.int64)
