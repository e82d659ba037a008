"""The arguments of the command."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Sequence
from typing import cast, get_args

from veil_redact._cli.exit_codes import UsageError
from veil_redact._options import did_you_mean
from veil_redact._version import __version__
from veil_redact.models import MediaStatus, MediaType, RedactionCategory, RedactionMethod
from veil_redact.params import MuteRangeParam, RegionParam, Sensitivity

_AUDIO_MODES = ("keep", "mute", "mute_speech")
_ROUNDING = 1e-9
"""Sums such as 0.58 + 0.42 may slightly exceed 1."""
_INVALID_CHOICE = re.compile(r"invalid choice: '(?P<given>[^']*)' \(choose from (?P<choices>.*)\)")
_REGION = re.compile(r"(?P<box>[^:@]*)(?:@(?P<category>[^:]*))?(?::(?P<start>\d+(?:\.\d+)?)-(?P<end>\d+(?:\.\d+)?))?")
CATEGORIES: tuple[RedactionCategory, ...] = get_args(RedactionCategory)

_EPILOG = f"""\
categories: all, or some of
  {", ".join(CATEGORIES[:6])},
  {", ".join(CATEGORIES[6:])}

Without --base-url and --api-key, the command uses VEIL_BASE_URL and VEIL_API_KEY. Without those, it uses the service
that npm start runs on this machine: .veil/service.json, in this folder, in one above it, or in VEIL_DIR.

exit codes: 0 done, 1 something failed, 2 the command is wrong and nothing was sent, 3 the service cannot be reached
or refuses the key, 4 all photos and videos are redacted but other files were skipped, 130 interrupted
"""


class _Parser(argparse.ArgumentParser):
    """Raises instead of ending the process."""

    def error(self, message: str) -> None:  # type: ignore[override]
        wrong = _INVALID_CHOICE.search(message)
        if wrong is not None:
            message += did_you_mean(wrong["given"], re.findall(r"[\w-]+", wrong["choices"]))
        raise UsageError(f"{message}\n{self.prog} --help lists the options.")


def parse(args: Sequence[str]) -> argparse.Namespace:
    """The parsed arguments. Raises UsageError. Prints and ends the process for --help and --version."""
    plain = argparse.RawDescriptionHelpFormatter
    connection = _Parser(add_help=False)
    connection.add_argument("--base-url", metavar="URL", help="such as https://veil.example.com/api/v1")
    connection.add_argument("--api-key", metavar="KEY", help="VEIL_API_KEY is safer, since others here can see options")
    connection.add_argument("--allow-http", action="store_true", help="send key and files unencrypted")
    connection.add_argument("--json", action="store_true", help="JSON on standard output")

    parser = _Parser(prog="veil-redact", description="Redact photos and videos.", epilog=_EPILOG, formatter_class=plain)
    parser.add_argument("--version", action="version", version=f"veil-redact {__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND", parser_class=_Parser)

    def add(name: str, sentence: str) -> argparse.ArgumentParser:
        return commands.add_parser(
            name, help=sentence, description=sentence, epilog=_EPILOG, formatter_class=plain, parents=[connection]
        )

    _add_redact(add("redact", "upload photos and videos, wait, and write the redacted files"))
    _add_detect(add("detect", "list what is found in a file or a media item"))
    _add_revise(add("revise", "make a corrected version of a redacted file"))
    _add_download(add("download", "wait for a media item to finish, and write its redacted file"))
    _add_verify(add("verify", "check a report, and whether it is about a file"))
    _add_list(add("list", "list the newest media"))
    get = add("get", "show the status of media")
    get.add_argument("media_ids", nargs="+", metavar="MEDIA_ID")
    retry = add("retry", "try failed media again, from their stored sources")
    retry.add_argument("media_ids", nargs="+", metavar="MEDIA_ID")
    add("usage", "show how much of the plan is used")
    delete = add("delete", "delete media and all their files")
    delete.add_argument("media_ids", nargs="+", metavar="MEDIA_ID")
    deletions = add("deletions", "show what was deleted, by whom, and what is left of it")
    deletions.add_argument("media_ids", nargs="*", metavar="MEDIA_ID", help="default: all of the past year")
    _add_limit(deletions)
    order, unknown = parser.parse_known_args(args)
    if unknown:
        _refuse_unknown(commands.choices[order.command], unknown)
    order = _with_metadata(order)
    if order.command == "redact":
        order.min_confidence = _min_confidence(order.min_confidence or [], order.categories)
    if order.command == "redact" and order.skip_existing and order.force:
        parser.error("--skip-existing looks for redacted files; leave out --force.")
    return order


def _refuse_unknown(command: argparse.ArgumentParser, unknown: Sequence[str]) -> None:
    known = [option for action in command._actions for option in action.option_strings if option.startswith("--")]
    hints = (f"{one}{did_you_mean(one.partition('=')[0], known)}" for one in unknown)
    command.error(f"unrecognized arguments: {', '.join(hints)}")


def _with_metadata(order: argparse.Namespace) -> argparse.Namespace:
    pairs = [*(getattr(order, "metadata", None) or [])]
    if order.command == "redact" and order.external_id is not None:
        pairs.append(("external_id", order.external_id))
    order.metadata = dict(pairs) or None
    return order


def _pair(text: str) -> tuple[str, str]:
    key, equals, value = text.partition("=")
    if not key or not equals:
        raise argparse.ArgumentTypeError(f"{text!r}; expected KEY=VALUE")
    return key, value


def _add_redact(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("paths", nargs="+", metavar="FILE", help="files, folders or globs")
    _add_categories(parser, required=True)
    parser.add_argument("-m", "--method", choices=get_args(RedactionMethod), default=None, help="default: blur")
    parser.add_argument(
        "--sensitivity", choices=get_args(Sensitivity), help="low: fewer false masks; high: fewer misses"
    )
    parser.add_argument(
        "--min-confidence",
        metavar="VALUE",
        type=_threshold,
        action="append",
        help="exact threshold from 0 to 1 for all categories, or for one: heads=0.4; can be repeated",
    )
    _add_regions(parser)
    _add_sound(parser)
    parser.add_argument("-o", "--output", metavar="PATH", help="the redacted file, or the folder for several files")
    parser.add_argument(
        "--folder", metavar="NAME", help="store the folder that the files came from; folders inside a folder are added"
    )
    parser.add_argument(
        "--metadata", metavar="KEY=VALUE", type=_pair, action="append", help="store a text of your own; can be repeated"
    )
    parser.add_argument("--external-id", metavar="ID", help="store your own ID; list can filter by it")
    parser.add_argument("-f", "--force", action="store_true", help="replace files; a source is never replaced")
    parser.add_argument(
        "--skip-existing",
        action="store_true",
        help="skip files whose redacted file exists: to continue a run that was stopped",
    )
    parser.add_argument("--delete", action="store_true", help="delete each media item once its file is written")
    parser.add_argument("-j", "--concurrency", type=_whole(32), default=4, metavar="N", help="files at once (4)")
    parser.add_argument("-q", "--quiet", action="store_true", help="no progress")
    _add_timeout(parser)


def _add_detect(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("subject", metavar="FILE_OR_MEDIA_ID")
    _add_categories(parser, required=False)
    parser.add_argument("--only", choices=("redacted", "open"), help="list only these detections")
    parser.add_argument("--sensitivity", choices=get_args(Sensitivity))
    _add_timeout(parser)


def _add_revise(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("media_id", metavar="MEDIA_ID")
    parser.add_argument("--from-current", action="store_true", help="start from what the file's current version hides")
    parser.add_argument("--redact", metavar="ID,ID", type=_ids, help="detections, or all (the default) or none")
    parser.add_argument("--except", metavar="ID,ID", type=_ids, dest="except_", help="detections to uncover")
    _add_regions(parser)
    _add_sound(parser)
    parser.add_argument(
        "--burn-in-reasons", action="store_true", help="print the code of its reason on each mask that is large enough"
    )
    parser.add_argument("-m", "--method", choices=get_args(RedactionMethod))
    parser.add_argument("-o", "--output", metavar="PATH", required=True)
    parser.add_argument("-f", "--force", action="store_true", help="replace an existing file")
    _add_timeout(parser)


def _add_sound(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--audio",
        choices=_AUDIO_MODES,
        help="of videos: keep the sound, mute all of it, or mute_speech wherever somebody speaks",
    )
    parser.add_argument(
        "--mute-range",
        metavar="START-END",
        type=_mute_range,
        action="append",
        help="of videos: silence these seconds; with @tone, cover them with a tone; can be repeated",
    )


def _mute_range(text: str) -> MuteRangeParam:
    found = re.fullmatch(r"(\d+(?:\.\d+)?)-(\d+(?:\.\d+)?)(?:@(silence|tone))?", text)
    if found is None or float(found[2]) <= float(found[1]):
        raise argparse.ArgumentTypeError(
            f"{text!r}; expected START-END in seconds, such as 12.5-14, or that with @tone"
        )
    return {
        "start_seconds": float(found[1]),
        "end_seconds": float(found[2]),
        "sound": "tone" if found[3] == "tone" else "silence",
    }


def _add_regions(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--region",
        metavar="X,Y,W,H",
        type=_region,
        action="append",
        help="another area to redact, in fractions from left and top; @CATEGORY sets its category, :START-END the "
        "seconds of a video; can be repeated",
    )


def _add_download(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("media_id", metavar="MEDIA_ID")
    parser.add_argument(
        "-o", "--output", metavar="PATH", help="default: the uploaded name with .redacted, in this folder"
    )
    parser.add_argument("-f", "--force", action="store_true", help="replace an existing file")
    _add_timeout(parser)


def _add_verify(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("report", metavar="REPORT")
    parser.add_argument("file", metavar="FILE", help="the redacted file, or the original")
    parser.add_argument(
        "--jwks",
        metavar="FILE",
        help="the service's public keys, saved from its /.well-known/jwks.json (default: fetched from there)",
    )


def _add_list(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--status", choices=get_args(MediaStatus))
    parser.add_argument("--type", choices=get_args(MediaType), dest="media_type")
    parser.add_argument("--external-id", metavar="ID", help="only media that were uploaded with this ID of yours")
    parser.add_argument("--folder", metavar="NAME", help="only media from this folder")
    parser.add_argument("--current", action="store_true", help="only the current version of each file")
    _add_limit(parser)


def _add_limit(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("-n", "--limit", type=_whole(100_000), default=20, metavar="N", help="how many (20)")


def _add_categories(parser: argparse.ArgumentParser, *, required: bool) -> None:
    parser.add_argument("-c", "--categories", metavar="C,C", type=_categories, required=required, help="what to redact")


def _add_timeout(parser: argparse.ArgumentParser) -> None:
    seconds = _whole(7 * 24 * 3600)
    parser.add_argument("--timeout", type=seconds, default=3600, metavar="SECONDS", help="after the upload (3600)")


def _categories(text: str) -> list[RedactionCategory]:
    names = [name.strip() for name in text.split(",") if name.strip()]
    if "all" in names:
        return [*CATEGORIES]
    unknown = [name for name in names if name not in CATEGORIES]
    if unknown or not names:
        raise argparse.ArgumentTypeError(
            f"{', '.join(unknown) or 'none'} given; expected all, or {', '.join(CATEGORIES)}"
        )
    return cast("list[RedactionCategory]", names)


def _ids(text: str) -> list[str]:
    return [one.strip() for one in text.split(",") if one.strip()]


def _region(text: str) -> RegionParam:
    parts = _REGION.fullmatch(text)
    try:
        x, y, width, height = (float(number) for number in (parts["box"] if parts else "").split(","))
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r}; expected x,y,width,height such as 0.1,0.2,0.3,0.1") from None
    if not (min(x, y) >= 0 and min(width, height) > 0 and x + width <= 1 + _ROUNDING and y + height <= 1 + _ROUNDING):
        raise argparse.ArgumentTypeError(
            f"{text!r}, which does not lie in the picture; expected x,y,width,height as fractions of it from 0 to 1, "
            "such as 0.1,0.2,0.3,0.1, not pixels"
        )
    region: RegionParam = {"box": {"x": x, "y": y, "width": width, "height": height}}
    if parts and parts["category"]:
        region["category"] = _categories(parts["category"])[0]
    if parts and parts["start"]:
        region["start_seconds"], region["end_seconds"] = float(parts["start"]), float(parts["end"])
    return region


def _threshold(text: str) -> tuple[RedactionCategory | None, float]:
    name, equals, value = text.rpartition("=")
    category = _categories(name) if equals else [None]
    try:
        confidence = float(value)
    except ValueError:
        confidence = -1
    if not 0 <= confidence <= 1 or len(category) != 1:
        raise argparse.ArgumentTypeError(f"{text!r}; expected a value from 0 to 1, or one for a category: heads=0.4")
    return category[0], confidence


def _min_confidence(
    thresholds: Sequence[tuple[RedactionCategory | None, float]], categories: Sequence[RedactionCategory]
) -> float | dict[RedactionCategory, float] | None:
    """One threshold for all categories, or thresholds for named ones."""
    by_category: dict[RedactionCategory, float] = {}
    for category, confidence in thresholds:
        if category is None and len(thresholds) == 1:
            return confidence
        if category is None:
            raise UsageError("--min-confidence is given for all categories and again; name a category with each.")
        if category not in categories:
            raise UsageError(f"--min-confidence names {category}, but --categories does not.")
        by_category[category] = confidence
    return by_category or None


def _whole(most: int) -> Callable[[str], int]:
    def read(text: str) -> int:
        value = int(text) if text.isascii() and text.isdigit() and len(text) < 12 else 0
        if not 1 <= value <= most:
            raise argparse.ArgumentTypeError(f"{text!r}; expected a whole number from 1 to {most}")
        return value

    return read
