"""What commands of LaTeX do to the text of a table's cell.

The names of symbols and accents come from pylatexenc's tables; here are those that it lacks, or shows
otherwise than a table prints them.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from audit.authoring.raw import LOWERED, RAISED, STRUCK

#: Environments with rows and cells -> arguments in braces before the first cell.
TABLES: Mapping[str, int] = {
    **dict.fromkeys(("tabular", "longtable", "longtabu", "tabu", "supertabular", "NiceTabular"), 1),
    **dict.fromkeys(("tabular*", "tabularx", "tabulary"), 2),
}
#: Commands of the transparent ones below that may have a bracket before their argument.
BRACKETED = ("makecell", "thead", "shortstack", "num", "tablenum")

#: Commands whose argument is in a style.
STYLED: Mapping[str, str] = {
    **dict.fromkeys(("textbf", "mathbf", "bm", "boldsymbol", "pmb"), "bold"),
    **dict.fromkeys(("textit", "emph", "mathit", "textsl"), "italic"),
    **dict.fromkeys(("underline", "uline", "ul", "uuline", "underbar"), "underline"),
    **dict.fromkeys(("textsuperscript", "tnote", "footnotemark"), RAISED),
    "textsubscript": LOWERED,
    **dict.fromkeys(("sout", "st", "cancel"), STRUCK),
}
#: Commands after which all is in a style, up to the end of the group.
SWITCHES: Mapping[str, str] = {
    **dict.fromkeys(("bf", "bfseries", "boldmath"), "bold"),
    **dict.fromkeys(("it", "itshape", "em", "sl", "slshape"), "italic"),
}
#: Commands that end a style.
PLAIN = ("normalfont", "mdseries", "upshape", "rm", "unboldmath")

#: Commands that leave no trace but their last argument; -> arguments before it, [optional] ones not counted.
TRANSPARENT: Mapping[str, int] = {
    **dict.fromkeys(
        (
            *("text", "mbox", "hbox", "textrm", "mathrm", "textsf", "mathsf", "texttt", "mathtt", "textsc"),
            *("textnormal", "ensuremath", "fbox", "num", "tablenum", "makecell", "thead", "shortstack"),
            *(
                "centering",
                "raggedright",
                "raggedleft",
                "arraybackslash",
                "noindent",
                "left",
                "right",
                "strut",
            ),
            *("tiny", "scriptsize", "footnotesize", "small", "normalsize", "large", "Large", "displaystyle"),
            *(
                "sc",
                "scshape",
                "sf",
                "sffamily",
                "tt",
                "ttfamily",
                "protect",
                "relax",
                "hfill",
                "null",
                "leavevmode",
            ),
            *("bigl", "bigr", "operatorname", "mathop", "smash", "xspace", "textstyle", "url"),
        ),
        0,
    ),
    **dict.fromkeys(("rotatebox", "scalebox", "adjustbox", "parbox", "raisebox", "colorbox"), 1),
    "resizebox": 2,
}
#: Commands that print nothing of their own; -> how many arguments go with them.
SILENT: Mapping[str, int] = {
    **dict.fromkeys(
        ("label", "vspace", "hspace", "phantom", "hphantom", "vphantom", "rowcolor", "noalign"), 1
    ),
    **dict.fromkeys(("arrayrulecolor"), 1),
    **dict.fromkeys(("rule", "setlength", "addtolength", "fontsize"), 2),
    **dict.fromkeys(
        ("selectfont", "nobreak", "allowbreak", "linebreak", "newline", "smallskip", "medskip"), 0
    ),
    **dict.fromkeys(("/", "-", "!", "@", "limits", "nolimits", "ignorespaces", "unskip", "pagebreak"), 0),
}
#: Lines across the table; those of `PARTIAL` are not across all of it.
RULES = ("hline", "midrule", "toprule", "bottomrule", "specialrule", "hdashline", "Xhline", "Hline", "hhline")
PARTIAL = ("cline", "cmidrule", "cdashline", "addlinespace", "morecmidrules", "tabucline")
#: -> how many arguments in braces follow a line.
RULE_ARGUMENTS: Mapping[str, int] = {
    **dict.fromkeys(("cline", "cmidrule", "cdashline", "Xhline", "hhline", "tabucline"), 1),
    "specialrule": 3,
}
#: References: what they print is not in the file.
REFERENCES = (
    "cite",
    "citep",
    "citet",
    "citealp",
    "citeauthor",
    "citeyear",
    "parencite",
    "textcite",
    "ref",
    "eqref",
)

SYMBOLS: Mapping[str, str] = {
    **dict.fromkeys((" ", "\n", ":", ";", ">", "quad", "qquad", "enspace", "space", "enskip"), " "),
    ",": "\N{THIN SPACE}",
    "thinspace": "\N{THIN SPACE}",
    **{it: it for it in "%&#_${}"},
    **dict.fromkeys(("pm", "textpm"), "±"),
    **dict.fromkeys(("ast", "textasteriskcentered"), "*"),
    **dict.fromkeys(("dagger", "dag", "textdagger"), "†"),
    **dict.fromkeys(("ddagger", "ddag", "textdaggerdbl"), "‡"),
    **dict.fromkeys(("S", "textsection"), "§"),
    **dict.fromkeys(("P", "textparagraph"), "¶"),
    **dict.fromkeys(("star", "bigstar"), "⋆"),
    **dict.fromkeys(("checkmark", "cmark"), "✓"),
    **dict.fromkeys(("xmark",), "✗"),
    **dict.fromkeys(("uparrow",), "↑"),
    **dict.fromkeys(("downarrow",), "↓"),
    **dict.fromkeys(("circ", "textdegree"), "°"),
    **dict.fromkeys(("textemdash",), "—"),
    **dict.fromkeys(("textendash",), "–"),
    **dict.fromkeys(("ldots", "dots", "cdots", "textellipsis"), "…"),
    **dict.fromkeys(("textminus",), "\N{MINUS SIGN}"),
    **dict.fromkeys(("textasciitilde", "sim", "textapprox"), "~"),
    **dict.fromkeys(("textbackslash", "backslash"), "\\"),
    **dict.fromkeys(("textbar", "mid", "vert"), "|"),
    **dict.fromkeys(("slash",), "/"),
    **dict.fromkeys(("textunderscore",), "_"),
    **dict.fromkeys(("le", "leq"), "≤"),
    **dict.fromkeys(("ge", "geq"), "≥"),
    **dict.fromkeys(("log",), "log"),
    **dict.fromkeys(("max",), "max"),
    **dict.fromkeys(("min",), "min"),
}
DINGBATS: Mapping[str, str] = {"51": "✓", "52": "✓", "53": "✗", "54": "✗", "55": "✗", "56": "✗"}


@cache
def _database() -> Any:
    from pylatexenc.latex2text import get_default_latex_context_db

    return get_default_latex_context_db()


def symbol(name: str) -> str | None:
    """The characters that a command without arguments prints; None for one that is not known."""
    if name in SYMBOLS:
        return SYMBOLS[name]
    found = _database().get_macro_spec(name)
    shown = getattr(found, "simplify_repl", None) if found is not None else None
    return shown if isinstance(shown, str) and shown and "%" not in shown else None


def is_accent(name: str) -> bool:
    """Whether the command puts an accent on its argument."""
    return name in ("'", "`", '"', "^", "~", "=", ".", "u", "v", "H", "c", "d", "b", "r", "k", "t") and bool(
        _database().get_macro_spec(name)
    )


def accented(name: str, letter: str) -> str:
    """`\\'e` and `\\'{\\i}` as é and í; what is no letter stays without its accent."""
    from pylatexenc.latex2text import LatexNodes2Text

    bare = letter.strip("{} ").removeprefix("\\")
    if not (bare.isalpha() and len(bare) == 1):
        return letter
    return str(LatexNodes2Text().latex_to_text(f"\\{name}{{{bare}}}"))
