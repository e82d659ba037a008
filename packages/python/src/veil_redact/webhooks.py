"""Verifies webhooks and reads them."""

from __future__ import annotations

import hashlib
import hmac
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from typing import Any, TypeAlias

from veil_redact._answers import parse_json
from veil_redact._decode import decode
from veil_redact.errors import InvalidArgumentError, SignatureError
from veil_redact.models import MediaFailedEvent, MediaProcessedEvent, MediaSourceDeletedEvent

_SIGNATURE = re.compile(r"sha256=([0-9a-f]{64})")
# Four secrets can sign at once; a header with more is not from the service.
_MOST_SIGNATURES = 4


@dataclass(frozen=True, kw_only=True)
class OtherEvent:
    """An event of a kind that this version of the package does not know. Answer it with 2xx, and ignore it."""

    id: str
    event: str
    timestamp: datetime
    data: Mapping[str, Any]
    """The complete JSON of the event."""


WebhookEvent: TypeAlias = MediaProcessedEvent | MediaFailedEvent | MediaSourceDeletedEvent | OtherEvent

_KINDS: Mapping[str, type[MediaProcessedEvent | MediaFailedEvent | MediaSourceDeletedEvent]] = {
    "media.processed": MediaProcessedEvent,
    "media.failed": MediaFailedEvent,
    "media.source_deleted": MediaSourceDeletedEvent,
}


@dataclass(frozen=True, kw_only=True)
class _Envelope:
    id: str
    event: str
    timestamp: datetime


def verify_webhook(
    body: bytes | bytearray | memoryview | str,
    signature: str | None,
    secrets: str | Iterable[str],
    *,
    tolerance: timedelta | None = None,
) -> WebhookEvent:
    """Verifies a webhook and returns its event.

    One of the header's signatures must be the HMAC-SHA256 (RFC 2104) of the raw body with one of the secrets, so
    verification also works during a rotation. Signatures are compared in constant time.

    Args:
        body: the raw body, before anything has parsed it
        signature: the header `X-Service-Signature`
        secrets: the endpoint's signing secret; several while receivers change from one to the next
        tolerance: refuse older events. A failed delivery is repeated for more than a day with the time of the event, so
            nothing is refused unless this is given; keep the `id` of what you have handled instead

    Raises:
        SignatureError: it is not from the service, or too old
        InvalidArgumentError: there is no secret to verify with, or the body is not raw
        UnexpectedAnswerError: it is signed, and no event

    Example:
        ```python
        event = verify_webhook(request.body, request.headers.get("X-Service-Signature"), WEBHOOK_SECRET)
        if isinstance(event, MediaProcessedEvent):
            print(event.media.download_url)
        ```
    """
    keys = [secrets] if isinstance(secrets, str) else [*(secrets or [])]
    if not keys or not all(isinstance(key, str) and key for key in keys):
        raise InvalidArgumentError("The signing secret is missing.")
    if not isinstance(body, (bytes, bytearray, memoryview, str)):
        raise InvalidArgumentError("The body is not raw; pass the request's bytes or text before anything parses them.")
    raw = body.encode() if isinstance(body, str) else bytes(body)
    given = [
        found[1]
        for text in (signature or "").split(",", _MOST_SIGNATURES)[:_MOST_SIGNATURES]
        if (found := _SIGNATURE.fullmatch(text.strip()))
    ]
    if not given:
        fault = "malformed; expected sha256= and 64 hexadecimal digits" if signature else "missing"
        raise SignatureError(f"The header X-Service-Signature is {fault}.")
    expected = [hmac.new(key.encode(), raw, hashlib.sha256).hexdigest() for key in keys]
    # All are compared, so that the timing does not reveal which one matched.
    verdicts = [hmac.compare_digest(one, other) for one in given for other in expected]
    if not any(verdicts):
        raise SignatureError("The body is not signed with any of the secrets.")
    return _event_of(raw, tolerance)


def _event_of(raw: bytes, tolerance: timedelta | None) -> WebhookEvent:
    data = parse_json(raw)
    envelope = decode(_Envelope, data, "event")
    moment = envelope.timestamp
    aware = moment if moment.tzinfo is not None else moment.replace(tzinfo=timezone.utc)
    if tolerance is not None and datetime.now(timezone.utc) - aware > tolerance:
        raise SignatureError(f"The event is from {aware.isoformat()}, which is older than the tolerance allows.")
    kind = _KINDS.get(envelope.event)
    if kind is not None:
        return decode(kind, data, "event")
    given = data if isinstance(data, dict) else {}
    return OtherEvent(id=envelope.id, event=envelope.event, timestamp=moment, data=given)
