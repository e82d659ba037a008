"""Whether webhooks are from the service."""

from __future__ import annotations

import hashlib
import hmac
import json
import re
from datetime import timedelta
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest

from tests.scripted_service import COMPLETED, MEDIA, MEDIA_ID, answer, scripted
from veil_redact import (
    Client,
    InvalidArgumentError,
    MediaProcessedEvent,
    MediaSourceDeletedEvent,
    OtherEvent,
    SignatureError,
    UnexpectedAnswerError,
    verify_webhook,
)

SECRET, OLD = "whsec_new", "whsec_old"
EVENT = {
    "id": "evt_019a9c4e-6f1a-7c11-8f8e-0d2b5c3c9a10",
    "event": "media.processed",
    "timestamp": "2026-11-20T13:37:01.000Z",
    "media_id": MEDIA_ID,
    "status": "completed",
    "processed_at": "2026-11-20T13:37:01.000Z",
    "failed_at": None,
    "media": {**COMPLETED, "filename": "Straße 7 – “naïve” 🙂.jpg"},
}
BODY = json.dumps(EVENT, ensure_ascii=False).encode()


def sign(secret: str, body: bytes = BODY) -> str:
    return "sha256=" + hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()


@pytest.mark.parametrize(
    ("signature", "secrets"),
    [
        (sign(SECRET), SECRET),
        (sign(SECRET), [OLD, SECRET]),
        (f"{sign(SECRET)},{sign(OLD)}", OLD),
        (f"{sign(OLD)}, {sign(SECRET)}", SECRET),
    ],
)
def test_what_is_signed_is_taken(signature: str, secrets: str | list[str]) -> None:
    event = verify_webhook(BODY, signature, secrets)
    assert isinstance(event, MediaProcessedEvent)
    assert (event.media_id, event.media.filename) == (MEDIA_ID, "Straße 7 – “naïve” 🙂.jpg")
    assert verify_webhook(BODY.decode(), signature, secrets) == event


@pytest.mark.parametrize(
    ("body", "signature"),
    [
        (BODY, None),
        (BODY, ""),
        (BODY, ",,"),
        (BODY, sign(OLD)),
        (BODY + b" ", sign(SECRET)),
        (b"", sign(SECRET)),
        (BODY, sign(SECRET)[:-1]),
        (BODY, sign(SECRET) + "0"),
        (BODY, sign(SECRET) + "\n0"),
        (BODY, sign(SECRET).removeprefix("sha256=")),
        (BODY, sign(SECRET).replace("sha256", "sha1")),
        (BODY, sign(SECRET).upper()),
        (BODY, sign(SECRET)[:-1] + "é"),
        (BODY, ",".join([sign(OLD)] * 4 + [sign(SECRET)])),
    ],
)
def test_nothing_else_is(body: bytes, signature: str | None) -> None:
    with pytest.raises(SignatureError):
        verify_webhook(body, signature, SECRET)


@pytest.mark.parametrize("secrets", ["", [], ["", SECRET], None])
def test_an_empty_secret_signs_nothing(secrets: Any) -> None:
    with pytest.raises(InvalidArgumentError, match="secret is missing"):
        verify_webhook(BODY, sign(""), secrets)


@pytest.mark.parametrize(
    ("signature", "sentence"),
    [(None, "is missing"), ("", "is missing"), ("sha1=abc", "is malformed; expected sha256=")],
)
def test_a_header_without_a_signature_says_what_is_wrong_with_it(signature: str | None, sentence: str) -> None:
    with pytest.raises(SignatureError, match=sentence):
        verify_webhook(BODY, signature, SECRET)


def test_a_parsed_body_is_not_taken_for_a_forged_one() -> None:
    parsed: Any = json.loads(BODY)
    with pytest.raises(InvalidArgumentError, match="body is not raw"):
        verify_webhook(parsed, sign(SECRET), SECRET)


def test_old_events_are_refused_only_when_asked_to() -> None:
    assert verify_webhook(BODY, sign(SECRET), SECRET, tolerance=timedelta(days=36_500)).id == EVENT["id"]
    with pytest.raises(SignatureError, match="older than the tolerance"):
        verify_webhook(BODY, sign(SECRET), SECRET, tolerance=timedelta(0))


def test_a_deleted_source_may_have_no_media_item() -> None:
    body = json.dumps({**EVENT, "event": "media.source_deleted", "media": None}).encode()
    event = verify_webhook(body, sign(SECRET, body), SECRET)
    assert isinstance(event, MediaSourceDeletedEvent)
    assert event.media is None


def test_an_event_of_a_new_kind_is_handed_over_as_it_is() -> None:
    body = json.dumps({**EVENT, "event": "media.admired"}).encode()
    event = verify_webhook(body, sign(SECRET, body), SECRET)
    assert isinstance(event, OtherEvent)
    assert (event.event, event.data["media_id"]) == ("media.admired", MEDIA_ID)


@pytest.mark.parametrize("body", [b"", b"[]", b"{}", b'{"id": 1, "event": 2, "timestamp": 3}'])
def test_what_is_signed_and_no_event_says_so(body: bytes) -> None:
    with pytest.raises(UnexpectedAnswerError):
        verify_webhook(body, sign(SECRET, body), SECRET)


def test_the_sample_of_the_documentation_finds_why_a_media_item_failed_and_its_metadata_by_one_call() -> None:
    page = (Path(__file__).parents[3] / "docs" / "webhooks.md").read_text(encoding="utf-8")
    samples = re.findall(r"^```python\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    (sample,) = (code for code in samples if "def describe_failure" in code)
    made: dict[str, Any] = {}
    exec(sample, made)
    failed = {**MEDIA, "status": "failed", "failed_at": "2026-11-20T13:37:01.000Z"}
    body = json.dumps({**EVENT, **failed, "id": EVENT["id"], "event": "media.failed", "media": failed}).encode()
    event = verify_webhook(body, sign(SECRET, body), SECRET)
    failure = {"code": "source_unreadable", "message": "The file is damaged.", "retryable": False}
    labels = {"metadata": {"external_id": "ticket-4711"}, "folder": None}
    with (
        scripted(answer(200, {**failed, "failure": failure, **labels})) as service,
        Client(api_key="veil_k", base_url=service.base_url) as veil,
    ):
        shown = made["describe_failure"](veil, event)
        assert made["describe_failure"](veil, verify_webhook(BODY, sign(SECRET), SECRET)) is None
    assert shown == "ticket-4711: The file is damaged. (source_unreadable, do not try again)"
    asked = [unquote(request.target) for request in service.requests]
    assert asked == [f"/api/v1/media/{MEDIA_ID}?include=failure,metadata"]
