"""Features of proposals through the frozen backbone: computed once, so that heads train in minutes."""

from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
import torch

from ..manifest import load_image
from .crops import CONTEXT, INPUT_PX, cut, relative, windows
from .network import Backbone, features_of
from .proposals import Proposals

BATCH = 32
MOVED, SCALED = 0.05, 0.08
"""Standard deviations by which a training view moves a box, in shares of its longer side, and scales its sides'
logarithms."""
COARSE_SHARE = 0.2
"""Share of training views that are shown at a quarter to three quarters of their resolution."""
BRIGHTNESS, CONTRAST, TINT = 15.0, 0.2, 6.0


@dataclass
class _View:
    """Boxes [n, 4] as they are shown, and which are mirrored [n]."""

    boxes: np.ndarray
    mirrored: np.ndarray


def _view_of(boxes: np.ndarray, rng: np.random.Generator | None) -> _View:
    if rng is None:
        return _View(boxes, np.zeros(len(boxes), bool))
    size = boxes[:, 2:] - boxes[:, :2]
    center = (boxes[:, 2:] + boxes[:, :2]) / 2 + rng.normal(0, MOVED, size.shape) * size.max(1)[:, None]
    size = size * np.exp(rng.normal(0, SCALED, size.shape))
    moved = np.concatenate([center - size / 2, center + size / 2], 1).astype(np.float32)
    return _View(moved, rng.random(len(boxes)) < 0.5)


def _seen_otherwise(crop: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    if rng.random() < COARSE_SHARE:
        side = int(rng.integers(INPUT_PX // 4, INPUT_PX * 3 // 4))
        small = cv2.resize(np.ascontiguousarray(crop), (side, side), interpolation=cv2.INTER_AREA)
        crop = cv2.resize(small, (INPUT_PX, INPUT_PX))
    light = (crop.astype(np.float32) - 127) * np.exp(rng.normal(0, CONTRAST)) + 127
    return np.clip(light + rng.normal(0, BRIGHTNESS) + rng.normal(0, TINT, 3), 0, 255).astype(np.uint8)


@torch.no_grad()
def features_for(proposals: Proposals, data: Path, seed: int | None = None) -> np.ndarray:
    """Features [n, FEATURES] in half precision. With a seed each proposal is moved, mirrored and lit by chance."""
    cv2.setNumThreads(1)
    rng = None if seed is None else np.random.default_rng(seed)
    view = _view_of(proposals.boxes, rng)
    frames = windows(view.boxes, CONTEXT)
    given = relative(view.boxes, frames)
    flipped = given[view.mirrored]
    given[view.mirrored] = np.stack([1 - flipped[:, 2], flipped[:, 1], 1 - flipped[:, 0], flipped[:, 3]], 1)
    backbone = Backbone().eval()
    parts, shown, image = [], -1, np.zeros((1, 1, 3), np.uint8)
    for start in range(0, len(given), BATCH):
        crops = []
        for i in range(start, min(start + BATCH, len(given))):
            if proposals.photos[i] != shown:
                shown = proposals.photos[i]
                image = load_image(data / str(proposals.files[shown]))
            crop = cut(image, frames[i], INPUT_PX)
            if view.mirrored[i]:
                crop = crop[:, ::-1]
            crops.append(crop if rng is None else _seen_otherwise(crop, rng))
        middle, top = backbone(torch.from_numpy(np.stack(crops)))
        part = features_of(middle, top, torch.from_numpy(given[start : start + BATCH]))
        parts.append(part.numpy().astype(np.float16))
        if start // BATCH % 100 == 99:
            print(start + BATCH, "crops", flush=True)
    return np.concatenate(parts)
