"""The one command: pseudo-labels, renderers, loaders and the trainer as processes that share a folder."""

import multiprocessing
import os
import queue
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from multiprocessing.queues import Queue
from multiprocessing.synchronize import Event
from pathlib import Path

import torch

from .loader import load_forever
from .losses import Batch
from .manifest import read_manifest
from .model import ModelSettings
from .pseudo_labels import teach
from .renderer import RenderSettings, render_forever
from .trainer import Trainer, TrainSettings, train

BATCHES_AHEAD = 4
SHARDS_TO_START = 4
NICENESS = 15
"""Helpers yield to the trainer."""


@dataclass(frozen=True)
class RunSettings:
    """Folders and process counts. `max_shards` bounds the pool on disk and in each loader's memory."""

    render: RenderSettings
    train: TrainSettings
    architecture: ModelSettings
    weights: Path | None
    run_dir: Path
    seconds: float
    threads: int
    renderers: int
    loaders: int
    max_shards: int


def _teach_job(settings: RunSettings) -> None:
    os.nice(NICENESS)
    if settings.weights is not None:
        photos = read_manifest(settings.render.manifest, "train")
        teach(photos, settings.render.data, settings.weights, settings.render.findings)


def _trim(pool: Path, keep: int) -> None:
    for path in sorted(pool.glob("*.npz"))[:-keep]:
        path.unlink(missing_ok=True)


def _render_job(settings: RunSettings, worker: int, stop: Event) -> None:
    os.nice(NICENESS)

    def may_render() -> bool:
        _trim(settings.render.pool, settings.max_shards)
        return True

    render_forever(settings.render, worker, may_render, stop.is_set)


def _load_job(settings: RunSettings, worker: int, out: "Queue[Batch]", stop: Event) -> None:
    os.nice(5)
    seed = time.time_ns() ^ worker
    load_forever(settings.render.pool, settings.train.batch_size, settings.train.side, seed, out, stop)


def _batches(source: "Queue[Batch]", workers: list[multiprocessing.Process]) -> Iterator[Batch]:
    while True:
        try:
            yield source.get(timeout=30)
        except queue.Empty:
            dead = [w.name for w in workers if not w.is_alive() and w.exitcode]
            if dead:
                raise RuntimeError(f"helper processes died: {', '.join(dead)}") from None
            print("waiting for samples", file=sys.stderr, flush=True)


def run(settings: RunSettings) -> None:
    """Trains for `seconds`; everything it needs to go on later is in `run_dir`."""
    for folder in (settings.run_dir, settings.render.pool):
        folder.mkdir(parents=True, exist_ok=True)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    torch.set_num_threads(settings.threads)
    context = multiprocessing.get_context("spawn")
    torch.multiprocessing.set_sharing_strategy("file_system")
    stop, batches = context.Event(), context.Queue(BATCHES_AHEAD)
    teacher = context.Process(target=_teach_job, args=(settings,), name="teacher", daemon=True)
    renderers = [
        context.Process(target=_render_job, args=(settings, i, stop), name=f"renderer-{i}", daemon=True)
        for i in range(settings.renderers)
    ]
    loaders = [
        context.Process(target=_load_job, args=(settings, i, batches, stop), name=f"loader-{i}", daemon=True)
        for i in range(settings.loaders)
    ]
    helpers = [teacher, *renderers, *loaders]
    for process in helpers:
        process.start()
    try:
        while len(list(settings.render.pool.glob("*.npz"))) < SHARDS_TO_START:
            if any(r.exitcode for r in renderers):
                raise RuntimeError("a renderer died; see its message above")
            time.sleep(1)
        trainer = Trainer(settings.train, settings.architecture, device)
        train(trainer, _batches(batches, helpers), settings.run_dir, settings.seconds)
    finally:
        stop.set()
        for process in helpers:
            process.terminate()
        for process in helpers:
            process.join(10)


def with_final_step(settings: RunSettings, final_step: int, cooldown_steps: int) -> RunSettings:
    """The same run ending with a cooldown."""
    return replace(settings, train=replace(settings.train, final_step=final_step, cooldown_steps=cooldown_steps))
