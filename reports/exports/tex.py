"""Text made fit for LaTeX and BibTeX: characters show as themselves, and braces come in pairs."""

from __future__ import annotations

import unicodedata

from reports.exports.told import line

#: Braces are written as words: BibTeX counts a brace even behind a backslash.
_SPECIAL = {
    "\\": r"\textbackslash{}",
    "{": r"\textbraceleft{}",
    "}": r"\textbraceright{}",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "`": r"\textasciigrave{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    **{sign: f"\\{sign}" for sign in "&%$#_"},
    "“": "``",
    "”": "''",
    "‘": "`",
    "’": "'",
    "–": "--",
    "—": "---",
    "…": r"\ldots{}",
    "±": r"$\pm$",
    "×": r"$\times$",
    "−": "$-$",
    "≤": r"$\leq$",
    "≥": r"$\geq$",
    "†": r"\dag{}",
    "\xa0": "~",
}


def escape(text: str) -> str:
    """`text` on one line. Invisible marks, on which a LaTeX without Unicode fonts stops, are written out.

    >>> escape("50% of P@1_x & {y}")
    '50\\\\% of P@1\\\\_x \\\\& \\\\textbraceleft{}y\\\\textbraceright{}'
    """
    return "".join(_escaped(sign) for sign in line(text))


def _escaped(sign: str) -> str:
    if sign in _SPECIAL:
        return _SPECIAL[sign]
    if unicodedata.category(sign) in ("Cf", "Co", "Cn"):
        return f"[U+{ord(sign):04X}]"
    return sign
