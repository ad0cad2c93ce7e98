"""An audit as one HTML file that opens from disk: style, figures and one small script inside, nothing loaded.

The page says what it may do: by its content security policy a browser runs the one script that has the stated
digest and no other, and loads nothing.
"""

from __future__ import annotations

import hashlib
import json
import re
from base64 import b64encode
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from types import SimpleNamespace
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from audit.record import Audit
from reports import (
    curves,
    data,
    findings,
    index,
    lookup,
    notes,
    page,
    protocol,
    rerun,
    tables,
    unchecked,
    verdicts,
    words,
)
from reports.compare import ADDED, CHANGED_FINDINGS, FLIPPED, GONE, Changes
from reports.index import index_page
from reports.notes import (
    FILTER_NO_KEY,
    FILTER_NO_VALUE,
    FILTER_NONE,
    FILTER_SHOWN,
    MARGIN_BANNER,
    MARGIN_BEYOND,
    MARGIN_FIXED,
    MARGIN_MOVED,
    MARGIN_REFUSED,
    MARGIN_UNITS,
    MARGIN_WHAT_IF,
    SELF_LINK,
)
from reports.page import build
from reports.rerun import COPIED, COPY, MARKED
from reports.text import visible
from reports.words import ICONS, KIND_WORDS, STATUS_WORDS

#: An address that may be followed at a click: of the web, in signs that need no escape.
_ADDRESS = re.compile(r"(https?://[A-Za-z0-9][\w.~:/?#@!$&*+,;=%()\[\]-]*[\w/=#~)-])", re.ASCII)
#: Images are the marks of the style sheet.
_POLICY = (
    "default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'sha256-{digest}'; "
    "base-uri 'none'; form-action 'none'"
)
#: What the script says, by the names by which it knows them.
_SPOKEN: dict[str, Any] = {
    "status": STATUS_WORDS,
    "what_if": MARGIN_WHAT_IF,
    "banner": MARGIN_BANNER,
    "fixed": MARGIN_FIXED,
    "moved": MARGIN_MOVED,
    "unit": MARGIN_UNITS,
    "beyond": MARGIN_BEYOND,
    "refused": MARGIN_REFUSED,
    "shown": FILTER_SHOWN,
    "none": FILTER_NONE,
    "no_key": FILTER_NO_KEY,
    "no_value": FILTER_NO_VALUE,
    "kinds": KIND_WORDS,
    "link": SELF_LINK,
    "copy": COPY,
    "copied": COPIED,
    "marked": MARKED,
}


def html(audit: Audit) -> str:
    """The report. The same record gives the same bytes: no clock, no chance, no order of a set."""
    template = _environment().get_template("page.html.j2")
    script = _script()
    return template.render(
        page=build(audit),
        say=_say(),
        words=embedded(_SPOKEN),
        script=Markup(script),  # a file of ours, as it is
        policy=_POLICY.format(digest=b64encode(hashlib.sha256(script.encode()).digest()).decode()),
    )


def embedded(data: Mapping[str, Any]) -> Markup:
    r"""JSON as it may stand in a script element: no sign that ends it, or a line in older scripts.

    >>> print(embedded({"a": "</script>"}))
    {"a": "\u003c/script\u003e"}
    """
    text = json.dumps(data, ensure_ascii=True, sort_keys=True, allow_nan=False)
    for sign in "<>&":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return Markup(text)


def index_html(audits: Sequence[tuple[str, Audit]], unread: Sequence[str] = ()) -> str:
    """A page over several audits, each with its report's folder; `unread` are folders without a record."""
    template = _environment().get_template("index.html.j2")
    return template.render(page=index_page(audits, unread), say=_say())


def changes_html(changes: Changes) -> str:
    """What changed between two audits, as a small page of its own."""
    groups = ((FLIPPED, changes.flipped), (ADDED, changes.added), (GONE, changes.gone))
    template = _environment().get_template("changes.html.j2")
    return template.render(changes=changes, groups=groups, findings=CHANGED_FINDINGS, icons=ICONS)


@cache
def _say() -> SimpleNamespace:
    """What the templates say of their own accord."""
    modules = (
        curves,
        data,
        findings,
        index,
        lookup,
        notes,
        page,
        protocol,
        rerun,
        tables,
        unchecked,
        verdicts,
        words,
    )
    return SimpleNamespace(**{name: value for it in modules for name, value in vars(it).items()})


@cache
def _script() -> str:
    return (files("reports") / "templates" / "report.js").read_text(encoding="utf-8")


@cache
def _environment() -> Environment:
    """Autoescape everywhere, an unknown name is an error, and steering characters are written out."""
    environment = Environment(
        loader=PackageLoader("reports"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_finalize,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters["coded"] = _coded
    environment.filters["linked"] = _linked
    return environment


def _coded(text: str) -> Markup:
    """What a sentence has between two backticks as code; a text with an odd one stays as it is.

    >>> print(_coded("`audit run` <first>"))
    <code>audit run</code> &lt;first&gt;
    """
    parts = visible(text).split("`")
    if len(parts) % 2 == 0:
        return Markup.escape(visible(text))
    code = Markup("<code>{}</code>")
    return Markup("").join(code.format(it) if k % 2 else Markup.escape(it) for k, it in enumerate(parts))


def _linked(text: str) -> Markup:
    """The addresses of the web in a text as links, which load nothing until they are followed.

    >>> print(_linked("https://example.org/a?b=1 at commit <c>"))
    <a href="https://example.org/a?b=1" rel="noreferrer">https://example.org/a?b=1</a> at commit &lt;c&gt;
    """
    link = Markup('<a href="{0}" rel="noreferrer">{0}</a>')
    parts = _ADDRESS.split(visible(text))
    return Markup("").join(link.format(it) if k % 2 else Markup.escape(it) for k, it in enumerate(parts))


def _finalize(value: Any) -> Any:
    return visible(value) if isinstance(value, str) and not isinstance(value, Markup) else value
