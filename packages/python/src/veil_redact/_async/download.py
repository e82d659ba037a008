"""Downloads of redacted files."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import httpx

from veil_redact._async.transport import AsyncTransport, Call
from veil_redact._offered_name import as_offered, offered_name
from veil_redact._output_file import OutputFile, check_output
from veil_redact._progress import Progress, ProgressListener
from veil_redact._settings import media_path_of
from veil_redact._waiting import async_in_thread
from veil_redact.errors import ConnectionFailedError, TimedOutError, VeilError


class AsyncDownload:
    """A redacted file as a stream of pieces. Interrupted downloads resume.

    It can be read once. Raises an error if it cannot continue, or if fewer bytes arrive than declared.
    """

    content_type: str
    """For example `image/jpeg`."""
    filename: str | None
    """The service's name for the file, with the extension that matches its content."""
    size_bytes: int | None
    """None if unknown."""
    received_bytes: int
    """The number of bytes read so far."""

    def __init__(self, transport: AsyncTransport, path: str, first: httpx.Response) -> None:
        self._transport = transport
        self._path = path
        self._response = first
        self._etag = first.headers.get("ETag")
        self._resumptions = 0
        self.content_type = first.headers.get("Content-Type", "application/octet-stream")
        self.filename = offered_name(first.headers.get("Content-Disposition"))
        self.size_bytes = _size_of(first)
        self.received_bytes = 0

    async def __aiter__(self) -> AsyncIterator[bytes]:
        """The pieces as they arrive."""
        while True:
            try:
                async for piece in self._transport.pieces_of(self._response):
                    self.received_bytes += len(piece)
                    yield piece
                if self.size_bytes in (None, self.received_bytes):
                    return
                raise ConnectionFailedError(
                    f"The download broke off: {self.received_bytes} of {self.size_bytes} bytes arrived."
                )
            except VeilError as error:
                await self._resume(error)

    async def aclose(self) -> None:
        """Releases the connection."""
        await self._response.aclose()

    async def _resume(self, error: VeilError) -> None:
        """Continues the same file where it broke off. Raises the original error if that is not possible."""
        await self._response.aclose()
        if self._etag is None or self.size_bytes is None or self.received_bytes >= self.size_bytes:
            raise error
        await self._transport.pause_before_retry(error, self._resumptions)
        self._resumptions += 1
        headers = {"Range": f"bytes={self.received_bytes}-", "If-Range": self._etag}
        self._response = await self._transport.open(Call(method="GET", path=self._path, headers=headers))
        rest = f"bytes {self.received_bytes}-{self.size_bytes - 1}/{self.size_bytes}"
        if self._response.status_code != 206 or self._response.headers.get("Content-Range") != rest:
            await self._response.aclose()
            raise error


@asynccontextmanager
async def async_open_download(transport: AsyncTransport, media_id: str) -> AsyncGenerator[AsyncDownload, None]:
    """A download whose connection is released at the end."""
    path = f"{media_path_of(media_id)}/download"
    download = AsyncDownload(transport, path, await transport.open(Call(method="GET", path=path)))
    try:
        yield download
    finally:
        await download.aclose()


async def async_save(
    transport: AsyncTransport,
    media_id: str,
    path: Path,
    *,
    overwrite: bool,
    keep_extension: bool,
    on_progress: ProgressListener | None,
    claim: Callable[[Path], None] | None = None,
) -> Path:
    """Downloads to a path and returns it. No partial file is left. Interrupted downloads resume or start again.

    `claim` is called with the final path before anything is written, and may raise to prevent it.
    """
    if keep_extension:
        await async_in_thread(check_output, path, overwrite=overwrite)
    attempt = 0
    while True:
        received_bytes = 0
        try:
            async with async_open_download(transport, media_id) as download:
                target = path if keep_extension else as_offered(path, download.filename)
                if claim is not None:
                    claim(target)
                await async_in_thread(check_output, target, overwrite=overwrite)
                output = OutputFile(target, overwrite=overwrite)
                try:
                    async for piece in download:
                        await async_in_thread(output.write, piece)
                        received_bytes = download.received_bytes
                        if on_progress is not None:
                            on_progress(Progress(received_bytes, download.size_bytes))
                    await async_in_thread(output.publish)
                    return target
                finally:
                    output.close()
        except (ConnectionFailedError, TimedOutError) as error:
            # An unreachable service has already been retried often enough.
            if received_bytes == 0:
                raise
            await transport.pause_before_retry(error, attempt)
        attempt += 1


def _size_of(response: httpx.Response) -> int | None:
    text = response.headers.get("Content-Length", "")
    # A body that an intermediary has compressed has another length.
    if "Content-Encoding" in response.headers or not (text.isascii() and text.isdigit()):
        return None
    return int(text)
