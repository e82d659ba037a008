"""Uploads in parts, by URL and by id, against a scripted service."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Any, cast

import pytest

from tests.conftest import client_of
from tests.scripted_service import MEDIA, Behavior, answer, drop, error, scripted
from veil_redact import ConnectionFailedError, InvalidArgumentError, NotFoundError

UPLOAD = {
    "upload_id": "upl_a",
    "upload_url": "https://veil.example.com/api/v1/uploads/upl_a",
    "expires_at": "2026-11-21T13:37:00.000Z",
}


def at(offset: int) -> Behavior:
    """The answer for an upload with this offset."""
    return answer(204, headers={"Upload-Offset": str(offset)})


def test_an_upload_is_begun_with_its_length_and_name() -> None:
    with scripted(answer(201, UPLOAD)) as service, client_of(service) as veil:
        upload = veil.create_upload(size_bytes=7, filename="straße.mp4")
    headers = service.requests[0].headers
    assert (headers["upload-length"], headers["tus-resumable"]) == ("7", "1.0.0")
    assert headers["upload-metadata"] == f"filename {base64.b64encode('straße.mp4'.encode()).decode()}"
    assert upload.upload_id == "upl_a"


def test_a_file_goes_in_parts_from_where_it_was_without_the_key(tmp_path: Path) -> None:
    path = tmp_path / "clip.mp4"
    path.write_bytes(b"0123456789")
    seen: list[float | None] = []
    with scripted(at(2), at(6), at(10)) as service, client_of(service) as veil:
        veil.send_upload(
            f"{service.base_url}/uploads/upl_a",
            path,
            part_bytes=4,
            on_progress=lambda progress: seen.append(progress.fraction),
        )
    assert [(one.method, one.body, one.headers.get("upload-offset")) for one in service.requests] == [
        ("HEAD", b"", None),
        ("PATCH", b"2345", "2"),
        ("PATCH", b"6789", "6"),
    ]
    assert all("authorization" not in request.headers for request in service.requests)
    assert seen == [0.2, 0.6, 1.0]


def test_a_part_that_broke_off_goes_on_where_it_came_to() -> None:
    locked = error(423, "conflict", {"reason": "upload_locked"})
    with scripted(at(0), drop, at(3), locked, at(3), at(10)) as service, client_of(service) as veil:
        veil.send_upload(f"{service.base_url}/uploads/upl_a", b"0123456789")
    sent = [request.body for request in service.requests if request.method == "PATCH"]
    assert sent == [b"0123456789", b"3456789", b"3456789"]


def test_an_upload_that_is_gone_is_told_at_once_and_one_that_never_moves_in_the_end() -> None:
    with (
        scripted(at(0), error(404, "not_found")) as service,
        client_of(service) as veil,
        pytest.raises(NotFoundError),
    ):
        veil.send_upload(f"{service.base_url}/uploads/upl_a", b"0123456789")
    with scripted(answer(404)) as service, client_of(service) as veil:
        with pytest.raises(NotFoundError, match="no such upload"):
            veil.upload_offset(f"{service.base_url}/uploads/upl_a")
        with pytest.raises(InvalidArgumentError, match="pass upload_url, not upload_id"):
            veil.send_upload("upl_a", b"0123456789")
        with pytest.raises(InvalidArgumentError, match="include is 'versions'; expected a list"):
            veil.list(include=cast("Any", "versions"))
        with pytest.raises(InvalidArgumentError, match="media_ids is 'a'; expected a list"):
            veil.deletions(media_ids="a")
        assert len(service.requests) == 1
    behaviors = [at(0), *[one for _ in range(20) for one in (drop, at(0))]]
    with scripted(*behaviors) as service, client_of(service) as veil, pytest.raises(ConnectionFailedError):
        veil.send_upload(f"{service.base_url}/uploads/upl_a", b"0123456789")


def test_a_media_item_is_made_of_a_url_or_an_upload() -> None:
    with scripted(answer(201, MEDIA), answer(201, MEDIA)) as service, client_of(service) as veil:
        veil.upload(source_url="https://files.example.com/a.jpg", categories=["heads"], filename="b.jpg")
        veil.upload(upload_id="upl_a", categories=["heads"])
    first, second = (request.body for request in service.requests)
    assert b'name="source_url"\r\n\r\nhttps://files.example.com/a.jpg' in first
    assert b'name="filename"\r\n\r\nb.jpg' in first
    assert b'name="upload_id"\r\n\r\nupl_a' in second
    assert b'name="file"' not in first + second


def test_one_place_of_a_file_is_given() -> None:
    with scripted(answer(201, MEDIA)) as service, client_of(service) as veil:
        with pytest.raises(InvalidArgumentError, match="upload_id is required; none is given"):
            veil.upload(categories=["heads"])
        with pytest.raises(InvalidArgumentError, match="file and upload_id"):
            veil.upload(b"x", upload_id="upl_a", categories=["heads"])
        with pytest.raises(InvalidArgumentError, match="part_bytes is 0"):
            veil.send_upload("https://veil.example.com", b"x", part_bytes=0)
    assert service.requests == []


def test_an_upload_is_deleted() -> None:
    with scripted(error(503, "server_error"), error(404, "not_found")) as service, client_of(service) as veil:
        veil.delete_upload(f"{service.base_url}/uploads/upl_a")
    assert [request.method for request in service.requests] == ["DELETE", "DELETE"]
