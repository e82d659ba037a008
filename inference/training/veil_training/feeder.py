"""Brings the renderers' shards into an accelerator's memory: decoding in processes, copying between steps."""

import queue
import time
from collections.abc import Callable, Iterator
from multiprocessing.queues import Queue
from pathlib import Path

import cv2
import torch

from .device_pool import DevicePool, Entries, entries_of
from .device_targets import batch_of
from .losses import Batch
from .shards import Shard

CHUNK = 64
COPIES_PER_STEP = 4
SAMPLES_TO_START = 1024
RESCAN_SECONDS = 1.0


def feed_forever(folder: Path, worker: int, workers: int, out: "Queue[Entries]", stopped: Callable[[], bool]) -> None:
    """Puts every sample of every `workers`-th shard into `out`, once, until `stopped`."""
    cv2.setNumThreads(1)
    torch.set_num_threads(1)
    seen: set[str] = set()
    while not stopped():
        fresh = [p for p in sorted(folder.glob("*.npz")) if p.name not in seen]
        seen.update(p.name for p in fresh)
        for path in fresh:
            if int(path.stem.split("_")[0]) % workers != worker or stopped():
                continue
            try:
                shard = Shard(path)
            except FileNotFoundError:
                continue
            for start in range(0, len(shard), CHUNK):
                samples = [shard.sample(i) for i in range(start, min(start + CHUNK, len(shard)))]
                if not _put(out, entries_of(samples), stopped):
                    break
        time.sleep(RESCAN_SECONDS)
    out.cancel_join_thread()


def _put(out: "Queue[Entries]", entries: Entries, stopped: Callable[[], bool]) -> bool:
    while not stopped():
        try:
            out.put(entries, timeout=1)
            return True
        except queue.Full:
            continue
    return False


def device_batches(pool: DevicePool, source: "Queue[Entries]", batch_size: int, side: int) -> Iterator[Batch]:
    """Batches for ever; between them, what the feeders brought is copied to the device."""
    while pool.count < SAMPLES_TO_START:
        pool.add(source.get(timeout=120))
    while True:
        for _ in range(COPIES_PER_STEP):
            try:
                pool.add(source.get_nowait())
            except queue.Empty:
                break
        yield batch_of(pool.views(batch_size, side))
