"""Types of the command line."""

import argparse

Commands = argparse._SubParsersAction
