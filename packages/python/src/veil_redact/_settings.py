"""Where the service is and what it is spoken to with, checked once."""

from __future__ import annotations

import ipaddress
import os
import re
import uuid
from collections.abc import Iterable
from urllib.parse import urlsplit

import httpx

from veil_redact.errors import InvalidArgumentError

_VERSION_PATH = "/api/v1"
_MEDIA_ID = re.compile(r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}", re.IGNORECASE)


def base_url_of(given: str | None, *, allow_http: bool) -> str:
    """The address that paths are put behind; `VEIL_BASE_URL` unless given. An origin alone gets the contract's version.

    Raises:
        InvalidArgumentError: it is no URL, or would send the key unencrypted to another machine
    """
    text = os.environ.get("VEIL_BASE_URL", "") if given is None else given
    if text == "":
        raise InvalidArgumentError(
            "The base URL is missing; give base_url or set VEIL_BASE_URL, such as https://veil.example.com/api/v1."
        )
    unusable = f"The base URL is {text!r}; expected one such as https://veil.example.com/api/v1."
    try:
        url = urlsplit(text)
        host, port = url.hostname, url.port
        httpx.URL(text)
    except (ValueError, httpx.InvalidURL):
        raise InvalidArgumentError(unusable) from None
    if not host or re.search(r"[\s\\]", text):
        raise InvalidArgumentError(unusable)
    if url.scheme != "https" and not (url.scheme == "http" and (allow_http or is_this_machine(host))):
        raise InvalidArgumentError(
            f"The base URL begins with {url.scheme}://; expected https://, or http:// to this machine."
        )
    if "@" in url.netloc or url.query or url.fragment:
        raise InvalidArgumentError("The base URL has more than a host and a path; remove the rest.")
    shown_host = f"[{host}]" if ":" in host else host
    origin = f"{url.scheme}://{shown_host}{'' if port is None else f':{port}'}"
    return origin + (url.path.rstrip("/") or _VERSION_PATH)


def is_this_machine(host: str | None) -> bool:
    """Whether a host name is the machine that asks."""
    if host is None or host.lower() == "localhost":
        return host is not None
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return False
    return address.is_loopback


def api_key_of(given: str | None) -> str:
    """The API key; `VEIL_API_KEY` unless given. Raises InvalidArgumentError where it is missing or no key."""
    key = (os.environ.get("VEIL_API_KEY", "") if given is None else given).strip()
    if key == "":
        raise InvalidArgumentError("The API key is missing; give api_key or set VEIL_API_KEY.")
    if not re.fullmatch(r"[\x21-\x7e]+", key):
        raise InvalidArgumentError("The API key has characters that no key has, such as spaces or line breaks.")
    return key


def media_path_of(media_id: str) -> str:
    """The path of a media item. Raises InvalidArgumentError for what is no id: it could lead to another path."""
    if not isinstance(media_id, str) or not _MEDIA_ID.fullmatch(media_id):
        shown = repr(media_id)[:80]
        raise InvalidArgumentError(f"The media ID is {shown}; expected a UUID, such as the id of a media item.")
    return f"/media/{media_id}"


def comma_separated(name: str, values: Iterable[str]) -> str | None:
    """The values of a query parameter; None where there are none. Raises InvalidArgumentError for a text alone."""
    if isinstance(values, str):
        raise InvalidArgumentError(f"{name} is {values!r}; expected a list, such as [{values!r}].")
    return ",".join(values) or None


def idempotency_key_of(given: str | None) -> str:
    """The idempotency key; one is made unless given. Raises InvalidArgumentError for what no header can contain."""
    key = str(uuid.uuid4()) if given is None else given
    if not (key.isascii() and key.isprintable()):
        raise InvalidArgumentError("The idempotency key has characters that a header cannot contain; use ASCII.")
    return key
