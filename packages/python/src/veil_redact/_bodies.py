"""Request bodies, which are sent piece by piece, and again from the beginning on a retry."""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from veil_redact._upload_file import UploadFile
from veil_redact.errors import InvalidArgumentError
from veil_redact.params import Audio, Category, MuteRangeParam, RegionParam, Sensitivity


@dataclass(frozen=True, kw_only=True)
class Body:
    """Bytes, optionally followed by a file and more bytes."""

    content_type: str
    head: bytes
    file: UploadFile | None = None
    tail: bytes = b""

    @property
    def size_bytes(self) -> int:
        """The total size."""
        return len(self.head) + (self.file.size_bytes if self.file else 0) + len(self.tail)


def json_body(value: object) -> Body:
    """A value as JSON. Raises InvalidArgumentError if it cannot be written as JSON."""
    return Body(content_type="application/json", head=json_text(value, "The request").encode())


def form_body(fields: Iterable[tuple[str, str]], file: UploadFile | None) -> Body:
    """A form with text fields and at most one file (RFC 7578, with names escaped as in HTML's form submission)."""
    boundary = f"veil-{secrets.token_hex(16)}"
    texts = [
        f'--{boundary}\r\nContent-Disposition: form-data; name="{_escaped(name)}"\r\n\r\n{value}\r\n'
        for name, value in fields
    ]
    content_type = f"multipart/form-data; boundary={boundary}"
    if file is None:
        return Body(
            content_type=content_type,
            head="".join(texts).encode("utf-8", "replace"),
            tail=f"--{boundary}--\r\n".encode(),
        )
    name = f'name="file"; filename="{_escaped(file.name)}"'
    kind = "Content-Type: application/octet-stream"
    file_head = f"--{boundary}\r\nContent-Disposition: form-data; {name}\r\n{kind}\r\n\r\n"
    return Body(
        content_type=content_type,
        # File names on Linux need not be valid text (PEP 383).
        head=("".join(texts) + file_head).encode("utf-8", "replace"),
        file=file,
        tail=f"\r\n--{boundary}--\r\n".encode(),
    )


def only_one_of(**places: object) -> None:
    """Raises InvalidArgumentError unless exactly one source of the file is given."""
    given = [name for name, value in places.items() if value is not None]
    if len(given) != 1:
        found = f"{' and '.join(given)} are given" if given else "none is given"
        raise InvalidArgumentError(f"Exactly one of {', '.join(places)} is required; {found}.")


def upload_fields(
    *,
    categories: Iterable[Category],
    redaction_method: str | None,
    sensitivity: Sensitivity | None,
    min_confidence: float | Mapping[Category, float] | None,
    regions: Sequence[RegionParam] | None,
    ignore_regions: Sequence[RegionParam] | None,
    detect_only: bool | None,
    audio: Audio | None,
    mute_ranges: Sequence[MuteRangeParam] | None = None,
    verify: bool | None = None,
    folder: str | None = None,
    metadata: Mapping[str, str] | None = None,
) -> list[tuple[str, str]]:
    """The fields of an upload's form, without options that are not given.

    Raises:
        InvalidArgumentError: the categories are a single text, or an option cannot be written as JSON
    """
    options: list[tuple[str, str | None]] = [
        ("redaction_method", redaction_method),
        ("sensitivity", sensitivity),
        ("min_confidence", None if min_confidence is None else json_text(min_confidence, "min_confidence")),
        ("regions", None if regions is None else json_text(regions, "regions")),
        ("ignore_regions", None if ignore_regions is None else json_text(ignore_regions, "ignore_regions")),
        ("detect_only", None if detect_only is None else json_text(detect_only, "detect_only")),
        ("audio", audio),
        ("mute_ranges", None if mute_ranges is None else json_text(mute_ranges, "mute_ranges")),
        ("verify", None if verify is None else json_text(verify, "verify")),
        ("folder", folder),
        ("metadata", None if metadata is None else json_text(dict(metadata), "metadata")),
    ]
    return [
        *(("categories[]", category) for category in _listed(categories)),
        *((name, value) for name, value in options if value is not None),
    ]


def detections_query(
    *, redacted: bool | None, categories: Iterable[Category] | None
) -> dict[str, str | int | Sequence[str]]:
    """The query that lists only some detections. Raises InvalidArgumentError if `categories` is a text."""
    query: dict[str, str | int | Sequence[str]] = {}
    if categories is not None:
        query["category"] = _listed(categories)
    if redacted is not None:
        query["redacted"] = "true" if redacted else "false"
    return query


def _listed(categories: Iterable[Category]) -> list[str]:
    if isinstance(categories, str):
        raise InvalidArgumentError(f"The categories are {categories!r}; expected a list, such as [{categories!r}].")
    return [str(category) for category in categories]


def json_text(value: object, name: str) -> str:
    """A value as JSON. Raises InvalidArgumentError with its name if it cannot be written as JSON."""
    try:
        return json.dumps(value, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise InvalidArgumentError(f"{name} cannot be sent as JSON: {error}") from error


def _escaped(name: str) -> str:
    return name.replace("\n", "%0A").replace("\r", "%0D").replace('"', "%22")
