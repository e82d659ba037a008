"""Teaches which side of a picture is up: 0 upright, then by how many quarters it was turned counterclockwise."""

from pathlib import Path
from random import Random

import cv2
import numpy as np
import torch
from torch.nn.functional import cross_entropy

from ..manifest import Photo, load_image
from .crops import INPUT_PX
from .head import LEARNING_RATE, LEAST_DEVIATION, MOST_LEARNING_RATE, WEIGHT_DECAY
from .network import Backbone, QuarterHead, side_means

PHOTOS = 6000
WITHOUT_UP = ("zxing", "stefano", "sroie", "qr_bounds", "princeid", "playing", "book_covers")
"""Sources of papers and codes, which have no side that is up."""
STEPS, BATCH, TURNED = 3000, 192, 2


def middle_square(image: np.ndarray) -> np.ndarray:
    """The middle square of a picture as [INPUT_PX, INPUT_PX, 3]: the shape of a picture says nothing about up."""
    height, width = image.shape[:2]
    side = min(height, width)
    top, left = (height - side) // 2, (width - side) // 2
    square = np.ascontiguousarray(image[top : top + side, left : left + side])
    return cv2.resize(square, (INPUT_PX, INPUT_PX), interpolation=cv2.INTER_AREA)


@torch.no_grad()
def turned_features(photos: list[Photo], data: Path, seed: int = 1) -> tuple[np.ndarray, np.ndarray]:
    """Side means [n, f] of photos upright and turned twice, mirrored by chance, and the quarters [n]."""
    cv2.setNumThreads(1)
    with_up = [photo for photo in photos if not photo.source.startswith(WITHOUT_UP)]
    chosen = Random(seed).sample(with_up, min(PHOTOS, len(with_up)))
    rng, backbone = np.random.default_rng(seed), Backbone().eval()
    features, quarters = [], []
    for photo in chosen:
        square = middle_square(load_image(data / photo.file))
        if rng.random() < 0.5:
            square = square[:, ::-1]
        turns = [0, *(int(turn) for turn in rng.choice([1, 2, 3], TURNED, replace=False))]
        crops = np.stack([np.rot90(square, turn) for turn in turns])
        features.append(side_means(backbone(torch.from_numpy(crops))[2]).numpy().astype(np.float16))
        quarters += turns
    return np.concatenate(features), np.array(quarters)


def train_quarter_head(
    features: np.ndarray, quarters: np.ndarray, seed: int = 0, steps: int = STEPS
) -> dict[str, object]:
    """Trains on what `turned_features` gives; returns what `SecondLook` reads."""
    torch.manual_seed(seed)
    mean = torch.from_numpy(features.mean(0, dtype=np.float32))
    deviation = torch.from_numpy(features.std(0, dtype=np.float32) + np.float32(LEAST_DEVIATION))
    wanted, net, rng = torch.from_numpy(quarters), QuarterHead(), np.random.default_rng(seed)
    optimizer = torch.optim.AdamW(net.parameters(), LEARNING_RATE, weight_decay=WEIGHT_DECAY)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, MOST_LEARNING_RATE, steps)
    for _ in range(steps):
        chosen = rng.choice(len(wanted), BATCH)
        standardized = (torch.from_numpy(features[chosen]).float() - mean) / deviation
        loss = cross_entropy(net(standardized), wanted[chosen])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        schedule.step()
    weights = {name: value.half() for name, value in net.eval().state_dict().items()}
    return {"side_mean": mean, "side_deviation": deviation, "quarter_head": weights}
