"""Redacted files on disk: whole or not at all."""

from __future__ import annotations

import errno
import os
import secrets
from pathlib import Path

from veil_redact.errors import OutputExistsError


class OutputFile:
    """A file that is written under another name in the same folder, and gets its own once it is whole.

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
        """Gives it its name. Raises OutputExistsError where that is taken and may not be."""
        self._file.flush()
        os.fsync(self._file.fileno())
        self._file.close()
        if self._overwrite:
            self._part_path.replace(self._path)
        else:
            _link(self._part_path, self._path)

    def close(self) -> None:
        """Removes what is left of a file that was not published."""
        self._file.close()
        self._part_path.unlink(missing_ok=True)


def check_output(path: Path, *, overwrite: bool) -> None:
    """Finds out before anything is sent what would hinder writing; writing looks again.

    Raises:
        OutputExistsError: there is a file already
        OSError: the path is a folder, or in no folder
    """
    if path.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    if not path.parent.is_dir():
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(path.parent))
    if not overwrite and os.path.lexists(path):
        raise OutputExistsError(str(path))


def _link(part_path: Path, path: Path) -> None:
    """Gives a file its name unless that is taken: a link is made or not made, with nothing in between."""
    try:
        os.link(part_path, path)
    except FileExistsError:
        raise OutputExistsError(str(path)) from None
    except OSError as error:
        if error.errno == errno.ENOSPC:
            raise
        # File systems without links.
        if os.path.lexists(path):
            raise OutputExistsError(str(path)) from None
        part_path.rename(path)
