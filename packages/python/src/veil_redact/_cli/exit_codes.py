"""The exit codes, which equal those of `npx veil`."""

from enum import IntEnum


class Exit(IntEnum):
    """The exit codes. 130 is the shells' code for an interruption: 128 plus the signal's number, 2."""

    ALL_DONE = 0
    SOME_FAILED = 1
    USAGE = 2
    STOPPED = 3
    LEFT_ALONE = 4
    INTERRUPTED = 130


class UsageError(Exception):
    """The command is invalid, and nothing was sent."""
