"""The scene map: what a published COCO detector sees in each cell of a picture, learned from its boxes.

A head without a person around it is more often a clock or a dog. The map of a whole picture costs one or two crops.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
import torch
from torch.nn.functional import binary_cross_entropy_with_logits

from ..manifest import Photo, load_image
from ..teachers import COCO_NAMES, ObjectTeacher
from .crops import INPUT_PX, cut
from .head import LEAST_DEVIATION, MOST_LEARNING_RATE
from .network import MIDDLE_CELLS, Backbone
from .scene_head import SCENE_CLASSES, SceneHead

FOUND_FROM, SURER = 0.25, 1.15
"""The teacher's boxes count from this confidence on, as this many times their confidence."""
FULL_SHARE = 0.7
"""A cell belongs fully to a box that covers so much of it."""
NARROWEST, TOLERATED_REST = 1 / 3, 0.08
NEAR, FAR = 0.5, 1.2
"""Side of a training view's random square, in shorter sides of the photo."""
STEPS, BATCH, WEIGHT_DECAY, STATISTICS_EACH = 12000, 64, 0.02, 7
RARE = 50


def write_objects(photos: list[Photo], data: Path, weights: Path, out: Path) -> None:
    """Appends what the teacher finds on photos that `out` does not have yet, a JSON line each."""
    cv2.setNumThreads(1)
    teacher, have = ObjectTeacher(weights), set(read_objects(out)) if out.exists() else set()
    with out.open("a") as lines:
        for photo in photos:
            if photo.file in have:
                continue
            image = load_image(data / photo.file)
            found = teacher(image, FOUND_FROM, COCO_NAMES)
            boxes = {
                name: np.concatenate([one.boxes, one.scores[:, None]], 1).round(2).tolist()
                for name, one in found.items()
            }
            lines.write(json.dumps({"file": photo.file, "objects": boxes}) + "\n")


def read_objects(path: Path) -> dict[str, dict[str, np.ndarray]]:
    """By photo and scene class, boxes with confidences [n, 5]."""
    read = {}
    for line in path.read_text().splitlines():
        one = json.loads(line)
        found = {
            name: np.float32([box for kind in kinds for box in one["objects"].get(kind, [])]).reshape(-1, 5)
            for name, kinds in SCENE_CLASSES.items()
        }
        read[one["file"]] = {name: boxes[boxes[:, 4] >= FOUND_FROM] for name, boxes in found.items()}
    return read


def scene_windows(width: int, height: int) -> np.ndarray:
    """Squares [n, 3] as left, top and side that show a whole picture: as wide as its shorter side, at least a third of
    the longer one, and evenly along it."""
    longer, shorter = max(width, height), min(width, height)
    side = max(shorter, longer * NARROWEST)
    count = max(1, int(np.ceil(longer / side - TOLERATED_REST)))
    along = np.linspace(0, longer - side, count) if count > 1 else np.array([(longer - side) / 2])
    across = np.full(count, (shorter - side) / 2)
    first, second = (along, across) if width >= height else (across, along)
    return np.stack([first, second, np.full(count, side)], 1).astype(np.float32)


def cell_shares(box: np.ndarray, window: np.ndarray, cells: int = MIDDLE_CELLS) -> np.ndarray:
    """Share of each cell [cells, cells] of a window [3] that a box [4] covers, both in pixels."""
    edges, scale = np.arange(cells), cells / window[2]
    left, right = (box[0] - window[0]) * scale, (box[2] - window[0]) * scale
    top, bottom = (box[1] - window[1]) * scale, (box[3] - window[1]) * scale
    columns = np.clip(np.minimum(right, edges + 1) - np.maximum(left, edges), 0, 1)
    rows = np.clip(np.minimum(bottom, edges + 1) - np.maximum(top, edges), 0, 1)
    return rows[:, None] * columns[None]


def wanted_map(objects: dict[str, np.ndarray], window: np.ndarray, is_mirrored: bool) -> np.ndarray:
    """What the map [classes, cells, cells] of a window should be."""
    wanted = np.zeros((len(SCENE_CLASSES), MIDDLE_CELLS, MIDDLE_CELLS), np.float32)
    for own, boxes in zip(wanted, objects.values(), strict=True):
        for *box, confidence in boxes:
            shares = np.clip(cell_shares(np.float32(box), window) / FULL_SHARE, 0, 1)
            np.maximum(own, min(1.0, confidence * SURER) * shares, out=own)
    return wanted[:, :, ::-1] if is_mirrored else wanted


@dataclass
class SceneViews:
    """Views of photos: file [n], width and height [n, 2], window [n, 3], mirrored [n], and the backbone's maps in
    half precision, middle [n, 112, 10, 10] and top [n, 1280, 5, 5]."""

    files: np.ndarray
    sizes: np.ndarray
    windows: np.ndarray
    mirrored: np.ndarray
    middle: np.ndarray
    top: np.ndarray


@torch.no_grad()
def scene_views(photos: list[Photo], data: Path, seed: int | None = None) -> SceneViews:
    """The windows of whole photos through the frozen backbone. With a seed, also a random mirrored square of each."""
    cv2.setNumThreads(1)
    rng, backbone = None if seed is None else np.random.default_rng(seed), Backbone().eval()
    columns: list[list[object]] = [[], [], [], [], [], []]
    for photo in photos:
        image = load_image(data / photo.file)
        views = list(_views_of(image, rng))
        size = image.shape[1], image.shape[0]
        crops = np.stack([crop for _, _, crop in views])
        maps = [map_.half().numpy() for map_ in backbone(torch.from_numpy(crops))[1:]]
        for (window, is_mirrored, _), middle, top in zip(views, *maps, strict=True):
            for column, value in zip(columns, (photo.file, size, window, is_mirrored, middle, top), strict=True):
                column.append(value)
    return SceneViews(*(np.array(column) for column in columns))


def _views_of(image: np.ndarray, rng: np.random.Generator | None) -> Iterator[tuple[np.ndarray, bool, np.ndarray]]:
    height, width = image.shape[:2]
    for window in scene_windows(width, height):
        yield window, False, cut(image, window, INPUT_PX)
    if rng is not None:
        side = min(width, height) * rng.uniform(NEAR, FAR)
        left, top = (rng.uniform(0, room) if room > 0 else room / 2 for room in (width - side, height - side))
        window = np.float32([left, top, side])
        yield window, True, np.ascontiguousarray(cut(image, window, INPUT_PX)[:, ::-1])


def train_scene_head(
    views: SceneViews, objects: dict[str, dict[str, np.ndarray]], seed: int = 0, steps: int = STEPS
) -> dict[str, object]:
    """Trains on views, those with rare things drawn more often. Returns what `SecondLook` reads."""
    torch.manual_seed(seed)
    rng, net = np.random.default_rng(seed), SceneHead().train()
    for name, maps in (("middle", views.middle), ("top", views.top)):
        some = maps[::STATISTICS_EACH].astype(np.float32)
        getattr(net, f"{name}_mean").copy_(torch.from_numpy(some.mean((0, 2, 3)))[:, None, None])
        getattr(net, f"{name}_deviation").copy_(torch.from_numpy(some.std((0, 2, 3)) + LEAST_DEVIATION)[:, None, None])
    rows = zip(views.files, views.windows, views.mirrored, strict=True)
    wanted = np.stack([wanted_map(objects[str(file)], window, bool(mirrored)) for file, window, mirrored in rows])
    shows = wanted.max((2, 3)) > 0.4
    rarity = (shows.sum(0) + RARE) ** -0.5
    chances = np.where(shows.any(1), (shows * rarity).max(1), rarity.min())
    chances = chances / chances.sum()
    optimizer = torch.optim.AdamW(net.parameters(), MOST_LEARNING_RATE / 2, weight_decay=WEIGHT_DECAY)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, 1.5 * MOST_LEARNING_RATE, steps)
    for _ in range(steps):
        chosen = rng.choice(len(wanted), BATCH, p=chances)
        middle, top = (torch.from_numpy(maps[chosen].astype(np.float32)) for maps in (views.middle, views.top))
        losses = binary_cross_entropy_with_logits(
            net(middle, top), torch.from_numpy(wanted[chosen].astype(np.float32)), reduction="none"
        )
        loss = losses.mean((0, 2, 3)).sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        schedule.step()
    return {"scene": {name: value.half() for name, value in net.eval().state_dict().items()}}
