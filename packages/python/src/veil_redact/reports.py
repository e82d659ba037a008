"""Verifies reports and reads them."""

from __future__ import annotations

import base64
import binascii
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast
from urllib.parse import urlsplit

import httpx

from veil_redact._decode import decode
from veil_redact._settings import base_url_of, is_this_machine
from veil_redact.errors import ConnectionFailedError, InvalidArgumentError, ReportError, UnexpectedAnswerError
from veil_redact.models import Report

_HEADER_NAMES = frozenset({"alg", "kid", "typ"})
_TYPE = "veil-report+jws"
_KNOWN_VERSION = 1
_BASE64URL = re.compile(r"[A-Za-z0-9_-]+")
# 64 and 32 bytes in base64url.
_SIGNATURE_CHARACTERS = 86
_KEY_CHARACTERS = 43
_KEYS_PATH = "/.well-known/jwks.json"
_TIMEOUT_SECONDS = 30


@dataclass(frozen=True, kw_only=True)
class VerifiedReport:
    """A report that nobody has changed, and the key that signed it."""

    report: Report
    key_id: str


def verify_report(signed: bytes | str, keys: Mapping[str, Any]) -> VerifiedReport:
    """Verifies a signed report with a service's public keys.

    Only EdDSA over Ed25519 counts (RFC 8037), and only these keys: a key or an address of keys that the report brings
    along is refused. This needs the package `cryptography`: `pip install "veil-redact[verify]"`.

    Args:
        signed: the report as the service sent it: the compact signature, or JSON with `payload` and `signature`
        keys: the JSON of the service's `/.well-known/jwks.json`

    Raises:
        ReportError: the report was changed, is signed by another key, or is no report
        InvalidArgumentError: `cryptography` is missing, or the keys are no list of keys

    Example:
        ```python
        verified = verify_report(Path("photo.report.jws").read_bytes(), json.loads(Path("jwks.json").read_text()))
        print(verified.report.media.output_sha256)
        ```
    """
    jws, shown = _form_of(_text_of(signed))
    parts = jws.split(".")
    if len(parts) != 3 or not all(_BASE64URL.fullmatch(part) for part in parts):
        raise ReportError("It is not a JSON Web Signature in compact form.")
    header, payload, signature = parts
    key_id = _key_id_of(_object_in(header, "The header"))
    public_key = _public_key(keys, key_id)
    # The last character of a base64url text has bits that do not count. They must be those that the service wrote.
    if len(signature) != _SIGNATURE_CHARACTERS or _encoded(_decoded(signature)) != signature:
        raise ReportError("The signature is malformed.")
    if not _is_signed(public_key, _decoded(signature), f"{header}.{payload}".encode()):
        raise ReportError("The signature does not match: the report was changed, or another key signed it.")
    report = _object_in(payload, "The payload")
    if report.get("report_version") != _KNOWN_VERSION:
        raise ReportError(
            f"The report has version {report.get('report_version')}; this package knows version {_KNOWN_VERSION}."
        )
    if shown is not None and not _is_equal(shown, report):
        raise ReportError("The payload beside the signature is not the signed one.")
    return VerifiedReport(report=decode(Report, report, "report"), key_id=key_id)


def fetch_report_keys(base_url: str | None = None, *, allow_http: bool = False) -> Mapping[str, Any]:
    """The public keys of a service's reports, which verify them. This needs no API key.

    Args:
        base_url: where the service is; `VEIL_BASE_URL` unless given
        allow_http: allows http to another machine

    Raises:
        ConnectionFailedError: the service cannot be reached
        UnexpectedAnswerError: its answer is no list of keys
    """
    url = urlsplit(base_url_of(base_url, allow_http=allow_http))
    address = f"{url.scheme}://{url.netloc}{_KEYS_PATH}"
    try:
        with httpx.Client(trust_env=not is_this_machine(url.hostname), timeout=_TIMEOUT_SECONDS) as client:
            response = client.get(address)
    except httpx.HTTPError as error:
        raise ConnectionFailedError(f"The public keys cannot be fetched from {url.netloc}: {error}") from error
    try:
        keys = response.json()
    except ValueError:
        keys = None
    if response.status_code != 200 or not _are_keys(keys):
        raise UnexpectedAnswerError(f"The answer of {address} is no list of public keys. Is the base URL right?")
    return cast("Mapping[str, Any]", keys)


def _text_of(signed: bytes | str) -> str:
    try:
        text = signed if isinstance(signed, str) else bytes(signed).decode()
    except UnicodeDecodeError:
        raise ReportError("It is not text in UTF-8.") from None
    return text.removesuffix("\n")


def _form_of(text: str) -> tuple[str, object | None]:
    """The compact signature, and the payload beside it if the report is JSON."""
    if not text.startswith("{"):
        return text, None
    form = _parse_object(text, "The report")
    signature = form.get("signature")
    if form.keys() != {"payload", "signature"} or not isinstance(signature, str) or form["payload"] is None:
        raise ReportError("The report is JSON; expected exactly `payload` and `signature` in it.")
    return signature, form["payload"]


def _key_id_of(header: Mapping[str, object]) -> str:
    if header.get("alg") != "EdDSA":
        raise ReportError(f"The header has the algorithm {json.dumps(header.get('alg'))}; only EdDSA is accepted.")
    others = [name for name in header if name not in _HEADER_NAMES]
    if others:
        raise ReportError(f"The header has {', '.join(others)}; expected only alg, kid and typ.")
    if header.get("typ") != _TYPE:
        raise ReportError(f"The header has the type {json.dumps(header.get('typ'))}; expected {_TYPE}.")
    key_id = header.get("kid")
    if not isinstance(key_id, str):
        raise ReportError("The header names no key.")
    return key_id


def _are_keys(keys: object) -> bool:
    listed = keys.get("keys") if isinstance(keys, Mapping) else None
    is_list = isinstance(listed, Sequence) and not isinstance(listed, str)
    return is_list and all(isinstance(key, Mapping) for key in cast("Sequence[object]", listed))


def _public_key(keys: Mapping[str, Any], key_id: str) -> bytes:
    if not _are_keys(keys):
        raise InvalidArgumentError("`keys` is no list of public keys; expected the JSON of /.well-known/jwks.json.")
    key = next((one for one in keys["keys"] if one.get("kid") == key_id), None)
    if key is None:
        raise ReportError(f"The report names the key {json.dumps(key_id)}, which is not among the keys.")
    x = key.get("x")
    is_text = isinstance(x, str) and len(x) == _KEY_CHARACTERS and _BASE64URL.fullmatch(x) is not None
    if key.get("kty") != "OKP" or key.get("crv") != "Ed25519" or not is_text:
        raise ReportError(f"The key {json.dumps(key_id)} is not an Ed25519 key.")
    return _decoded(cast("str", x))


def _is_signed(public_key: bytes, signature: bytes, signed: bytes) -> bool:
    try:
        from cryptography.exceptions import InvalidSignature
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
    except ImportError as error:
        raise InvalidArgumentError(
            'Verifying a report needs the package cryptography: pip install "veil-redact[verify]".'
        ) from error
    try:
        Ed25519PublicKey.from_public_bytes(public_key).verify(signature, signed)
    except (InvalidSignature, ValueError):
        return False
    return True


def _object_in(part: str, subject: str) -> dict[str, object]:
    try:
        return _parse_object(_decoded(part).decode(), subject)
    except (binascii.Error, UnicodeDecodeError):
        raise ReportError(f"{subject} is malformed.") from None


def _parse_object(text: str, subject: str) -> dict[str, object]:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        raise ReportError(f"{subject} is not JSON.") from None
    if not isinstance(value, dict):
        raise ReportError(f"{subject} is not a JSON object.")
    return value


def _is_equal(one: object, other: object) -> bool:
    """Whether two JSON values are equal. In Python, True equals 1."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_is_equal(value, other[name]) for name, value in one.items())
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(_is_equal(*pair) for pair in zip(one, other, strict=True))
    return isinstance(one, bool) == isinstance(other, bool) and one == other


def _decoded(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def _encoded(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).decode().rstrip("=")
