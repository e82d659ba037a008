"""Commands of the second look."""

import argparse
import json
from pathlib import Path

from .command_types import Commands
from .render.fonts import DEFAULT_FONT_DIRS
from .second_look.choose import choices, table, write_choices
from .second_look.collect import CollectSettings, collect_photos, collect_scenes
from .second_look.export import export_second_look, load_network
from .second_look.measure import evaluation_photos, looked_for_absence, propose, read_proposals
from .second_look.quantise import add_integers
from .second_look.trainer import SecondLookSettings, train_second_look


def add_second_look(commands: Commands) -> None:
    """The second look: collect crops, train, export, choose its weights and thresholds."""
    parser = commands.add_parser("second-look", help="the network that sees every proposal again as a crop")
    steps = parser.add_subparsers(required=True)
    _add_collect(steps)
    _add_train(steps)
    _add_export(steps)
    _add_quantise(steps)
    _add_propose(steps)
    _add_choose(steps)


def _add_collect(steps: Commands) -> None:
    parser = steps.add_parser("collect", help="crops of stage one's proposals; goes on where it was")
    parser.add_argument("kind", choices=("photos", "scenes"))
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--manifest", type=Path)
    parser.add_argument("--model", type=Path, required=True, help="stage one's network")
    parser.add_argument("--out", type=Path, required=True, help="folder of shards")
    parser.add_argument("--fonts", nargs="*", default=list(DEFAULT_FONT_DIRS))
    parser.add_argument("--seconds", type=float, default=3600)
    parser.add_argument("--seed", type=int, default=1)
    parser.set_defaults(handler=_collect)


def _collect(arguments: argparse.Namespace) -> None:
    settings = CollectSettings(
        arguments.data,
        arguments.manifest or arguments.data / "manifest.jsonl",
        arguments.model,
        arguments.out,
        tuple(arguments.fonts),
        arguments.seconds,
        arguments.seed,
    )
    print(collect_scenes(settings) if arguments.kind == "scenes" else collect_photos(settings, "train"), "pictures")


def _add_train(steps: Commands) -> None:
    parser = steps.add_parser("train", help="train on collected crops; goes on where it was")
    parser.add_argument("--crops", type=Path, nargs="+", required=True)
    parser.add_argument("--run-dir", type=Path, required=True)
    parser.add_argument("--seconds", type=float, default=3600)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--learning-rate", type=float, default=SecondLookSettings.learning_rate)
    parser.add_argument("--start-from", type=Path, help="weights as `export --save-weights` writes them")
    parser.set_defaults(handler=_train)


def _train(arguments: argparse.Namespace) -> None:
    train_second_look(
        SecondLookSettings(
            tuple(arguments.crops),
            arguments.run_dir,
            arguments.seconds,
            threads=arguments.threads,
            learning_rate=arguments.learning_rate,
            start_from=arguments.start_from,
        )
    )


def _add_export(steps: Commands) -> None:
    parser = steps.add_parser("export", help="write the network as ONNX")
    parser.add_argument("--checkpoint", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--save-weights", type=Path)
    parser.set_defaults(handler=_export)


def _export(arguments: argparse.Namespace) -> None:
    sha256, difference = export_second_look(load_network(arguments.checkpoint), arguments.out, arguments.save_weights)
    print(json.dumps({"sha256": sha256, "largest_difference": difference}))


def _add_quantise(steps: Commands) -> None:
    parser = steps.add_parser("quantise", help="add the network in 8-bit integers beside its manifest")
    parser.add_argument("--described", type=Path, required=True, help="manifest of the second look")
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--manifest", type=Path)
    parser.set_defaults(handler=_quantise)


def _quantise(arguments: argparse.Namespace) -> None:
    manifest = arguments.manifest or arguments.data / "manifest.jsonl"
    print(json.dumps({"sha256": add_integers(arguments.described, arguments.data, manifest)}))


def _add_propose(steps: Commands) -> None:
    parser = steps.add_parser("propose", help="keep what stage one proposes on the photos that `choose` measures on")
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--manifest", type=Path)
    parser.add_argument("--model", type=Path, required=True, help="stage one's network")
    parser.add_argument("--out", type=Path, required=True)
    parser.set_defaults(handler=_propose)


def _propose(arguments: argparse.Namespace) -> None:
    photos = evaluation_photos(arguments.manifest or arguments.data / "manifest.jsonl")
    propose(photos, arguments.data, arguments.model, arguments.out)


def _add_choose(steps: Commands) -> None:
    parser = steps.add_parser("choose", help="measure every weight of the second look; write the best ones")
    parser.add_argument("--proposals", type=Path, required=True)
    parser.add_argument("--manifest", type=Path, required=True)
    parser.add_argument("--checkpoint", type=Path, required=True)
    parser.add_argument("--write", type=Path, help="manifest of the second look whose judgments are replaced")
    parser.set_defaults(handler=_choose)


def _choose(arguments: argparse.Namespace) -> None:
    found = choices(
        evaluation_photos(arguments.manifest),
        looked_for_absence(arguments.manifest),
        read_proposals(arguments.proposals),
        load_network(arguments.checkpoint),
    )
    print(table(found))
    if arguments.write:
        write_choices(found, arguments.write)


__all__ = ["add_second_look"]
