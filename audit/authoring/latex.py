"""Tables of a LaTeX file: tabular and its kin, booktabs, multirow, multicolumn, and the file's own macros."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from audit.authoring import latex_symbols as known
from audit.authoring.cells import Found, Piece, Unread, check_size
from audit.authoring.latex_cell import CellBuilder
from audit.authoring.latex_tokens import Stream, Token, definitions, tokens, words
from audit.errors import AuditError

_VERBATIM = ("verbatim", "comment", "lstlisting")
_FLOATS = ("table", "table*", "sidewaystable", "sidewaystable*", "wraptable", "longtable")
_ENDS = ("endfirsthead", "endhead", "endfoot", "endlastfoot")
_REPEATS = {
    "endhead": "is the heading of the later pages",
    "endfoot": "is the foot of a page",
    "endlastfoot": "is the foot of the last page",
}


@dataclass
class _Body:
    """One table while it is read."""

    begin: Token
    rows: list[tuple[Piece, ...]] = field(default_factory=list)
    row: list[Piece] = field(default_factory=list)
    first_rule: int | None = None
    """Rows before the first line across the table, those above the heading not counted."""
    cells: int = 0
    parts: dict[str, int] = field(default_factory=dict)
    """longtable: how many rows end with each of its marks."""


def tables(name: str, text: str) -> list[Found]:
    """All tables of the file, in order. Raises `AuditError` for what is opened and not closed."""
    rest, macros = definitions(name, list(tokens(text)))
    stream = Stream(name, rest, macros)
    found: list[Found] = []
    waiting: list[int] = []
    """Tables of the float that is open, for its caption."""
    caption = ""
    while (token := stream.take()) is not None:
        if token.kind != "cs":
            continue
        if token.text == "caption":
            caption = _caption(stream, token)
        elif token.text in ("begin", "end"):
            environment = words(stream.argument(token))
            if token.text == "begin" and environment in known.TABLES:
                found.append(_table(stream, token, environment))
                waiting.append(len(found) - 1)
            elif environment in known.TABLES:
                what = f"\\end{{{environment}}} has no \\begin{{{environment}}}"
                raise AuditError(f"{name}:{token.line}: {what}; open it")
            elif token.text == "begin" and environment in _VERBATIM:
                _skip(stream, token, environment)
            elif environment in _FLOATS:
                for place in waiting:
                    found[place] = _captioned(found[place], caption)
                waiting, caption = [], ""
    return [_captioned(it, caption) if k in waiting else it for k, it in enumerate(found)]


def _caption(stream: Stream, token: Token) -> str:
    stream.optional()
    builder = CellBuilder(stream)
    for it in stream.argument(token):
        builder.take_plain(it)
    return builder.piece(token.line).text


def _captioned(found: Found, caption: str) -> Found:
    return replace(found, caption=found.caption or caption)


def _skip(stream: Stream, begin: Token, environment: str) -> None:
    while (token := stream.take()) is not None:
        if token.kind == "cs" and token.text == "end" and words(stream.argument(token)) == environment:
            return
    raise _unclosed(stream, begin, environment)


def _unclosed(stream: Stream, begin: Token, environment: str) -> AuditError:
    return AuditError(
        f"{stream.name}:{begin.line}: \\begin{{{environment}}} has no \\end{{{environment}}}; close it"
    )


# --------------------------------------------------------------------------- one table


def _table(stream: Stream, begin: Token, environment: str) -> Found:
    if environment in ("tabu", "longtabu"):  # `to \\linewidth` may stand before the columns
        while (token := stream.take()) is not None and not token.is_("{"):
            pass
        if token is not None:
            stream.put_back(token)
    for number in range(known.TABLES[environment]):
        if number == known.TABLES[environment] - 1:
            stream.optional()
        stream.argument(begin)
    stream.optional()
    body, cell, caption = _Body(begin), CellBuilder(stream), ""
    while (token := stream.take()) is not None:
        if token.kind == "cs" and token.text in ("begin", "end") and not cell.depth:
            inner = words(stream.argument(token))
            if token.text == "end" and not cell.nested:
                if inner != environment:
                    what = f"\\end{{{inner}}} within \\begin{{{environment}}} of line {begin.line}"
                    raise AuditError(f"{stream.name}:{token.line}: {what}; close the inner one first")
                _end_row(body, cell, token)
                return _finished(body, caption)
            cell.environment(token, inner)
        elif token.kind == "cs" and token.text == "caption" and not cell.depth:
            caption = _caption(stream, token)
        elif cell.depth or cell.nested or not _structure(stream, token, body, cell):
            cell.take(token)
    if cell.depth:
        raise AuditError(f"{stream.name}:{cell.opened}: the brace {{ is not closed; close it")
    raise _unclosed(stream, begin, environment)


def _structure(stream: Stream, token: Token, body: _Body, cell: CellBuilder) -> bool:
    """Whether the token parts cells or rows, or draws a line."""
    if token.is_("&"):
        body.row.append(cell.finish(token.line))
    elif token.kind == "cs" and token.text in ("\\", "tabularnewline", "cr"):
        _after_row(stream)
        _end_row(body, cell, token)
    elif token.kind == "cs" and token.text in (*known.RULES, *known.PARTIAL):
        _rule_arguments(stream, token)
        if token.text in known.RULES and body.rows and body.first_rule is None:
            body.first_rule = len(body.rows)
    elif token.kind == "cs" and token.text in _ENDS:
        _end_row(body, cell, token)
        body.parts[token.text] = len(body.rows)
    else:
        return False
    return True


def _after_row(stream: Stream) -> None:
    """`\\\\*[2pt]`; blanks before a bracket are none of it: `\\\\ [a]` begins a cell."""
    token = stream.take()
    if token is not None and token.is_("*"):
        token = stream.take()
    if token is not None:
        stream.put_back(token)
        if token.is_("["):
            stream.optional()


def _rule_arguments(stream: Stream, token: Token) -> None:
    stream.optional()
    following = stream.skip_space()
    if following is not None:
        stream.put_back(following)
        if following.kind == "text" and following.text.startswith("("):
            _trimming(stream)
    for _ in range(known.RULE_ARGUMENTS.get(token.text, 0)):
        stream.argument(token)


def _trimming(stream: Stream) -> None:
    """`(lr)` or `(l{2pt}r)` of `\\cmidrule(lr){2-4}`."""
    while (token := stream.take()) is not None:
        _, bracket, rest = token.text.partition(")")
        if token.kind == "text" and bracket:
            if rest:
                stream.put_back(Token("text", rest, token.line))
            return


def _end_row(body: _Body, cell: CellBuilder, token: Token) -> None:
    """The last row of a table needs no end, and an empty one is none."""
    piece = cell.finish(token.line)
    if body.row or piece.text or piece.why:
        body.rows.append((*body.row, piece))
        body.cells += len(body.rows[-1])
        check_size(cell.stream.name, body.begin.line, body.cells)
    body.row = []


def _finished(body: _Body, caption: str) -> Found:
    rows, heads, unread = body.rows, body.first_rule, list[Unread]()
    if body.parts:
        rows, heads, unread = _pages(body)
    return Found(
        rows=tuple(rows),
        line=body.begin.line,
        heads=heads if heads is not None and heads < len(rows) else None,
        least_heads=not body.parts,
        fills=True,
        caption=caption,
        unread=tuple(unread),
    )


def _pages(body: _Body) -> tuple[list[tuple[Piece, ...]], int, list[Unread]]:
    """A longtable's rows without what it prints again on every page, which is told."""
    kept: list[tuple[Piece, ...]] = []
    unread: list[Unread] = []
    marks, begin = sorted(body.parts, key=lambda mark: body.parts[mark]), 0
    head = "endfirsthead" if "endfirsthead" in body.parts else "endhead"
    for mark in marks:
        part = body.rows[begin : body.parts[mark]]
        begin = body.parts[mark]
        if mark == head:
            kept += part
        else:
            unread += [
                _told(piece, number, _REPEATS[mark]) for row in part for number, piece in enumerate(row, 1)
            ]
    return kept + body.rows[begin:], len(kept), [it for it in unread if it.text]


def _told(piece: Piece, column: int, why: str) -> Unread:
    return Unread(piece.line, column, piece.text, why)
