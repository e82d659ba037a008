"""The progress of an upload or a download."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, TypeAlias


class Progress(NamedTuple):
    """The sent bytes of an upload or the received bytes of a download. A retry of an upload begins at 0."""

    done_bytes: int
    total_bytes: int | None
    """None if a download's size is unknown."""

    @property
    def fraction(self) -> float | None:
        """From 0 to 1; None if the size is unknown."""
        if self.total_bytes is None:
            return None
        return self.done_bytes / self.total_bytes if self.total_bytes > 0 else 1.0


ProgressListener: TypeAlias = Callable[[Progress], object]
