"""The one command: pseudo-labels, renderers, loaders and the trainer as processes that share a folder."""

import multiprocessing
import os
import queue
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from multiprocessing.process import BaseProcess
from multiprocessing.queues import Queue
from multiprocessing.sharedctypes import Synchronized
from multiprocessing.synchronize import Event
from pathlib import Path

import torch

from .checkpoint import start_from
from .device_pool import DevicePool, Entries
from .evaluator import EvaluatorSettings, evaluate_forever
from .feeder import device_batches, feed_forever
from .loader import load_forever
from .losses import Batch
from .manifest import read_manifest
from .model import ModelSettings
from .peers import Peers
from .pseudo_labels import teach
from .renderer import RenderSettings, render_forever
from .trainer import Trainer, TrainSettings, train

BATCHES_AHEAD = 4
SHARDS_TO_START = 4
FREE_SHARDS = 16
"""Up to this many shards the renderers work without regard to the trainers."""

USES_PER_SAMPLE = 7
"""Beyond, a fresh sample is rendered for every so many that are trained on."""

FAREWELL_SECONDS = 60
NICENESS = 15
"""Helpers yield to the trainer."""


@dataclass(frozen=True)
class RunSettings:
    """Folders and process counts. `max_shards` bounds the pool on disk and in each loader's memory.

    trainers: processes that share a step's batch, each with `threads` threads and `loaders` loaders.
    device_samples: capacity of the pool in an accelerator's memory, of which views are made there;
    0 leaves that to the loaders.
    """

    render: RenderSettings
    train: TrainSettings
    architecture: ModelSettings
    weights: Path | None
    run_dir: Path
    seconds: float
    threads: int
    trainers: int
    renderers: int
    loaders: int
    max_shards: int
    device_samples: int = 0
    evaluator: EvaluatorSettings | None = None
    start_from: Path | None = None


def _teach_job(settings: RunSettings) -> None:
    os.nice(NICENESS)
    if settings.weights is not None:
        photos = read_manifest(settings.render.manifest, "train")
        teach(photos, settings.render.data, settings.weights, settings.render.findings)


def _orphaned() -> bool:
    parent = multiprocessing.parent_process()
    return parent is not None and not parent.is_alive()


def _trim(pool: Path, keep: int) -> None:
    for path in sorted(pool.glob("*.npz"))[:-keep]:
        path.unlink(missing_ok=True)


def _render_job(settings: RunSettings, worker: int, used: "Synchronized[int]", stop: Event) -> None:
    os.nice(NICENESS)
    rendered = 0

    def may_render() -> bool:
        nonlocal rendered
        _trim(settings.render.pool, settings.max_shards)
        few = len(list(settings.render.pool.glob("*.npz"))) < FREE_SHARDS
        due = rendered * settings.renderers * settings.render.samples_per_shard * USES_PER_SAMPLE <= used.value
        rendered += few or due
        return few or due

    def stopped() -> bool:
        return stop.is_set() or _orphaned()

    render_forever(settings.render, worker, may_render, stopped)


def _evaluate_job(settings: EvaluatorSettings) -> None:
    os.nice(NICENESS)
    torch.set_num_threads(1)
    evaluate_forever(settings, _orphaned)


def _load_job(settings: RunSettings, worker: int, out: "Queue[Batch]", stop: Event) -> None:
    os.nice(3)
    seed = time.time_ns() ^ worker

    def stopped() -> bool:
        return stop.is_set() or _orphaned()

    load_forever(settings.render.pool, settings.train.batch_size, settings.train.side, seed, out, stopped)


def _feed_job(settings: RunSettings, worker: int, out: "Queue[Entries]", stop: Event) -> None:
    os.nice(3)
    torch.multiprocessing.set_sharing_strategy("file_system")

    def stopped() -> bool:
        return stop.is_set() or _orphaned()

    feed_forever(settings.render.pool, worker, settings.loaders, out, stopped)


def _batches(source: "Queue[Batch]", loaders: list[BaseProcess]) -> Iterator[Batch]:
    while True:
        try:
            yield source.get(timeout=30)
        except queue.Empty:
            dead = [w.name for w in loaders if not w.is_alive()]
            if dead:
                raise RuntimeError(f"loaders died: {', '.join(dead)}") from None
            print("waiting for samples", file=sys.stderr, flush=True)


def _counted(batches: Iterator[Batch], used: "Synchronized[int]") -> Iterator[Batch]:
    for batch in batches:
        with used.get_lock():
            used.value += batch.images.shape[0]
        yield batch


def _train_job(settings: RunSettings, rank: int, rendezvous: str, used: "Synchronized[int]") -> None:
    """One trainer with its loaders. Asked to terminate, it finishes its step and writes a checkpoint."""
    asked = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: asked.set())
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    torch.set_num_threads(settings.threads)
    torch.multiprocessing.set_sharing_strategy("file_system")
    context = multiprocessing.get_context("spawn")
    stop, batches = context.Event(), context.Queue(BATCHES_AHEAD)
    share = replace(settings, train=replace(settings.train, batch_size=settings.train.batch_size // settings.trainers))
    load = _feed_job if settings.device_samples else _load_job
    first = 0 if settings.device_samples else rank * 64
    loaders = [
        context.Process(target=load, args=(share, first + i, batches, stop), name=f"loader-{rank}-{i}", daemon=True)
        for i in range(settings.loaders)
    ]
    for process in loaders:
        process.start()
    try:
        peers = Peers.join(rank, settings.trainers, rendezvous)
        trainer = Trainer(share.train, settings.architecture, device, peers)
        if settings.start_from is not None:
            start_from(trainer.state, settings.start_from)
        if settings.device_samples:
            pool = DevicePool(settings.device_samples, device)
            source = device_batches(pool, batches, share.train.batch_size, share.train.side)
        else:
            source = _batches(batches, loaders)
        train(trainer, _counted(source, used), settings.run_dir, settings.seconds, asked.is_set)
    finally:
        stop.set()
        for process in loaders:
            process.terminate()


def _wait_for_shards(pool: Path, renderers: list[BaseProcess]) -> None:
    while len(list(pool.glob("*.npz"))) < SHARDS_TO_START:
        if any(r.exitcode for r in renderers):
            raise RuntimeError("a renderer died; see its message above")
        time.sleep(1)


def run(settings: RunSettings) -> None:
    """Trains for `seconds`; everything it needs to go on later is in `run_dir`."""
    for folder in (settings.run_dir, settings.render.pool):
        folder.mkdir(parents=True, exist_ok=True)
    context = multiprocessing.get_context("spawn")
    stop, used = context.Event(), context.Value("q", 0)
    rendezvous = settings.run_dir / f"rendezvous-{os.getpid()}"
    rendezvous.unlink(missing_ok=True)
    teacher = context.Process(target=_teach_job, args=(settings,), name="teacher", daemon=True)

    def renderer(i: int) -> BaseProcess:
        return context.Process(target=_render_job, args=(settings, i, used, stop), name=f"renderer-{i}", daemon=True)

    renderers = [renderer(i) for i in range(settings.renderers)]
    trainers = [
        context.Process(target=_train_job, args=(settings, i, str(rendezvous), used), name=f"trainer-{i}")
        for i in range(settings.trainers)
    ]
    helpers = [teacher]
    if settings.evaluator is not None:
        job = context.Process(target=_evaluate_job, args=(settings.evaluator,), name="evaluator", daemon=True)
        helpers.append(job)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    try:
        for process in (*helpers, *renderers):
            process.start()
        _wait_for_shards(settings.render.pool, renderers)
        for process in trainers:
            process.start()
        _follow(trainers, renderers, renderer)
    finally:
        stop.set()
        for process in (*trainers, *helpers, *renderers):
            if process.pid is not None:
                process.terminate()
        for process in trainers:
            if process.pid is not None:
                process.join(FAREWELL_SECONDS)
                process.kill()
        rendezvous.unlink(missing_ok=True)


def _follow(trainers: list[BaseProcess], renderers: list[BaseProcess], renderer: Callable[[int], BaseProcess]) -> None:
    """Waits for all trainers; one that fails ends the run, since the others would wait for it for ever.

    A renderer that dies of a rare drawing is replaced: its traceback is printed, the run goes on.
    """
    while any(t.is_alive() for t in trainers):
        time.sleep(1)
        if failed := [t.name for t in trainers if t.exitcode]:
            raise RuntimeError(f"trainers died: {', '.join(failed)}")
        for i, process in enumerate(renderers):
            if process.exitcode is not None:
                print(f"{process.name} died and is replaced", file=sys.stderr, flush=True)
                renderers[i] = renderer(i)
                renderers[i].start()
