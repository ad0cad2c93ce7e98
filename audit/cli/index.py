"""The page over all reports of a folder, written where there are two or more."""

from __future__ import annotations

from pathlib import Path

from audit.errors import AuditError

NAME = "index.html"


def write_index(out: Path) -> None:
    """`index.html` over the reports in `out`; nothing where there is one only, and none is left behind.

    A record beside them that is none is named on the page: it does not keep the others from being shown.
    """
    from audit.cli.app import say
    from audit.storage.files import explained, read_audit, write
    from reports.render import index_html

    audits, unread = [], []
    for path in sorted(out.glob("*/audit.json")):
        try:
            audits.append((path.parent.name, read_audit(path)))
        except AuditError:
            unread.append(path.parent.name)
    page = out / NAME
    if len(audits) < 2:
        return
    with explained(page):
        write(page, index_html(audits, unread).encode())
    say(f"index: {page}")


def common_folder(paths: list[Path]) -> Path | None:
    """The folder in which the reports of all these records are; None where they are in several."""
    folders = {path.resolve().parent.parent for path in paths}
    return paths[0].parent.parent if len(folders) == 1 else None
