"""The files to redact, and the paths of their outputs."""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from veil_redact._cli.exit_codes import UsageError
from veil_redact.errors import VeilError

_MEDIA_NAME = re.compile(r"\.(jpe?g|png|webp|hei[cf]|avif|gif|tiff?|bmp|mp4|m4v|mov|qt|webm|mkv|avi)$", re.IGNORECASE)
_REDACTED_NAME = re.compile(r"\.redacted\.[^.]+$", re.IGNORECASE)


@dataclass(frozen=True)
class Task:
    """One file to redact, and the path of its output."""

    source: Path
    target: Path
    is_named: bool = False
    """Whether the user named the output file, which then keeps that name whatever its content is."""
    subfolder: str = ""
    """Its folder below the given folder, with `/` between parts; empty at the top."""


class OutputTakenError(VeilError):
    """Another file of this run has this output path."""

    def __init__(self, target: Path, holder: Task) -> None:
        super().__init__(
            f"{target} is the output of {holder.source}. Redact this file by itself and name its output with -o."
        )


@dataclass(frozen=True)
class Plan:
    """The files that the paths resolve to."""

    tasks: Sequence[Task]
    left_alone: Sequence[Path]
    """Files in folders and globs whose names are not those of photos or videos."""
    redacted_already: Sequence[Path]
    """Files in folders and globs whose names say that they are already redacted."""


def plan_of(paths: Sequence[str], output: str | None) -> Plan:
    """Finds the files of the paths and assigns an output to each. Raises UsageError if that is not possible."""
    found: dict[Path, tuple[Path, Path]] = {}
    left_alone: dict[Path, Path] = {}
    redacted: dict[Path, Path] = {}
    is_many = len(paths) > 1
    for path in paths:
        if Path(path).is_file():
            found.setdefault(Path(path).resolve(), (Path(path), Path(Path(path).name)))
            continue
        is_many = True
        for file, place in _files_below(path):
            if _REDACTED_NAME.search(file.name):
                redacted.setdefault(file.resolve(), file)
            elif _MEDIA_NAME.search(file.name):
                found.setdefault(file.resolve(), (file, place))
            else:
                left_alone.setdefault(file.resolve(), file)
    if not found:
        raise UsageError(f"There is no photo or video in {', '.join(paths)}.")
    is_folder = _is_folder(output, is_many=is_many)
    is_named = output is not None and not is_folder
    tasks = [
        Task(
            source,
            _target_of(source, place, output, is_folder=is_folder),
            is_named,
            "/".join(place.parts[:-1]),
        )
        for source, place in found.values()
    ]
    _refuse_clashes(tasks)

    def others(files: dict[Path, Path]) -> list[Path]:
        return [file for real, file in files.items() if real not in found]

    return Plan(tasks, others(left_alone), others(redacted))


def _files_below(path: str) -> Iterator[tuple[Path, Path]]:
    """The files of a folder or a glob with their relative paths, without hidden files."""
    if Path(path).is_dir():
        for folder, folders, names in os.walk(path):
            folders[:] = sorted(name for name in folders if not name.startswith("."))
            for name in sorted(names):
                file = Path(folder, name)
                if not name.startswith(".") and file.is_file():
                    yield file, file.relative_to(path)
        return
    matches = sorted(glob.glob(path, recursive=True)) if glob.has_magic(path) else []  # noqa: PTH207
    if not matches:
        raise UsageError(f"There is no file or folder {path}.")
    for match in matches:
        if Path(match).is_file():
            yield Path(match), Path(Path(match).name)


def _is_folder(output: str | None, *, is_many: bool) -> bool:
    if output is None:
        return False
    looks_like_a_file = not Path(output).exists() and _MEDIA_NAME.search(output) is not None
    if is_many and (Path(output).is_file() or looks_like_a_file):
        raise UsageError(f"--output is {output!r}, which is a file; several files need a folder, such as redacted/.")
    return is_many or Path(output).is_dir() or output.endswith(("/", os.sep))


def _target_of(source: Path, place: Path, output: str | None, *, is_folder: bool) -> Path:
    if output is None:
        return source.with_name(f"{source.stem}.redacted{source.suffix}")
    return Path(output) / place if is_folder else Path(output)


def _refuse_clashes(tasks: Sequence[Task]) -> None:
    sources = {task.source.resolve() for task in tasks}
    targets: dict[Path, Task] = {}
    for task in tasks:
        real = task.target.resolve()
        other = targets.setdefault(real, task)
        if other is not task:
            raise UsageError(f"{other.source} and {task.source} would both be written to {task.target}.")
        if real in sources:
            raise UsageError(f"{task.source} would be written over the source {task.target}.")
