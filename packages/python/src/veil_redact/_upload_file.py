"""The file of an upload: a path, bytes, or an open file. It is read as it is sent, and from its beginning again."""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import BinaryIO, TypeAlias

from veil_redact.errors import InvalidArgumentError, UploadFileError

PIECE_BYTES = 65_536

UploadSource: TypeAlias = "str | os.PathLike[str] | bytes | bytearray | memoryview | BinaryIO"
"""A path, the bytes of a file, or a file that was opened in binary mode and can seek."""


class UploadFile:
    """A file that can be read more than once."""

    name: str
    size_bytes: int

    def __init__(
        self,
        name: str,
        size_bytes: int,
        open_again: Callable[[], AbstractContextManager[BinaryIO]],
        *,
        is_part: bool = False,
    ) -> None:
        self.name = name
        self.size_bytes = size_bytes
        self._open_again = open_again
        self._is_part = is_part

    def part(self, offset: int, size_bytes: int) -> UploadFile:
        """Some of its bytes, as a file of their own."""

        @contextmanager
        def open_part() -> Iterator[BinaryIO]:
            with self._open_again() as file:
                file.seek(offset, os.SEEK_CUR)
                yield file

        return UploadFile(self.name, min(size_bytes, self.size_bytes - offset), open_part, is_part=True)

    def open(self) -> FileReader:
        """Begins to read it from its beginning. Raises UploadFileError when it cannot be opened."""
        try:
            return FileReader(self._open_again(), self.size_bytes, is_part=self._is_part)
        except (OSError, ValueError) as error:
            raise UploadFileError(f"The file cannot be read: {error}") from error


class FileReader:
    """Reads exactly as many bytes as the file had when its upload began."""

    def __init__(self, opened: AbstractContextManager[BinaryIO], size_bytes: int, *, is_part: bool) -> None:
        self._opened = opened
        self._is_part = is_part
        self._file = opened.__enter__()
        self._left_bytes = size_bytes

    def read(self) -> bytes:
        """The next piece, empty at the end.

        Raises:
            UploadFileError: it cannot be read, or its length is another than it was
        """
        if self._is_part and self._left_bytes == 0:
            return b""
        try:
            piece = self._file.read(min(PIECE_BYTES, self._left_bytes) or 1)
        except (OSError, ValueError) as error:
            raise UploadFileError(f"The file cannot be read: {error}") from error
        if not isinstance(piece, bytes):
            raise UploadFileError("The file is in text mode; open it in binary mode.")
        self._left_bytes -= len(piece)
        if self._left_bytes < 0 or (piece == b"" and self._left_bytes > 0):
            raise UploadFileError("The file changed its length while it was sent.")
        return piece

    def close(self) -> None:
        """Closes what was opened here."""
        self._opened.__exit__(None, None, None)


def upload_file_of(source: UploadSource, filename: str | None) -> UploadFile:
    """What `upload` was given, as a file that can be read more than once. Its size is looked up.

    Raises:
        OSError: there is no such file, or it may not be read
        InvalidArgumentError: it is nothing that can be uploaded
    """
    if isinstance(source, (bytes, bytearray, memoryview)):
        content = bytes(source)
        return UploadFile(filename or "file", len(content), lambda: io.BytesIO(content))
    if isinstance(source, (str, os.PathLike)):
        path = Path(source)
        if path.is_dir():
            raise IsADirectoryError(f"{path} is a folder; expected a file.")
        with path.open("rb") as opened:
            size_bytes = os.fstat(opened.fileno()).st_size
            if not opened.seekable():
                raise InvalidArgumentError(f"{path} is not a regular file, so it could not be read again on a retry.")
        return UploadFile(filename or path.name, size_bytes, lambda: path.open("rb"))
    if hasattr(source, "read") and hasattr(source, "seek"):
        return _upload_of_open_file(source, filename)
    raise InvalidArgumentError(
        f"The file is a {type(source).__name__}; expected a path, bytes, or a file opened in binary mode."
    )


def _upload_of_open_file(file: BinaryIO, filename: str | None) -> UploadFile:
    if isinstance(file, io.TextIOBase):
        raise InvalidArgumentError("The file is opened in text mode; open it with mode 'rb'.")
    try:
        begin = file.tell()
        size_bytes = file.seek(0, os.SEEK_END) - begin
        file.seek(begin)
    except (OSError, ValueError) as error:
        raise InvalidArgumentError(
            f"The file cannot seek, so it could not be read again on a retry: {error}"
        ) from error

    def open_again() -> AbstractContextManager[BinaryIO]:
        file.seek(begin)
        # Whoever opened it closes it.
        return nullcontext(file)

    name = getattr(file, "name", None)
    own_name = os.path.basename(name) if isinstance(name, str) else ""  # noqa: PTH119
    return UploadFile(filename or own_name or "file", size_bytes, open_again)
