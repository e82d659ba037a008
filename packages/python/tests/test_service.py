"""Against a running service: `npm start`, then VEIL_BASE_URL and VEIL_API_KEY as it prints them."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import uuid
from collections.abc import Iterator
from pathlib import Path

import anyio
import pytest

from veil_redact import (
    AsyncClient,
    Client,
    ConflictError,
    Media,
    MediaFailedError,
    NotFoundError,
    Progress,
    UnauthorizedError,
    ValidationFailedError,
)

ROOT = Path(__file__).resolve().parent.parent
PHOTO = ROOT.parent.parent / "docs" / "pictures" / "street-before.jpg"

pytestmark = [
    pytest.mark.service,
    pytest.mark.skipif(
        not (os.environ.get("VEIL_BASE_URL") and os.environ.get("VEIL_API_KEY")),
        reason="VEIL_BASE_URL and VEIL_API_KEY name no service.",
    ),
]


@pytest.fixture(scope="module")
def veil() -> Iterator[Client]:
    with Client() as client:
        yield client


@pytest.fixture(scope="module")
def photo(veil: Client) -> Media:
    """A photo that was redacted once for all tests."""
    return veil.redact(PHOTO, categories=["heads", "license_plates"], timeout=200)


def test_a_photo_is_redacted_and_saved(veil: Client, photo: Media, tmp_path: Path) -> None:
    heard: list[Progress] = []
    assert (photo.status, photo.filename, photo.file_size_bytes) == ("completed", PHOTO.name, PHOTO.stat().st_size)
    veil.download(photo.id, tmp_path / "out.jpg", on_progress=heard.append)
    redacted = (tmp_path / "out.jpg").read_bytes()
    assert redacted.startswith(b"\xff\xd8")
    assert redacted != PHOTO.read_bytes()
    assert heard[-1] == Progress(len(redacted), len(redacted))
    with veil.stream(photo.id) as download:
        assert (download.content_type, b"".join(download)) == ("image/jpeg", redacted)


def test_a_photo_is_corrected(veil: Client, photo: Media, tmp_path: Path) -> None:
    found = veil.detections(photo.id)
    hidden = [one for one in found.detections if one.redacted]
    assert len(hidden) > 1
    revision = veil.revise(
        photo.id,
        except_=[hidden[0].id],
        regions=[{"box": {"x": 0.4, "y": 0.9, "width": 0.1, "height": 0.05}}],
        redaction_method="pixelation",
    )
    assert veil.wait(revision.id, timeout=200).status == "completed"
    after = {one.id: one for one in veil.detections(revision.id).detections}
    assert not after[hidden[0].id].redacted
    assert after[hidden[1].id].redacted
    assert any(one.origin == "request" and one.redacted for one in after.values())
    assert veil.detections(revision.id).revision_of == photo.id
    veil.delete(revision.id)
    with pytest.raises(NotFoundError) as caught:
        veil.get(revision.id)
    assert caught.value.request_id is not None
    assert caught.value.request_id.startswith("req_")


def test_lists_and_usage(veil: Client, photo: Media) -> None:
    assert photo.id in [media.id for media in veil.list_all(status="completed", media_type="image")]
    page = veil.list(per_page=1)
    assert (len(page.data), page.pagination.per_page) == (1, 1)
    usage = veil.usage()
    assert usage.images.used >= 1
    assert usage.period_start <= usage.period_end
    details = veil.status_details(photo.id)
    assert (details.progress, details.failure) == (1, None)


def test_refusals_are_exceptions(veil: Client, photo: Media) -> None:
    with pytest.raises(ValidationFailedError) as caught:
        veil.upload(b"a shopping list", categories=["heads"], filename="list.jpg")
    assert "Unrecognized file format" in caught.value.fields["file"][0]
    with pytest.raises(ValidationFailedError, match="det_nobody"):
        veil.revise(photo.id, redact=["det_nobody"])
    with pytest.raises(NotFoundError):
        veil.get(str(uuid.uuid4()))
    with Client("veil_wrong") as stranger, pytest.raises(UnauthorizedError):
        stranger.usage()


def test_the_same_key_makes_one_media_item(veil: Client) -> None:
    key = str(uuid.uuid4())
    first = veil.upload(PHOTO, categories=["qr_codes"], idempotency_key=key)
    assert veil.upload(PHOTO, categories=["qr_codes"], idempotency_key=key).id == first.id
    with pytest.raises(ConflictError) as caught:
        veil.upload(PHOTO, categories=["barcodes"], idempotency_key=key)
    assert caught.value.reason == "idempotency_key_reused"
    veil.delete(first.id)


def test_a_damaged_photo_says_why(veil: Client) -> None:
    with pytest.raises(MediaFailedError) as caught:
        veil.redact(PHOTO.read_bytes()[:20_000], categories=["qr_codes"], filename="cut.jpg", timeout=200)
    assert caught.value.failure is not None
    assert caught.value.failure.code in ("source_undecodable", "source_unreadable")
    assert caught.value.media.status == "failed"


def test_several_at_once(tmp_path: Path) -> None:
    async def redact_and_save(veil: AsyncClient, name: str) -> None:
        media = await veil.redact(PHOTO, categories=["qr_codes"], filename=name, timeout=200)
        await veil.download(media.id, tmp_path / name)
        await veil.delete(media.id)

    async def main() -> None:
        async with AsyncClient() as veil, anyio.create_task_group() as group:
            for number in range(3):
                group.start_soon(redact_and_save, veil, f"{number}.jpg")

    anyio.run(main)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["0.jpg", "1.jpg", "2.jpg"]


@pytest.mark.skipif("VEIL_TEST_VIDEO" not in os.environ, reason="VEIL_TEST_VIDEO names no video.")
def test_a_video_is_redacted(veil: Client, tmp_path: Path) -> None:
    media = veil.redact(os.environ["VEIL_TEST_VIDEO"], categories=["heads"], audio="mute", timeout=200)
    assert media.media_type == "video"
    assert media.duration_seconds is not None
    veil.download(media.id, tmp_path / "out.mp4")
    assert (tmp_path / "out.mp4").read_bytes()[4:8] == b"ftyp"
    assert veil.detections(media.id).duration_seconds == pytest.approx(media.duration_seconds, abs=0.1)
    veil.delete(media.id)


def readme_examples() -> list[str]:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    return [code for code in re.findall(r"```python\n(.*?)```", text, re.DOTALL) if "run: not" not in code]


@pytest.mark.parametrize("number", range(len(readme_examples())))
def test_the_examples_of_the_readme_run(number: int, tmp_path: Path, veil: Client) -> None:
    (tmp_path / "photo.jpg").write_bytes(PHOTO.read_bytes())
    (tmp_path / "other.jpg").write_bytes(PHOTO.read_bytes())
    # The content decides the type of a file.
    (tmp_path / "drive.mp4").write_bytes(PHOTO.read_bytes())
    script = tmp_path / "example.py"
    script.write_text(readme_examples()[number], encoding="utf-8")
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    done = subprocess.run([sys.executable, script], cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
