"""Files that are sent in parts."""

from __future__ import annotations

import base64

import httpx

from veil_redact._async.connection import AsyncConnection
from veil_redact._async.transport import Call
from veil_redact._bodies import Body
from veil_redact._progress import Progress, ProgressListener
from veil_redact._upload_file import UploadFile, UploadSource, upload_file_of
from veil_redact._waiting import async_in_thread
from veil_redact.errors import (
    ApiError,
    ConnectionFailedError,
    InvalidArgumentError,
    NotFoundError,
    UnexpectedAnswerError,
    VeilError,
)
from veil_redact.models import ResumableUpload

_PART_BYTES = 16 * 1024 * 1024
_GONE = "There is no such upload: it was used or deleted, or it has expired."
_TUS = {"Tus-Resumable": "1.0.0"}
_ANOTHER_TRY = frozenset({409, 423})


class AsyncUploads(AsyncConnection):
    """Resumable uploads. Each has a URL that needs no API key."""

    async def create_upload(self, *, size_bytes: int, filename: str | None = None) -> ResumableUpload:
        """Begins a resumable upload. Its `upload_url` needs no API key, so a browser may send the file there.

        Example:
            ```python
            upload = await veil.create_upload(size_bytes=5_000_000, filename="clip.mp4")
            ```
        """
        headers = {**_TUS, "Upload-Length": str(size_bytes)}
        if filename is not None:
            headers["Upload-Metadata"] = f"filename {base64.b64encode(filename.encode()).decode()}"
        return await self._transport.fetch(ResumableUpload, Call(method="POST", path="/uploads", headers=headers))

    async def upload_offset(self, upload_url: str) -> int:
        """How many bytes of a resumable upload have arrived.

        Example:
            ```python
            print(await veil.upload_offset(upload.upload_url))
            ```
        """
        return await self._offset_after(Call(method="HEAD", path="", url=upload_url, headers=_TUS))

    async def send_upload(
        self,
        upload_url: str,
        file: UploadSource,
        *,
        part_bytes: int = _PART_BYTES,
        on_progress: ProgressListener | None = None,
    ) -> None:
        """Sends a file to a resumable upload, in parts, and continues where an earlier attempt stopped.

        Continues after broken connections as long as some part arrives from time to time.

        Args:
            upload_url: the URL of the upload
            file: a path, the bytes of a file, or a file opened in binary mode. It is streamed and never held in
                memory
            part_bytes: the size of one request
            on_progress: called with the number of bytes that have arrived

        Raises:
            NotFoundError: the upload was used or deleted, or has expired

        Example:
            ```python
            await veil.send_upload(upload.upload_url, "clip.mp4")
            ```
        """
        if part_bytes < 1:
            raise InvalidArgumentError(f"part_bytes is {part_bytes!r}; expected at least 1.")
        whole = await async_in_thread(upload_file_of, file, None)
        offset = await self.upload_offset(upload_url)
        attempt = 0
        while offset < whole.size_bytes:
            if on_progress is not None:
                on_progress(Progress(offset, whole.size_bytes))
            try:
                offset = await self._send_part(upload_url, whole.part(offset, part_bytes), offset)
                attempt = 0
            except VeilError as error:
                await self._transport.pause_before_retry(_passing(error), attempt)
                before = offset
                offset = await self.upload_offset(upload_url)
                attempt = 0 if offset > before else attempt + 1
        if on_progress is not None:
            on_progress(Progress(whole.size_bytes, whole.size_bytes))

    async def delete_upload(self, upload_url: str) -> None:
        """Ends a resumable upload and deletes the received bytes.

        Example:
            ```python
            await veil.delete_upload(upload.upload_url)
            ```
        """
        await self._transport.send(Call(method="DELETE", path="", url=upload_url, headers=_TUS, gone_is_good=True))

    async def _send_part(self, upload_url: str, part: UploadFile, offset: int) -> int:
        call = Call(
            method="PATCH",
            path="",
            url=upload_url,
            headers={**_TUS, "Upload-Offset": str(offset)},
            body=Body(content_type="application/offset+octet-stream", head=b"", file=part),
        )
        # Some bytes of a part may have arrived, so the offset is requested before each attempt.
        response = await self._transport.open_once(call)
        await response.aclose()
        return _offset_in(response)

    async def _offset_after(self, call: Call) -> int:
        if not (isinstance(call.url, str) and call.url.startswith(("https://", "http://"))):
            raise InvalidArgumentError("The upload's address is not a URL; pass upload_url, not upload_id.")
        try:
            response = await self._transport.open(call)
        except NotFoundError as error:
            # An answer to HEAD has no body, so it cannot contain the reason.
            raise NotFoundError(_GONE, error.status, None, None, error.request_id, None) from None
        await response.aclose()
        return _offset_in(response)


def _offset_in(response: httpx.Response) -> int:
    text = response.headers.get("Upload-Offset", "")
    if not (text.isascii() and text.isdigit()):
        raise UnexpectedAnswerError("The answer has no valid Upload-Offset header.")
    return int(text)


def _passing(error: VeilError) -> VeilError:
    """Treats two errors like a broken connection.

    Another attempt still holds the upload, or the offset has changed.
    """
    if isinstance(error, ApiError) and error.status in _ANOTHER_TRY:
        return ConnectionFailedError(str(error))
    return error
