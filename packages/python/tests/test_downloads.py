"""Downloads of redacted files."""

from __future__ import annotations

import tracemalloc
from pathlib import Path

import pytest

from tests.conftest import client_of
from tests.scripted_service import MEDIA_ID, Behavior, answer, drip, drop, error, raw, scripted
from veil_redact import (
    ConnectionFailedError,
    NotFoundError,
    OutputExistsError,
    Progress,
    ServerError,
    TimedOutError,
    VeilError,
)

FILE = bytes(range(256)) * 400
SIZE = len(FILE)


def whole(etag: str = '"one"') -> Behavior:
    return answer(200, FILE, {"ETag": etag}, kind="image/jpeg")


def broken(after: int, etag: str = '"one"') -> Behavior:
    head = f"HTTP/1.1 200 OK\r\nContent-Type: image/jpeg\r\nETag: {etag}\r\nContent-Length: {SIZE}\r\n\r\n"
    return raw(head.encode() + FILE[:after])


def rest(begin: int) -> Behavior:
    headers = {"ETag": '"one"', "Content-Range": f"bytes {begin}-{SIZE - 1}/{SIZE}"}
    return answer(206, FILE[begin:], headers, kind="image/jpeg")


def test_a_file_is_written_whole_with_progress(tmp_path: Path) -> None:
    heard: list[Progress] = []
    with scripted(whole()) as service, client_of(service) as veil:
        assert veil.download(MEDIA_ID, tmp_path / "out.jpg", on_progress=heard.append) == tmp_path / "out.jpg"
    assert (tmp_path / "out.jpg").read_bytes() == FILE
    assert heard[-1] == Progress(SIZE, SIZE)
    assert [path.name for path in tmp_path.iterdir()] == ["out.jpg"]


def test_what_broke_off_goes_on_where_it_was(tmp_path: Path) -> None:
    with scripted(broken(1000), rest(1000)) as service, client_of(service) as veil:
        veil.download(MEDIA_ID, tmp_path / "out.jpg")
    assert (tmp_path / "out.jpg").read_bytes() == FILE
    assert service.requests[1].headers["range"] == "bytes=1000-"
    assert service.requests[1].headers["if-range"] == '"one"'


@pytest.mark.parametrize("wrong", [rest(999), answer(206, FILE[1000:]), whole('"two"')])
def test_two_files_are_never_mixed(tmp_path: Path, wrong: Behavior) -> None:
    with scripted(broken(1000), wrong, whole('"two"')) as service, client_of(service) as veil:
        veil.download(MEDIA_ID, tmp_path / "out.jpg")
    assert (tmp_path / "out.jpg").read_bytes() == FILE
    assert "range" not in service.requests[2].headers


@pytest.mark.parametrize(
    ("behaviors", "kind"),
    [
        ([error(404, "not_found")], NotFoundError),
        ([answer(503)], ServerError),
        ([drop], ConnectionFailedError),
        ([broken(1000), drop], ConnectionFailedError),
        ([broken(1000), answer(503)], ServerError),
        ([broken(0)], ConnectionFailedError),
        ([drip(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n12", b"", 0.6, 1)], TimedOutError),
        ([answer(200, FILE, {"Content-Encoding": "gzip"})], ConnectionFailedError),
    ],
)
def test_a_download_that_fails_leaves_everything_as_it_was(
    tmp_path: Path, behaviors: list[Behavior], kind: type[VeilError]
) -> None:
    path = tmp_path / "out.jpg"
    path.write_bytes(b"mine")
    with scripted(*behaviors) as service, client_of(service, timeout=0.3, retries=1) as veil, pytest.raises(kind):
        veil.download(MEDIA_ID, path, overwrite=True)
    assert path.read_bytes() == b"mine"
    assert [one.name for one in tmp_path.iterdir()] == ["out.jpg"]


def test_a_file_is_replaced_only_when_asked_to(tmp_path: Path) -> None:
    path = tmp_path / "out.jpg"
    path.write_bytes(b"mine")
    with scripted(whole()) as service, client_of(service) as veil:
        with pytest.raises(OutputExistsError) as caught:
            veil.download(MEDIA_ID, path)
        assert isinstance(caught.value, FileExistsError)
        assert (path.read_bytes(), service.requests) == (b"mine", [])
        veil.download(MEDIA_ID, path, overwrite=True)
    assert path.read_bytes() == FILE


def test_a_file_that_comes_up_meanwhile_is_not_replaced(tmp_path: Path) -> None:
    path = tmp_path / "out.jpg"
    with scripted(whole()) as service, client_of(service) as veil, pytest.raises(OutputExistsError):
        veil.download(MEDIA_ID, path, on_progress=lambda _: path.write_bytes(b"mine"))
    assert path.read_bytes() == b"mine"
    assert [one.name for one in tmp_path.iterdir()] == ["out.jpg"]


def test_places_where_nothing_can_be_written_are_found_out_before_anything_is_sent(tmp_path: Path) -> None:
    with scripted(whole()) as service, client_of(service) as veil:
        with pytest.raises(IsADirectoryError):
            veil.download(MEDIA_ID, tmp_path)
        with pytest.raises(FileNotFoundError):
            veil.download(MEDIA_ID, tmp_path / "none" / "out.jpg")
    assert service.requests == []


def test_a_stream_gives_its_connection_back_when_it_is_left_early() -> None:
    with scripted(whole()) as service, client_of(service) as veil:
        with veil.stream(MEDIA_ID) as download:
            assert (download.content_type, download.size_bytes) == ("image/jpeg", SIZE)
            for piece in download:
                assert FILE.startswith(piece)
                break
        assert download.received_bytes < SIZE or download.received_bytes == SIZE
        assert veil._http_client._transport._pool.connections == []  # type: ignore[attr-defined]


def test_memory_does_not_grow_with_the_file(tmp_path: Path) -> None:
    head = b"HTTP/1.1 200 OK\r\nContent-Type: video/mp4\r\nContent-Length: 150000000\r\n\r\n"
    piece = b"x" * 100_000
    with scripted(drip(head, piece, 0, 1500)) as service, client_of(service, timeout=60) as veil:
        tracemalloc.start()
        veil.download(MEDIA_ID, tmp_path / "out.mp4")
        _, peak_bytes = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    assert (tmp_path / "out.mp4").stat().st_size == 150_000_000
    assert peak_bytes < 3_000_000
