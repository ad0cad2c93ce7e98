"""`audit report --diff OLD NEW` and `--previous`: what changed between audits of one paper."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from audit.cli.app import say
from audit.errors import AuditError
from audit.exit_codes import Exit

if TYPE_CHECKING:
    from audit.record import Audit

#: Beside the newer record.
FILES = ("changes.html", "changes.md")


def tell_changes(old: Path, new: Path) -> Exit:
    """To the screen, and as a page and as Markdown beside the newer record."""
    from audit.audit_file import read_audit
    from audit.files import explained, write
    from reports.changes import changes
    from reports.exports.changes_text import markdown, terminal
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
        write(text, markdown(found).encode())
    say(f"{terminal(found)}\n\npage: {page}\ntext: {text}")
    return Exit.CONTRADICTED if found.worse else Exit.OK


def _tell_unsound(path: Path, audit: Audit) -> None:
    """Of an older record it may be no more than that rules changed since; it is compared as it is."""
    from audit.assemble import is_judged_by

    try:
        sound = is_judged_by(audit)
    except (ValueError, ArithmeticError, LookupError):
        sound = False
    if not sound:
        print(
            f"{path}: its verdicts are not those that its runs give in this version; compared as they are",
            file=sys.stderr,
        )


def previous_of(paths: Sequence[Path], audits: Mapping[Path, Audit]) -> dict[str, list[Audit]]:
    """Key of each paper -> its earlier audits; raises for one of a paper that no report is written of."""
    from audit.audit_file import read_audit

    found: dict[str, list[Audit]] = {audit.paper.key: [] for audit in audits.values()}
    for path in paths:
        audit = read_audit(path)
        if audit.paper.key not in found:
            raise AuditError(
                f"--previous {path}: is an audit of {audit.paper.key!r}, and the report is of "
                f"{', '.join(map(repr, found))}; give earlier ones of the same paper"
            )
        found[audit.paper.key].append(audit)
    return found


def history(audit: Audit, previous: Sequence[Audit]) -> str:
    """For a terminal: the claims that came out otherwise in an earlier audit, a line a claim."""
    from reports.exports.changes_text import timeline_lines
    from reports.history import timelines

    return "\n".join(timeline_lines(timelines(audit, previous)))
