"""Command line: `python -m veil_training <command> --help`."""

import argparse

from .command_data import add_by_eye_set, add_own_labels, add_pack, add_rendered_set, add_sheet, add_unpack
from .command_models import add_evaluate, add_export, add_quantise, add_release, add_speed
from .command_run import add_run
from .command_second_look import add_second_look

COMMANDS = (
    add_run,
    add_export,
    add_evaluate,
    add_release,
    add_quantise,
    add_speed,
    add_rendered_set,
    add_by_eye_set,
    add_own_labels,
    add_sheet,
    add_pack,
    add_unpack,
    add_second_look,
)


def main() -> None:
    """Entry point."""
    parser = argparse.ArgumentParser(prog="veil_training")
    commands = parser.add_subparsers(required=True)
    for add in COMMANDS:
        add(commands)
    arguments = parser.parse_args()
    arguments.handler(arguments)


if __name__ == "__main__":
    main()
