"""The content of one cell in LaTeX, token by token, as runs of characters in their styles."""

from __future__ import annotations

from audit.authoring import latex_symbols as known
from audit.authoring.cells import LOWERED, RAISED, Piece, Run
from audit.authoring.latex_tokens import Stream, Token, words
from audit.errors import AuditError

_LIGATURES = (("---", "—"), ("--", "–"), ("``", "“"), ("''", "”"))
_INNER = {**known.TABLES, "array": 1, "minipage": 1}
_MULTI = ("multicolumn", "multirow")


class CellBuilder:
    """Takes tokens until the cell ends; then `finish` gives it and begins the next one."""

    def __init__(self, stream: Stream) -> None:
        self.stream = stream
        self._begin()

    def _begin(self) -> None:
        self._runs: list[Run] = []
        self._styles: list[frozenset[str]] = [frozenset()]
        self._pending: frozenset[str] = frozenset()
        """Style of the next group or character alone."""
        self._line: int | None = None
        self._why: str | None = None
        self._across = self._down = 1
        self.opened = 0
        """Line of the outermost open brace."""
        self.nested = 0
        """How many environments within the cell are open."""

    @property
    def depth(self) -> int:
        """How many braces are open."""
        return len(self._styles) - 1

    def finish(self, line: int) -> Piece:
        """The cell; the next one begins."""
        piece = self.piece(line)
        self._begin()
        return piece

    def piece(self, line: int) -> Piece:
        runs = tuple(Run(_ligatures(run.text), run.styles) for run in self._joined())
        return Piece(runs, self._line or line, self._across, self._down, self._why)

    def _joined(self) -> list[Run]:
        joined: list[Run] = []
        for run in self._runs:
            if joined and joined[-1].styles == run.styles:
                joined[-1] = Run(joined[-1].text + run.text, run.styles)
            else:
                joined.append(run)
        return joined

    # ------------------------------------------------------------------ tokens

    def take(self, token: Token) -> None:
        """One more token of the cell. Raises `AuditError` for braces that do not pair up."""
        if token.kind != "space" and self._line is None:
            self._line = token.line
        if token.kind == "cs":
            self._command(token)
        elif token.kind == "special":
            self._special(token)
        else:
            self._text(token)

    def take_plain(self, token: Token) -> None:
        """A token of a text that is no cell: what it lacks is nobody's concern."""
        if token.kind in ("text", "space") or token.text in "{}$^_~*[]":
            self.take(token)
        elif token.kind == "cs" and (shown := known.symbol(token.text)):
            self._add(shown)

    def _text(self, token: Token) -> None:
        if self._pending and token.kind == "text" and len(token.text) > 1:
            self._add(token.text[0])
            self._add(token.text[1:])
        elif token.kind == "text":
            self._add(token.text)
        else:
            self._runs.append(Run(" ", self._styles[-1]))

    def _add(self, text: str) -> None:
        self._runs.append(Run(text, self._styles[-1] | self._pending))
        self._pending = frozenset()

    def _special(self, token: Token) -> None:
        if token.is_("{"):
            self.opened = self.opened if self.depth else token.line
            self._styles.append(self._styles[-1] | self._pending)
            self._pending = frozenset()
        elif token.is_("}"):
            if not self.depth:
                where = f"{self.stream.name}:{token.line}"
                raise AuditError(f"{where}: a brace }} closes what none opened; remove it, or open it")
            self._styles.pop()
        elif token.is_("^"):
            self._pending |= {RAISED}
        elif token.is_("_"):
            self._pending |= {LOWERED}
        elif token.is_("&"):
            if not self.nested:
                where = f"the brace {{ of line {self.opened}" if self.opened else "a brace {"
                raise AuditError(f"{self.stream.name}:{token.line}: & stands within {where}; close it before")
            self._add(" ")
        elif token.is_("~"):
            self._add(" ")
        elif not token.is_("$"):
            self._add(token.text)

    def environment(self, token: Token, name: str) -> None:
        """`\\begin` or `\\end` of an environment within the cell: a table that breaks a line."""
        self.nested += 1 if token.text == "begin" else -1
        if token.text == "begin":
            self.stream.optional()
            for _ in range(_INNER.get(name, 0)):
                self.stream.argument(token)
        self._add(" ")

    # ------------------------------------------------------------------ commands

    def _command(self, token: Token) -> None:
        name = token.text
        if name in _MULTI:
            self._spans(token)
        elif name in known.STYLED:
            self._styled(token)
        elif name in known.SWITCHES:
            self._styles[-1] |= {known.SWITCHES[name]}
        elif name in known.PLAIN:
            self._styles[-1] -= {"bold", "italic"}
        elif name in ("textcolor", "color", "cellcolor"):
            self._colour(token)
        elif name in known.TRANSPARENT:
            self._drop(token, known.TRANSPARENT[name])
        elif name in known.SILENT:
            self._drop(token, known.SILENT[name])
        elif name in ("\\", "tabularnewline"):  # of an inner table, or of \makecell
            self.stream.optional()
            self._add(" ")
        elif name in ("begin", "end"):
            self.environment(token, words(self.stream.argument(token)))
        else:
            self._printed(token)

    def _styled(self, token: Token) -> None:
        self._pending |= {known.STYLED[token.text]}
        if token.text == "footnotemark":
            given = self.stream.optional()
            self._add(words(given) if given else "footnote")

    def _colour(self, token: Token) -> None:
        self.stream.optional()
        colour = words(self.stream.argument(token)).replace(" ", "")
        if token.text == "textcolor":
            self._pending |= {colour}
        else:
            self._styles[-1] |= {colour if token.text == "color" else f"on-{colour}"}

    def _drop(self, token: Token, arguments: int) -> None:
        """Read past the arguments that print nothing, starred or with a bracket before them or not."""
        following = self.stream.take()
        if following is not None and not (following.is_("*") and arguments):
            self.stream.put_back(following)
        if following is not None and following.is_("[") and (arguments or token.text in known.BRACKETED):
            self.stream.optional()
        for _ in range(arguments):
            self.stream.argument(token)

    def _printed(self, token: Token) -> None:
        name = token.text
        if name in known.REFERENCES:
            self.stream.optional()
            self.stream.optional()
            self._add(f" [{words(self.stream.argument(token))}]")
        elif name == "ding":
            number = words(self.stream.argument(token))
            self._add(known.DINGBATS.get(number) or self._not_known(f"\\ding{{{number}}}"))
        elif name == "footnote":
            self.stream.argument(token)
            self._pending |= {RAISED}
            self._add("footnote")
        elif known.is_accent(name):
            self._add(known.accented(name, words(self.stream.argument(token))))
        else:
            shown = known.symbol(name)
            self._add(self._not_known(f"\\{name}") if shown is None else shown)

    def _not_known(self, source: str) -> str:
        self._why = f"holds {source}, which the file does not define and no table of symbols has"
        return source

    def _spans(self, token: Token) -> None:
        """`\\multicolumn{2}{c}{...}` and `\\multirow{2}{*}{...}`: the content follows as a group."""
        self.stream.optional()
        count = self._count(token)
        self.stream.optional()
        self.stream.argument(token)
        self.stream.optional()
        if token.text == "multicolumn":
            self._across = max(1, count)
        else:
            self._down = count or 1

    def _count(self, token: Token) -> int:
        given = words(self.stream.argument(token))
        bare = given.removeprefix("-")
        if not (bare.isascii() and bare.isdecimal() and 0 < int(bare[:4]) <= 500 and len(bare) <= 3):
            what = f"\\{token.text} over {given!r}"
            raise AuditError(f"{self.stream.name}:{token.line}: {what}; give a whole number up to 500")
        return int(given)


def _ligatures(text: str) -> str:
    for written, shown in _LIGATURES:
        text = text.replace(written, shown)
    return text
