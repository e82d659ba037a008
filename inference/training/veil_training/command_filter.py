"""The command that teaches the filter before the second look."""

import argparse
import json
from pathlib import Path

from .command_types import Commands
from .manifest import photos_with_answers
from .second_look.export import export_filter
from .second_look.filter import FilterViews, filter_logits, filter_views, train_filter
from .second_look.filter_choice import filter_judgments
from .second_look.proposals import Proposals


def add_filter(steps: Commands) -> None:
    """second-look filter: teach it, export it, and print its judgments for the manifest."""
    parser = steps.add_parser("filter", help="teach the filter what the second look would deny, and export it")
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--taught", type=Path, required=True, help="proposals of part train; views go beside them")
    parser.add_argument("--measured", type=Path, required=True, help="proposals of part eval")
    parser.add_argument("--teacher", type=Path, required=True, help="the exported second look")
    parser.add_argument("--minutes", type=float, default=40)
    parser.add_argument("--out", type=Path, required=True, help="the filter as ONNX")
    parser.set_defaults(handler=_filter)


def _filter(arguments: argparse.Namespace) -> None:
    taught, measured = Proposals.load(arguments.taught), Proposals.load(arguments.measured)
    seen, shown = (
        _views(proposals, path, arguments)
        for proposals, path in ((taught, arguments.taught), (measured, arguments.measured))
    )
    net = train_filter(taught, seen, arguments.minutes)
    sha256, difference = export_filter(net, arguments.out)
    photos = photos_with_answers(arguments.data / "manifest.jsonl", "eval")
    by_file = {photo.file: photo for photo in photos}
    ordered = [by_file[str(file)] for file in measured.files]
    judgments = filter_judgments(ordered, measured, filter_logits(net, shown), shown.taught)
    print(json.dumps({"sha256": sha256, "largest_difference": difference, "judgments": judgments}))


def _views(proposals: Proposals, path: Path, arguments: argparse.Namespace) -> FilterViews:
    stored = path.with_name(f"{path.stem}-views.npz")
    if not stored.exists():
        filter_views(proposals, arguments.data, arguments.teacher).save(stored)
    return FilterViews.load(stored)


__all__ = ["add_filter"]
