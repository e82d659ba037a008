"""What is retried, how often, and when."""

from __future__ import annotations

import time

import pytest

from tests.conftest import client_of
from tests.scripted_service import COMPLETED, MEDIA, MEDIA_ID, Behavior, answer, drop, error, scripted, silence
from veil_redact import (
    ApiError,
    Client,
    ConflictError,
    ConnectionFailedError,
    QuotaExceededError,
    RateLimitExceededError,
    ServerError,
    TimedOutError,
    UnauthorizedError,
)


@pytest.mark.parametrize(
    "fault",
    [
        answer(503, b"<html>busy</html>", kind="text/html"),
        error(500, "server_error"),
        error(429, "rate_limit_exceeded", headers={"Retry-After": "0"}),
        error(409, "conflict", {"reason": "idempotency_key_in_use"}),
        drop,
        answer(201, b'{"id"', {"Content-Length": "400"}),
    ],
)
def test_an_upload_is_repeated_whole_with_the_same_key(fault: Behavior) -> None:
    with scripted(fault, fault, answer(201, MEDIA)) as service, client_of(service) as veil:
        media = veil.upload(b"x" * 100_000, categories=["heads", "writing"])
    assert (media.id, media.status) == (MEDIA_ID, "queued")
    assert len({request.headers["idempotency-key"] for request in service.requests}) == 1
    assert [len(request.body) for request in service.requests] == [
        int(service.requests[0].headers["content-length"])
    ] * 3
    assert all(b"x" * 100_000 in request.body for request in service.requests)


def test_retry_after_is_kept_to() -> None:
    busy = error(429, "rate_limit_exceeded", headers={"Retry-After": "1"})
    with scripted(busy, answer(200, COMPLETED)) as service, client_of(service) as veil:
        veil.get(MEDIA_ID)
    first, second = service.requests
    assert 1 <= second.at - first.at < 1.5


def test_a_retry_after_beyond_patience_is_not_waited_for() -> None:
    busy = error(429, "rate_limit_exceeded", headers={"Retry-After": "3600"})
    with scripted(busy) as service, client_of(service) as veil, pytest.raises(RateLimitExceededError) as caught:
        veil.get(MEDIA_ID)
    assert len(service.requests) == 1
    assert caught.value.retry_after_seconds == 3600


@pytest.mark.parametrize(
    ("behavior", "kind"),
    [
        (error(429, "quota_exceeded", {"metric": "images"}), QuotaExceededError),
        (error(409, "conflict", {"reason": "idempotency_key_reused"}), ConflictError),
        (error(401, "unauthorized"), UnauthorizedError),
    ],
)
def test_a_refusal_is_not_repeated(behavior: Behavior, kind: type[ApiError]) -> None:
    with scripted(behavior) as service, client_of(service) as veil, pytest.raises(kind):
        veil.upload(b"photo", categories=["heads"])
    assert len(service.requests) == 1


def test_tries_are_bounded() -> None:
    with scripted(answer(503)) as service, client_of(service, retries=3) as veil, pytest.raises(ServerError) as caught:
        veil.usage()
    assert len(service.requests) == 4
    assert caught.value.status == 503
    assert caught.value.code is None


def test_a_service_that_is_not_there_is_named_as_such() -> None:
    with scripted(drop) as service:
        pass
    with client_of(service, retries=1) as veil, pytest.raises(ConnectionFailedError, match="Cannot connect"):
        veil.usage()


def test_a_service_that_says_nothing_is_given_up() -> None:
    with scripted(silence) as service, client_of(service, timeout=0.1, retries=1) as veil:
        with pytest.raises(TimedOutError) as caught:
            veil.usage()
        assert isinstance(caught.value, TimeoutError)
    assert len(service.requests) == 2


def test_waiting_ends_in_time_also_while_the_service_is_away() -> None:
    with scripted(answer(503, headers={"Retry-After": "1"})) as service, client_of(service) as veil:
        began = time.monotonic()
        with pytest.raises(TimedOutError, match="503"):
            veil.wait(MEDIA_ID, timeout=0.5)
        assert time.monotonic() - began < 1


def test_waiting_ends_in_time_for_a_media_item_that_does_not_end() -> None:
    with scripted(answer(200, MEDIA)) as service, client_of(service) as veil:
        with pytest.raises(TimedOutError, match="still queued"):
            veil.wait(MEDIA_ID, timeout=0.6)
    pauses = [after.at - before.at for before, after in zip(service.requests, service.requests[1:], strict=False)]
    assert len(pauses) in (2, 3)
    assert pauses[0] >= 0.2


def test_a_deletion_whose_answer_was_lost_is_good() -> None:
    with scripted(drop, error(404, "not_found")) as service, client_of(service) as veil:
        veil.delete(MEDIA_ID)
    assert len(service.requests) == 2


def test_a_certificate_that_is_not_trusted_is_not_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    import ssl

    import httpx

    tries = 0

    def refuse(_request: httpx.Request) -> httpx.Response:
        nonlocal tries
        tries += 1
        try:
            raise ssl.SSLCertVerificationError("self-signed certificate")
        except ssl.SSLError as fault:
            raise httpx.ConnectError(str(fault)) from fault

    with httpx.Client(transport=httpx.MockTransport(refuse)) as http_client:
        veil = Client("veil_test", "https://veil.example.com", http_client=http_client)
        with pytest.raises(ConnectionFailedError, match="self-signed"):
            veil.usage()
    assert tries == 1


def test_a_closed_port_is_given_up_soon_in_a_sentence_that_names_it() -> None:
    with scripted() as service:
        base_url = service.base_url
    started_at = time.monotonic()
    with Client(api_key="veil_k", base_url=base_url) as veil, pytest.raises(ConnectionFailedError) as caught:
        veil.usage()
    assert time.monotonic() - started_at < 4
    assert caught.value.is_unreachable
    assert str(caught.value).startswith(f"Cannot connect to {base_url.removesuffix('/api/v1')}: ")


def test_a_closed_port_of_a_service_that_has_answered_is_waited_for() -> None:
    with scripted(answer(200, COMPLETED)) as service:
        client = client_of(service)
        client.get(MEDIA_ID)
    with client, pytest.raises(ConnectionFailedError) as caught:
        client.get(MEDIA_ID)
    assert not caught.value.is_unreachable
