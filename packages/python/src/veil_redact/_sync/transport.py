# Made from ../_async by scripts/generate.py; change nothing here.

"""Requests, with retries on temporary errors."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

import httpx

from veil_redact._answers import api_error_of, fault_of, parse_json
from veil_redact._bodies import Body
from veil_redact._decode import decode
from veil_redact._progress import Progress, ProgressListener
from veil_redact._retry import RetryPolicy, delay_before_retry_seconds
from veil_redact._upload_file import FileReader
from veil_redact._version import __version__
from veil_redact._waiting import call_directly, sleep
from veil_redact.errors import TimedOutError, UnexpectedAnswerError, VeilError

T = TypeVar("T")

_MOST_JSON_BYTES = 64 * 1024 * 1024
_MOST_ERROR_BYTES = 256 * 1024
# A slow answer never reaches the idle timeout, so the whole answer may take this many timeouts.
_TIMEOUTS_OF_A_JSON_ANSWER = 5


@dataclass(frozen=True, kw_only=True)
class Call:
    """One call of the API."""

    method: str
    path: str
    url: str | None = None
    """A URL that is its own secret, instead of the path. The key is not sent there."""
    query: Mapping[str, str | int | Sequence[str]] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)
    body: Body | None = None
    on_sent: ProgressListener | None = None
    deadline: float | None = None
    """The caller's deadline, by `time.monotonic`."""
    gone_is_good: bool = False
    """Whether 404 counts as success for a retry, because an earlier attempt succeeded although its answer was
    lost."""


class Transport:
    """The service's location, and the settings for timeouts and retries."""

    def __init__(
        self,
        *,
        base_url: str,
        api_key: str,
        timeout: float,
        retry: RetryPolicy,
        http_client: httpx.Client,
    ) -> None:
        self.base_url = base_url
        self.retry = retry
        self.timeout = timeout
        self.refuses_wait = False
        """Whether the service has refused the parameter `wait`."""
        self._is_known = False
        self._http_client = http_client
        self._headers = {
            "Authorization": f"Bearer {api_key}",
            "User-Agent": f"veil-redact-python/{__version__}",
            # A body that an intermediary compresses has no length to check and no offset to continue from.
            "Accept-Encoding": "identity",
        }

    def fetch(self, model: type[T], call: Call) -> T:
        """Makes a call whose answer is JSON, and reads it as one of the models.

        Raises:
            VeilError: the error of the last attempt
        """
        return decode(model, self._json_of(call))

    def fetch_once(self, model: type[T], call: Call) -> T:
        """Makes a call once, and reads its answer as one of the models. Raises VeilError."""
        response = self._open_once(call, 0)
        try:
            return decode(model, self._read_json(response))
        finally:
            response.close()

    def send(self, call: Call) -> None:
        """Makes a call whose answer has no content. Raises the VeilError of the last attempt."""
        response = self.open(call)
        response.close()

    def open(self, call: Call) -> httpx.Response:
        """Returns the answer to a call before its body is read. Raises the VeilError of the last attempt."""
        attempt = 0
        while True:
            try:
                return self._open_once(call, attempt)
            except VeilError as error:
                self.pause_before_retry(error, attempt, call.deadline)
            attempt += 1

    def pause_before_retry(self, error: VeilError, attempt: int, deadline: float | None = None) -> None:
        """Waits before a call that ended with `error` is retried. Raises the error if it is not."""
        delay_seconds = delay_before_retry_seconds(error, attempt, self.retry)
        if delay_seconds is None:
            raise error
        if deadline is not None and time.monotonic() + delay_seconds > deadline:
            raise TimedOutError(f"The time limit is over. The last attempt failed with: {error}") from error
        sleep(delay_seconds)

    def pieces_of(self, response: httpx.Response) -> Iterator[bytes]:
        """The body of an answer as it arrives."""
        try:
            for piece in response.iter_bytes():
                yield piece
        except httpx.HTTPError as error:
            raise self._fault_of(error, self.timeout) from error

    def _json_of(self, call: Call) -> object:
        attempt = 0
        while True:
            try:
                response = self._open_once(call, attempt)
                try:
                    return self._read_json(response)
                finally:
                    response.close()
            except VeilError as error:
                self.pause_before_retry(error, attempt, call.deadline)
            attempt += 1

    def open_once(self, call: Call) -> httpx.Response:
        """Makes a call once and returns its answer before its body is read. Raises VeilError."""
        return self._open_once(call, 0)

    def _open_once(self, call: Call, attempt: int) -> httpx.Response:
        response = self._exchange(call)
        if response.is_success or (response.status_code == 404 and call.gone_is_good and attempt > 0):
            return response
        try:
            content = self._beginning_of(response)
        finally:
            response.close()
        raise api_error_of(response, content)

    def _exchange(self, call: Call) -> httpx.Response:
        timeout = self.timeout
        if call.deadline is not None:
            timeout = min(timeout, max(1.0, call.deadline - time.monotonic()))
        body = call.body
        headers = {**self._headers, **call.headers}
        if call.url is not None:
            del headers["Authorization"]
        reader: FileReader | None = None
        options: dict[str, Any] = {}
        if body is not None:
            headers |= {"Content-Type": body.content_type, "Content-Length": str(body.size_bytes)}
            reader = None if body.file is None else call_directly(body.file.open)
            options["content"] = self._pieces_to_send(body, reader, call.on_sent)
        try:
            request = self._http_client.build_request(
                call.method,
                call.url or self.base_url + call.path,
                params=call.query or None,
                headers=headers,
                # Waiting for a free connection of this process's own pool is not the service's fault.
                timeout=httpx.Timeout(timeout, pool=None),
                **options,
            )
            # A redirect would send the file and its key to a place other than the named one.
            response = self._http_client.send(request, stream=True, auth=None, follow_redirects=False)
            self._is_known = True
            return response
        except httpx.HTTPError as error:
            raise self._fault_of(error, timeout) from error
        finally:
            if reader is not None:
                reader.close()

    def _fault_of(self, error: httpx.HTTPError, timeout_seconds: float) -> VeilError:
        return fault_of(error, timeout_seconds=timeout_seconds, base_url=self.base_url, is_known=self._is_known)

    def _pieces_to_send(
        self, body: Body, reader: FileReader | None, on_sent: ProgressListener | None
    ) -> Iterator[bytes]:
        sent_bytes = 0

        def tell(piece: bytes) -> None:
            nonlocal sent_bytes
            sent_bytes += len(piece)
            if on_sent is not None:
                on_sent(Progress(sent_bytes, body.size_bytes))

        if body.head:
            yield body.head
            tell(body.head)
        while reader is not None:
            piece = call_directly(reader.read)
            if piece == b"":
                break
            yield piece
            tell(piece)
        if body.tail:
            yield body.tail
            tell(body.tail)

    def _read_json(self, response: httpx.Response) -> object:
        until = time.monotonic() + _TIMEOUTS_OF_A_JSON_ANSWER * self.timeout
        pieces: list[bytes] = []
        left_bytes = _MOST_JSON_BYTES
        for piece in self.pieces_of(response):
            pieces.append(piece)
            left_bytes -= len(piece)
            if left_bytes < 0:
                raise UnexpectedAnswerError(f"The answer is longer than {_MOST_JSON_BYTES} bytes.")
            if time.monotonic() > until:
                raise TimedOutError("The answer came too slowly.")
        parsed = parse_json(b"".join(pieces))
        if not isinstance(parsed, dict):
            kind = response.headers.get("Content-Type", "no content type")[:100]
            raise UnexpectedAnswerError(f"The answer is not a JSON object ({kind}); is the base URL right?")
        return parsed

    def _beginning_of(self, response: httpx.Response) -> bytes:
        """As much of an error's body as can be read. The status is already known."""
        until = time.monotonic() + self.timeout
        content = b""
        try:
            for piece in response.iter_bytes():
                content += piece
                if len(content) > _MOST_ERROR_BYTES or time.monotonic() > until:
                    break
        except httpx.HTTPError:
            return b""
        return content
