"""The `veil-redact` command."""
