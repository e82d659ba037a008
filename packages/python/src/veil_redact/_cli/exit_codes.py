"""What the process ends with, as `npx veil` does."""

from enum import IntEnum


class Exit(IntEnum):
    """What the process ends with; 130 is what shells take for an interruption: 128 and the signal's number, 2."""

    ALL_DONE = 0
    SOME_FAILED = 1
    USAGE = 2
    STOPPED = 3
    LEFT_ALONE = 4
    INTERRUPTED = 130


class UsageError(Exception):
    """The command is wrong: nothing has been sent."""
