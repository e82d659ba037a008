"""Whether a report is genuine and about a file."""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from veil_redact._cli.exit_codes import Exit, UsageError
from veil_redact._cli.printing import printable
from veil_redact._cli.service import base_url_for
from veil_redact._decode import answer_of
from veil_redact.errors import InvalidArgumentError, ReportError, UnexpectedAnswerError, VeilError
from veil_redact.reports import VerifiedReport, fetch_report_keys, verify_report

_PIECE_BYTES = 1024 * 1024


async def verify(order: argparse.Namespace) -> Exit:
    """Says in one sentence what a report proves about a file."""
    signed = _read(order.report)
    sha256 = _hash_of(order.file)
    source, keys = _keys_for(order)
    if keys is None:
        return Exit.STOPPED
    try:
        verified = verify_report(signed, keys)
        role = _role_of(verified, sha256)
    except InvalidArgumentError as error:
        raise UsageError(str(error)) from error
    except (ReportError, UnexpectedAnswerError) as error:
        return _end(order, Exit.SOME_FAILED, {"valid": False, "sentence": f"Not proven: {error}"})
    report: Any = answer_of(verified.report)
    media_id, issued_at = report["media"]["id"], report["issued_at"]
    what = "the redacted file" if role == "output" else "the original, not the redacted file,"
    sentence = (
        f"Proven: {order.file} is, byte by byte, {what} of media {media_id}, and its report of {issued_at} "
        f"is unchanged since the key {verified.key_id} of {source} signed it."
    )
    outcome = {"valid": True, "file": role, "media_id": media_id, "issued_at": issued_at, "key_id": verified.key_id}
    return _end(order, Exit.ALL_DONE, {**outcome, "sentence": sentence})


def _role_of(verified: VerifiedReport, sha256: str) -> str:
    media = verified.report.media
    if media.output_sha256 == sha256:
        return "output"
    if media.source_sha256 == sha256:
        return "source"
    raise ReportError(
        "The report is genuine, but the file is neither the redacted file nor the original that it is about; "
        f"its SHA-256 is {sha256}."
    )


def _end(order: argparse.Namespace, code: Exit, outcome: Mapping[str, Any]) -> Exit:
    line = json.dumps(outcome, ensure_ascii=False) if order.json else printable(outcome["sentence"])
    print(line, file=sys.stdout if order.json or outcome["valid"] else sys.stderr)
    return code


def _keys_for(order: argparse.Namespace) -> tuple[str, Mapping[str, Any] | None]:
    """The location of the keys, and the keys. None if they cannot be fetched, which is reported."""
    if order.jwks is not None:
        try:
            keys = json.loads(_read(order.jwks))
        except ValueError:
            keys = None
        if not isinstance(keys, dict):
            raise UsageError(f"{order.jwks} is no list of public keys; expected the JSON of /.well-known/jwks.json.")
        return order.jwks, keys
    base_url = base_url_for(order)
    try:
        return urlsplit(base_url).netloc, fetch_report_keys(base_url, allow_http=order.allow_http)
    except InvalidArgumentError as error:
        raise UsageError(str(error)) from error
    except VeilError as error:
        print(printable(f"The public keys cannot be had: {error}"), file=sys.stderr)  # noqa: T201
        return "", None


def _hash_of(path: str) -> str:
    digest = hashlib.sha256()
    try:
        with Path(path).open("rb") as file:
            while piece := file.read(_PIECE_BYTES):
                digest.update(piece)
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}") from error
    return digest.hexdigest()


def _read(path: str) -> bytes:
    try:
        return Path(path).read_bytes()
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}") from error
