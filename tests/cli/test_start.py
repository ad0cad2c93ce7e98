"""The command can be interrupted from its first moment on."""

from __future__ import annotations

import pytest

from tests.cli import python

SCRIPT = """
import sys

at = sys.argv.pop(1)

class Interrupts:
    def find_spec(self, name, path=None, target=None):
        if name == at:
            raise KeyboardInterrupt

sys.meta_path.insert(0, Interrupts())
from audit.__main__ import run
run()
"""


@pytest.mark.parametrize("at", ["typer", "audit.cli.data", "reimpl.data.catalogue"])
def test_an_interrupt_while_the_command_loads_is_130_without_a_traceback(at: str) -> None:
    """Ctrl-C that comes in the import of a module, of the command or of what it needs."""
    done = python("-c", SCRIPT, at, "data", "list")
    assert (done.returncode, done.stdout) == (130, "")
    assert done.stderr.startswith("audit: interrupted") and done.stderr.count("\n") == 1
