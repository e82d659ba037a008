"""Redacted files on disk, which are never partial."""

from __future__ import annotations

import errno
import os
import secrets
from pathlib import Path

from veil_redact.errors import OutputExistsError


class OutputFile:
    """A file that is written under another name in the same folder and renamed once it is complete.

    `path` never holds a partial file, and closing without `publish` leaves no file behind.
    """

    def __init__(self, path: Path, *, overwrite: bool) -> None:
        self._path = path
        self._overwrite = overwrite
        self._part_path = path.with_name(f".{path.name[:100]}.{secrets.token_hex(8)}.part")
        self._file = self._part_path.open("xb")

    def write(self, piece: bytes) -> None:
        """Adds a piece."""
        self._file.write(piece)

    def publish(self) -> None:
        """Renames the file. Raises OutputExistsError if the name is taken and must not be overwritten."""
        self._file.flush()
        os.fsync(self._file.fileno())
        self._file.close()
        if self._overwrite:
            self._part_path.replace(self._path)
        else:
            _link(self._part_path, self._path)

    def close(self) -> None:
        """Removes a file that was not published."""
        self._file.close()
        self._part_path.unlink(missing_ok=True)


def check_output(path: Path, *, overwrite: bool) -> None:
    """Checks before anything is sent whether the file can be written. Writing checks again.

    Raises:
        OutputExistsError: the file exists
        OSError: the path is a folder, or in no folder
    """
    if path.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    if not path.parent.is_dir():
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(path.parent))
    if not overwrite and os.path.lexists(path):
        raise OutputExistsError(str(path))


def _link(part_path: Path, path: Path) -> None:
    """Gives a file its name unless that is taken. Creating a link is atomic."""
    try:
        os.link(part_path, path)
    except FileExistsError:
        raise OutputExistsError(str(path)) from None
    except OSError as error:
        if error.errno == errno.ENOSPC:
            raise
        # The file system has no links.
        if os.path.lexists(path):
            raise OutputExistsError(str(path)) from None
        part_path.rename(path)
