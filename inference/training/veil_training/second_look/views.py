"""Views of stored crops for training: moved, scaled, mirrored, with other light and sharpness."""

from dataclasses import dataclass

import cv2
import numpy as np
import torch
from torch import Tensor

from .crops import CONTEXT, INPUT_PX, PADDING_LEVEL, STORED_PX
from .shards import Crops

MOVED, SCALED = 0.06, 0.1
"""Standard deviations of the view's shift and logarithmic scale, as shares of the proposal's longer side."""


@dataclass
class Views:
    """pixels [n, 3, 64, 64] in 0…255; boxes [n, 4], places [n, 4] (nan without label) as shares of the view."""

    pixels: Tensor
    boxes: Tensor
    places: Tensor
    wanted: Tensor
    weights: Tensor


def _view(crops: Crops, index: int, rng: np.random.Generator | None, out: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    box, place = crops.boxes[index].copy(), crops.places[index].copy()
    if rng is not None:
        longer = float((box[2:] - box[:2]).max())
        centre, half = (box[:2] + box[2:]) / 2, (box[2:] - box[:2]) / 2
        half = half * np.exp(rng.normal(0, SCALED, 2)).astype(np.float32)
        centre = centre + rng.normal(0, MOVED, 2).astype(np.float32) * longer
        box = np.concatenate([centre - half, centre + half])
    centre, longer = (box[:2] + box[2:]) / 2, max(float((box[2:] - box[:2]).max()), 1e-3)
    side = longer * CONTEXT
    low = centre - side / 2
    scale = INPUT_PX / (side * STORED_PX)
    matrix = np.float32([[scale, 0, -low[0] * STORED_PX * scale], [0, scale, -low[1] * STORED_PX * scale]])
    matrix[:, 2] += 0.5 * scale - 0.5
    border = (PADDING_LEVEL,) * 3
    cv2.warpAffine(crops.pixels[index], matrix, (INPUT_PX, INPUT_PX), out, cv2.INTER_LINEAR, borderValue=border)
    shift = np.concatenate([low, low])
    box, place = (box - shift) / side, (place - shift) / side
    if rng is not None and rng.random() < 0.5:
        out[:] = out[:, ::-1]
        box[[0, 2]], place[[0, 2]] = 1 - box[[2, 0]], 1 - place[[2, 0]]
    if rng is not None:
        _degrade(out, rng)
    return box, place


def _degrade(out: np.ndarray, rng: np.random.Generator) -> None:
    kind = rng.random()
    if kind < 0.25:
        small = int(rng.integers(14, 48))
        out[:] = cv2.resize(cv2.resize(out, (small, small), interpolation=cv2.INTER_AREA), (INPUT_PX, INPUT_PX))
    elif kind < 0.35:
        quality = int(rng.integers(15, 70))
        _, coded = cv2.imencode(".jpg", out, [cv2.IMWRITE_JPEG_QUALITY, quality])
        out[:] = cv2.imdecode(coded, cv2.IMREAD_COLOR)
    if rng.random() < 0.08:
        out[:] = out.mean(2, keepdims=True)


def views_of(crops: Crops, chosen: np.ndarray, rng: np.random.Generator | None) -> Views:
    """Views of the chosen crops; as they are where `rng` is None."""
    pixels = np.empty((len(chosen), INPUT_PX, INPUT_PX, 3), np.uint8)
    pairs = [_view(crops, int(index), rng, pixels[i]) for i, index in enumerate(chosen)]
    boxes, places = (np.stack(values).astype(np.float32) for values in zip(*pairs, strict=True))
    image = torch.from_numpy(pixels).permute(0, 3, 1, 2).float()
    if rng is not None:
        count = len(chosen)
        gain = torch.from_numpy(np.exp(rng.normal(0, 0.15, (count, 3, 1, 1)) * [[[[0.5]]]]).astype(np.float32))
        contrast = torch.from_numpy(np.exp(rng.normal(0, 0.2, (count, 1, 1, 1))).astype(np.float32))
        level = torch.from_numpy(rng.normal(0, 18, (count, 1, 1, 1)).astype(np.float32))
        noise = torch.randn(image.shape) * torch.from_numpy(rng.uniform(0, 7, (count, 1, 1, 1)).astype(np.float32))
        image = (((image - 127.5) * contrast + 127.5 + level) * gain + noise).clamp_(0, 255)
    return Views(
        image,
        torch.from_numpy(boxes),
        torch.from_numpy(places),
        torch.from_numpy(crops.wanted[chosen]),
        torch.from_numpy(crops.weights[chosen]),
    )
