"""Commands of the second look."""

import argparse
import json
from pathlib import Path

import numpy as np
import torch

from .categories import DETECTED, INDEX
from .command_types import Commands
from .command_wide import add_wide
from .manifest import Photo, photos_with_answers, read_manifest
from .second_look.choose import table, weights_for
from .second_look.export import export_second_look, load_network
from .second_look.features import Features, features_for, pooled_features, side_features
from .second_look.head import logits_of, logits_without_source, teaching_of, train_heads
from .second_look.network import tail_shares
from .second_look.proposals import Proposals, propose
from .second_look.quantise import add_integers
from .second_look.quarters import train_quarter_head, turned_features
from .second_look.scene import read_objects, scene_views, train_scene_head, write_objects
from .second_look.scene_weights import SCENE_JUDGED, logits_and_maps, surroundings, weights_in_scene
from .second_look.sides import side_table, side_views, stored_side_head, taught_sides, train_side_head
from .second_look.tail import stored_tail, tune_tail, tuned_logits, tuned_logits_without_source

VIEW_SEED = 101
SIDE_SEEDS = [7, 8, 9]


def add_second_look(commands: Commands) -> None:
    """The second look: propose, compute features, train the heads, export."""
    parser = commands.add_parser("second-look", help="the network that sees proposals again as crops")
    steps = parser.add_subparsers(required=True)
    _add_propose(steps)
    _add_features(steps)
    _add_train(steps)
    _add_compare(steps)
    _add_sides(steps)
    add_wide(steps)
    _add_export(steps)
    _add_quantise(steps)
    _add_scene(steps)
    _add_weigh(steps)


def _add_propose(steps: Commands) -> None:
    parser = steps.add_parser(
        "propose", help="what stage one proposes on the photos of a part, and what is known of it"
    )
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--manifest", type=Path)
    parser.add_argument("--part", choices=("train", "eval"), required=True)
    parser.add_argument("--model", type=Path, required=True, help="stage one's network")
    parser.add_argument("--out", type=Path, required=True)
    parser.set_defaults(handler=_propose)


def _propose(arguments: argparse.Namespace) -> None:
    photos = photos_with_answers(arguments.manifest or arguments.data / "manifest.jsonl", arguments.part)
    propose(photos, arguments.data, arguments.model, is_training=arguments.part == "train").save(arguments.out)


def _add_features(steps: Commands) -> None:
    parser = steps.add_parser("features", help="features of proposals, in half precision")
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--proposals", type=Path, required=True)
    parser.add_argument("--moved", action="store_true", help="moved, mirrored and lit by chance: for training")
    parser.add_argument("--out", type=Path, required=True)
    parser.set_defaults(handler=_features)


def _features(arguments: argparse.Namespace) -> None:
    proposals = Proposals.load(arguments.proposals)
    features_for(proposals, arguments.data, VIEW_SEED if arguments.moved else None).save(arguments.out)


def _add_train(steps: Commands) -> None:
    parser = steps.add_parser("train", help="train the heads; print what they reach within sources and without them")
    parser.add_argument("--data", type=Path, required=True)
    _add_pairs(parser)
    parser.add_argument("--tune-minutes", type=float, default=60, help="how long the backbone's last blocks are tuned")
    parser.add_argument(
        "--leave-out-minutes",
        type=float,
        default=0,
        help="also tune the blocks this long without each group of sources, to measure on it; 0 does not",
    )
    parser.add_argument("--out", type=Path, required=True, help="weights of the heads and the tuned blocks")
    parser.set_defaults(handler=_train)


def _train(arguments: argparse.Namespace) -> None:
    taught = Proposals.joined([Proposals.load(proposals) for proposals, _ in arguments.taught])
    seen = Features.joined([Features.load(features) for _, features in arguments.taught])
    measured, features = Proposals.load(arguments.measured[0]), Features.load(arguments.measured[1])
    shown = features.pooled
    teaching = teaching_of(taught, seen.pooled)
    nets, stored = train_heads(teaching)
    quarters = train_quarter_head(*turned_features(photos_with_answers(arguments.manifest, "train"), arguments.data))
    tuned = tune_tail(teaching, seen, np.ones(len(taught.boxes)), 0, arguments.tune_minutes)
    torch.save(stored | quarters | stored_tail(tuned, teaching), arguments.out)
    frozen = logits_of(nets, teaching, shown)
    within = frozen + (tuned_logits(tuned, teaching, features) - frozen) * tail_shares().numpy()
    without = logits_without_source(teaching, taught, measured, shown)
    by_name = {"frozen": frozen, "with the tuned tail": within, "frozen, source left out": without}
    if arguments.leave_out_minutes > 0:
        minutes = arguments.leave_out_minutes
        tail = tuned_logits_without_source(teaching, (taught, seen), (measured, features), minutes)
        by_name["with the tuned tail, source left out"] = without + (tail - without) * tail_shares().numpy()
    print(_table(arguments.manifest, measured, by_name))
    for index, name in enumerate(DETECTED):
        print(name, "stage one, second look, offset:", [round(one, 3) for one in weights_for(index, measured, within)])


def _table(manifest: Path, measured: Proposals, by_name: dict[str, np.ndarray]) -> str:
    return table(_photos_of(measured, manifest, "eval"), measured, by_name)


def _add_compare(steps: Commands) -> None:
    parser = steps.add_parser("compare", help="print what frozen heads reach within sources and without them")
    _add_pairs(parser)
    parser.set_defaults(handler=_compare)


def _compare(arguments: argparse.Namespace) -> None:
    taught = Proposals.joined([Proposals.load(proposals) for proposals, _ in arguments.taught])
    pooled = np.concatenate([pooled_features(features) for _, features in arguments.taught])
    measured, shown = Proposals.load(arguments.measured[0]), pooled_features(arguments.measured[1])
    teaching = teaching_of(taught, pooled)
    within = logits_of(train_heads(teaching)[0], teaching, shown)
    without = logits_without_source(teaching, taught, measured, shown)
    print(_table(arguments.manifest, measured, {"frozen": within, "frozen, source left out": without}))


def _add_pairs(parser: argparse.ArgumentParser) -> None:
    pair = {"type": Path, "nargs": 2, "required": True, "metavar": ("PROPOSALS", "FEATURES")}
    parser.add_argument("--taught", action="append", help="of part train and of rendered photos; repeatable", **pair)
    parser.add_argument("--measured", help="of part eval", **pair)
    parser.add_argument("--manifest", type=Path, required=True)


def _add_export(steps: Commands) -> None:
    parser = steps.add_parser("export", help="write the network as ONNX")
    parser.add_argument("--weights", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.set_defaults(handler=_export)


def _export(arguments: argparse.Namespace) -> None:
    sha256, difference = export_second_look(load_network(arguments.weights), arguments.out)
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


def _add_sides(steps: Commands) -> None:
    parser = steps.add_parser("sides", help="teach where the sides of objects are, and add it to the weights")
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--taught", type=Path, required=True, help="proposals of part train")
    parser.add_argument("--measured", type=Path, required=True, help="proposals of part eval")
    parser.add_argument("--steps", type=int, default=6000)
    parser.add_argument("--weights", type=Path, required=True, help="what train wrote; the sides are added")
    parser.set_defaults(handler=_sides)


def _sides(arguments: argparse.Namespace) -> None:
    manifest = arguments.data / "manifest.jsonl"
    taught, measured = (
        taught_sides(proposals, _photos_of(proposals, manifest, part))
        for proposals, part in (
            (Proposals.load(arguments.taught), "train"),
            (Proposals.load(arguments.measured), "eval"),
        )
    )
    net = train_side_head(side_views(taught, arguments.data, SIDE_SEEDS), arguments.steps)
    torch.save(torch.load(arguments.weights, weights_only=True) | stored_side_head(net), arguments.weights)
    print(side_table(net, measured, side_features(measured, arguments.data)))


def _photos_of(proposals: Proposals, manifest: Path, part: str) -> list[Photo]:
    photos = {photo.file: photo for photo in photos_with_answers(manifest, part)}
    return [photos[str(file)] for file in proposals.files]


def _add_scene(steps: Commands) -> None:
    parser = steps.add_parser("scene", help="teach what a whole photo shows, and add it to the weights")
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--teachers", type=Path, required=True, help="folder of the published detectors")
    parser.add_argument("--objects", type=Path, required=True, help="what the teacher finds; appended to")
    parser.add_argument("--weights", type=Path, required=True, help="what train wrote; the scene is added")
    parser.set_defaults(handler=_scene)


def _scene(arguments: argparse.Namespace) -> None:
    photos = read_manifest(arguments.data / "manifest.jsonl", "train")
    write_objects(photos, arguments.data, arguments.teachers, arguments.objects)
    scene = train_scene_head(scene_views(photos, arguments.data, VIEW_SEED), read_objects(arguments.objects))
    torch.save(torch.load(arguments.weights, weights_only=True) | scene, arguments.weights)


def _add_weigh(steps: Commands) -> None:
    parser = steps.add_parser("weigh", help="print how both looks are weighed beside the scene, for the manifest")
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--proposals", type=Path, required=True, help="of part eval")
    parser.add_argument("--features", type=Path, required=True)
    parser.add_argument("--weights", type=Path, required=True)
    parser.set_defaults(handler=_weigh)


def _weigh(arguments: argparse.Namespace) -> None:
    proposals, features = Proposals.load(arguments.proposals), Features.load(arguments.features)
    views = scene_views(photos_with_answers(arguments.data / "manifest.jsonl", "eval"), arguments.data)
    logits, maps = logits_and_maps(load_network(arguments.weights), features, views)
    around = surroundings(proposals, views, maps)
    judged = [INDEX[name] for name in SCENE_JUDGED]
    print(json.dumps({DETECTED[index]: weights_in_scene(index, proposals, logits, around) for index in judged}))


__all__ = ["add_second_look"]
