"""An audit as one HTML file that opens from disk: style and figures inside, no script, nothing loaded."""

from __future__ import annotations

from functools import cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from audit.record import Audit
from reports import page, wording
from reports.changes import Changes
from reports.exports.changes_text import ICONS
from reports.strings import visible
from reports.wording import changes as words


def html(audit: Audit) -> str:
    """The report. The same record gives the same bytes: no clock, no chance, no order of a set."""
    template = _environment().get_template("page.html.j2")
    return template.render(page=page.build(audit), wording=wording)


def changes_html(changes: Changes) -> str:
    """What changed between two audits, as a small page of its own."""
    groups = (
        (words.FLIPPED, changes.flipped),
        (words.ADDED, changes.added),
        (words.GONE, changes.gone),
    )
    template = _environment().get_template("changes.html.j2")
    return template.render(changes=changes, groups=groups, findings=words.FINDINGS, icons=ICONS)


@cache
def _environment() -> Environment:
    """Autoescape everywhere, an unknown name is an error, and steering characters are written out."""
    return Environment(
        loader=PackageLoader("reports"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_finalize,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )


def _finalize(value: Any) -> Any:
    return visible(value) if isinstance(value, str) and not isinstance(value, Markup) else value
