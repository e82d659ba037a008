"""The service's names for redacted files. Their extensions match the content."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import unquote

_EXTENSION = re.compile(r"\.(?=\d*[a-z])[a-z\d]{1,5}$", re.IGNORECASE)
"""An extension as the service recognizes it. Digits alone are not one."""
_CONVERTED = {
    ".mkv": (".mp4", ".webm"),
    ".avi": (".mp4",),
    ".gif": (".png", ".webm"),
    ".tif": (".png",),
    ".tiff": (".png",),
    ".bmp": (".png",),
    ".heic": (".jpg", ".png"),
    ".heif": (".jpg", ".png"),
    ".avif": (".jpg", ".png"),
}
"""Extensions of files that are converted, with the extensions that the redacted file may have."""


def offered_name(header: str | None) -> str | None:
    """The name in the service's `Content-Disposition` (RFC 6266), without any folder."""
    encoded = re.search(r"filename\*=UTF-8''([^;]+)", header or "", re.IGNORECASE)
    plain = re.search(r'filename="([^"]*)"', header or "", re.IGNORECASE)
    found = unquote(encoded[1].strip()) if encoded else plain[1] if plain else None
    return None if found is None else re.split(r"[/\\]", found)[-1]


def as_offered(path: Path, offered: str | None) -> Path:
    """Gives a path the extension of the service's name for the file."""
    extension = _EXTENSION.search(offered or "")
    return path if extension is None else _with_extension(path, extension[0])


def possible_paths(path: Path) -> list[Path]:
    """The paths to which a file may be written, before its output format is known."""
    own = _EXTENSION.search(path.name)
    others = _CONVERTED.get(own[0].lower() if own else "")
    return [path] if others is None else [_with_extension(path, extension) for extension in others]


def _with_extension(path: Path, extension: str) -> Path:
    own = _EXTENSION.search(path.name)
    if own is not None and own[0].lower() == extension.lower():
        return path
    return path.with_name(f"{path.name[: own.start()] if own else path.name}{extension}")
