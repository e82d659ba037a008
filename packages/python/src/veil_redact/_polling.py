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
# The longest `wait` that the service accepts.
_LONGEST_WAIT_SECONDS = 20.0


def cursor_in(next_url: str | None) -> str | None:
    """The cursor of the next page; None after the last one."""
    found = parse_qs(urlsplit(next_url or "").query).get("cursor")
    return found[0] if found else None


def poll_pauses() -> Iterator[float]:
    """The growing delays between polls in seconds.

    They vary by up to a fifth, so that clients do not poll at the same time.
    """
    pause = _FIRST_SECONDS
    while True:
        yield pause * random.uniform(0.8, 1.2)
        pause = min(pause * _GROWTH, _LONGEST_SECONDS)


def wait_seconds_within(*, left_seconds: float | None, timeout_seconds: float, is_watched: bool) -> int:
    """How long the service may wait before it answers; 0 if there is no time to wait.

    Args:
        left_seconds: the time until the caller's deadline; None if there is no deadline
        timeout_seconds: the idle timeout of a request, of which half is used
        is_watched: whether the caller receives each answer, so that answers must be more frequent
    """
    longest = _LONGEST_SECONDS if is_watched else _LONGEST_WAIT_SECONDS
    return int(min(longest, timeout_seconds / 2, longest if left_seconds is None else max(0.0, left_seconds)))
