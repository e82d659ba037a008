"""Turns the pool into batches, in processes of their own."""

import queue
import time
from collections.abc import Callable
from multiprocessing.queues import Queue
from pathlib import Path
from random import Random

import cv2
import numpy as np
import torch

from .losses import Batch
from .sample import Sample, cut_window, mapped_labels, mirrored, mosaic
from .shards import Shard
from .targets import Targets, targets_of

MOSAIC_SHARE = 0.22
RESCAN_SECONDS = 15.0


class Pool:
    """The shards of a folder in memory; follows what renderers add and remove."""

    def __init__(self, folder: Path, rng: Random):
        self.folder, self.rng = folder, rng
        self.shards: dict[Path, Shard] = {}
        self.scanned_at = 0.0

    def rescan(self) -> None:
        """Drops vanished shards and reads new ones, at most every RESCAN_SECONDS."""
        if time.monotonic() - self.scanned_at < RESCAN_SECONDS and self.shards:
            return
        self.scanned_at = time.monotonic()
        present = set(self.folder.glob("*.npz"))
        for path in set(self.shards) - present:
            del self.shards[path]
        for path in sorted(present - set(self.shards)):
            try:
                self.shards[path] = Shard(path)
            except FileNotFoundError:
                continue

    def draw(self) -> Sample:
        """A random sample."""
        shard = self.rng.choice(list(self.shards.values()))
        return shard.sample(self.rng.randrange(len(shard)))


def augmented(pool: Pool, rng: Random, side: int) -> Sample:
    """A `side` × `side` view of one sample or of a mosaic of four."""
    if rng.random() < MOSAIC_SHARE:
        parts = []
        for _ in range(4):
            part = pool.draw()
            whole = part.image.shape[0]
            tile = int(side * 0.625) // 2 * 2
            parts.append(cut_window(part, 0, 0, whole, tile))
        big = mosaic(parts, parts[0].image.shape[0])
        return _window(big, rng, side, side)
    sample = pool.draw()
    whole = sample.image.shape[0]
    kind = rng.random()
    if kind < 0.45:
        cut = side
    elif kind < 0.75:
        cut = whole
    else:
        cut = rng.randint(side // 2, whole)
    view = _window(sample, rng, min(cut, whole), side)
    if kind > 0.97:
        view = mirrored(view)
    return _stretched(view, rng) if rng.random() < 0.15 else view


def _window(sample: Sample, rng: Random, cut: int, side: int) -> Sample:
    room = sample.image.shape[0] - cut
    return cut_window(sample, rng.randint(0, room), rng.randint(0, room), cut, side)


def _stretched(sample: Sample, rng: Random) -> Sample:
    """A shrunk view with padding at the right and below, as inference pads its inputs."""
    side = sample.image.shape[0]
    sx, sy = rng.uniform(0.45, 1), rng.uniform(0.45, 1)
    size = max(8, int(side * sx)), max(8, int(side * sy))
    result = mapped_labels(sample, (size[0] / side, size[1] / side), (0, 0), side, side)
    result.image = np.full_like(sample.image, 114)
    result.image[: size[1], : size[0]] = cv2.resize(sample.image, size, interpolation=cv2.INTER_AREA)
    return result


def collate(images: list[np.ndarray], targets: list[Targets]) -> Batch:
    """Stacks samples into a batch on the CPU."""
    owner = np.concatenate([np.full(len(t.boxes), i) for i, t in enumerate(targets)]).astype(np.int64)
    return Batch(
        torch.from_numpy(np.stack(images)),
        torch.from_numpy(np.concatenate([t.boxes for t in targets]).astype(np.float32)),
        torch.from_numpy(np.concatenate([t.labels for t in targets]).astype(np.int64)),
        torch.from_numpy(owner),
        torch.from_numpy(np.concatenate([t.candidates for t in targets])),
        torch.from_numpy(np.stack([t.negative_weight for t in targets])),
        torch.from_numpy(np.stack([t.text for t in targets])),
        torch.from_numpy(np.stack([t.text_weight for t in targets])),
    )


def load_forever(
    folder: Path, batch_size: int, side: int, seed: int, out: "Queue[Batch]", stopped: Callable[[], bool]
) -> None:
    """Puts batches into `out` until `stopped`."""
    cv2.setNumThreads(1)
    torch.set_num_threads(1)
    rng = Random(seed)
    pool = Pool(folder, rng)
    while not stopped():
        pool.rescan()
        if not pool.shards:
            time.sleep(1)
            continue
        samples = [augmented(pool, rng, side) for _ in range(batch_size)]
        batch = collate([s.image for s in samples], [targets_of(s) for s in samples])
        while not stopped():
            try:
                out.put(batch, timeout=1)
                break
            except queue.Full:
                continue
    out.cancel_join_thread()
