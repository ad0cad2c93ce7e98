"""What commands of LaTeX do to the text of a table's cell.

The names of symbols and accents come from pylatexenc's tables; here are those that it lacks, or shows
otherwise than a table prints them.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from audit.authoring.table import LOWERED, RAISED, STRUCK


def _each(**by_value: str) -> dict[str, str]:
    """Command -> value, from the names of all commands that have it."""
    return {name: value for value, names in by_value.items() for name in names.split()}


def _counts(*by_count: str) -> dict[str, int]:
    """Command -> number of arguments, from the commands with none, one, two, ..."""
    return {name: count for count, names in enumerate(by_count) for name in names.split()}


#: Environments with rows and cells -> arguments in braces before the first cell.
TABLES: Mapping[str, int] = _counts(
    "", "tabular longtable longtabu tabu supertabular NiceTabular", "tabular* tabularx tabulary"
)
#: Those, and what else may have rows within a cell.
INNER: Mapping[str, int] = {**TABLES, "array": 1, "minipage": 1}
#: Commands of the transparent ones below that may have a bracket before their argument.
BRACKETED = ("makecell", "thead", "shortstack", "num", "tablenum")
#: Commands whose argument is in a style.
STYLED: Mapping[str, str] = _each(
    bold="textbf mathbf bm boldsymbol pmb",
    italic="textit emph mathit textsl",
    underline="underline uline ul uuline underbar",
    **{RAISED: "textsuperscript tnote", LOWERED: "textsubscript", STRUCK: "sout st cancel"},
)
#: Commands after which all is in a style, up to the end of the group; and those that end a style.
SWITCHES: Mapping[str, str] = _each(bold="bf bfseries boldmath", italic="it itshape em sl slshape")
PLAIN = ("normalfont", "mdseries", "upshape", "rm", "unboldmath")
#: Commands that leave no trace but their last argument; -> arguments before it, [optional] ones not counted.
TRANSPARENT: Mapping[str, int] = _counts(
    """text mbox hbox textrm mathrm textsf mathsf texttt mathtt textsc textnormal ensuremath fbox num tablenum
    makecell thead shortstack centering raggedright raggedleft arraybackslash noindent left right strut tiny
    scriptsize footnotesize small normalsize large Large displaystyle sc scshape sf sffamily tt ttfamily
    protect relax hfill null leavevmode bigl bigr operatorname mathop smash xspace textstyle url""",
    "rotatebox scalebox adjustbox parbox raisebox colorbox",
    "resizebox",
)
#: Commands that print nothing of their own; -> how many arguments go with them.
SILENT: Mapping[str, int] = _counts(
    """selectfont nobreak allowbreak linebreak newline smallskip medskip / - ! @ limits nolimits ignorespaces
    unskip pagebreak""",
    "label vspace hspace phantom hphantom vphantom rowcolor noalign arrayrulecolor",
    "rule setlength addtolength fontsize",
)
#: Lines across the table; those of `PARTIAL` are not across all of it.
RULES = ("hline", "midrule", "toprule", "bottomrule", "specialrule", "hdashline", "Xhline", "Hline", "hhline")
PARTIAL = ("cline", "cmidrule", "cdashline", "addlinespace", "morecmidrules", "tabucline")
#: -> how many arguments in braces follow a line.
RULE_ARGUMENTS: Mapping[str, int] = _counts(
    "", "cline cmidrule cdashline Xhline hhline tabucline", "", "specialrule"
)
#: References: what they print is not in the file.
REFERENCES = _counts("ref eqref cite citep citet citealp citeauthor citeyear parencite textcite")

SYMBOLS: Mapping[str, str] = {
    **dict.fromkeys((" ", "\n", ":", ";", ">", "quad", "qquad", "enspace", "space", "enskip"), " "),
    **dict.fromkeys((",", "thinspace"), "\N{THIN SPACE}"),
    **{it: it for it in ("%", "&", "#", "_", "$", "{", "}", "log", "max", "min")},
    **_each(
        **{
            "±": "pm textpm",
            "*": "ast textasteriskcentered",
            "†": "dagger dag textdagger",
            "‡": "ddagger ddag textdaggerdbl",
            "§": "S textsection",
            "¶": "P textparagraph",
            "⋆": "star bigstar",
            "✓": "checkmark cmark",
            "✗": "xmark",
            "↑": "uparrow",
            "↓": "downarrow",
            "°": "circ textdegree",
            "—": "textemdash",
            "–": "textendash",
            "/": "slash",
            "…": "ldots dots cdots textellipsis",
            "\N{MINUS SIGN}": "textminus",
            "≤": "le leq",
            "≥": "ge geq",
            "~": "textasciitilde sim textapprox",
            "\\": "textbackslash backslash",
            "|": "textbar mid vert",
            "_": "textunderscore",
        }
    ),
}
DINGBATS: Mapping[str, str] = {"51": "✓", "52": "✓", "53": "✗", "54": "✗", "55": "✗", "56": "✗"}
_ACCENTS = ("'", "`", '"', "^", "~", "=", ".", "u", "v", "H", "c", "d", "b", "r", "k", "t")


@cache
def _macro(name: str) -> Any:
    """What pylatexenc knows of a command; None for one that it does not know."""
    from pylatexenc.latex2text import get_default_latex_context_db

    return get_default_latex_context_db().get_macro_spec(name)


def symbol(name: str) -> str | None:
    """The characters that a command without arguments prints; None for one that is not known."""
    if name in SYMBOLS:
        return SYMBOLS[name]
    shown = getattr(_macro(name), "simplify_repl", None)
    return shown if isinstance(shown, str) and shown and "%" not in shown else None


def is_accent(name: str) -> bool:
    """Whether the command puts an accent on its argument."""
    return name in _ACCENTS and bool(_macro(name))


def accented(name: str, letter: str) -> str:
    """`\\'e` and `\\'{\\i}` as é and í; what is no letter stays without its accent."""
    from pylatexenc.latex2text import LatexNodes2Text

    bare = letter.strip("{} ").removeprefix("\\")
    if not (bare.isalpha() and len(bare) == 1):
        return letter
    return str(LatexNodes2Text().latex_to_text(f"\\{name}{{{bare}}}"))
