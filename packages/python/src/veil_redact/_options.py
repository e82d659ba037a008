"""The options of an upload besides its categories."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, TypedDict

from veil_redact._progress import ProgressListener
from veil_redact.models import RedactionCategory, RedactionMethod
from veil_redact.params import Audio, MuteRangeParam, RegionParam, Sensitivity

Includable = Literal["versions", "failure", "metadata", "request"]
"""The fields that an answer can add to its media items."""


class UploadOptions(TypedDict, total=False):
    """The options of `upload`, which `redact` accepts too."""

    redaction_method: RedactionMethod | None
    filename: str | None
    source_url: str | None
    upload_id: str | None
    sensitivity: Sensitivity | None
    min_confidence: float | Mapping[RedactionCategory, float] | None
    regions: Sequence[RegionParam] | None
    ignore_regions: Sequence[RegionParam] | None
    detect_only: bool | None
    audio: Audio | None
    mute_ranges: Sequence[MuteRangeParam] | None
    verify: bool | None
    folder: str | None
    metadata: Mapping[str, str] | None
    idempotency_key: str | None
    on_progress: ProgressListener | None


def refuse_unknown_options(method: str, given: Iterable[str]) -> None:
    """Raises TypeError for an unknown option. Without this check, the error would name an inner method."""
    known = [*UploadOptions.__annotations__]
    for name in given:
        if name not in known:
            raise TypeError(f"{method}() got an unexpected keyword argument {name!r}{did_you_mean(name, known)}")


def did_you_mean(typed: str, known: Sequence[str]) -> str:
    """A hint in parentheses if a known word is close to the typed one."""
    near = difflib.get_close_matches(typed, known, n=1)
    return f" (did you mean {near[0]}?)" if near else ""
