"""How far an upload or a download is."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, TypeAlias


class Progress(NamedTuple):
    """How much of an upload has been sent, or of a download has been received. A retry of an upload begins at 0."""

    done_bytes: int
    total_bytes: int | None
    """None where a download's size is not known."""

    @property
    def fraction(self) -> float | None:
        """From 0 to 1, None where the size is not known."""
        if self.total_bytes is None:
            return None
        return self.done_bytes / self.total_bytes if self.total_bytes > 0 else 1.0


ProgressListener: TypeAlias = Callable[[Progress], object]
