"""`python -m veil_redact` is the `veil-redact` command."""

import sys

from veil_redact._cli.main import main

sys.exit(main())
