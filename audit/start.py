"""The entry point of the console script: it loads nothing of weight before it can be interrupted."""

from __future__ import annotations

import sys


def run() -> None:
    """`audit.cli.run`; Ctrl-C while the command itself is being loaded ends it as it does later on."""
    try:
        from audit.cli import run as command

        command()
    except KeyboardInterrupt:
        from audit.exit_codes import Exit

        print("audit: interrupted; the same command goes on where it was", file=sys.stderr)
        sys.exit(Exit.INTERRUPTED)
