"""Command line: `python -m veil_training <command> --help`."""

import argparse
import os
from pathlib import Path

from .model import ModelSettings
from .render.fonts import DEFAULT_FONT_DIRS
from .renderer import RenderSettings
from .run import RunSettings, run
from .trainer import TrainSettings


def _add_run(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    cores = os.cpu_count() or 1
    parser = commands.add_parser("run", help="render, train, keep checkpoints")
    parser.add_argument("--data", type=Path, required=True, help="folder of photos")
    parser.add_argument("--manifest", type=Path, help="labels of the photos (default: manifest.jsonl in --data)")
    parser.add_argument("--weights", type=Path, help="folder of the teachers' weights")
    parser.add_argument("--run-dir", type=Path, required=True, help="pool, checkpoints and logs")
    parser.add_argument("--fonts", nargs="*", default=list(DEFAULT_FONT_DIRS), help="folders of fonts")
    parser.add_argument("--seconds", type=float, default=1e9, help="stop after this long")
    parser.add_argument("--threads", type=int, default=max(1, cores - 1), help="threads of the trainer on a CPU")
    parser.add_argument("--renderers", type=int, default=max(1, cores - 3))
    parser.add_argument("--loaders", type=int, default=max(1, cores // 4))
    parser.add_argument("--max-shards", type=int, default=64)
    parser.add_argument("--batch-size", type=int, default=TrainSettings.batch_size)
    parser.set_defaults(handler=_run)


def _run(arguments: argparse.Namespace) -> None:
    run_dir: Path = arguments.run_dir
    render = RenderSettings(
        data=arguments.data,
        manifest=arguments.manifest or arguments.data / "manifest.jsonl",
        findings=run_dir / "pseudo_labels.jsonl",
        pool=run_dir / "pool",
        fonts=tuple(arguments.fonts),
    )
    run(
        RunSettings(
            render=render,
            train=TrainSettings(batch_size=arguments.batch_size),
            architecture=ModelSettings(),
            weights=arguments.weights,
            run_dir=run_dir,
            seconds=arguments.seconds,
            threads=arguments.threads,
            renderers=arguments.renderers,
            loaders=arguments.loaders,
            max_shards=arguments.max_shards,
        )
    )


def main() -> None:
    """Entry point."""
    parser = argparse.ArgumentParser(prog="veil_training")
    commands = parser.add_subparsers(required=True)
    _add_run(commands)
    arguments = parser.parse_args()
    arguments.handler(arguments)


if __name__ == "__main__":
    main()
