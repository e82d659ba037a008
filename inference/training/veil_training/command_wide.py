"""The command that teaches the wide look before the second look."""

import argparse
import json
from pathlib import Path

import numpy as np

from .categories import INDEX
from .command_types import Commands
from .manifest import photos_with_answers
from .second_look.choose import table
from .second_look.export import export_wide, load_network
from .second_look.features import Features
from .second_look.proposals import Proposals
from .second_look.scene import scene_views
from .second_look.scene_weights import logits_and_maps, surroundings, weights_in_scene
from .second_look.wide import (
    WideViews,
    train_wide,
    wide_logits,
    wide_logits_without_source,
    wide_views,
)
from .second_look.wide_choice import WEIGHED, after_wide_look, filter_judgments, wide_weights


def add_wide(steps: Commands) -> None:
    """second-look wide: teach it, export it, and print both manifests' judgments."""
    parser = steps.add_parser("wide", help="teach the look at a proposal's surroundings, and export it")
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--taught", type=Path, required=True, help="proposals of part train; views go beside them")
    parser.add_argument("--measured", type=Path, required=True, help="proposals of part eval")
    parser.add_argument("--features", type=Path, required=True, help="features of the proposals of part eval")
    parser.add_argument("--weights", type=Path, required=True, help="of the second look")
    parser.add_argument("--minutes", type=float, default=40)
    parser.add_argument(
        "--leave-out-minutes",
        type=float,
        default=0,
        help="also train this long without each group of sources, to measure on it; 0 does not",
    )
    parser.add_argument("--out", type=Path, required=True, help="the wide look as ONNX")
    parser.set_defaults(handler=_wide)


def _wide(arguments: argparse.Namespace) -> None:
    taught, measured = Proposals.load(arguments.taught), Proposals.load(arguments.measured)
    seen, shown = (
        _views(proposals, path, arguments.data)
        for proposals, path in ((taught, arguments.taught), (measured, arguments.measured))
    )
    net = train_wide(taught, seen, arguments.minutes)
    sha256, difference = export_wide(net, arguments.out)
    by_file = {photo.file: photo for photo in photos_with_answers(arguments.data / "manifest.jsonl", "eval")}
    ordered = [by_file[str(file)] for file in measured.files]
    features, views = Features.load(arguments.features), scene_views(ordered, arguments.data)
    second, maps = logits_and_maps(load_network(arguments.weights), features, views)
    logits = wide_logits(net, shown)
    by_name = {"wide look": logits}
    if arguments.leave_out_minutes > 0:
        pairs = ((taught, seen), (measured, shown))
        by_name["wide look, source left out"] = wide_logits_without_source(*pairs, arguments.leave_out_minutes)
    print(table(ordered, measured, by_name), flush=True)
    weighed = wide_weights(measured, logits)
    judgments = weighed | filter_judgments(ordered, measured, logits, 1 / (1 + np.exp(-second)))
    after, passing = after_wide_look(measured, logits, weighed)
    around = surroundings(measured, views, maps)[passing]
    in_scene = {name: weights_in_scene(INDEX[name], after.part(passing), second[passing], around) for name in WEIGHED}
    print(
        json.dumps({"sha256": sha256, "largest_difference": difference, "judgments": judgments, "in_scene": in_scene})
    )


def _views(proposals: Proposals, path: Path, data: Path) -> WideViews:
    stored = path.with_name(f"{path.stem}-views.npz")
    if not stored.exists():
        wide_views(proposals, data).save(stored)
    return WideViews.load(stored)


__all__ = ["add_wide"]
