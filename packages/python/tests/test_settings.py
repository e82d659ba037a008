"""Base URLs, pickled errors, and representations."""

from __future__ import annotations

import pickle
from typing import Any, cast

import pytest

import veil_redact
from tests.conftest import client_of
from tests.scripted_service import COMPLETED, answer, scripted
from veil_redact import (
    ApiError,
    Client,
    ConflictError,
    Failure,
    InvalidArgumentError,
    MediaFailedError,
    OutputExistsError,
    TimedOutError,
    VeilError,
)
from veil_redact._decode import decode
from veil_redact._retry import retry_after_seconds_of
from veil_redact.models import Media


@pytest.mark.parametrize(
    ("given", "used"),
    [
        ("https://veil.example.com", "https://veil.example.com/api/v1"),
        ("https://veil.example.com/", "https://veil.example.com/api/v1"),
        ("https://veil.example.com/api/v1/", "https://veil.example.com/api/v1"),
        ("https://veil.example.com:8443/veil/api/v1", "https://veil.example.com:8443/veil/api/v1"),
        ("http://127.0.0.1:8787", "http://127.0.0.1:8787/api/v1"),
        ("http://localhost:8787", "http://localhost:8787/api/v1"),
        ("http://[::1]:8787", "http://[::1]:8787/api/v1"),
    ],
)
def test_base_urls(given: str, used: str) -> None:
    with Client("veil_test", given) as veil:
        assert repr(veil) == f"Client(base_url={used!r})"


@pytest.mark.parametrize(
    "given",
    [
        "veil.example.com",
        "http://veil.example.com",
        "http://127.0.0.1.example.com",
        "http://localhost@evil.example.com",
        "https://user:word@veil.example.com",
        "https://veil.example.com?key=1",
        "https://veil.example.com#there",
        "https://veil.example.com:port",
        "https://veil example.com",
        "https://veil.example.com\\@evil.example.com",
        "file:///etc/passwd",
        "https://",
        "http://[::1",
    ],
)
def test_base_urls_that_cannot_be_used(given: str) -> None:
    with pytest.raises(InvalidArgumentError, match="base URL"):
        Client("veil_test", given)


def test_http_to_another_machine_must_be_allowed() -> None:
    with Client("veil_test", "http://veil.internal", allow_http=True) as veil:
        assert "http://veil.internal/api/v1" in repr(veil)


def test_the_environment_is_asked_where_nothing_is_given(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InvalidArgumentError, match="VEIL_BASE_URL"):
        Client("veil_test")
    monkeypatch.setenv("VEIL_BASE_URL", "https://veil.example.com")
    with pytest.raises(InvalidArgumentError, match="VEIL_API_KEY"):
        Client()
    monkeypatch.setenv("VEIL_API_KEY", "veil_test\n")
    with Client() as veil:
        assert veil_redact.__version__ == "0.1.0"
        assert "veil_test" not in repr(veil)


def test_an_empty_key_is_not_replaced_by_that_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VEIL_API_KEY", "veil_of_another_account")
    with pytest.raises(InvalidArgumentError, match="key is missing"):
        Client("", "https://veil.example.com")


@pytest.mark.parametrize("key", ["a b", "ключ", "a\nb", "a\x00"])
def test_keys_that_cannot_be_sent(key: str) -> None:
    with pytest.raises(InvalidArgumentError) as caught:
        Client(key, "https://veil.example.com")
    assert key not in str(caught.value)


@pytest.mark.parametrize("timeout", [0, -1, float("nan")])
def test_timeouts_that_are_none(timeout: float) -> None:
    with pytest.raises(InvalidArgumentError, match="timeout"):
        Client("veil_test", "https://veil.example.com", timeout=timeout)


@pytest.mark.parametrize(
    "media_id", ["", "..", "../usage", "019a9c4e", "019a9c4e-6f1a-7c11-8f8e-0d2b5c3c9a10/..", None]
)
def test_ids_cannot_lead_to_another_path(media_id: Any) -> None:
    with scripted(answer(204)) as service, client_of(service) as veil:
        with pytest.raises(InvalidArgumentError, match="media ID"):
            veil.delete(media_id)
        with pytest.raises(InvalidArgumentError, match="media ID"), veil.stream(media_id):
            pass
    assert service.requests == []


def test_errors_survive_a_process_pool() -> None:
    media = decode(Media, COMPLETED)
    failure = Failure(code="source_undecodable", message="It is damaged.")
    for error in (
        ConflictError("No.", 409, "conflict", {"reason": "source_deleted"}, "req_1", 3.0),
        MediaFailedError(media, failure),
        OutputExistsError("out.jpg"),
        TimedOutError("Too late."),
    ):
        again = pickle.loads(pickle.dumps(error))
        assert type(again) is type(error)
        assert (str(again), vars(again)) == (str(error), vars(error))
    assert issubclass(ApiError, VeilError)


def test_what_failed_says_why() -> None:
    media = decode(Media, {**COMPLETED, "status": "failed"})
    assert "damaged" in str(MediaFailedError(media))
    assert "quota" in str(MediaFailedError(decode(Media, {**COMPLETED, "status": "quota_exceeded"})))
    assert "unexpected" in str(MediaFailedError(media, Failure(code="unexpected", message="Something.")))


@pytest.mark.parametrize(
    ("header", "seconds"),
    [(None, None), ("", None), ("3", 3.0), (" 2.5 ", 2.5), ("nan", None), ("inf", None), ("-1", None), ("soon", None)],
)
def test_retry_after(header: str | None, seconds: float | None) -> None:
    assert retry_after_seconds_of(header) == seconds


def test_retry_after_as_a_date() -> None:
    assert retry_after_seconds_of("Fri, 20 Nov 2020 10:00:00 GMT") == 0
    later = retry_after_seconds_of("Fri, 20 Nov 2099 10:00:00 GMT")
    assert later is not None
    assert later > 1e9


def test_models_cannot_be_changed() -> None:
    media = decode(Media, COMPLETED)
    with pytest.raises(AttributeError):
        cast("Any", media).status = "failed"
