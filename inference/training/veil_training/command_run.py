"""The command that trains."""

import argparse
import os
from pathlib import Path

import torch

from .command_types import Commands
from .evaluator import EvaluatorSettings
from .model import ModelSettings
from .render.fonts import DEFAULT_FONT_DIRS
from .renderer import RenderSettings
from .run import RunSettings, run
from .trainer import TrainSettings

DEVICE_SAMPLES = 100_000


def add_run(commands: Commands) -> None:
    """Training."""
    cores, on_gpu = os.cpu_count() or 1, torch.cuda.is_available()
    parser = commands.add_parser("run", help="render, train, keep checkpoints")
    parser.add_argument("--data", type=Path, required=True, help="folder of photos")
    parser.add_argument("--manifest", type=Path, help="labels of the photos (default: manifest.jsonl in --data)")
    parser.add_argument("--weights", type=Path, help="folder of the teachers' weights")
    parser.add_argument("--run-dir", type=Path, required=True, help="pool, checkpoints and logs")
    parser.add_argument("--fonts", nargs="*", default=list(DEFAULT_FONT_DIRS), help="folders of fonts")
    parser.add_argument("--seconds", type=float, default=1e9, help="stop after this long")
    parser.add_argument("--threads", type=int, default=1, help="threads of each trainer")
    parser.add_argument("--trainers", type=int, default=1 if on_gpu else cores)
    parser.add_argument("--renderers", type=int, default=max(1, cores // 2 - 1))
    parser.add_argument("--loaders", type=int, default=max(1, cores * 2 // 5) if on_gpu else 1, help="of each trainer")
    parser.add_argument("--max-shards", type=int, default=64)
    parser.add_argument("--batch-size", type=int, default=TrainSettings.batch_size)
    parser.add_argument("--side", type=int, default=TrainSettings.side, help="pixels of a training crop")
    parser.add_argument("--evaluate", type=Path, nargs="*", default=[], help="labelled folders, measured now and then")
    parser.add_argument("--evaluate-manifest", type=Path, nargs="*", help="one for each (default: its manifest.jsonl)")
    parser.add_argument("--evaluate-photos", type=int, default=250, help="photos of each folder")
    parser.add_argument("--evaluate-pause", type=float, default=2400, help="seconds between evaluations")
    parser.add_argument(
        "--draw",
        type=_source_weight,
        nargs="*",
        default=[],
        metavar="SOURCE=TIMES",
        help="draw photos of a source so many times as often, such as those whose figures fall short",
    )
    parser.add_argument("--start-from", type=Path, help="weights file to start from where there is no checkpoint")
    parser.add_argument("--final-step", type=int, help="stop at this step, after a cooldown of the learning rate")
    parser.add_argument("--cooldown-steps", type=int, default=TrainSettings.cooldown_steps)
    parser.add_argument("--cooldown-seconds", type=float, default=0.0, help="lower the rate over the last of --seconds")
    parser.add_argument(
        "--frozen-statistics", action="store_true", help="keep the normalisation's statistics: faster on CPUs"
    )
    parser.add_argument("--learning-rate", type=float, default=TrainSettings.learning_rate)
    parser.add_argument(
        "--device-samples",
        type=int,
        default=DEVICE_SAMPLES if on_gpu else 0,
        help="samples kept in an accelerator's memory (0.5 MB each); 0 makes views in loaders",
    )
    parser.set_defaults(handler=_run)


def _source_weight(text: str) -> tuple[str, float]:
    source, _, times = text.rpartition("=")
    if not source or not float(times) > 0:
        raise argparse.ArgumentTypeError(f"{text!r} is not SOURCE=TIMES with TIMES over 0, such as cars=2.5")
    return source, float(times)


def _evaluator(arguments: argparse.Namespace) -> EvaluatorSettings | None:
    if not arguments.evaluate:
        return None
    manifests = arguments.evaluate_manifest or [folder / "manifest.jsonl" for folder in arguments.evaluate]
    return EvaluatorSettings(
        run_dir=arguments.run_dir,
        folders=tuple(zip(arguments.evaluate, manifests, strict=True)),
        photos_per_folder=arguments.evaluate_photos,
        pause_seconds=arguments.evaluate_pause,
        data=arguments.data,
        manifest=arguments.manifest or arguments.data / "manifest.jsonl",
    )


def _run(arguments: argparse.Namespace) -> None:
    run_dir: Path = arguments.run_dir
    render = RenderSettings(
        data=arguments.data,
        manifest=arguments.manifest or arguments.data / "manifest.jsonl",
        findings=run_dir / "pseudo_labels.jsonl",
        pool=run_dir / "pool",
        fonts=tuple(arguments.fonts),
        source_weights=dict(arguments.draw),
    )
    run(
        RunSettings(
            render=render,
            train=TrainSettings(
                batch_size=arguments.batch_size,
                side=arguments.side,
                final_step=arguments.final_step,
                cooldown_steps=arguments.cooldown_steps,
                cooldown_seconds=arguments.cooldown_seconds,
                learning_rate=arguments.learning_rate,
                frozen_statistics=arguments.frozen_statistics,
            ),
            architecture=ModelSettings(),
            weights=arguments.weights,
            run_dir=run_dir,
            seconds=arguments.seconds,
            threads=arguments.threads,
            trainers=arguments.trainers,
            renderers=arguments.renderers,
            loaders=arguments.loaders,
            max_shards=arguments.max_shards,
            device_samples=arguments.device_samples,
            evaluator=_evaluator(arguments),
            start_from=arguments.start_from,
        )
    )
