"""Command line: `python -m veil_training <command> --help`."""

import argparse
import json
import os
from dataclasses import asdict
from pathlib import Path

import torch

from .checkpoint import averaged_model, load_weights, save_weights
from .evaluate import evaluate, markdown, mean_coverage
from .evaluator import EvaluatorSettings
from .export import export_onnx
from .inspection import contact_sheet, speed
from .labels import OWN_SEEN
from .manifest import read_manifest
from .model import ModelSettings
from .pack import PackSettings, pack, unpack
from .pseudo_labels import label_with_own
from .render.fonts import DEFAULT_FONT_DIRS
from .rendered_set import RenderedSetSettings, write_rendered_set
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
    parser.add_argument("--threads", type=int, default=1, help="threads of each trainer")
    parser.add_argument("--trainers", type=int, default=1 if torch.cuda.is_available() else cores)
    parser.add_argument("--renderers", type=int, default=max(1, cores - 4))
    parser.add_argument("--loaders", type=int, default=3 if torch.cuda.is_available() else 1, help="of each trainer")
    parser.add_argument("--max-shards", type=int, default=64)
    parser.add_argument("--batch-size", type=int, default=TrainSettings.batch_size)
    parser.add_argument("--side", type=int, default=TrainSettings.side, help="pixels of a training crop")
    parser.add_argument("--evaluate", type=Path, nargs="*", default=[], help="labelled folders, measured now and then")
    parser.add_argument("--evaluate-manifest", type=Path, nargs="*", help="one for each (default: its manifest.jsonl)")
    parser.add_argument("--evaluate-photos", type=int, default=250, help="photos of each folder")
    parser.add_argument("--evaluate-pause", type=float, default=2400, help="seconds between evaluations")
    parser.add_argument("--start-from", type=Path, help="weights file to start from where there is no checkpoint")
    parser.add_argument("--final-step", type=int, help="stop at this step, after a cooldown of the learning rate")
    parser.add_argument("--cooldown-steps", type=int, default=TrainSettings.cooldown_steps)
    parser.set_defaults(handler=_run)


def _evaluator(arguments: argparse.Namespace) -> EvaluatorSettings | None:
    if not arguments.evaluate:
        return None
    manifests = arguments.evaluate_manifest or [folder / "manifest.jsonl" for folder in arguments.evaluate]
    return EvaluatorSettings(
        run_dir=arguments.run_dir,
        folders=tuple(zip(arguments.evaluate, manifests, strict=True)),
        photos_per_folder=arguments.evaluate_photos,
        pause_seconds=arguments.evaluate_pause,
    )


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
            train=TrainSettings(
                batch_size=arguments.batch_size,
                side=arguments.side,
                final_step=arguments.final_step,
                cooldown_steps=arguments.cooldown_steps,
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
            evaluator=_evaluator(arguments),
            start_from=arguments.start_from,
        )
    )


def _add_export(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    parser = commands.add_parser("export", help="checkpoint or weights file to ONNX")
    parser.add_argument("--checkpoint", type=Path, help="checkpoint.pt of a run: its averaged weights are taken")
    parser.add_argument("--weights-file", type=Path, help="half-precision weights instead of a checkpoint")
    parser.add_argument("--out", type=Path, required=True, help="the ONNX file")
    parser.add_argument("--save-weights", type=Path, help="also write half-precision weights to resume from")
    parser.set_defaults(handler=_export)


def _export(arguments: argparse.Namespace) -> None:
    if (arguments.checkpoint is None) == (arguments.weights_file is None):
        raise SystemExit("give either --checkpoint or --weights-file")
    source = arguments.checkpoint
    model = averaged_model(source) if source else load_weights(arguments.weights_file)
    print(json.dumps(asdict(export_onnx(model, arguments.out)), indent=2))
    if arguments.save_weights:
        save_weights(arguments.save_weights, model)


def _add_evaluate(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    parser = commands.add_parser("evaluate", help="coverage recall of an exported model on a labelled folder")
    parser.add_argument("--model", type=Path, required=True)
    parser.add_argument("--data", type=Path, required=True, nargs="+", help="folders of photos, counted together")
    parser.add_argument("--manifest", type=Path, nargs="*", help="one for each folder (default: its manifest.jsonl)")
    parser.add_argument("--part", default="eval")
    parser.add_argument("--every", type=int, default=1, help="take every n-th photo")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--json", type=Path, help="also write the figures as JSON")
    parser.set_defaults(handler=_evaluate)


def _evaluate(arguments: argparse.Namespace) -> None:
    manifests = arguments.manifest or [folder / "manifest.jsonl" for folder in arguments.data]
    folders = [
        (folder, read_manifest(manifest, arguments.part)[:: arguments.every])
        for folder, manifest in zip(arguments.data, manifests, strict=True)
    ]
    figures = evaluate(arguments.model, folders, arguments.threads)
    print(markdown(figures))
    print(f"\nmean coverage recall {mean_coverage(figures):.3f}")
    if arguments.json:
        arguments.json.write_text(json.dumps({k: asdict(v) for k, v in figures.items()}, indent=2) + "\n")


def _add_rendered_set(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    parser = commands.add_parser("rendered-set", help="write a labelled evaluation folder from held-out templates")
    parser.add_argument("--data", type=Path, required=True, help="folder of photos, for backgrounds")
    parser.add_argument("--manifest", type=Path)
    parser.add_argument("--weights", type=Path, help="folder of the teachers' weights, for portraits")
    parser.add_argument("--fonts", nargs="*", default=list(DEFAULT_FONT_DIRS))
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--targets", type=int, default=100, help="at least this many of each category")
    parser.set_defaults(handler=_rendered_set)


def _rendered_set(arguments: argparse.Namespace) -> None:
    settings = RenderedSetSettings(
        data=arguments.data,
        manifest=arguments.manifest or arguments.data / "manifest.jsonl",
        out=arguments.out,
        fonts=tuple(arguments.fonts),
        weights=arguments.weights,
        targets_per_category=arguments.targets,
    )
    print(json.dumps(write_rendered_set(settings), indent=2))


def _add_own_labels(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    parser = commands.add_parser("own-labels", help="let an exported model label photos for the next run")
    parser.add_argument("--model", type=Path, required=True)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--manifest", type=Path)
    parser.add_argument("--run-dir", type=Path, required=True)
    parser.set_defaults(handler=_own_labels)


def _own_labels(arguments: argparse.Namespace) -> None:
    photos = read_manifest(arguments.manifest or arguments.data / "manifest.jsonl", "train")
    out = arguments.run_dir / "own_labels.jsonl"
    print(label_with_own(photos, arguments.data, arguments.model, out, OWN_SEEN), "photos")


def _add_sheet(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    parser = commands.add_parser("sheet", help="random samples of the pool with their labels, as a picture")
    parser.add_argument("--run-dir", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--columns", type=int, default=5)
    parser.add_argument("--rows", type=int, default=4)
    parser.add_argument("--seed", type=int, default=0)
    parser.set_defaults(handler=lambda a: contact_sheet(a.run_dir / "pool", a.out, a.columns, a.rows, a.seed))


def _add_speed(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    parser = commands.add_parser("speed", help="milliseconds of an exported model")
    parser.add_argument("--model", type=Path, required=True)
    parser.add_argument("--threads", type=int, default=2)
    parser.set_defaults(handler=lambda a: print("\n".join(map(json.dumps, speed(a.model, a.threads)))))


def _add_pack(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    parser = commands.add_parser("pack", help="code, checkpoint, photos and fonts for a host without network")
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--manifest", type=Path)
    parser.add_argument("--run-dir", type=Path, required=True)
    parser.add_argument("--fonts", nargs="*", default=list(DEFAULT_FONT_DIRS))
    parser.add_argument("--out", type=Path, required=True, help="parts get .000, .001 … behind this name")
    parser.add_argument("--limit-mib", type=int, default=PackSettings.limit_mib)
    parser.add_argument("--state-only", action="store_true", help="checkpoint and log alone, to bring back")
    parser.set_defaults(handler=_pack)


def _pack(arguments: argparse.Namespace) -> None:
    manifest = arguments.manifest or arguments.data / "manifest.jsonl"
    settings = PackSettings(
        data=arguments.data,
        manifest=manifest,
        run_dir=arguments.run_dir,
        fonts=tuple(arguments.fonts),
        out=arguments.out,
        limit_mib=arguments.limit_mib,
        state_only=arguments.state_only,
    )
    for part in pack(settings):
        print(part)


def _add_unpack(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    parser = commands.add_parser("unpack", help="reverse of pack: makes veil_training, photos, fonts and run")
    parser.add_argument("parts", type=Path, nargs="+")
    parser.add_argument("--out", type=Path, required=True)
    parser.set_defaults(handler=lambda a: unpack(a.parts, a.out))


def main() -> None:
    """Entry point."""
    parser = argparse.ArgumentParser(prog="veil_training")
    commands = parser.add_subparsers(required=True)
    for add in (
        _add_run,
        _add_export,
        _add_evaluate,
        _add_rendered_set,
        _add_sheet,
        _add_speed,
        _add_pack,
        _add_unpack,
    ):
        add(commands)
    arguments = parser.parse_args()
    arguments.handler(arguments)


if __name__ == "__main__":
    main()
