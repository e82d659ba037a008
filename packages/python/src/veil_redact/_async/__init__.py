"""The async client, written by hand."""
