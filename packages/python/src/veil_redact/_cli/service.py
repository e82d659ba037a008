"""Finds the service for the command."""

from __future__ import annotations

import argparse
import json
import os
import sys
from pathlib import Path
from urllib.parse import urlsplit

from veil_redact._async.client import AsyncClient
from veil_redact._cli.exit_codes import UsageError
from veil_redact._settings import is_this_machine
from veil_redact.errors import InvalidArgumentError


def client_of(order: argparse.Namespace) -> AsyncClient:
    """A client of the service in the options or the environment, or else of the one that runs on this machine.

    Raises:
        UsageError: there is no service, or its URL is invalid
    """
    base_url = order.base_url or os.environ.get("VEIL_BASE_URL")
    api_key = order.api_key or os.environ.get("VEIL_API_KEY")
    if not base_url and not api_key:
        base_url, api_key = _local_service()
    try:
        return AsyncClient(api_key, base_url, allow_http=order.allow_http)
    except InvalidArgumentError as error:
        raise UsageError(str(error)) from error


def base_url_for(order: argparse.Namespace) -> str:
    """The base URL, for requests that need no API key. Raises UsageError if there is none."""
    return order.base_url or os.environ.get("VEIL_BASE_URL") or _local_service()[0]


def _local_service() -> tuple[str, str]:
    directory = os.environ.get("VEIL_DIR")
    here = Path.cwd()
    files = (
        [Path(directory, "service.json")]
        if directory
        else [folder / ".veil" / "service.json" for folder in (here, *here.parents)]
    )
    for file in files:
        found = _read(file)
        if found is not None:
            print(f"Using the local service at {found[0]} ({file}).", file=sys.stderr)  # noqa: T201
            return found
    raise UsageError(
        "No service was given, and none was found here. Give --base-url and --api-key"
        " (or VEIL_BASE_URL and VEIL_API_KEY), or run npm start."
    )


def _read(file: Path) -> tuple[str, str] | None:
    """Reads the description of a service.

    Ignores one that points to another machine, because anybody could have put it there.
    """
    try:
        fields = json.loads(file.read_text(encoding="utf-8"))
        base_url, api_key = fields["baseUrl"], fields["apiKey"]
        is_local = is_this_machine(urlsplit(base_url).hostname)
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None
    return (base_url, api_key) if is_local and isinstance(api_key, str) else None
