"""LaTeX as tokens with their lines, and the macros that the file itself defines, put in their place.

Nothing is evaluated but `\\newcommand` and its kin, and `\\def` with plain parameters (The TeXbook, ch. 20).
pylatexenc reads documents to trees of nodes; it neither expands macros nor knows rows and cells, recurses
once a brace, and takes half a minute for 10 MB, so its tokeniser is not used; its tables of symbols and
accents are (`latex_symbols`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from audit.errors import AuditError

#: Tokens that macros may bring in, all together: a table has thousands.
MOST_EXPANDED = 200_000

_TOKEN = re.compile(
    r"\\(?:(?P<word>[a-zA-Z@]+)[ \t]*|(?P<sign>.))|(?P<comment>%[^\n]*(?:\n[ \t]*)?)"
    r"|(?P<special>[{}&$^_~#\[\]*])|(?P<space>\s+)|(?P<text>[^\\%{}&$^_~#\[\]*\s]+|\\)",
    re.DOTALL,
)
_DEFINING = (
    "newcommand",
    "renewcommand",
    "providecommand",
    "DeclareMathOperator",
    "DeclareRobustCommand",
    "def",
)


class Token(NamedTuple):
    """`kind` cs: a command without its backslash; special: a character that means something; text; space."""

    kind: Literal["cs", "special", "space", "text"]
    text: str
    line: int

    def is_(self, character: str) -> bool:
        return self.kind == "special" and self.text == character


@dataclass(frozen=True)
class Macro:
    """What a command stands for."""

    parameters: int
    body: tuple[Token, ...]
    default: tuple[Token, ...] | None = None
    """Of the first parameter, where it may be left out."""


def tokens(text: str) -> Iterator[Token]:
    """All tokens; comments are none."""
    line = 1
    for match in _TOKEN.finditer(text):
        kind = match.lastgroup
        if kind in ("word", "sign"):
            yield Token("cs", match[kind], line)
        elif kind != "comment":
            yield Token(kind, match[0], line)  # type: ignore[arg-type]
        line += match[0].count("\n")


class Stream:
    """Tokens one after another, with the macros of the file expanded."""

    def __init__(self, name: str, held: Sequence[Token], macros: Mapping[str, Macro]) -> None:
        self.name, self.macros = name, macros
        self._held = held
        self._next = 0
        self._pushed: list[Token] = []
        self._expanded = 0
        self.line = held[-1].line if held else 1

    def take(self) -> Token | None:
        """The next token that is no macro; None at the end."""
        while (token := self._raw()) is not None:
            macro = self.macros.get(token.text) if token.kind == "cs" else None
            if macro is None:
                return token
            self._expand(token, macro)
        return None

    def put_back(self, token: Token) -> None:
        self._pushed.append(token)

    def _raw(self) -> Token | None:
        if self._pushed:
            return self._pushed.pop()
        if self._next == len(self._held):
            return None
        self._next += 1
        return self._held[self._next - 1]

    def _expand(self, call: Token, macro: Macro) -> None:
        arguments: list[tuple[Token, ...]] = []
        if macro.default is not None:
            given = self.optional(raw=True)
            arguments.append(macro.default if given is None else given)
        while len(arguments) < macro.parameters:
            arguments.append(self.argument(call, raw=True))
        body = list(_filled(macro.body, arguments, call.line))
        self._expanded += len(body) + 1
        if self._expanded > MOST_EXPANDED:
            what = f"the macro \\{call.text} does not come to an end"
            raise AuditError(f"{self.name}:{call.line}: {what}; write out what it stands for")
        self._pushed += reversed(body)

    def skip_space(self, raw: bool = False) -> Token | None:
        """The next token that is no blank."""
        while (token := self._raw() if raw else self.take()) is not None and token.kind == "space":
            pass
        return token

    def argument(self, of: Token, *, raw: bool = False) -> tuple[Token, ...]:
        """The next group without its braces, or the next token. Raises `AuditError` where there is none."""
        token = self.skip_space(raw)
        if token is None or token.is_("}") or token.is_("&"):
            raise AuditError(f"{self.name}:{of.line}: \\{of.text} lacks an argument; complete it")
        if not token.is_("{"):
            if token.kind == "text" and len(token.text) > 1:  # TeX takes one character
                self.put_back(Token("text", token.text[1:], token.line))
                return (Token("text", token.text[0], token.line),)
            return (token,)
        return self._until("{", "}", token, raw)

    def optional(self, *, raw: bool = False) -> tuple[Token, ...] | None:
        """What stands in square brackets next; None where none open."""
        token = self.skip_space(raw)
        if token is None or not token.is_("["):
            if token is not None:
                self.put_back(token)
            return None
        return self._until("[", "]", token, raw)

    def _until(self, opens: str, closes: str, first: Token, raw: bool) -> tuple[Token, ...]:
        inner: list[Token] = []
        braces = 0
        while (token := self._raw() if raw else self.take()) is not None:
            if braces == 0 and token.is_(closes):
                return tuple(inner)
            braces += token.is_("{") - token.is_("}")
            if braces < 0:
                break
            inner.append(token)
        what = "bracket" if opens == "[" else "brace"
        raise AuditError(f"{self.name}:{first.line}: the {what} {opens} is not closed; close it")


def words(held: Sequence[Token]) -> str:
    """Tokens as the characters they came from, but for comments."""
    return "".join(f"\\{it.text}" if it.kind == "cs" else it.text for it in held).strip()


def _filled(body: Sequence[Token], arguments: Sequence[Sequence[Token]], line: int) -> Iterator[Token]:
    """The body with its parameters replaced; every token says the line of the call."""
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
            yield Token(token.kind, token.text, line)


# --------------------------------------------------------------------------- definitions


def definitions(name: str, held: Sequence[Token]) -> tuple[list[Token], dict[str, Macro]]:
    """The tokens without the definitions of macros, and the macros; the last definition of a name counts.

    One that is written in no plain way (delimited parameters) is left out: its use is then told as unknown.
    """
    stream, rest, macros = Stream(name, held, {}), list[Token](), dict[str, Macro]()
    while (token := stream.take()) is not None:
        if token.kind == "cs" and token.text in _DEFINING:
            _define(stream, token, macros)
        elif token.kind == "cs" and token.text in ("newenvironment", "renewenvironment"):
            _pass_by(stream, token)
        else:
            rest.append(token)
    return rest, macros


def _pass_by(stream: Stream, token: Token) -> None:
    """An environment of the file's own: a table within its definition is none yet."""
    star = stream.skip_space()
    if star is not None and not star.is_("*"):
        stream.put_back(star)
    stream.argument(token)
    while stream.optional() is not None:
        pass
    stream.argument(token)
    stream.argument(token)


def _define(stream: Stream, token: Token, macros: dict[str, Macro]) -> None:
    star = stream.skip_space()
    if star is not None and not star.is_("*"):
        stream.put_back(star)
    held = stream.argument(token)
    defined = held[0].text if len(held) == 1 and held[0].kind == "cs" else None
    parameters, default, plain = 0, None, True
    if token.text == "def":
        parameters, plain = _parameters(stream)
    else:
        count = stream.optional()
        parameters = int(words(count)) if count and words(count) in tuple("123456789") else 0
        default = stream.optional() if parameters else None
    body = stream.argument(token)
    if defined and plain and (token.text != "providecommand" or defined not in macros):
        macros[defined] = Macro(parameters, body, default)
    elif defined:
        macros.pop(defined, None)


def _parameters(stream: Stream) -> tuple[int, bool]:
    """How many parameters `\\def` has before its body, and whether they follow upon each other."""
    count, plain = 0, True
    while (token := stream.take()) is not None and not token.is_("{"):
        if token.is_("#"):
            continue
        plain &= token.kind == "text" and token.text == str(count + 1)
        count += 1
    if token is not None:
        stream.put_back(token)
    return count, plain
