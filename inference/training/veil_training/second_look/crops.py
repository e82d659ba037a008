"""Windows around proposals: how they lie in a photo and how they are cut."""

import cv2
import numpy as np

INPUT_PX = 160
"""Side of the network's input."""

CONTEXT = 1.5
"""Side of the window that the network sees, as a multiple of the proposal's longer side."""

MIN_SIDE_PX = 4.0
"""Longer side in pixels that smaller proposals are given."""

PADDING_LEVEL = 114


def windows(boxes: np.ndarray, context: float) -> np.ndarray:
    """Square windows [n, 3] as left, top and side in pixels around boxes [n, 4]."""
    size = boxes[:, 2:] - boxes[:, :2]
    side = np.maximum(size.max(1, initial=0), MIN_SIDE_PX) * context
    centre = (boxes[:, :2] + boxes[:, 2:]) / 2
    return np.concatenate([centre - side[:, None] / 2, side[:, None]], 1).astype(np.float32)


def cut(image: np.ndarray, window: np.ndarray, out: int) -> np.ndarray:
    """The window [3] of an RGB image as uint8 [out, out, 3]; outside the image it is gray.

    Reduced by area and enlarged linearly, as libvips does in the service.
    """
    left, top, side = (float(v) for v in window)
    height, width = image.shape[:2]
    x0, y0 = max(0, int(np.floor(left))), max(0, int(np.floor(top)))
    x1, y1 = min(width, int(np.ceil(left + side))), min(height, int(np.ceil(top + side)))
    result = np.full((out, out, 3), PADDING_LEVEL, np.uint8)
    if x1 <= x0 or y1 <= y0:
        return result
    scale = out / side
    part = image[y0:y1, x0:x1]
    if scale < 0.6:
        size = max(1, round((x1 - x0) * scale)), max(1, round((y1 - y0) * scale))
        part = cv2.resize(part, size, interpolation=cv2.INTER_AREA)
    sx, sy = part.shape[1] / (x1 - x0), part.shape[0] / (y1 - y0)
    matrix = np.float32(
        [
            [scale / sx, 0, (x0 - left) * scale + 0.5 * scale / sx - 0.5],
            [0, scale / sy, (y0 - top) * scale + 0.5 * scale / sy - 0.5],
        ]
    )
    border = (PADDING_LEVEL,) * 3
    return cv2.warpAffine(part, matrix, (out, out), flags=cv2.INTER_LINEAR, borderValue=border)


def relative(boxes: np.ndarray, frames: np.ndarray) -> np.ndarray:
    """Boxes [n, 4] in pixels as shares of their windows [n, 3]."""
    offset = np.concatenate([frames[:, :2], frames[:, :2]], 1)
    return ((boxes - offset) / frames[:, 2:]).astype(np.float32)
