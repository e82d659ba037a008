"""Converts error answers and platform errors to exceptions of this package."""

from __future__ import annotations

import json
import socket

import httpx

from veil_redact._retry import retry_after_seconds_of
from veil_redact.errors import (
    ApiError,
    ConflictError,
    ConnectionFailedError,
    NotFoundError,
    QuotaExceededError,
    RateLimitExceededError,
    ServerError,
    TimedOutError,
    UnauthorizedError,
    UnexpectedAnswerError,
    ValidationFailedError,
    VeilError,
)

_BY_CODE: dict[str, type[ApiError]] = {
    "unauthorized": UnauthorizedError,
    "not_found": NotFoundError,
    "conflict": ConflictError,
    "validation_failed": ValidationFailedError,
    "rate_limit_exceeded": RateLimitExceededError,
    "quota_exceeded": QuotaExceededError,
    "server_error": ServerError,
}
# Error answers of proxies have no code.
_BY_STATUS: dict[int, type[ApiError]] = {
    401: UnauthorizedError,
    404: NotFoundError,
    429: RateLimitExceededError,
}


def api_error_of(response: httpx.Response, content: bytes) -> VeilError:
    """The error for an answer. `content` is its body, or the beginning of it."""
    if response.is_redirect or 300 <= response.status_code < 400:
        target = response.headers.get("Location", "")[:200]
        return UnexpectedAnswerError(
            f"The answer is {response.status_code}, a redirect to {target!r}; is the base URL right?"
        )
    status = response.status_code
    retry_after = retry_after_seconds_of(response.headers.get("Retry-After"))
    request_id = response.headers.get("X-Request-Id")
    envelope = _envelope_of(content)
    if envelope is None:
        kind = _BY_STATUS.get(status, ServerError if status >= 500 else ApiError)
        message = f"The answer is {status}, and not one of the service's own; is the base URL right?"
        return kind(message, status, None, None, request_id, retry_after)
    code, message, details, own_request_id = envelope
    kind = _BY_CODE.get(code, ServerError if status >= 500 else ApiError)
    return kind(message, status, code, details, own_request_id or request_id, retry_after)


def _envelope_of(content: bytes) -> tuple[str, str, dict[str, object], str | None] | None:
    body = parse_json(content)
    error = body.get("error") if isinstance(body, dict) else None
    if not isinstance(body, dict) or not isinstance(error, dict):
        return None
    code, message, details = error.get("code"), error.get("message"), error.get("details")
    request_id = body.get("request_id")
    if not isinstance(code, str) or not isinstance(message, str):
        return None
    return (
        code,
        message,
        details if isinstance(details, dict) else {},
        request_id if isinstance(request_id, str) else None,
    )


def parse_json(content: bytes) -> object:
    """JSON as Python values; None if it is not JSON."""
    try:
        parsed: object = json.loads(content)
    except (ValueError, RecursionError):
        return None
    return parsed


def fault_of(
    error: httpx.HTTPError | httpx.StreamError, *, timeout_seconds: float, base_url: str, is_known: bool
) -> VeilError:
    """Converts a platform error to an exception of this package. A service is known once it has answered."""
    if isinstance(error, httpx.TimeoutException):
        return TimedOutError(f"Nothing moved for {timeout_seconds:g} seconds.")
    url = httpx.URL(base_url)
    where, reason = f"{url.scheme}://{url.netloc.decode()}", str(error) or type(error).__name__
    if isinstance(error, httpx.ConnectError) and _is_nobody_there(error):
        return ConnectionFailedError(f"Cannot connect to {where}: {reason}", is_unreachable=not is_known)
    return ConnectionFailedError(f"The connection to {where} broke: {reason}")


def _is_nobody_there(error: BaseException) -> bool:
    """Whether the port is closed or the host name does not exist."""
    at: BaseException | None = error
    while at is not None:
        if isinstance(at, (ConnectionRefusedError, socket.gaierror)):
            return True
        at = at.__cause__ or at.__context__
    return False
