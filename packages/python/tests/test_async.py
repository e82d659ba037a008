"""The async client, on asyncio and trio. The sync client is generated from it, so the other tests cover both."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path

import anyio
import pytest

from tests.conftest import async_client_of, client_of
from tests.scripted_service import COMPLETED, MEDIA, MEDIA_ID, answer, drip, drop, error, raw, scripted
from veil_redact import MediaFailedError, VeilError

FILE = b"0123456789" * 10_000
FAILED = {**MEDIA, "status": "failed", "failed_at": "2026-11-20T13:37:01.000Z"}
DETAILS = {
    "media_id": MEDIA_ID,
    "status": "failed",
    "progress": None,
    "step": None,
    "failure": {"code": "source_undecodable", "message": "It is damaged."},
    "source_expires_at": None,
    "output_expires_at": None,
}


@pytest.fixture(params=["asyncio", "trio"])
def anyio_backend(request: pytest.FixtureRequest) -> Iterator[str]:
    yield request.param


@pytest.mark.anyio
async def test_a_photo_from_upload_to_file(tmp_path: Path) -> None:
    source, target = tmp_path / "in.jpg", tmp_path / "out.jpg"
    source.write_bytes(FILE)
    broken = raw(b'HTTP/1.1 200 OK\r\nETag: "1"\r\nContent-Length: 100000\r\n\r\n' + FILE[:100])
    rest = answer(206, FILE[100:], {"Content-Range": "bytes 100-99999/100000"})
    behaviors = [drop, answer(201, MEDIA), answer(200, MEDIA), answer(200, COMPLETED), broken, rest, answer(204)]
    with scripted(*behaviors) as service:
        async with async_client_of(service) as veil:
            media = await veil.redact(source, categories=["heads"])
            await veil.download(media.id, target)
            await veil.delete(media.id)
    assert target.read_bytes() == FILE
    assert FILE in service.requests[0].body
    assert service.requests[0].body[100:] == service.requests[1].body[100:]


@pytest.mark.anyio
async def test_a_media_item_that_fails_says_why() -> None:
    with scripted(answer(201, MEDIA), answer(200, FAILED), answer(200, DETAILS)) as service:
        async with async_client_of(service) as veil:
            with pytest.raises(MediaFailedError, match=r"It is damaged\.") as caught:
                await veil.redact(b"x", categories=["heads"])
    assert caught.value.failure is not None
    assert caught.value.failure.code == "source_undecodable"


@pytest.mark.anyio
async def test_that_it_failed_is_not_hidden_by_a_fault_in_asking_why() -> None:
    with scripted(answer(201, MEDIA), answer(200, FAILED), error(404, "not_found")) as service:
        async with async_client_of(service) as veil:
            with pytest.raises(MediaFailedError):
                await veil.redact(b"x", categories=["heads"])


@pytest.mark.anyio
@pytest.mark.parametrize("after_seconds", [0.05, 0.2])
async def test_a_download_that_is_cancelled_leaves_nothing(tmp_path: Path, after_seconds: float) -> None:
    head = b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n"
    with scripted(drip(head, b"x", 0.02, 500)) as service:
        async with async_client_of(service) as veil:
            with anyio.move_on_after(after_seconds):
                await veil.download(MEDIA_ID, tmp_path / "out.jpg")
                pytest.fail("It was not cancelled.")
    assert list(tmp_path.iterdir()) == []


def page(number: int, media_ids: list[str], *, is_last: bool) -> object:
    following = None if is_last else f"https://veil.example.com/api/v1/media?cursor={number}_x&per_page=100"
    return {
        "data": [{**COMPLETED, "id": media_id} for media_id in media_ids],
        "pagination": {"page": number, "per_page": 100, "total": 5, "total_pages": 3},
        "links": {"next": following, "previous": None},
    }


def ids(*numbers: int) -> list[str]:
    return [f"019a9c4e-6f1a-7c11-8f8e-{number:012}" for number in numbers]


@pytest.mark.anyio
async def test_all_pages_are_listed_by_their_cursors() -> None:
    pages = [page(1, ids(5, 4), is_last=False), page(2, ids(3, 2), is_last=False), page(3, ids(1), is_last=True)]
    with scripted(*(answer(200, one) for one in pages)) as service:
        async with async_client_of(service) as veil:
            found = [media.id async for media in veil.list_all(status="completed", media_type="image")]
    assert found == ids(5, 4, 3, 2, 1)
    assert [request.target for request in service.requests] == [
        f"/api/v1/media?status=completed&media_type=image&cursor={cursor}&per_page=100" for cursor in ("", "1_x", "2_x")
    ]


def test_the_sync_client_lists_alike() -> None:
    pages = [page(1, ids(5, 4), is_last=False), page(2, ids(3), is_last=True)]
    with scripted(*(answer(200, one) for one in pages)) as service, client_of(service) as veil:
        assert [media.id for media in veil.list_all(current=True)] == ids(5, 4, 3)


def test_a_revision_says_only_what_was_asked_for() -> None:
    with scripted(answer(201, MEDIA)) as service, client_of(service) as veil:
        veil.revise(MEDIA_ID, except_=("det_1",), regions=[{"box": {"x": 0, "y": 0, "width": 1, "height": 0.5}}])
        veil.revise(MEDIA_ID, redact="none")
        with pytest.raises(ValueError, match="expected a list"):
            veil.revise(MEDIA_ID, except_="det_1")
        with pytest.raises(VeilError, match="JSON"):
            veil.revise(MEDIA_ID, regions=[{"start_seconds": math.inf}])
    first, second = service.requests
    assert first.body == b'{"except": ["det_1"], "regions": [{"box": {"x": 0, "y": 0, "width": 1, "height": 0.5}}]}'
    assert second.body == b'{"redact": "none"}'
    assert first.headers["idempotency-key"] != second.headers["idempotency-key"]
    assert first.headers["content-type"] == "application/json"
