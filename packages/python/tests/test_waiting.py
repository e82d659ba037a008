"""Waiting for media items."""

from __future__ import annotations

import time
from urllib.parse import parse_qs, urlsplit

import anyio
import pytest

from tests.conftest import async_client_of, client_of
from tests.scripted_service import (
    COMPLETED,
    MEDIA,
    MEDIA_ID,
    Behavior,
    ScriptedService,
    answer,
    drop,
    error,
    scripted,
)
from veil_redact import NotFoundError, TimedOutError


def waits(service: ScriptedService) -> list[str | None]:
    """The `wait` of each request; None if there was none."""
    return [parse_qs(urlsplit(request.target).query).get("wait", [None])[0] for request in service.requests]


def after(seconds: float, behavior: Behavior) -> Behavior:
    """A service that waits before it answers."""

    def behave(connection: object, request: object) -> None:
        time.sleep(seconds)
        behavior(connection, request)  # type: ignore[arg-type]

    return behave


def test_one_request_waits_until_the_media_item_has_ended() -> None:
    with scripted(after(0.3, answer(200, COMPLETED))) as service, client_of(service, timeout=60) as veil:
        assert veil.wait(MEDIA_ID).status == "completed"
    assert waits(service) == ["20"]


def test_the_async_client_waits_too() -> None:
    async def run(service: ScriptedService) -> None:
        async with async_client_of(service, timeout=60) as veil:
            assert (await veil.wait(MEDIA_ID, timeout=7.5)).status == "completed"

    with scripted(answer(200, COMPLETED)) as service:
        anyio.run(run, service)
    assert waits(service) == ["7"]


def test_the_service_waits_no_longer_than_half_the_idle_timeout_or_between_the_answers_that_are_shown() -> None:
    with scripted(answer(200, COMPLETED)) as service, client_of(service, timeout=8) as veil:
        veil.wait(MEDIA_ID)
    assert waits(service) == ["4"]
    with scripted(answer(200, COMPLETED)) as service, client_of(service, timeout=60) as veil:
        veil.wait(MEDIA_ID, on_poll=lambda _media: None)
    assert waits(service) == ["5"]


def test_a_media_item_that_takes_longer_is_asked_for_again_at_once() -> None:
    slow = after(1.1, answer(200, MEDIA))
    with scripted(slow, answer(200, COMPLETED)) as service, client_of(service, timeout=2.5) as veil:
        veil.wait(MEDIA_ID)
    assert waits(service) == ["1", "1"]
    first, second = service.requests
    assert second.at - first.at < 1.3


def test_waiting_ends_in_time() -> None:
    with scripted(after(1, answer(200, MEDIA))) as service, client_of(service, timeout=60) as veil:
        with pytest.raises(TimedOutError, match="still queued"):
            veil.wait(MEDIA_ID, timeout=1.0)
    assert waits(service)[0] in ("1", None)


def test_a_service_that_refuses_the_parameter_is_polled_from_then_on() -> None:
    refused = error(422, "validation_failed", {"wait": ["`wait` is an unknown query parameter."]})
    behaviors = (refused, answer(200, MEDIA), answer(200, COMPLETED))
    with scripted(*behaviors) as service, client_of(service, timeout=60) as veil:
        assert veil.wait(MEDIA_ID).status == "completed"
        veil.wait(MEDIA_ID)
    assert waits(service) == ["20", None, None, None]


def test_a_service_that_ignores_the_parameter_is_polled_with_pauses() -> None:
    with scripted(answer(200, MEDIA), answer(200, COMPLETED)) as service, client_of(service, timeout=60) as veil:
        veil.wait(MEDIA_ID)
    first, second = service.requests
    assert second.at - first.at >= 0.2


@pytest.mark.parametrize("fault", [answer(504, b"<html>", kind="text/html"), drop])
def test_where_long_requests_break_the_service_is_polled(fault: Behavior) -> None:
    with scripted(fault, answer(200, MEDIA), answer(200, COMPLETED)) as service, client_of(service, timeout=60) as veil:
        assert veil.wait(MEDIA_ID).status == "completed"
    assert waits(service) == ["20", None, None]


def test_the_rate_limit_does_not_end_the_waiting() -> None:
    busy = error(429, "rate_limit_exceeded", headers={"Retry-After": "0"})
    with scripted(busy, answer(200, MEDIA), answer(200, COMPLETED)) as service, client_of(service, timeout=60) as veil:
        veil.wait(MEDIA_ID)
    assert waits(service) == ["20", None, "20"]


def test_a_media_item_that_is_gone_is_asked_for_once() -> None:
    with scripted(error(404, "not_found")) as service, client_of(service, timeout=60) as veil:
        with pytest.raises(NotFoundError):
            veil.wait(MEDIA_ID)
    assert len(service.requests) == 1
