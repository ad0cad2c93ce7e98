"""Tables of a LaTeX file: tabular and its kin, booktabs, multirow, multicolumn, and the file's own macros.

Nothing is evaluated but `\\newcommand` and its kin, and `\\def` with plain parameters (The TeXbook, ch. 20).
pylatexenc reads documents to trees of nodes; it neither expands macros nor knows rows and cells, recurses
once a brace, and takes half a minute for 10 MB, so its tokeniser is not used; its tables of symbols and
accents are (`latex_symbols`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, NamedTuple

from audit.authoring import latex_symbols as known
from audit.authoring.cells import LOWERED, RAISED, Piece, Run, Source, check_size
from audit.errors import AuditError

#: Tokens that macros may bring in, all together: a table has thousands.
MOST_EXPANDED = 200_000

# --------------------------------------------------------------------------- tokens

_TOKEN = re.compile(
    r"\\(?:(?P<word>[a-zA-Z@]+)[ \t]*|(?P<sign>.))|(?P<comment>%[^\n]*(?:\n[ \t]*)?)"
    r"|(?P<special>[{}&$^_~#\[\]*])|(?P<space>\s+)|(?P<text>[^\\%{}&$^_~#\[\]*\s]+|\\)",
    re.DOTALL,
)


class Token(NamedTuple):
    """`kind` command: without its backslash; special: a character that means something; text; space."""

    kind: Literal["command", "special", "space", "text"]
    text: str
    line: int

    def is_(self, character: str) -> bool:
        return self.kind == "special" and self.text == character


def tokens(text: str) -> Iterator[Token]:
    """All tokens; comments are none."""
    line = 1
    for match in _TOKEN.finditer(text):
        kind = match.lastgroup
        if kind in ("word", "sign"):
            yield Token("command", match[kind], line)
        elif kind != "comment":
            yield Token(kind, match[0], line)  # type: ignore[arg-type]
        line += match[0].count("\n")


def written(held: Iterable[Token]) -> str:
    """Tokens as the characters they came from, but for comments."""
    return "".join(f"\\{it.text}" if it.kind == "command" else it.text for it in held).strip()


class Stream:
    """Tokens one after another, some of them put back, and the arguments of commands."""

    def __init__(self, name: str, held: Iterable[Token]) -> None:
        self.name = name
        self._held = iter(held)
        self._pushed: list[Token] = []

    def take(self) -> Token | None:
        """The next token; None at the end."""
        return self._pushed.pop() if self._pushed else next(self._held, None)

    def put_back(self, *held: Token | None) -> None:
        """In the order in which they were taken; None is no token."""
        self._pushed += [token for token in reversed(held) if token is not None]

    def error(self, line: int, what: str) -> AuditError:
        return AuditError(f"{self.name}:{line}: {what}")

    def skip_space(self) -> Token | None:
        """The next token that is no blank."""
        while (token := self.take()) is not None and token.kind == "space":
            pass
        return token

    def skip(self, character: str) -> None:
        """Pass over one character, if it comes next."""
        token = self.skip_space()
        if token is None or not token.is_(character):
            self.put_back(token)

    def argument(self, of: Token) -> tuple[Token, ...]:
        """The next group without its braces, or the next token. Raises `AuditError` where there is none."""
        token = self.skip_space()
        if token is None or token.is_("}") or token.is_("&"):
            raise self.error(of.line, f"\\{of.text} lacks an argument; complete it")
        if token.is_("{"):
            return self._until("{", "}", token)
        if token.kind == "text" and len(token.text) > 1:  # TeX takes one character
            self.put_back(Token("text", token.text[1:], token.line))
            return (Token("text", token.text[0], token.line),)
        return (token,)

    def optional(self) -> tuple[Token, ...] | None:
        """What stands in square brackets next; None where none open."""
        token = self.skip_space()
        if token is not None and token.is_("["):
            return self._until("[", "]", token)
        self.put_back(token)
        return None

    def _until(self, opens: str, closes: str, first: Token) -> tuple[Token, ...]:
        inner: list[Token] = []
        braces = 0
        while (token := self.take()) is not None:
            if braces == 0 and token.is_(closes):
                return tuple(inner)
            braces += token.is_("{") - token.is_("}")
            if braces < 0:
                break
            inner.append(token)
        what = "bracket" if opens == "[" else "brace"
        raise self.error(first.line, f"the {what} {opens} is not closed; close it")


# --------------------------------------------------------------------------- macros

_DEFINING = (
    *("newcommand", "renewcommand", "providecommand", "DeclareMathOperator"),
    *("DeclareRobustCommand", "def"),
)


@dataclass(frozen=True)
class Macro:
    """What a command stands for."""

    parameters: int
    body: tuple[Token, ...]
    default: tuple[Token, ...] | None = None
    """Of the first parameter, where it may be left out."""


def definitions(name: str, held: Iterable[Token]) -> tuple[list[Token], dict[str, Macro]]:
    """The tokens without the definitions of macros, and the macros; the last definition of a name counts.

    One that is written in no plain way (delimited parameters) is left out: its use is then told as unknown.
    """
    stream, rest, macros = Stream(name, held), list[Token](), dict[str, Macro]()
    while (token := stream.take()) is not None:
        if token.kind == "command" and token.text in _DEFINING:
            _define(stream, token, macros)
        elif token.kind == "command" and token.text in ("newenvironment", "renewenvironment"):
            stream.skip("*")  # a table within the definition of an environment is none yet
            stream.argument(token)
            while stream.optional() is not None:
                pass
            stream.argument(token)
            stream.argument(token)
        else:
            rest.append(token)
    return rest, macros


def _define(stream: Stream, token: Token, macros: dict[str, Macro]) -> None:
    stream.skip("*")
    named = stream.argument(token)
    parameters, default, plain = 0, None, True
    if token.text == "def":
        while (given := stream.take()) is not None and not given.is_("{"):
            if not given.is_("#"):
                parameters += 1
                plain &= given.kind == "text" and given.text == str(parameters)
        stream.put_back(given)
    else:
        count = written(stream.optional() or ())
        parameters = int(count) if count in tuple("123456789") else 0
        default = stream.optional() if parameters else None
    body = stream.argument(token)
    if len(named) == 1 and named[0].kind == "command":
        if plain and (token.text != "providecommand" or named[0].text not in macros):
            macros[named[0].text] = Macro(parameters, body, default)
        else:
            macros.pop(named[0].text, None)


def expanded(name: str, held: Iterable[Token], macros: Mapping[str, Macro]) -> Iterator[Token]:
    """The tokens with every macro replaced by what it stands for. Raises `AuditError` for one without end."""
    stream, count = Stream(name, held), 0
    while (token := stream.take()) is not None:
        macro = macros.get(token.text) if token.kind == "command" else None
        if macro is None:
            yield token
            continue
        arguments: list[tuple[Token, ...]] = []
        if macro.default is not None:
            given = stream.optional()
            arguments.append(macro.default if given is None else given)
        while len(arguments) < macro.parameters:
            arguments.append(stream.argument(token))
        body = list(_filled(macro.body, arguments, token.line))
        count += len(body) + 1
        if count > MOST_EXPANDED:
            what = f"the macro \\{token.text} does not come to an end; write out what it stands for"
            raise stream.error(token.line, what)
        stream.put_back(*body)


def _filled(body: Sequence[Token], arguments: Sequence[Sequence[Token]], line: int) -> Iterator[Token]:
    """The body with its parameters replaced; every token of it says the line of the call."""
    waiting = False
    for token in body:
        if token.is_("#") and not waiting:
            waiting = True
        elif waiting and token.kind == "text" and token.text[0].isdigit():
            number = int(token.text[0])
            yield from arguments[number - 1] if 0 < number <= len(arguments) else ()
            if token.text[1:]:
                yield Token("text", token.text[1:], line)
            waiting = False
        else:
            waiting = False
            yield token._replace(line=line)


# --------------------------------------------------------------------------- a cell

_LIGATURES = (("---", "—"), ("--", "–"), ("``", "“"), ("''", "”"))
_INNER = {**known.TABLES, "array": 1, "minipage": 1}


class _Cell:
    """Takes the tokens of one cell, and gives it as characters in their styles."""

    def __init__(self, stream: Stream) -> None:
        self.stream = stream
        self.runs: list[Run] = []
        self.styles: list[frozenset[str]] = [frozenset()]
        """Of each open brace."""
        self.pending: frozenset[str] = frozenset()
        """Style of the next group or character alone."""
        self.line: int | None = None
        self.why: str | None = None
        self.across = self.down = 1
        self.opened = 0
        """Line of the outermost open brace."""
        self.nested = 0
        """How many environments within the cell are open."""

    @property
    def depth(self) -> int:
        """How many braces are open."""
        return len(self.styles) - 1

    def piece(self, line: int) -> Piece:
        joined: list[Run] = []
        for run in self.runs:
            if joined and joined[-1].styles == run.styles:
                run = Run(joined.pop().text + run.text, run.styles)
            joined.append(run)
        for signs, shown in _LIGATURES:
            joined = [Run(run.text.replace(signs, shown), run.styles) for run in joined]
        return Piece(tuple(joined), self.line or line, self.across, self.down, self.why)

    def take(self, token: Token) -> None:
        """One more token of the cell. Raises `AuditError` for braces that do not pair up."""
        if token.kind != "space" and self.line is None:
            self.line = token.line
        if token.kind == "command":
            self._command(token)
        elif token.kind == "special":
            self._special(token)
        elif token.kind == "space":
            self.runs.append(Run(" ", self.styles[-1]))
        elif self.pending:
            self._add(token.text[0])
            self._add(token.text[1:])
        else:
            self._add(token.text)

    def _add(self, text: str) -> None:
        if text:
            self.runs.append(Run(text, self.styles[-1] | self.pending))
            self.pending = frozenset()

    def _special(self, token: Token) -> None:
        match token.text:
            case "{":
                self.opened = self.opened if self.depth else token.line
                self.styles.append(self.styles[-1] | self.pending)
                self.pending = frozenset()
            case "}":
                if not self.depth:
                    what = "a brace } closes what none opened; remove it, or open it"
                    raise self.stream.error(token.line, what)
                self.styles.pop()
            case "^":
                self.pending |= {RAISED}
            case "_":
                self.pending |= {LOWERED}
            case "&" if not self.nested:
                where = f"the brace {{ of line {self.opened}" if self.opened else "a brace {"
                raise self.stream.error(token.line, f"& stands within {where}; close it before")
            case "&" | "~":
                self._add(" ")
            case "$":
                pass
            case _:
                self._add(token.text)

    def environment(self, token: Token, name: str) -> None:
        """`\\begin` or `\\end` of an environment within the cell: a table that breaks a line."""
        self.nested += 1 if token.text == "begin" else -1
        if token.text == "begin":
            self.stream.optional()
            for _ in range(_INNER.get(name, 0)):
                self.stream.argument(token)
        self._add(" ")

    def _command(self, token: Token) -> None:
        name, stream = token.text, self.stream
        if name in ("multicolumn", "multirow"):
            self._spans(token)
        elif name in known.STYLED:
            self.pending |= {known.STYLED[name]}
            if name == "footnotemark":
                self._add(written(stream.optional() or ()) or "footnote")
        elif name in known.SWITCHES:
            self.styles[-1] |= {known.SWITCHES[name]}
        elif name in known.PLAIN:
            self.styles[-1] -= {"bold", "italic"}
        elif name in ("textcolor", "color", "cellcolor"):
            stream.optional()
            colour = written(stream.argument(token)).replace(" ", "")
            if name == "textcolor":
                self.pending |= {colour}
            else:
                self.styles[-1] |= {colour if name == "color" else f"on-{colour}"}
        elif name in known.TRANSPARENT or name in known.SILENT:
            self._pass_by(token, known.TRANSPARENT.get(name, known.SILENT.get(name, 0)))
        elif name in ("\\", "tabularnewline"):  # of an inner table, or of \makecell
            stream.optional()
            self._add(" ")
        elif name in ("begin", "end"):
            self.environment(token, written(stream.argument(token)))
        elif name in known.REFERENCES:
            stream.optional()
            stream.optional()
            self._add(f" [{written(stream.argument(token))}]")
        elif name == "ding":
            number = written(stream.argument(token))
            self._add(known.DINGBATS.get(number) or self._unknown(f"\\ding{{{number}}}"))
        elif name == "footnote":
            stream.argument(token)
            self.pending |= {RAISED}
            self._add("footnote")
        elif known.is_accent(name):
            self._add(known.accented(name, written(stream.argument(token))))
        else:
            self._add(known.symbol(name) or self._unknown(f"\\{name}"))

    def _pass_by(self, token: Token, arguments: int) -> None:
        """Read past the arguments that print nothing, starred or with a bracket before them or not."""
        following = self.stream.take()
        if following is not None and not (following.is_("*") and arguments):
            self.stream.put_back(following)
        if following is not None and following.is_("[") and (arguments or token.text in known.BRACKETED):
            self.stream.optional()
        for _ in range(arguments):
            self.stream.argument(token)

    def _unknown(self, source: str) -> str:
        self.why = f"holds {source}, which the file does not define and no table of symbols has"
        return source

    def _spans(self, token: Token) -> None:
        """`\\multicolumn{2}{c}{...}` and `\\multirow{2}{*}{...}`: the content follows as a group."""
        self.stream.optional()
        given = written(self.stream.argument(token))
        if not re.fullmatch("-?[0-9]{1,3}", given) or not 0 < abs(int(given)) <= 500:
            what = f"\\{token.text} over {given!r}; give a whole number up to 500"
            raise self.stream.error(token.line, what)
        self.stream.optional()
        self.stream.argument(token)
        self.stream.optional()
        if token.text == "multicolumn":
            self.across = max(1, int(given))
        else:
            self.down = int(given)


# --------------------------------------------------------------------------- a table

#: Marks of a longtable, and what the rows before each of them are.
_PAGES = {
    "endfirsthead": "",
    "endhead": "is the heading of the later pages",
    "endfoot": "is the foot of a page",
    "endlastfoot": "is the foot of the last page",
}
_VERBATIM = ("verbatim", "comment", "lstlisting")
_FLOATS = ("table", "table*", "sidewaystable", "sidewaystable*", "wraptable", "longtable")


def tables(name: str, text: str) -> list[Source]:
    """All tables of the file, in order. Raises `AuditError` for what is opened and not closed."""
    rest, macros = definitions(name, tokens(text))
    stream = Stream(name, expanded(name, rest, macros))
    found: list[Source] = []
    caption, first = "", 0
    """Of the float that is open, and its first table."""

    def captioned() -> None:
        found[first:] = [replace(it, caption=it.caption or caption) for it in found[first:]]

    while (token := stream.take()) is not None:
        if token.kind != "command":
            continue
        if token.text == "caption":
            caption = _caption(stream, token)
        elif token.text in ("begin", "end"):
            environment = written(stream.argument(token))
            if token.text == "begin" and environment in known.TABLES:
                found.append(_Table(stream, token, environment).read())
            elif environment in known.TABLES:
                what = f"\\end{{{environment}}} has no \\begin{{{environment}}}; open it"
                raise stream.error(token.line, what)
            elif token.text == "begin" and environment in _VERBATIM:
                _skip(stream, token, environment)
            elif environment in _FLOATS:
                captioned()
                caption, first = "", len(found)
    captioned()
    return found


def _caption(stream: Stream, token: Token) -> str:
    """What it prints; what is not known there is left out, and nobody asks."""
    stream.optional()
    cell = _Cell(stream)
    for it in stream.argument(token):
        if it.kind != "command" and (it.kind != "special" or it.text in "{}$^_~*[]"):
            cell.take(it)
        elif it.kind == "command" and (shown := known.symbol(it.text)):
            cell.take(Token("text", shown, it.line))
    return cell.piece(token.line).text


def _skip(stream: Stream, begin: Token, environment: str) -> None:
    while (token := stream.take()) is not None:
        if token == ("command", "end", token.line) and written(stream.argument(token)) == environment:
            return
    raise _unclosed(stream, begin, environment)


def _unclosed(stream: Stream, begin: Token, environment: str) -> AuditError:
    return stream.error(begin.line, f"\\begin{{{environment}}} has no \\end{{{environment}}}; close it")


@dataclass
class _Table:
    """One table while it is read."""

    stream: Stream
    begin: Token
    environment: str
    rows: list[tuple[Piece, ...]] = field(default_factory=list)
    row: list[Piece] = field(default_factory=list)
    first_rule: int | None = None
    """Rows before the first line across the table, those above the heading not counted."""
    cells: int = 0
    pages: dict[str, int] = field(default_factory=dict)
    """longtable: how many rows end with each of its marks."""
    caption: str = ""

    def read(self) -> Source:
        stream = self.stream
        self._columns()
        self.cell = _Cell(stream)
        while (token := stream.take()) is not None:
            cell = self.cell
            if token.kind == "command" and token.text in ("begin", "end") and not cell.depth:
                inner = written(stream.argument(token))
                if token.text == "begin" or cell.nested:
                    cell.environment(token, inner)
                    continue
                if inner != self.environment:
                    what = f"\\end{{{inner}}} within \\begin{{{self.environment}}} of line {self.begin.line}"
                    raise stream.error(token.line, f"{what}; close the inner one first")
                self._end_row(token)
                return self._finished()
            if token.kind == "command" and token.text == "caption" and not cell.depth:
                self.caption = _caption(stream, token)
            elif cell.depth or cell.nested or not self._structure(token):
                cell.take(token)
        if self.cell.depth:
            raise stream.error(self.cell.opened, "the brace { is not closed; close it")
        raise _unclosed(stream, self.begin, self.environment)

    def _columns(self) -> None:
        """What stands before the first cell: width, columns, options."""
        stream, arguments = self.stream, known.TABLES[self.environment]
        if self.environment in ("tabu", "longtabu"):  # `to \\linewidth` may stand before the columns
            while (token := stream.take()) is not None and not token.is_("{"):
                pass
            stream.put_back(token)
        for number in range(arguments):
            if number == arguments - 1:
                stream.optional()
            stream.argument(self.begin)
        stream.optional()

    def _structure(self, token: Token) -> bool:
        """Whether the token parts cells or rows, or draws a line."""
        if token.is_("&"):
            self.row.append(self.cell.piece(token.line))
            self.cell = _Cell(self.stream)
            return True
        if token.kind != "command":
            return False
        if token.text in ("\\", "tabularnewline", "cr"):
            following = self.stream.take()  # `\\*[2pt]`; after a blank a bracket begins a cell
            if following is not None and following.is_("*"):
                following = self.stream.take()
            self.stream.put_back(following)
            if following is not None and following.is_("["):
                self.stream.optional()
            self._end_row(token)
        elif token.text in known.RULES or token.text in known.PARTIAL:
            self._rule(token)
        elif token.text in _PAGES:
            self._end_row(token)
            self.pages[token.text] = len(self.rows)
        else:
            return False
        return True

    def _rule(self, token: Token) -> None:
        self.stream.optional()
        following = self.stream.skip_space()
        self.stream.put_back(following)
        if following is not None and following.kind == "text" and following.text.startswith("("):
            # `(lr)` or `(l{2pt}r)` of \cmidrule(lr){2-4}
            while (trim := self.stream.take()) is not None:
                _, bracket, rest = trim.text.partition(")")
                if trim.kind == "text" and bracket:
                    self.stream.put_back(Token("text", rest, trim.line) if rest else None)
                    break
        for _ in range(known.RULE_ARGUMENTS.get(token.text, 0)):
            self.stream.argument(token)
        if token.text in known.RULES and self.rows and self.first_rule is None:
            self.first_rule = len(self.rows)

    def _end_row(self, token: Token) -> None:
        """The last row of a table needs no end, and an empty one is none."""
        piece = self.cell.piece(token.line)
        if self.row or piece.text or piece.why:
            self.rows.append((*self.row, piece))
            self.cells += len(self.rows[-1])
            check_size(self.stream.name, self.begin.line, self.cells)
        self.row, self.cell = [], _Cell(self.stream)

    def _finished(self) -> Source:
        """A longtable without what it prints again on every page, which is told."""
        rows, heads, left_out = self.rows, self.first_rule, list[tuple[Piece, int, str]]()
        if self.pages:
            head = "endfirsthead" if "endfirsthead" in self.pages else "endhead"
            rows, begin = [], 0
            for mark, end in sorted(self.pages.items(), key=lambda it: it[1]):
                part, begin = self.rows[begin:end], end
                if mark == head:
                    rows += part
                    continue
                left_out += [
                    (piece, number, _PAGES[mark])
                    for row in part
                    for number, piece in enumerate(row, 1)
                    if piece.text
                ]
            heads = len(rows)
            rows += self.rows[begin:]
        return Source(
            tuple(rows),
            self.begin.line,
            heads=heads if heads is not None and heads < len(rows) else None,
            least_heads=not self.pages,
            fills=True,
            caption=self.caption,
            left_out=tuple(left_out),
        )
