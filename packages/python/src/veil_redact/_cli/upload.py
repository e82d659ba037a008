"""How the command uploads a file: small ones at once, large ones in parts."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import anyio
from typing_extensions import Unpack

from veil_redact._async.client import AsyncClient
from veil_redact._options import UploadOptions
from veil_redact.errors import VeilError
from veil_redact.models import Media, RedactionCategory

_IN_PARTS_BYTES = 20_000_000
"""Files of this size or more are sent in parts, so that they continue after an interruption and may exceed the
size limit of a request."""
_CLEAN_UP_SECONDS = 10


async def upload_path(
    client: AsyncClient, path: Path, *, categories: Iterable[RedactionCategory], **options: Unpack[UploadOptions]
) -> Media:
    """Uploads a file and queues its redaction."""
    size_bytes = path.stat().st_size
    if size_bytes < _IN_PARTS_BYTES:
        return await client.upload(path, categories=categories, **options)
    on_progress = options.pop("on_progress", None)
    upload = await client.create_upload(size_bytes=size_bytes, filename=path.name)
    try:
        await client.send_upload(upload.upload_url, path, on_progress=on_progress)
        options["upload_id"] = upload.upload_id
        return await client.upload(categories=categories, **options)
    except BaseException:
        # The received bytes would stay stored for a day. Ctrl+C ends here too.
        with anyio.move_on_after(_CLEAN_UP_SECONDS, shield=True):
            await _forget(client, upload.upload_url)
        raise


async def _forget(client: AsyncClient, upload_url: str) -> None:
    try:
        await client.delete_upload(upload_url)
    except VeilError:
        # A failure of this cleanup must not hide why the upload failed.
        return
