"""`veil-redact`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Awaitable, Callable, Sequence

import anyio

from veil_redact._cli.arguments import parse
from veil_redact._cli.exit_codes import Exit, UsageError
from veil_redact._cli.printing import ends_all, printable, reason_of
from veil_redact._cli.records import (
    delete,
    deletions,
    detect,
    download,
    get_media,
    list_media,
    retry,
    revise,
    usage,
)
from veil_redact._cli.redact_files import redact_files
from veil_redact._cli.verify import verify
from veil_redact.errors import VeilError

_COMMANDS: dict[str, Callable[[argparse.Namespace], Awaitable[Exit]]] = {
    "redact": redact_files,
    "detect": detect,
    "revise": revise,
    "download": download,
    "verify": verify,
    "list": list_media,
    "get": get_media,
    "retry": retry,
    "usage": usage,
    "delete": delete,
    "deletions": deletions,
}


def main(args: Sequence[str] | None = None) -> int:
    """Runs the command and returns the exit code."""
    try:
        order = parse(sys.argv[1:] if args is None else args)
        return anyio.run(_COMMANDS[order.command], order)
    except UsageError as error:
        return _end(str(error), Exit.USAGE)
    except (VeilError, OSError) as error:
        return _end(reason_of(error)["message"], Exit.STOPPED if ends_all(error) else Exit.SOME_FAILED)
    except KeyboardInterrupt:
        return _end("Interrupted.", Exit.INTERRUPTED)


def _end(sentence: str, code: Exit) -> int:
    print("\n".join(printable(line) for line in sentence.splitlines()), file=sys.stderr)  # noqa: T201
    return code
