"""The command's output: results on standard output, everything else on standard error."""

from __future__ import annotations

import json
import os
import re
import sys
import unicodedata
from collections.abc import Sequence

from veil_redact._cli.inputs import OutputTakenError
from veil_redact.errors import (
    ApiError,
    ConnectionFailedError,
    MediaFailedError,
    OutputExistsError,
    TimedOutError,
    UnexpectedAnswerError,
    UploadFileError,
)

_CODES: dict[type[BaseException], str] = {
    ConnectionFailedError: "connection_failed",
    TimedOutError: "timed_out",
    UploadFileError: "file_not_readable",
    UnexpectedAnswerError: "unexpected_answer",
    OutputExistsError: "output_exists",
    OutputTakenError: "output_exists",
}
_COMMANDS = re.compile(r"[\x00-\x1f\x7f-\x9f\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069]")


def printable(text: str) -> str:
    """Removes the characters of a text that a terminal would treat as commands or as changes of direction."""
    return _COMMANDS.sub("\ufffd", text).encode("utf-8", "replace").decode()


class Printer:
    """Prints lines, and on a terminal the current progress below them."""

    def __init__(self, *, is_json: bool, is_quiet: bool = False) -> None:
        self.is_json = is_json
        self.is_heard = True
        self._is_quiet = is_quiet
        self._shows_progress = sys.stderr.isatty() and not is_quiet
        self._progress = ""

    def result(self, text: str | Sequence[str], record: object) -> None:
        """One result: a line with cells separated by tabs, or a line of JSON."""
        cells = [text] if isinstance(text, str) else text
        self._clear()
        try:
            print(_json_of(record) if self.is_json else "\t".join(map(printable, cells)), flush=True)  # noqa: T201
        except BrokenPipeError:
            # The reader of the output has ended, but the user still wants the files. Python would raise again at
            # exit.
            self.is_heard = False
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())

    def say(self, sentence: str, *, always: bool = False) -> None:
        """A sentence on standard error."""
        if always or not self._is_quiet:
            self._clear()
            print(printable(sentence), file=sys.stderr, flush=True)  # noqa: T201

    def progress(self, text: str) -> None:
        """The current progress, in a line that is overwritten."""
        if self._shows_progress and text != self._progress:
            self._progress = text
            sys.stderr.write(f"\r\x1b[2K{_cut(printable(text), 79)}")
            sys.stderr.flush()

    def _clear(self) -> None:
        if self._progress:
            self._progress = ""
            sys.stderr.write("\r\x1b[2K")


def _json_of(record: object) -> str:
    return json.dumps(record, separators=(",", ":"))


def reason_of(error: BaseException) -> dict[str, str]:
    """Why something was not done: a code for programs and a message for people."""
    if isinstance(error, ApiError):
        sentences = [sentence for field in error.fields.values() for sentence in field]
        return {"code": error.code or f"http_{error.status}", "message": " ".join(sentences) or error.message}
    if isinstance(error, MediaFailedError):
        code = {} if error.failure is None else {"failure_code": error.failure.code}
        message = str(error) if error.failure is None else error.failure.message
        return {"code": error.media.status, **code, "message": message}
    if isinstance(error, OutputExistsError):
        return {"code": "output_exists", "message": f"{error.path} already exists; --force replaces it."}
    return {"code": _CODES.get(type(error), "file_system"), "message": str(error)}


def ends_all(error: BaseException) -> bool:
    """Whether the next file would fail with the same error."""
    return isinstance(error, (ConnectionFailedError, UnexpectedAnswerError)) or (
        isinstance(error, ApiError) and error.status == 401
    )


def _cut(text: str, columns: int) -> str:
    """Truncates a text to a number of columns. East Asian characters take two (Unicode UAX #11)."""
    width = 0
    for index, character in enumerate(text):
        width += 2 if unicodedata.east_asian_width(character) in "WF" else 1
        if width > columns:
            return text[:index]
    return text
