"""The errors that the client raises. All of them are a `VeilError`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from veil_redact.models import Failure, Media


class VeilError(Exception):
    """The base class of all errors of this package."""


class InvalidArgumentError(VeilError, ValueError):
    """An argument or a setting cannot be used. Nothing has been sent."""


class ApiError(VeilError):
    """The service answered with a refusal or an error. Each code has its own class."""

    status: int
    """The HTTP status, such as 422."""
    code: str | None
    """The code of the error, such as `validation_failed`; None if a proxy answered instead of the service."""
    message: str
    """The message for people."""
    details: Mapping[str, Any]
    """Further information; see the errors page of the documentation."""
    request_id: str | None
    """Identifies the request. Quote it when you ask for help."""
    retry_after_seconds: float | None
    """How long to wait before the next attempt, according to the service."""

    def __init__(
        self,
        message: str,
        status: int = 0,
        code: str | None = None,
        details: Mapping[str, Any] | None = None,
        request_id: str | None = None,
        retry_after_seconds: float | None = None,
    ) -> None:
        super().__init__(message, status, code, details, request_id, retry_after_seconds)
        self.status = status
        self.code = code
        self.message = message
        self.details = details or {}
        self.request_id = request_id
        self.retry_after_seconds = retry_after_seconds

    @property
    def fields(self) -> Mapping[str, Sequence[str]]:
        """What is wrong with each field of an invalid request, in full sentences."""
        if self.code != "validation_failed":
            return {}
        return {
            field: [str(one) for one in sentences] if isinstance(sentences, list) else [str(sentences)]
            for field, sentences in self.details.items()
        }

    def __str__(self) -> str:
        """The message, what is wrong with each field, and the ID of the request."""
        faults = [f"{field}: {' '.join(sentences)}" for field, sentences in self.fields.items()]
        sentences = " ".join([self.message, *faults])
        where = ", ".join(part for part in (f"{self.status} {self.code or ''}".strip(), self.request_id) if part)
        return f"{sentences} ({where})"


class UnauthorizedError(ApiError):
    """401: the API key is missing, unknown or revoked."""


class NotFoundError(ApiError):
    """404: there is no such media item, or it is not completed and there is nothing to download yet."""


class ConflictError(ApiError):
    """409: an idempotency key was used for another upload, or there is nothing to revise; `reason` says which."""

    @property
    def reason(self) -> str | None:
        """A code for programs, such as `source_deleted`."""
        reason = self.details.get("reason")
        return reason if isinstance(reason, str) else None


class ValidationFailedError(ApiError):
    """422: fields are invalid. `fields` has sentences for all of them."""


class RateLimitExceededError(ApiError):
    """429: too many requests in this minute, even after waiting."""


class QuotaExceededError(ApiError):
    """429: the quota of the billing period is used up. This is not retried."""


class ServerError(ApiError):
    """5xx: an error of the service or of a proxy, even after retries."""


class UnexpectedAnswerError(VeilError):
    """The answer does not match the contract. The base URL may be wrong."""


class ConnectionFailedError(VeilError):
    """The service could not be reached or a connection broke, even after retries. `__cause__` has the details."""

    is_unreachable: bool
    """Whether nothing listens at the base URL, or has before, so that it is probably wrong."""

    def __init__(self, message: str, *, is_unreachable: bool = False) -> None:
        super().__init__(message)
        self.is_unreachable = is_unreachable


class TimedOutError(VeilError, TimeoutError):
    """No data was transferred within the idle timeout, or a media item took longer than the client waits."""


class UploadFileError(VeilError):
    """The file of an upload cannot be read, or it changed while it was sent. `__cause__` has the details."""


class OutputExistsError(VeilError, FileExistsError):
    """The file exists and must not be overwritten."""

    path: str

    def __init__(self, path: str) -> None:
        super().__init__(path)
        self.path = path

    def __str__(self) -> str:
        """The path, in a sentence."""
        return f"{self.path} already exists; overwrite=True replaces it."


class MediaFailedError(VeilError):
    """A media item has ended without a redacted file: it failed, or did not fit the quota."""

    media: Media
    failure: Failure | None
    """The reason, if the service reported one."""

    def __init__(self, media: Media, failure: Failure | None = None) -> None:
        super().__init__(media, failure)
        self.media = media
        self.failure = failure

    def __str__(self) -> str:
        """Why there is no redacted file, and which media item it is."""
        media_id, status = self.media.id, self.media.status
        if self.failure is not None:
            return f"{self.failure.message} (media {media_id}, {self.failure.code})"
        if status == "quota_exceeded":
            return f"Media {media_id} does not fit the quota of the billing period."
        return f"Media {media_id} could not be processed; its file may be damaged."


class ReportError(VeilError):
    """A report is not genuine, or is about other files; the message says why."""


class SignatureError(VeilError):
    """A webhook is not signed with any of the secrets, or is older than the tolerance."""
