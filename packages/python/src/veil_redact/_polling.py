"""How media items are polled and listed."""

from __future__ import annotations

import random
from collections.abc import Iterator
from urllib.parse import parse_qs, urlsplit

from veil_redact.models import MediaStatus

FINAL_STATUSES: frozenset[MediaStatus] = frozenset({"completed", "failed", "quota_exceeded"})
MOST_PER_PAGE = 100

_FIRST_SECONDS = 0.25
_GROWTH = 1.5
_LONGEST_SECONDS = 5.0


def cursor_in(next_url: str | None) -> str | None:
    """The cursor of the next page; None after the last one."""
    found = parse_qs(urlsplit(next_url or "").query).get("cursor")
    return found[0] if found else None


def poll_pauses() -> Iterator[float]:
    """The seconds between polls: more and more, up to a fifth less or more so that clients do not march in step."""
    pause = _FIRST_SECONDS
    while True:
        yield pause * random.uniform(0.8, 1.2)
        pause = min(pause * _GROWTH, _LONGEST_SECONDS)
