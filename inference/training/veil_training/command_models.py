"""Commands about trained models."""

import argparse
import json
from dataclasses import asdict
from pathlib import Path

from .checkpoint import averaged_model, load_weights, save_weights
from .command_types import Commands
from .evaluate import evaluate, markdown, mean_coverage
from .export import export_onnx
from .inspection import speed
from .manifest import read_manifest
from .quantise import add_integers
from .release import ReleaseSettings, release


def add_export(commands: Commands) -> None:
    """Checkpoint to ONNX."""
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


def add_evaluate(commands: Commands) -> None:
    """Measuring a model."""
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


def add_speed(commands: Commands) -> None:
    """Timing a model."""
    parser = commands.add_parser("speed", help="milliseconds of an exported model")
    parser.add_argument("--model", type=Path, required=True)
    parser.add_argument("--threads", type=int, default=2)
    parser.set_defaults(handler=lambda a: print("\n".join(map(json.dumps, speed(a.model, a.threads)))))


def add_release(commands: Commands) -> None:
    """Writing the service's model folder."""
    parser = commands.add_parser("release", help="network, manifest and card for the inference service")
    parser.add_argument("--checkpoint", type=Path, required=True)
    parser.add_argument("--data", type=Path, required=True, nargs="+", help="labelled folders to measure on")
    parser.add_argument("--manifest", type=Path, nargs="*", help="one for each folder (default: its manifest.jsonl)")
    parser.add_argument("--training-manifest", type=Path, required=True, help="for the list of data and licences")
    parser.add_argument("--out", type=Path, required=True, help="the service's folder of models")
    parser.add_argument("--version", required=True)
    parser.add_argument("--save-weights", type=Path, help="half-precision weights to start later runs from")
    parser.add_argument(
        "--threshold", nargs="*", default=[], metavar="CATEGORY=VALUE", help="set by hand instead of measured"
    )
    parser.set_defaults(handler=_release)


def _release(arguments: argparse.Namespace) -> None:
    manifests = arguments.manifest or [folder / "manifest.jsonl" for folder in arguments.data]
    settings = ReleaseSettings(
        checkpoint=arguments.checkpoint,
        out=arguments.out,
        folders=tuple(zip(arguments.data, manifests, strict=True)),
        training_manifest=arguments.training_manifest,
        version=arguments.version,
        weights_out=arguments.save_weights,
        chosen={name: float(value) for name, value in (pair.split("=") for pair in arguments.threshold)},
    )
    print(markdown(release(settings)))


def add_quantise(commands: Commands) -> None:
    """The integer network of a release."""
    parser = commands.add_parser("quantise", help="add the network in 8-bit integers to a release")
    parser.add_argument("--release", type=Path, required=True, help="the service's folder of models")
    parser.add_argument("--data", type=Path, required=True, help="folder of the training photos")
    parser.add_argument("--manifest", type=Path, help="its manifest (default: manifest.jsonl in it)")
    parser.set_defaults(
        handler=lambda a: print(add_integers(a.release, a.data, a.manifest or a.data / "manifest.jsonl"))
    )
