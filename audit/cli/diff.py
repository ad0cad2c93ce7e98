"""`audit report --diff OLD NEW`: what changed between audits of one paper."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from audit.cli.app import say
from audit.errors import AuditError, Exit

if TYPE_CHECKING:
    from audit.record import Audit

#: Beside the newer record.
FILES = ("changes.html", "changes.md")


def tell_changes(old: Path, new: Path) -> Exit:
    """To the screen, and as a page and as Markdown beside the newer record."""
    from audit.storage.files import explained, read_audit, write
    from reports.compare import changes, changes_markdown, changes_text
    from reports.render import changes_html

    before, after = read_audit(old), read_audit(new)
    if before.paper.key != after.paper.key:
        raise AuditError(
            f"{old}: is an audit of {before.paper.key!r}, and {new} one of {after.paper.key!r}; "
            "give two of one paper"
        )
    for path, audit in ((old, before), (new, after)):
        _tell_unsound(path, audit)
    found = changes(before, after)
    page, text = (new.parent / name for name in FILES)
    with explained(new.parent):
        write(page, changes_html(found).encode())
        write(text, changes_markdown(found).encode())
    say(f"{changes_text(found)}\n\npage: {page}\ntext: {text}")
    return Exit.CONTRADICTED if found.worse else Exit.OK


def _tell_unsound(path: Path, audit: Audit) -> None:
    """Of an older record it may be no more than that rules changed since; it is compared as it is."""
    from audit.judging.assemble import is_judged_by

    try:
        sound = is_judged_by(audit)
    except (ValueError, ArithmeticError, LookupError):
        sound = False
    if not sound:
        print(
            f"{path}: its verdicts are not those that its runs give in this version; compared as they are",
            file=sys.stderr,
        )
