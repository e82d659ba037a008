"""Which detections are listed."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.scripted_service import MEDIA_ID, answer, scripted
from tests.test_command import run
from veil_redact import Client, InvalidArgumentError

DETECTIONS: dict[str, object] = {
    "media_id": MEDIA_ID,
    "width": 640,
    "height": 480,
    "duration_seconds": None,
    "source_available_until": None,
    "revision_of": None,
    "detections": [],
    "truncated": False,
}


def test_a_filter_is_sent_as_the_api_takes_it() -> None:
    with scripted(answer(200, DETECTIONS)) as service, Client(api_key="veil_k", base_url=service.base_url) as veil:
        veil.detections(MEDIA_ID)
        veil.detections(MEDIA_ID, redacted=False)
        veil.detections(MEDIA_ID, categories=["heads", "tattoos"], redacted=True)
        with pytest.raises(InvalidArgumentError, match="expected a list"):
            veil.detections(MEDIA_ID, categories="heads")  # type: ignore[arg-type]
    path = f"/api/v1/media/{MEDIA_ID}/detections"
    assert [request.target for request in service.requests] == [
        path,
        f"{path}?redacted=false",
        f"{path}?category=heads&category=tattoos&redacted=true",
    ]


def test_a_second_reading_is_read_as_the_api_says_it() -> None:
    box = {"x": 0.1, "y": 0.2, "width": 0.3, "height": 0.4}
    finding = {"id": "fnd_1", "kind": "found_again", "category": "heads", "confidence": 0.9, "box": box}
    body: dict[str, object] = {
        "media_id": MEDIA_ID,
        "status": "findings",
        "looked_at": {"pictures": 1, "frames": 0},
        "findings": [finding],
    }
    with scripted(answer(200, body)) as service, Client(api_key="veil_k", base_url=service.base_url) as veil:
        verification = veil.verification(MEDIA_ID)
    assert service.requests[0].target == f"/api/v1/media/{MEDIA_ID}/verification"
    assert verification.status == "findings"
    assert [(one.kind, one.category, one.box.x) for one in verification.findings] == [("found_again", "heads", 0.1)]


def test_the_command_lists_only_what_is_asked_for(tmp_path: Path) -> None:
    with scripted(answer(200, DETECTIONS)) as service:
        assert run(tmp_path, "detect", MEDIA_ID, "-c", "heads", "--only", "open", service=service)[0] == 0
    assert service.requests[0].target == f"/api/v1/media/{MEDIA_ID}/detections?category=heads&redacted=false"
