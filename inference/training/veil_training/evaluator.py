"""The background process that measures checkpoints and keeps the best."""

import json
import os
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

from .checkpoint import averaged_model, save_weights
from .evaluate import evaluate, mean_coverage
from .export import export_onnx
from .labels import OWN_SEEN
from .manifest import Photo, read_manifest
from .pseudo_labels import label_with_own


@dataclass(frozen=True)
class EvaluatorSettings:
    """Labelled folders with their manifests, how many photos of each, and the pause between evaluations.

    data, manifest: the training photos, which the best network labels anew every `relabel_seconds`
    once it has seen `relabel_after_samples`.
    """

    run_dir: Path
    folders: tuple[tuple[Path, Path], ...]
    photos_per_folder: int
    pause_seconds: float
    data: Path
    manifest: Path
    relabel_seconds: float = 6 * 3600
    relabel_after_samples: int = 150_000


def fixed_subset(photos: list[Photo], count: int) -> list[Photo]:
    """At most `count` photos spread evenly over the list: the same ones every time."""
    step = max(1.0, len(photos) / count)
    return [photos[int(i * step)] for i in range(min(count, len(photos)))]


def evaluate_checkpoint(settings: EvaluatorSettings) -> float:
    """Measures run_dir/checkpoint.pt, appends to evaluations.jsonl, keeps best.onnx and best.pt; returns the mean."""
    run_dir = settings.run_dir
    model = averaged_model(run_dir / "checkpoint.pt")
    latest = run_dir / "latest.onnx"
    report = export_onnx(model, latest)
    folders = [
        (data, fixed_subset(read_manifest(manifest, "eval"), settings.photos_per_folder))
        for data, manifest in settings.folders
    ]
    figures = evaluate(latest, folders)
    mean = mean_coverage(figures)
    row = {
        "time": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "sha256": report.sha256,
        "mean_coverage_recall": round(mean, 4),
        "categories": {name: asdict(value) for name, value in figures.items()},
    }
    history = run_dir / "evaluations.jsonl"
    previous = [json.loads(line) for line in history.read_text().splitlines()] if history.exists() else []
    with history.open("a") as sink:
        sink.write(json.dumps(row) + "\n")
    if mean > max((r["mean_coverage_recall"] for r in previous), default=-1.0):
        save_weights(run_dir / "best.pt", model)
        os.replace(latest, run_dir / "best.onnx")
        (run_dir / "best.json").write_text(json.dumps(row, indent=2) + "\n")
    return mean


def relabel(settings: EvaluatorSettings) -> bool:
    """Lets the best network label the training photos if that is due; returns whether it did."""
    out, best = settings.run_dir / "own_labels.jsonl", settings.run_dir / "best.onnx"
    if not best.exists() or samples_seen(settings.run_dir / "log.jsonl") < settings.relabel_after_samples:
        return False
    if out.exists() and time.time() - out.stat().st_mtime < settings.relabel_seconds:
        return False
    photos = read_manifest(settings.manifest, "train")
    label_with_own(photos, settings.data, best, out, OWN_SEEN)
    return True


def samples_seen(log: Path) -> int:
    """Training samples according to the last line of a log."""
    lines = log.read_text().splitlines() if log.exists() else []
    return int(json.loads(lines[-1])["samples"]) if lines else 0


def evaluate_forever(settings: EvaluatorSettings, stopped: Callable[[], bool]) -> None:
    """Measures each new checkpoint, with a pause in between, until `stopped`."""
    checkpoint = settings.run_dir / "checkpoint.pt"
    measured_at, measured_time = time.monotonic(), checkpoint.stat().st_mtime if checkpoint.exists() else 0.0
    while not stopped():
        time.sleep(1)
        if time.monotonic() - measured_at < settings.pause_seconds or not checkpoint.exists():
            continue
        if checkpoint.stat().st_mtime == measured_time:
            continue
        measured_time = checkpoint.stat().st_mtime
        evaluate_checkpoint(settings)
        relabel(settings)
        measured_at = time.monotonic()
