# Made from ../_async by scripts/generate.py; change nothing here.

"""The async client, written by hand."""
