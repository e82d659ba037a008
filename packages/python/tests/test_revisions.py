"""Revisions of the current version of a file."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.scripted_service import COMPLETED, MEDIA, MEDIA_ID, answer, scripted
from tests.test_command import run
from tests.test_detections import DETECTIONS
from veil_redact import Client, InvalidArgumentError, RetryPolicy

CURRENT_ID = "019a9c4e-6f1a-7c11-8f8e-0d2b5c3c9a12"
BOX = {"x": 0, "y": 0, "width": 1, "height": 1}
HIDDEN = {"id": "det_1", "category": "heads", "confidence": 0.9, "origin": "detector", "redacted": True, "box": BOX}


def _versions(superseded_by: str | None) -> dict[str, object]:
    versions = {"first": MEDIA_ID, "revision_of": None, "superseded_by": superseded_by, "current": not superseded_by}
    return {**MEDIA, "versions": versions}


def test_a_failed_media_item_is_retried_once_however_often_it_must_be_tried() -> None:
    with (
        scripted(answer(503), answer(201, MEDIA)) as service,
        Client(api_key="veil_k", base_url=service.base_url, retry=RetryPolicy(first_delay_seconds=0.01)) as veil,
    ):
        assert veil.retry(MEDIA_ID).id == MEDIA_ID
    assert [request.target for request in service.requests] == [f"/api/v1/media/{MEDIA_ID}/retry"] * 2
    assert len({request.headers["idempotency-key"] for request in service.requests}) == 1


def test_the_command_goes_on_after_a_media_item_that_cannot_be_retried(tmp_path: Path) -> None:
    refusal = {"error": {"code": "conflict", "message": "No.", "details": {"reason": "not_failed"}}}
    with scripted(answer(409, refusal), answer(201, {**MEDIA, "id": CURRENT_ID})) as service:
        code, out, err = run(tmp_path, "retry", CURRENT_ID, MEDIA_ID, service=service)
    assert (code, out) == (1, f"{MEDIA_ID} → media {CURRENT_ID}\n")
    assert f"{CURRENT_ID}: No." in err
    with scripted(answer(201, {**MEDIA, "id": CURRENT_ID})) as service:
        out = run(tmp_path, "retry", MEDIA_ID, "--json", service=service)[1]
    assert json.loads(out) == {"media_id": MEDIA_ID, "retry_id": CURRENT_ID, "error": None}


def test_a_revision_from_the_current_version_keeps_what_that_hides() -> None:
    found = answer(200, {**DETECTIONS, "detections": [HIDDEN]})
    with (
        scripted(answer(200, _versions(CURRENT_ID)), found, answer(201, MEDIA)) as service,
        Client(api_key="veil_k", base_url=service.base_url) as veil,
    ):
        veil.revise(MEDIA_ID, redact=["det_9"], except_=["det_2"], from_current=True)
    assert [request.target for request in service.requests] == [
        f"/api/v1/media/{MEDIA_ID}?include=versions",
        f"/api/v1/media/{CURRENT_ID}/detections?redacted=true",
        f"/api/v1/media/{CURRENT_ID}/revisions",
    ]
    assert json.loads(service.requests[2].body) == {"redact": ["det_1", "det_9"], "except": ["det_2"]}


def test_a_revision_from_the_current_version_cannot_be_of_all() -> None:
    with (
        scripted() as service,
        Client(api_key="veil_k", base_url=service.base_url) as veil,
        pytest.raises(InvalidArgumentError, match="'all' with from_current"),
    ):
        veil.revise(MEDIA_ID, redact="all", from_current=True)
    assert service.requests == []


def test_a_revision_gives_reasons_and_prints_them(tmp_path: Path) -> None:
    with (
        scripted(answer(201, MEDIA), answer(201, MEDIA), answer(200, COMPLETED), answer(200, b"x")) as service,
        Client(api_key="veil_k", base_url=service.base_url) as veil,
    ):
        veil.revise(MEDIA_ID, reasons={"det_1": "(b)(6)", "det_2": None}, burn_in_reasons=False)
        code = run(tmp_path, "revise", MEDIA_ID, "--burn-in-reasons", "-o", "out.jpg", service=service)[0]
    assert code == 0
    reasons = {"det_1": "(b)(6)", "det_2": None}
    assert json.loads(service.requests[0].body) == {"reasons": reasons, "burn_in_reasons": False}
    assert json.loads(service.requests[1].body) == {"burn_in_reasons": True}


def test_the_command_starts_from_the_current_version(tmp_path: Path) -> None:
    found = answer(200, {**DETECTIONS, "detections": [HIDDEN]})
    done = answer(200, COMPLETED)
    with scripted(answer(200, _versions(None)), found, answer(201, MEDIA), done, answer(200, b"x")) as service:
        code = run(tmp_path, "revise", MEDIA_ID, "--from-current", "-o", "out.jpg", service=service)[0]
    assert code == 0
    assert json.loads(service.requests[2].body)["redact"] == ["det_1"]
