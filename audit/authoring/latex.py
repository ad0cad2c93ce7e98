"""Tables of a LaTeX file: tabular and similar environments, booktabs, multirow, multicolumn, and the file's
own macros.

Nothing is evaluated but `\\newcommand` and its kin, and `\\def` with plain parameters (The TeXbook, ch. 20).
pylatexenc neither expands macros nor knows rows and cells: only its tables of symbols and accents are used.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Literal, NamedTuple

from audit.authoring.table import COMMA, COMPACT, LOWERED, RAISED, Piece, Run, Source, check_size, words
from audit.errors import AuditError

#: Tokens that macros may bring in, all together: a table has thousands.
MOST_EXPANDED = 200_000
MOST_DEPTH = 100  # Of braces within braces.
_TOKEN = re.compile(
    r"(?s)\\(?:(?P<word>[a-zA-Z@]+)[ \t]*|(?P<sign>.))|(?P<comment>%[^\n]*(?:\n[ \t]*)?)"
    r"|(?P<special>[{}&$^_~#\[\]*])|(?P<space>\s+)|(?P<text>[^\\%{}&$^_~#\[\]*\s]+|\\)"
)


class Token(NamedTuple):
    """`kind` command: without its backslash; special: a character that means something; text; space."""

    kind: Literal["command", "special", "space", "text"]
    text: str
    line: int

    def is_(self, character: str) -> bool:
        return self.kind == "special" and self.text == character

    def is_command(self, *names: str) -> bool:
        return self.kind == "command" and self.text in names


def tokens(text: str) -> Iterator[Token]:
    """All tokens, without comments."""
    line = 1
    for match in _TOKEN.finditer(text):
        kind = match.lastgroup
        if kind in ("word", "sign"):
            yield Token("command", match[kind], line)
        elif kind != "comment":
            yield Token(kind, match[0], line)  # type: ignore[arg-type]
        line += match[0].count("\n")


def written(taken: Iterable[Token]) -> str:
    """Tokens as their original characters, without comments."""
    return "".join(f"\\{t.text}" if t.kind == "command" else t.text for t in taken).strip()


class Stream:
    """A sequence of tokens that can be put back, and the arguments of commands."""

    def __init__(self, name: str, source: Iterable[Token]) -> None:
        self.name = name
        self._source = iter(source)
        self._pushed: list[Token] = []

    def take(self) -> Token | None:
        """The next token; None at the end."""
        return self._pushed.pop() if self._pushed else next(self._source, None)

    def __iter__(self) -> Iterator[Token]:
        while (token := self.take()) is not None:
            yield token

    def put_back(self, *taken: Token | None) -> None:
        """Put tokens back in the order in which they were taken; None is ignored."""
        self._pushed += [token for token in reversed(taken) if token is not None]

    def error(self, line: int, what: str) -> AuditError:
        return AuditError(f"{self.name}:{line}: {what}")

    def follows(self, *characters: str, space: bool = True) -> Token | None:
        """Take the next token if it is one of these characters, skipping blanks before it."""
        token = self.take()
        while space and token is not None and token.kind == "space":
            token = self.take()
        if token is not None and any(map(token.is_, characters)):
            return token
        self.put_back(token)
        return None

    def argument(self, of: Token) -> tuple[Token, ...]:
        """The next group without its braces, or the next token. Raises `AuditError` if there is none."""
        if brace := self.follows("{"):
            return self.until("}", brace)
        token = self.take()
        if token is None or token.is_("}") or token.is_("&"):
            raise self.error(of.line, f"\\{of.text} lacks an argument; complete it")
        if token.kind == "text" and len(token.text) > 1:  # TeX takes one character
            self.put_back(token._replace(text=token.text[1:]))
            token = token._replace(text=token.text[0])
        return (token,)

    def optional(self) -> tuple[Token, ...] | None:
        """The content of square brackets if they come next; else None."""
        bracket = self.follows("[")
        return self.until("]", bracket) if bracket else None

    def until(self, closes: str, first: Token) -> tuple[Token, ...]:
        """The content before the brace or bracket that closes the `first` one."""
        inner: list[Token] = []
        braces = 0
        for token in self:
            if braces == 0 and token.is_(closes):
                return tuple(inner)
            braces += token.is_("{") - token.is_("}")
            if not 0 <= braces < MOST_DEPTH:
                break
            inner.append(token)
        raise self.error(first.line, f"the {first.text} here is not closed; close it")


# --------------------------------------------------------------------------- macros

_DEFINING = ("newcommand", "renewcommand", "providecommand", "DeclareMathOperator", "DeclareRobustCommand")


class Macro(NamedTuple):
    parameters: int
    body: tuple[Token, ...]
    default: tuple[Token, ...] | None = None  # Of the first parameter, where it may be left out.


def definitions(name: str, source: Iterable[Token]) -> tuple[list[Token], dict[str, Macro]]:
    """The tokens without the definitions of macros, and the macros; the last definition of a name counts. One
    with delimited parameters is left out: its use is then reported as unknown."""
    stream, rest, macros = Stream(name, source), list[Token](), dict[str, Macro]()
    for token in stream:
        if not token.is_command(*_DEFINING, "def"):
            rest.append(token)
            continue
        stream.follows("*")
        named = stream.argument(token)
        parameters, default, plain = 0, None, True
        if token.text == "def":
            while (sign := stream.take()) is not None and not sign.is_("{"):
                if not sign.is_("#"):
                    parameters += 1
                    plain &= sign.kind == "text" and sign.text == str(parameters)
            stream.put_back(sign)
        else:
            count = written(stream.optional() or ())
            parameters = int(count) if count in tuple("123456789") else 0
            default = stream.optional() if parameters else None
        body = stream.argument(token)
        if len(named) == 1 and named[0].kind == "command":
            macros.pop(named[0].text, None)
            if plain:
                macros[named[0].text] = Macro(parameters, body, default)
    return rest, macros


def expanded(name: str, source: Iterable[Token], macros: Mapping[str, Macro]) -> Iterator[Token]:
    """The tokens with macros replaced, on the line of the call. Raises `AuditError` for an endless one."""
    stream, count = Stream(name, source), 0
    for token in stream:
        macro = macros.get(token.text) if token.kind == "command" else None
        if macro is None:
            yield token
            continue
        arguments: list[tuple[Token, ...]] = []
        if macro.default is not None:
            first = stream.optional()
            arguments.append(macro.default if first is None else first)
        while len(arguments) < macro.parameters:
            arguments.append(stream.argument(token))
        body: list[Token] = []
        after_hash = False
        for part in macro.body:
            if part.is_("#") and not after_hash:
                after_hash = True
                continue
            if after_hash and part.kind == "text" and part.text[0].isdigit():
                number = int(part.text[0])
                body += arguments[number - 1] if 0 < number <= len(arguments) else ()
                part = part._replace(text=part.text[1:])
            after_hash = False
            if part.text:
                body.append(part._replace(line=token.line))
        count += len(body) + 1
        if count > MOST_EXPANDED:
            what = f"the macro \\{token.text} does not end; write out what it stands for"
            raise stream.error(token.line, what)
        stream.put_back(*body)


# --------------------------------------------------------------------------- a cell

_STYLED, _SWITCHES = words("latex", "styled"), words("latex", "switches")
#: Command or environment -> number of its arguments.
_TRANSPARENT, _SILENT, _TABLES, _INNER, _RULES, _PARTIAL, _NUMBERS = (
    {word: int(number) for word, number in words("latex", part).items()}
    for part in ("transparent", "silent", "tables", "inner", "rules", "partial", "numbers")
)
_BRACKETED, _REFERENCES = words("latex", "bracketed"), words("latex", "references")
_SYMBOLS = {**words("latex", "symbols"), " ": " ", "\n": " "}
_DINGBATS, _ACCENTS = words("latex", "dingbats"), words("latex", "accents")
_LIGATURES = (("---", "—"), ("--", "–"), ("``", "“"), ("''", "”"))


@cache
def _symbol(name: str) -> str | None:
    """The characters that a command without arguments prints; None if it is unknown."""
    from pylatexenc.latex2text import get_default_latex_context_db

    if name in _SYMBOLS:
        return _SYMBOLS[name]
    shown = getattr(get_default_latex_context_db().get_macro_spec(name), "simplify_repl", None)
    return shown if isinstance(shown, str) and shown and "%" not in shown else None


class _Cell:
    """The characters of one cell in their styles, and what it covers."""

    def __init__(self, name: str, content: Sequence[Token], styles: frozenset[str] = frozenset()) -> None:
        self.name = name
        self.runs: list[Run] = []
        self.why: str | None = None
        self.across = self.down = 1
        self._read(content, styles)

    def piece(self, line: int) -> Piece:
        joined: list[Run] = []
        for run in self.runs:
            if joined and joined[-1].styles == run.styles:
                run = Run(joined.pop().text + run.text, run.styles)
            joined.append(run)
        for signs, shown in _LIGATURES:
            joined = [Run(run.text.replace(signs, shown), run.styles) for run in joined]
        return Piece(tuple(joined) or (Run(""),), line, self.across, self.down, self.why)

    def _read(self, content: Sequence[Token], styles: frozenset[str]) -> None:
        """Add what the tokens of one group print, in `styles` and their changes."""
        stream = Stream(self.name, content)
        for token in stream:
            if token.is_("{"):
                inner = stream.until("}", token)
                stream.put_back(after := stream.take())
                # 89{,}98 is 89.98; 15{,}539 is a count, or is asked about
                is_decimal = after is not None and re.match("[0-9]{1,2}(?![0-9])|[0-9]{4}", after.text)
                self._read(inner, styles | {COMMA} if is_decimal and written(inner) == "," else styles)
            elif token.is_("^") or token.is_("_"):
                self._read(stream.argument(token), styles | {RAISED if token.text == "^" else LOWERED})
            elif token.kind == "command" and token.text in _SWITCHES:
                style = _SWITCHES[token.text]
                styles = styles - {"bold", "italic"} if style == "plain" else styles | {style}
            elif token.kind == "command":
                self._command(stream, token, styles)
            elif not token.is_("$"):
                blank = token.kind == "space" or token.text in ("&", "~")
                self.runs.append(Run(" " if blank else token.text, styles))

    def _command(self, stream: Stream, token: Token, styles: frozenset[str]) -> None:
        name = token.text
        shown: str | None = ""
        if name in ("multicolumn", "multirow"):  # the content follows as a group
            stream.optional()
            number = written(stream.argument(token))
            if not re.fullmatch("-?[0-9]{1,3}", number) or not 0 < abs(int(number)) <= 500:
                raise stream.error(token.line, f"\\{name} over {number!r}; give a whole number up to 500")
            stream.optional()
            stream.argument(token)
            stream.optional()
            if name == "multicolumn":
                self.across = max(1, int(number))
            else:
                self.down = int(number)
        elif name in _STYLED:
            self._read(stream.argument(token), styles | {_STYLED[name]})
        elif name in _NUMBERS:
            stream.optional()
            for k in range(_NUMBERS[name]):
                self._read(stream.argument(token), styles if k else styles | {COMPACT})
        elif name in _TRANSPARENT or name in _SILENT:
            arguments = _TRANSPARENT.get(name, _SILENT.get(name, 0))
            if arguments:
                stream.follows("*", space=False)
            if (arguments or name in _BRACKETED) and (bracket := stream.follows("[", space=False)):
                stream.until("]", bracket)
            for _ in range(arguments):
                stream.argument(token)
        elif name in ("begin", "end"):  # a table that breaks a line within the cell
            environment = written(stream.argument(token))
            if name == "begin":
                stream.optional()
                for _ in range({**_TABLES, **_INNER}.get(environment, 0)):
                    stream.argument(token)
            shown = " "
        elif name in ("\\", "tabularnewline"):  # of an inner table, or of \makecell
            stream.optional()
            shown = " "
        elif name in _REFERENCES:
            stream.optional()
            stream.optional()
            shown = f" [{written(stream.argument(token))}]"
        elif name == "ding":
            number = written(stream.argument(token))
            shown, name = _DINGBATS.get(number), f"ding{{{number}}}"
        elif name in _ACCENTS:
            from pylatexenc.latex2text import LatexNodes2Text

            shown = written(stream.argument(token))
            letter = shown.strip("{} ").removeprefix("\\")
            if letter.isalpha() and len(letter) == 1:  # what is no letter stays without its accent
                shown = str(LatexNodes2Text().latex_to_text(f"\\{name}{{{letter}}}"))
        else:
            shown = _symbol(name)
        if shown is None:
            shown = f"\\{name}"
            self.why = f"holds {shown}, which neither the file nor our table of symbols defines"
        if shown:
            self.runs.append(Run(shown, styles))


def shown(text: str) -> tuple[Run, ...] | None:
    """What a piece of LaTeX in another text prints; None if it cannot be read."""
    try:
        cell = _Cell("", [*tokens(re.sub(r"(?<!\\)%", r"\\%", text))])
    except AuditError:
        return None
    return None if cell.why else cell.piece(0).runs


# --------------------------------------------------------------------------- a table

#: Marks of a longtable; what stands before them is printed again on other pages, but for the first heading.
_PAGES = ("endfirsthead", "endhead", "endfoot", "endlastfoot")


def tables(name: str, text: str) -> list[Source]:
    """All tables of the file, in order. Raises `AuditError` for an environment that is not closed."""
    rest, macros = definitions(name, tokens(text))
    stream, sources = Stream(name, expanded(name, rest, macros)), list[Source]()
    for token in stream:
        if not token.is_command("begin", "end"):
            continue
        environment = written(stream.argument(token))
        if token.text == "begin" and environment in _TABLES:
            sources.append(_Table(stream, token, environment).read())
        elif environment in _TABLES:
            raise stream.error(token.line, f"\\end{{{environment}}} has no \\begin{{{environment}}}; open it")
    return sources


def _number_columns(spec: str) -> frozenset[int]:
    """The S columns of `l S[table-format=2.2] *{3}{S}`, from 0."""
    spec = re.sub(r"\[[^\[\]]*\]|\\[A-Za-z]+", "", spec)
    spec = re.sub(r"[@!<>]\s*\{(?:[^{}]|\{[^{}]*\})*\}", "", spec)
    spec = re.sub(r"\*\s*\{\s*([0-9]{1,2})\s*\}\s*\{([^{}]*)\}", lambda m: m[2] * int(m[1]), spec)
    columns = re.findall(r"[A-Za-z]", re.sub(r"\{[^{}]*\}", "", spec))
    return frozenset(k for k, kind in enumerate(columns) if kind == "S")


class _Table:
    def __init__(self, stream: Stream, begin: Token, environment: str) -> None:
        self.stream, self.begin, self.environment = stream, begin, environment
        self.rows: list[tuple[Piece, ...]] = []
        self.row: list[Piece] = []
        self.cell: list[Token] = []
        self.cells = 0
        self.numbers: frozenset[int] = frozenset()  # Columns, from 0, that siunitx sets.

    def read(self) -> Source:
        stream, nested, environment = self.stream, 0, self.environment
        heads: int | None = None  # rows before the first line across the table, but for one on top
        pages: dict[str, int] = {}  # longtable: how many rows end with each of its marks
        for number in range(_TABLES[environment], 0, -1):  # width and columns, perhaps with options
            if number == 1:
                stream.optional()
            argument = stream.argument(self.begin)
            self.numbers = _number_columns(written(argument)) if number == 1 else frozenset()
        stream.optional()
        for token in stream:
            opens, closes = (Token("special", brace, token.line) for brace in "{}")
            if token.is_("{"):
                self.cell += [token, *stream.until("}", token), closes]
            elif token.is_("}"):
                raise stream.error(token.line, "a brace } without an opening one; remove it, or open one")
            elif token.is_command("begin", "end"):
                inner = stream.argument(token)
                if token.text == "end" and not nested:
                    if written(inner) == environment:
                        self._end_row(token)
                        break
                    what = f"\\end{{{written(inner)}}} within \\begin{{{environment}}} of line"
                    raise stream.error(token.line, f"{what} {self.begin.line}; close the inner one first")
                nested += 1 if token.text == "begin" else -1
                self.cell += [token, opens, *inner, closes]
            elif nested:
                self.cell.append(token)
            elif token.is_("&"):
                self.row.append(self._piece(token))
            elif token.is_command("\\", "tabularnewline", "cr"):
                stream.follows("*", space=False)  # `\\*[2pt]`; after a blank a bracket begins a cell
                if bracket := stream.follows("[", space=False):
                    stream.until("]", bracket)
                self._end_row(token)
            elif token.kind == "command" and (token.text in _RULES or token.text in _PARTIAL):
                self._skip_rule(token)
                if token.text in _RULES and self.rows and heads is None:
                    heads = len(self.rows)
            elif token.is_command(*_PAGES):
                self._end_row(token)
                pages[token.text] = len(self.rows)
            elif token.is_command("caption"):
                stream.optional()
                stream.argument(token)
            else:
                self.cell.append(token)
        else:
            what = f"\\begin{{{environment}}} has no \\end{{{environment}}}; close it"
            raise stream.error(self.begin.line, what)
        rows = self.rows
        if pages:  # a longtable comes without what it prints again on every page
            head, ends = pages.get("endfirsthead", pages.get("endhead", 0)), sorted(pages.values())
            first = max([0, *(end for end in ends if end < head)])
            heads = len(rows[first:head])
            rows = [*rows[first:head], *rows[ends[-1] :]]
        heads = heads if heads is not None and heads < len(rows) else None
        return Source(tuple(rows), self.begin.line, heads, least_heads=not pages, fills=True)

    def _skip_rule(self, token: Token) -> None:
        """Skip `[2pt]`, `(lr)` or `(l{2pt}r)`, and the columns of a rule."""
        stream = self.stream
        stream.optional()
        after = stream.take()
        stream.put_back(after)
        if after is not None and after.kind == "text" and after.text.startswith("("):
            for trim in stream:
                _, bracket, rest = trim.text.partition(")")
                if trim.kind == "text" and bracket:
                    stream.put_back(Token("text", rest, trim.line) if rest else None)
                    break
        for _ in range(_RULES.get(token.text, _PARTIAL.get(token.text, 0))):
            stream.argument(token)

    def _piece(self, token: Token) -> Piece:
        content, self.cell = self.cell, []
        line = next((t.line for t in content if t.kind != "space"), token.line)
        compact = sum(piece.across for piece in self.row) in self.numbers
        return _Cell(self.stream.name, content, frozenset({COMPACT} if compact else ())).piece(line)

    def _end_row(self, token: Token) -> None:
        """End a row; the last row of a table needs no end mark, and an empty one is no row."""
        piece = self._piece(token)
        if self.row or piece.text or piece.why:
            self.rows.append((*self.row, piece))
            self.cells += len(self.rows[-1])
            check_size(self.stream.name, self.begin.line, self.cells)
        self.row = []
