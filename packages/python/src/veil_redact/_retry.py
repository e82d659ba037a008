"""Which errors are retried, and when."""

from __future__ import annotations

import random
import ssl
import time
from dataclasses import dataclass
from email.utils import parsedate_to_datetime

from veil_redact.errors import ApiError, ConnectionFailedError, QuotaExceededError, TimedOutError, VeilError

# A service that is about to start answers soon; a wrong address never does.
_UNREACHABLE_RETRIES = 2
_TRANSIENT_STATUSES = frozenset({408, 429, 500, 502, 503, 504})


@dataclass(frozen=True, kw_only=True)
class RetryPolicy:
    """How often, and after which delays, a call is retried on temporary errors."""

    retries: int = 5
    """Retries after the first attempt."""
    first_delay_seconds: float = 0.5
    """The delay before the first retry. It doubles for each further one."""
    longest_delay_seconds: float = 90
    """If `Retry-After` is longer than this, the call is not retried."""


def delay_before_retry_seconds(error: VeilError, attempt: int, policy: RetryPolicy) -> float | None:
    """How long to wait before a call that ended with `error` is retried; None if it is not.

    Waits double each time and vary by up to a fifth. A wait from `Retry-After` (RFC 9110, section 10.2.3) is at most a
    tenth longer than requested. `attempt` counts the retries so far.
    """
    if attempt >= policy.retries or not _is_transient(error):
        return None
    if attempt >= _UNREACHABLE_RETRIES and isinstance(error, ConnectionFailedError) and error.is_unreachable:
        return None
    own = min(policy.first_delay_seconds * 2.0**attempt, policy.longest_delay_seconds)
    asked = (error.retry_after_seconds or 0) if isinstance(error, ApiError) else 0
    if asked > policy.longest_delay_seconds:
        return None
    return max(own * random.uniform(0.8, 1.2), asked * random.uniform(1, 1.1))


def _is_transient(error: VeilError) -> bool:
    if isinstance(error, (ConnectionFailedError, TimedOutError)):
        return not _is_distrust(error)
    if not isinstance(error, ApiError) or isinstance(error, QuotaExceededError):
        return False
    if error.code == "conflict":
        return error.details.get("reason") == "idempotency_key_in_use"
    return error.status in _TRANSIENT_STATUSES


def _is_distrust(error: BaseException) -> bool:
    """Whether the server's certificate was refused, which a retry does not change."""
    at: BaseException | None = error
    while at is not None:
        if isinstance(at, ssl.SSLCertVerificationError):
            return True
        at = at.__cause__ or at.__context__
    return False


def retry_after_seconds_of(header: str | None) -> float | None:
    """The seconds in a `Retry-After` header, given as a number or a date (RFC 9110, section 10.2.3)."""
    if header is None:
        return None
    text = header.strip()
    # Only ASCII digits, because float() also accepts "nan", "1_0" and "inf".
    if text.isascii() and text.replace(".", "", 1).isdigit():
        return float(text[:12])
    try:
        return max(0.0, parsedate_to_datetime(text).timestamp() - time.time())
    except (ValueError, OverflowError):
        return None
