"""Invalid and hostile answers."""

from __future__ import annotations

import gzip
import socket
import time

import pytest

from tests.conftest import KEY, client_of
from tests.scripted_service import (
    COMPLETED,
    MEDIA,
    MEDIA_ID,
    Behavior,
    Request,
    answer,
    drip,
    error,
    raw,
    scripted,
)
from veil_redact import (
    ApiError,
    ConnectionFailedError,
    ServerError,
    TimedOutError,
    UnexpectedAnswerError,
    ValidationFailedError,
    VeilError,
)

OK_HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 100000\r\n\r\n"


@pytest.mark.parametrize(
    ("behavior", "kind", "sentence"),
    [
        (answer(200, b"<html>hello</html>", kind="text/html"), UnexpectedAnswerError, "text/html"),
        (answer(200, b""), UnexpectedAnswerError, "not a JSON"),
        (answer(200, b"[]"), UnexpectedAnswerError, "not a JSON object"),
        (answer(200, b"[" * 200_000), UnexpectedAnswerError, "not a JSON"),
        (answer(200, b"\xff\xfe{}"), UnexpectedAnswerError, "not a JSON"),
        (answer(200, {}), UnexpectedAnswerError, "no answer.id"),
        (answer(200, {**COMPLETED, "id": 7}), UnexpectedAnswerError, "answer.id is not str but int"),
        (answer(200, {**COMPLETED, "categories": "heads"}), UnexpectedAnswerError, "categories is not list"),
        (answer(200, {**COMPLETED, "categories": [None]}), UnexpectedAnswerError, r"categories\[0\]"),
        (answer(200, {**COMPLETED, "file_size_bytes": True}), UnexpectedAnswerError, "not int but bool"),
        (answer(200, {**COMPLETED, "created_at": "yesterday"}), UnexpectedAnswerError, "not a datetime"),
        (raw(b"220 smtp ready\r\n"), ConnectionFailedError, "connection"),
        (raw(b"\x00" * 5000), ConnectionFailedError, "connection"),
        (raw(b"HTTP/1.1 200 OK\r\n" + b"X: " + b"y" * 300_000), ConnectionFailedError, "connection"),
        (answer(200, b"no gzip", {"Content-Encoding": "gzip"}), ConnectionFailedError, "connection"),
        (answer(418, b"{}"), ApiError, "418"),
        (answer(502, {"error": "a text"}), ServerError, "502"),
        (answer(503, {"error": {"code": 7, "message": []}}), ServerError, "503"),
        (drip(b"HTTP/1.1 500 X\r\nContent-Length: 9000\r\n\r\n", b"x", 0.05, 60), ServerError, "500"),
    ],
)
def test_nonsense_is_a_clear_error(behavior: Behavior, kind: type[VeilError], sentence: str) -> None:
    with scripted(behavior) as service, client_of(service, timeout=0.4, retries=1) as veil:
        with pytest.raises(kind, match=sentence) as caught:
            veil.get(MEDIA_ID)
    assert KEY not in str(caught.value)


def test_an_answer_that_drips_is_given_up() -> None:
    with scripted(drip(OK_HEAD, b" ", 0.05, 200)) as service, client_of(service, timeout=0.1, retries=0) as veil:
        began = time.monotonic()
        with pytest.raises(TimedOutError, match="slowly"):
            veil.usage()
        assert time.monotonic() - began < 2


def test_an_endless_answer_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("veil_redact._sync.transport._MOST_JSON_BYTES", 10_000)
    with scripted(answer(200, b" " * 50_000)) as service, client_of(service) as veil:
        with pytest.raises(UnexpectedAnswerError, match="longer"):
            veil.usage()
    assert len(service.requests) == 1


def test_a_bomb_in_gzip_is_given_up() -> None:
    bomb = gzip.compress(b" " * 80_000_000)
    with scripted(answer(200, bomb, {"Content-Encoding": "gzip"})) as service, client_of(service) as veil:
        with pytest.raises(UnexpectedAnswerError, match="longer"):
            veil.usage()
        assert service.requests[0].headers["accept-encoding"] == "identity"


@pytest.mark.parametrize("status", [301, 302, 307, 308, 304])
def test_a_redirect_is_not_followed(status: int) -> None:
    with scripted(answer(200, MEDIA)) as elsewhere:
        redirect = answer(status, headers={"Location": f"{elsewhere.base_url}/media/redact"})
        with scripted(redirect) as service, client_of(service) as veil:
            with pytest.raises(UnexpectedAnswerError, match="base URL"):
                veil.upload(b"photo", categories=["heads"])
    assert elsewhere.requests == []
    assert len(service.requests) == 1


def test_what_is_new_is_let_through() -> None:
    newer = {**COMPLETED, "status": "archived", "categories": ["clouds"], "mood": "good"}
    with scripted(answer(200, newer)) as service, client_of(service) as veil:
        media = veil.get(MEDIA_ID)
    assert (media.status, media.categories) == ("archived", ["clouds"])


def test_an_error_has_all_that_the_service_says() -> None:
    details = {"categories": ["One is not known.", "Give one."], "page": "odd"}
    refusal = error(422, "validation_failed", details, {"X-Request-Id": "req_2"})
    with scripted(refusal) as service, client_of(service) as veil, pytest.raises(ValidationFailedError) as caught:
        veil.list(page=0)
    fault = caught.value
    assert (fault.status, fault.code, fault.message, fault.request_id) == (
        422,
        "validation_failed",
        "It is so.",
        "req_1",
    )
    assert fault.fields == {"categories": ["One is not known.", "Give one."], "page": ["odd"]}
    assert str(fault) == "It is so. categories: One is not known. Give one. page: odd (422 validation_failed, req_1)"


def test_an_upload_that_is_refused_before_it_is_read_says_why() -> None:
    refuse = error(422, "validation_failed", {"file": ["Too large."]})

    def refuse_and_listen(connection: socket.socket, request: Request) -> None:
        refuse(connection, request)
        while connection.recv(65_536):
            pass

    with scripted(refuse_and_listen, reads_bodies=False) as service, client_of(service, retries=0) as veil:
        with pytest.raises(ValidationFailedError, match="Too large"):
            veil.upload(b"x" * 3_000_000, categories=["heads"])
