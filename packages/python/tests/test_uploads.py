"""What can be uploaded, and how it is read."""

from __future__ import annotations

import io
import os
import tracemalloc
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO, cast

import pytest

from tests.conftest import client_of
from tests.scripted_service import MEDIA, ScriptedService, answer, drop, scripted
from veil_redact import InvalidArgumentError, Progress, UploadFileError


@pytest.fixture
def service() -> Iterator[ScriptedService]:
    with scripted(answer(201, MEDIA)) as running:
        yield running


def test_a_path_bytes_and_an_open_file_are_the_same(service: ScriptedService, tmp_path: Path) -> None:
    path = tmp_path / "photo.jpg"
    path.write_bytes(b"pixels")
    with client_of(service) as veil, path.open("rb") as opened:
        veil.upload(path, categories=["heads"])
        veil.upload(str(path), categories=["heads"])
        veil.upload(opened, categories=["heads"])
        veil.upload(b"pixels", categories=["heads"], filename="photo.jpg")
        veil.upload(memoryview(b"pixels"), categories=["heads"], filename="photo.jpg")
        assert not opened.closed
    for request in service.requests:
        assert (
            b'name="file"; filename="photo.jpg"\r\nContent-Type: application/octet-stream\r\n\r\npixels' in request.body
        )


def test_an_open_file_is_sent_from_where_it_is_also_on_a_retry() -> None:
    with scripted(drop, answer(201, MEDIA)) as service, client_of(service) as veil:
        file = io.BytesIO(b"skipped-pixels")
        file.seek(8)
        veil.upload(file, categories=["heads"])
    assert all(b"\r\n\r\npixels\r\n" in request.body for request in service.requests)
    assert len(service.requests) == 2


def test_all_options_are_sent(service: ScriptedService) -> None:
    with client_of(service) as veil:
        veil.upload(
            b"pixels",
            categories=["heads", "writing"],
            redaction_method="pixelation",
            sensitivity="high",
            min_confidence={"heads": 0.3},
            regions=[{"box": {"x": 0.1, "y": 0.2, "width": 0.3, "height": 0.1}, "category": "heads"}],
            ignore_regions=[{"polygon": [(0, 0), (1, 0), (1, 1)]}],
            detect_only=True,
            audio="mute",
            mute_ranges=[{"start_seconds": 1, "end_seconds": 2.5, "sound": "tone"}],
            verify=False,
            idempotency_key="mine",
        )
    body = service.requests[0].body.decode()
    fields = [part.split("\r\n")[1:4:2] for part in body.split("--veil-")[1:-1]]
    pairs = [(part.split("\r\n")[1], part.split("\r\n")[3]) for part in body.split("--veil-")[1:-2]]
    assert fields
    assert [(head.split('"')[1], value) for head, value in pairs] == [
        ("categories[]", "heads"),
        ("categories[]", "writing"),
        ("redaction_method", "pixelation"),
        ("sensitivity", "high"),
        ("min_confidence", '{"heads": 0.3}'),
        ("regions", '[{"box": {"x": 0.1, "y": 0.2, "width": 0.3, "height": 0.1}, "category": "heads"}]'),
        ("ignore_regions", '[{"polygon": [[0, 0], [1, 0], [1, 1]]}]'),
        ("detect_only", "true"),
        ("audio", "mute"),
        ("mute_ranges", '[{"start_seconds": 1, "end_seconds": 2.5, "sound": "tone"}]'),
        ("verify", "false"),
    ]
    assert service.requests[0].headers["idempotency-key"] == "mine"
    assert service.requests[0].headers["authorization"] == "Bearer veil_test"


def test_an_unknown_option_of_redact_names_redact_and_the_option_meant(service: ScriptedService) -> None:
    with client_of(service) as veil:
        sentence = r"^redact\(\) got an unexpected keyword argument 'sensitivty' \(did you mean sensitivity\?\)$"
        with pytest.raises(TypeError, match=sentence):
            veil.redact(b"x", categories=["heads"], sensitivty="high")  # type: ignore[call-arg]
    assert service.requests == []


def test_names_cannot_break_out_of_the_form(service: ScriptedService) -> None:
    with client_of(service) as veil:
        veil.upload(b"x", categories=["heads"], filename='a"\r\nX: y.jpg')
    assert b'filename="a%22%0D%0AX: y.jpg"\r\n' in service.requests[0].body


def test_progress_is_told_and_ends_with_all(service: ScriptedService) -> None:
    heard: list[Progress] = []
    with client_of(service) as veil:
        veil.upload(b"x" * 300_000, categories=["heads"], on_progress=heard.append)
    done = [progress.done_bytes for progress in heard]
    assert done == sorted(done)
    assert len(done) > 4
    assert heard[-1].fraction == 1
    assert str(done[-1]) == service.requests[0].headers["content-length"]


def test_what_a_listener_raises_ends_the_upload_at_once(service: ScriptedService) -> None:
    def refuse(_progress: Progress) -> None:
        raise KeyError("mine")

    with client_of(service) as veil, pytest.raises(KeyError, match="mine"):
        veil.upload(b"x" * 300_000, categories=["heads"], on_progress=refuse)
    assert len(service.requests) <= 1


class ChangingFile(io.BytesIO):
    """Declares another length than it has."""

    def __init__(self, content: bytes, told: int) -> None:
        super().__init__(content)
        self.told = told

    def seek(self, offset: int, whence: int = os.SEEK_SET, /) -> int:
        super().seek(offset, whence)
        return self.told if whence == os.SEEK_END else offset


@pytest.mark.parametrize("told", [50_000, 150_000])
def test_a_file_that_changes_its_length_is_not_sent_in_part(service: ScriptedService, told: int) -> None:
    with client_of(service) as veil, pytest.raises(UploadFileError, match="changed its length"):
        veil.upload(ChangingFile(b"x" * 100_000, told), categories=["heads"])
    assert all(request.body == b"" or not request.body.endswith(b"--\r\n") for request in service.requests)


def test_what_cannot_be_uploaded_is_refused_before_anything_is_sent(service: ScriptedService, tmp_path: Path) -> None:
    read_end, write_end = os.pipe()
    os.close(write_end)
    with client_of(service) as veil, os.fdopen(read_end, "rb") as pipe:
        with pytest.raises(FileNotFoundError):
            veil.upload(tmp_path / "none.jpg", categories=["heads"])
        with pytest.raises(IsADirectoryError):
            veil.upload(tmp_path, categories=["heads"])
        with pytest.raises(InvalidArgumentError, match="cannot seek"):
            veil.upload(pipe, categories=["heads"])
        with pytest.raises(InvalidArgumentError, match="text mode"):
            veil.upload(cast("BinaryIO", io.StringIO("x")), categories=["heads"])
        with pytest.raises(InvalidArgumentError, match="is a int"):
            veil.upload(cast("Any", 7), categories=["heads"])
        with pytest.raises(InvalidArgumentError, match=r"expected a list, such as \['heads'\]"):
            veil.upload(b"x", categories=cast("Any", "heads"))
        with pytest.raises(InvalidArgumentError, match="min_confidence"):
            veil.upload(b"x", categories=["heads"], min_confidence=float("nan"))
        with pytest.raises(InvalidArgumentError, match="idempotency"):
            veil.upload(b"x", categories=["heads"], idempotency_key="a\r\nb")
    assert service.requests == []


def test_memory_does_not_grow_with_the_file(service: ScriptedService, tmp_path: Path) -> None:
    path = tmp_path / "long.mp4"
    with path.open("wb") as file:
        file.truncate(150_000_000)
    with client_of(service, timeout=60) as veil:
        tracemalloc.start()
        veil.upload(path, categories=["heads"])
        _, peak_bytes = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    assert int(service.requests[0].headers["content-length"]) > 150_000_000
    assert peak_bytes < 3_000_000
