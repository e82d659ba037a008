# Made from ../_async by scripts/generate.py; change nothing here.

"""The client of the API."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from os import PathLike
from pathlib import Path

from typing_extensions import Unpack

from veil_redact._bodies import form_body, only_one_of, upload_fields
from veil_redact._options import UploadOptions, refuse_unknown_options
from veil_redact._progress import ProgressListener
from veil_redact._settings import idempotency_key_of, media_path_of
from veil_redact._sync.account import Account
from veil_redact._sync.download import Download, open_download, save
from veil_redact._sync.revisions import Revisions
from veil_redact._sync.transport import Call
from veil_redact._sync.uploads import Uploads
from veil_redact._sync.waiting import Waiting
from veil_redact._upload_file import UploadSource, upload_file_of
from veil_redact._waiting import call_directly
from veil_redact.errors import (
    MediaFailedError,
    VeilError,
)
from veil_redact.models import (
    Media,
    RedactionCategory,
    RedactionMethod,
    StatusDetails,
)
from veil_redact.params import Audio, MuteRangeParam, RegionParam, Sensitivity


class Client(Uploads, Revisions, Account):
    """A client of the Veil API. Calls are repeated while their faults may pass by themselves, and raise a `VeilError`.

    Args:
        api_key: the key; `VEIL_API_KEY` unless given
        base_url: the address with its version, such as `https://veil.example.com/api/v1`; `VEIL_BASE_URL` unless given
        timeout: idle timeout in seconds; the request is retried
        retry: how often and how patiently faults that may pass are tried again
        allow_http: lets the key and the files travel unencrypted to another machine
        http_client: sends the requests, with your own proxies or certificates; you close it

    Raises:
        InvalidArgumentError: the key or the base URL is missing or cannot be used

    Example:
        ```python
        with Client() as veil:
            media = veil.redact("photo.jpg", categories=["heads", "license_plates"])
            veil.download(media.id, "redacted.jpg")
        ```
    """

    def upload(
        self,
        file: UploadSource | None = None,
        *,
        source_url: str | None = None,
        upload_id: str | None = None,
        categories: Iterable[RedactionCategory],
        redaction_method: RedactionMethod | None = None,
        filename: str | None = None,
        sensitivity: Sensitivity | None = None,
        min_confidence: float | Mapping[RedactionCategory, float] | None = None,
        regions: Sequence[RegionParam] | None = None,
        ignore_regions: Sequence[RegionParam] | None = None,
        detect_only: bool | None = None,
        audio: Audio | None = None,
        mute_ranges: Sequence[MuteRangeParam] | None = None,
        verify: bool | None = None,
        folder: str | None = None,
        metadata: Mapping[str, str] | None = None,
        idempotency_key: str | None = None,
        on_progress: ProgressListener | None = None,
    ) -> Media:
        """Uploads a file and queues its redaction. Retries never create duplicates.

        Args:
            file: a path, the bytes of a file, or a file opened in binary mode. It is streamed, never held
            source_url: instead of a file, the https URL of one on a public host, which the service fetches
            upload_id: instead of a file, the id of a resumable upload of which all bytes have arrived
            categories: what to redact
            redaction_method: `blur` (the default) or `pixelation`
            filename: the file's own name unless given
            sensitivity: `low` for fewer false masks, `high` for fewer misses
            min_confidence: exact thresholds in its place, for all categories or for some
            regions: redacted whatever is detected
            ignore_regions: what is detected inside one of these is left as it is
            detect_only: look and keep the detections, but write no redacted file
            audio: `mute` removes the sound of a video, `mute_speech` silences it wherever somebody speaks
            mute_ranges: parts of a video's sound that are silenced or covered by a tone
            verify: read the redacted file again before the media completes; that of the account unless given
            folder: the folder that the file came from, `/` between its parts; `list` finds it by that
            metadata: up to 20 texts that are kept with the media; `list` finds it by `external_id` of them
            idempotency_key: makes a repetition answer as the first time; one is made unless given. It does not compare
                `folder` and `metadata`
            on_progress: called with upload progress; resets on retry

        Example:
            ```python
            media = veil.upload("clip.mp4", categories=["heads"], on_progress=lambda p: print(p.fraction))
            ```
        """
        fields = upload_fields(
            categories=categories,
            redaction_method=redaction_method,
            sensitivity=sensitivity,
            min_confidence=min_confidence,
            regions=regions,
            ignore_regions=ignore_regions,
            detect_only=detect_only,
            audio=audio,
            mute_ranges=mute_ranges,
            verify=verify,
            folder=folder,
            metadata=metadata,
        )
        only_one_of(file=file, source_url=source_url, upload_id=upload_id)
        if file is None:
            places = {"source_url": source_url, "upload_id": upload_id, "filename": filename}
            fields += [(name, value) for name, value in places.items() if value is not None]
            body = form_body(fields, None)
        else:
            body = form_body(fields, call_directly(upload_file_of, file, filename))
        headers = {"Idempotency-Key": idempotency_key_of(idempotency_key)}
        call = Call(method="POST", path="/media/redact", headers=headers, body=body, on_sent=on_progress)
        return self._transport.fetch(Media, call)

    def redact(
        self,
        file: UploadSource | None = None,
        *,
        categories: Iterable[RedactionCategory],
        timeout: float | None = None,
        on_poll: Callable[[Media], object] | None = None,
        **options: Unpack[UploadOptions],
    ) -> Media:
        """Uploads a file and waits until it is redacted: `upload` and `wait` in one.

        Takes all options of `upload`; `timeout` and `on_poll` are those of `wait`.

        Raises:
            MediaFailedError: it ended without a redacted file; `failure` says why

        Example:
            ```python
            media = veil.redact("photo.jpg", categories=["heads", "license_plates"])
            ```
        """
        refuse_unknown_options("redact", options)
        media = self.upload(file, categories=categories, **options)
        media = self.wait(media.id, timeout=timeout, on_poll=on_poll)
        if media.status != "completed":
            raise self.media_error(media)
        return media

    def get(self, media_id: str) -> Media:
        """One media item as it is now.

        Example:
            ```python
            print((veil.get(media.id)).status)
            ```
        """
        return self._transport.fetch(Media, Call(method="GET", path=media_path_of(media_id)))

    def wait(
        self, media_id: str, *, timeout: float | None = None, on_poll: Callable[[Media], object] | None = None
    ) -> Media:
        """Waits until a media item has ended: `completed`, `failed` or `quota_exceeded`.

        The service answers when it has. A service that cannot wait is polled, less and less often.

        Args:
            media_id: the media item
            timeout: seconds to wait; as long as it takes by default
            on_poll: called with each answer, every 5 seconds or more often

        Raises:
            TimedOutError: it has not ended in time

        Example:
            ```python
            media = veil.wait(media.id, timeout=600)
            ```
        """
        return Waiting(self._transport, media_id, timeout=timeout, on_poll=on_poll).until_ended()

    def status_details(self, media_id: str) -> StatusDetails:
        """How far a media item is, why it failed if it did, and when its files are deleted.

        Example:
            ```python
            details = veil.status_details(media.id)
            print(details.step, details.progress, details.failure)
            ```
        """
        return self._transport.fetch(
            StatusDetails, Call(method="GET", path=f"{media_path_of(media_id)}/status-details")
        )

    def media_error(self, media: Media) -> MediaFailedError:
        """The error that says why a media item ended without a redacted file; raise it if you like.

        Example:
            ```python
            media = veil.wait(media.id)
            if media.status != "completed":
                raise veil.media_error(media)
            ```
        """
        try:
            return MediaFailedError(media, (self.status_details(media.id)).failure)
        except VeilError:
            # That it failed is known, and must not be hidden by a fault in asking why.
            return MediaFailedError(media)

    def download(
        self,
        media_id: str,
        path: str | PathLike[str],
        *,
        overwrite: bool = False,
        keep_extension: bool = True,
        on_progress: ProgressListener | None = None,
    ) -> Path:
        """Downloads the redacted file of a completed media item to `path`, whole or not at all.

        It is written under another name in the same folder and renamed once it is whole, so nothing is left behind and
        nothing is overwritten by a download that fails. Interrupted downloads resume.

        Args:
            media_id: the media item
            path: where the file goes
            overwrite: replace a file that is there already
            keep_extension: write to `path` to the letter; else it gets the extension of what is in the file
            on_progress: called with download progress

        Raises:
            OutputExistsError: there is a file already
            NotFoundError: there is no redacted file (yet)
            OSError: it cannot be written there

        Example:
            ```python
            veil.download(media.id, "redacted.jpg")
            ```
        """
        return save(
            self._transport,
            media_id,
            Path(path),
            overwrite=overwrite,
            keep_extension=keep_extension,
            on_progress=on_progress,
        )

    @contextmanager
    def stream(self, media_id: str) -> Generator[Download, None, None]:
        """The redacted file of a completed media item, as a stream that survives broken connections.

        Example:
            ```python
            with veil.stream(media.id) as download:
                for piece in download:
                    send_on(piece)
            ```
        """
        with open_download(self._transport, media_id) as download:
            yield download
