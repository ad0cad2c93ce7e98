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
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from audit.record import Audit
from reports import numbers, splits, text
from reports.page import build, index_page
from reports.sentences import ICONS, KINDS, STATUS_WORDS, TEXTS
from reports.text import visible

#: An address that may be followed at a click: of the web, in signs that need no escape.
_ADDRESS = re.compile(r"(https?://[A-Za-z0-9][\w.~:/?#@!$&*+,;=%()\[\]-]*[\w/=#~)-])", re.ASCII)
#: Images are the marks of the style sheet.
_POLICY = (
    "default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'sha256-{digest}'; "
    "base-uri 'none'; form-action 'none'"
)
#: What the script says, by the names by which it knows them.
SPOKEN: dict[str, Any] = {
    **TEXTS["spoken"],
    "status": STATUS_WORDS,
    "kinds": {name: kind.word for name, kind in KINDS.items()},
}


def html(audit: Audit) -> str:
    """The report. The same record gives the same bytes: no clock, no chance, no order of a set."""
    script = (files("reports") / "templates" / "report.js").read_text(encoding="utf-8")
    digest = b64encode(hashlib.sha256(script.encode()).digest()).decode()
    policy, words = _POLICY.format(digest=digest), embedded(SPOKEN)
    page = _environment().get_template("page.html.j2")
    return page.render(page=build(audit), words=words, script=Markup(script), policy=policy)


def index_html(audits: Sequence[tuple[str, Audit]], unread: Sequence[str] = ()) -> str:
    """A page over several audits, each with its report's folder; `unread` are folders without a record."""
    return _environment().get_template("index.html.j2").render(page=index_page(audits, unread))


def changes_html(changes: text.View) -> str:
    """What changed between two audits, as a small page of its own."""
    return _environment().get_template("changes.html.j2").render(changes=changes, icons=ICONS)


def embedded(data: Mapping[str, Any]) -> Markup:
    r"""JSON as it may stand in a script element: no sign that ends it, or a line in older scripts.

    >>> print(embedded({"a": "</script>"}))
    {"a": "\u003c/script\u003e"}
    """
    content = json.dumps(data, ensure_ascii=True, sort_keys=True, allow_nan=False)
    for sign in "<>&":
        content = content.replace(sign, f"\\u{ord(sign):04x}")
    return Markup(content)


@cache
def _environment() -> Environment:
    """Autoescape everywhere, an unknown name is an error, and steering characters are written out."""
    environment = Environment(
        loader=PackageLoader("reports"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=lambda value: visible(value) if type(value) is str else value,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters |= {"coded": _coded, "linked": _linked, "plural": text.plural}
    shown = ("points", "signed", "p_value", "duration", "memory", "count", "margin_size")
    environment.filters |= {name: getattr(numbers, name) for name in shown}
    environment.globals |= {"splits": splits, "spoken": SPOKEN}
    return environment


def _coded(said: str) -> Markup:
    """What a sentence has between two backticks as code; a text with an odd one stays as it is.

    >>> print(_coded("`audit run` <first>"))
    <code>audit run</code> &lt;first&gt;
    """
    parts = visible(said).split("`")
    return _framed(parts, "<code>{0}</code>") if len(parts) % 2 else Markup.escape(visible(said))


def _linked(said: str) -> Markup:
    """The addresses of the web in a text as links, which load nothing until they are followed.

    >>> print(_linked("https://example.org/a?b=1 at commit <c>"))
    <a href="https://example.org/a?b=1" rel="noreferrer">https://example.org/a?b=1</a> at commit &lt;c&gt;
    """
    return _framed(_ADDRESS.split(visible(said)), '<a href="{0}" rel="noreferrer">{0}</a>')


def _framed(parts: Sequence[str], frame: str) -> Markup:
    """Every other part in a frame, all of them escaped."""
    return Markup("").join(
        Markup(frame).format(part) if k % 2 else Markup.escape(part) for k, part in enumerate(parts)
    )
