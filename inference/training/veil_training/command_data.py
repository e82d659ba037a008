"""Commands about data."""

import argparse
import json
from pathlib import Path

from .command_types import Commands
from .inspection import contact_sheet
from .labels import OWN_SEEN
from .manifest import load_image, manifest_row, read_manifest, with_labels_by_eye
from .pack import PackSettings, pack, unpack
from .pseudo_labels import label_with_own
from .render.fonts import DEFAULT_FONT_DIRS
from .rendered_set import RenderedSetSettings, write_rendered_set


def add_rendered_set(commands: Commands) -> None:
    """Writing a rendered evaluation folder."""
    parser = commands.add_parser("rendered-set", help="write a labelled folder of rendered photos")
    parser.add_argument("--data", type=Path, required=True, help="folder of photos, for backgrounds")
    parser.add_argument("--manifest", type=Path)
    parser.add_argument("--weights", type=Path, help="folder of the teachers' weights, for portraits")
    parser.add_argument("--fonts", nargs="*", default=list(DEFAULT_FONT_DIRS))
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--targets", type=int, default=100, help="at least this many of each category")
    parser.add_argument("--part", choices=("eval", "train"), default="eval", help="eval: from held-out templates")
    parser.set_defaults(handler=_rendered_set)


def _rendered_set(arguments: argparse.Namespace) -> None:
    settings = RenderedSetSettings(
        data=arguments.data,
        manifest=arguments.manifest or arguments.data / "manifest.jsonl",
        out=arguments.out,
        fonts=tuple(arguments.fonts),
        weights=arguments.weights,
        targets_per_category=arguments.targets,
        part=arguments.part,
    )
    print(json.dumps(write_rendered_set(settings), indent=2))


def add_by_eye_set(commands: Commands) -> None:
    """A manifest of the evaluation photos labelled by eye."""
    parser = commands.add_parser("by-eye-set", help="write a manifest of the evaluation photos that we labelled by eye")
    parser.add_argument("--data", type=Path, required=True, help="folder of photos")
    parser.add_argument("--manifest", type=Path)
    parser.add_argument("--out", type=Path, required=True, help="the manifest; its paths begin at --data")
    parser.set_defaults(handler=_by_eye_set)


def _by_eye_set(arguments: argparse.Namespace) -> None:
    photos = with_labels_by_eye(read_manifest(arguments.manifest or arguments.data / "manifest.jsonl", "eval"))
    rows = []
    for photo in (p for p in photos if p.by_eye):
        height, width = load_image(arguments.data / photo.file).shape[:2]
        rows.append(json.dumps(manifest_row(photo, width, height)) + "\n")
    arguments.out.write_text("".join(rows))
    print(len(rows), "photos")


def add_sheet(commands: Commands) -> None:
    """Looking at the pool."""
    parser = commands.add_parser("sheet", help="random samples of the pool with their labels, as a picture")
    parser.add_argument("--run-dir", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--columns", type=int, default=5)
    parser.add_argument("--rows", type=int, default=4)
    parser.add_argument("--seed", type=int, default=0)
    parser.set_defaults(handler=lambda a: contact_sheet(a.run_dir / "pool", a.out, a.columns, a.rows, a.seed))


def add_own_labels(commands: Commands) -> None:
    """Labels by an earlier network."""
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


def add_pack(commands: Commands) -> None:
    """Packing for a host without network."""
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


def add_unpack(commands: Commands) -> None:
    """Unpacking there."""
    parser = commands.add_parser("unpack", help="reverse of pack: makes veil_training, photos, fonts and run")
    parser.add_argument("parts", type=Path, nargs="+")
    parser.add_argument("--out", type=Path, required=True)
    parser.set_defaults(handler=lambda a: unpack(a.parts, a.out))
