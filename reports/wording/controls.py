"""What stands on the first screen and on the controls; `{n}` and the like are filled in as one moves them."""

from __future__ import annotations

from collections.abc import Sequence

from audit.record import AuthorResponse, Margin
from reports import digits
from reports.wording.words import capital, listed, plural

INCONSISTENT = "Inconsistent: {title}"
BETWEEN_PAPERS = "between papers"
IN_README = "in the README of the public code, not in the paper"
FURTHER = "Further primary claims"
WHY_UNTESTED = "Why the other claims were not judged"
WORDS = "What these words mean"
#: In the words of a reader who is no statistician.
MEANINGS = (
    (
        "Reproduced",
        "The runs show what the claim says, and chance alone does not explain it. Of a comparison "
        "only the direction is meant; how large it is may differ.",
    ),
    (
        "Contradicted",
        "The runs show that the claim does not hold here, and chance alone does not explain it. Our own "
        "implementation must have passed its checks for that; imported runs must be stated to be of "
        "the paper’s own code.",
    ),
    ("Inconclusive", "Neither is shown. What chance may explain is not thereby equal."),
    (
        "Not tested",
        "Nothing was run, our runs failed, or used other data than a printed number is about.",
    ),
    ("Seed", "One training run. Seeds differ in nothing but chance; fewer than three decide nothing."),
    ("Margin", "How far two numbers may be apart and still count as one; fixed before the runs."),
    ("Stand-in data", "Another corpus than the paper’s: it shows whether a comparison holds there."),
)
NONE_INCONSISTENT = "No check of the printed numbers found an inconsistency."
NO_FINDINGS = "The printed numbers were not checked against each other."
GATE = "Our implementations"
GATE_OPEN = "passed all of their own checks, so that their runs may contradict a claim."
GATE_IMPORTED = "not used: all runs were imported, and our checks say nothing about the code that made them."
GATE_NOT_IMPORTED = "They say nothing about imported runs."
GATE_NONE = "no check of them is on record, so that their runs contradict no claim."

#: Of the example plot, whose caption explains it.
KEY_NAME = "An invented example: printed 76.20, mean 75.62."

MARGIN_LABEL = "What if every margin were"
MARGIN_UNIT = "points"
MARGIN_UNITS = ("point", "points")
MARGIN_BACK = "back to the audit’s margins"
MARGIN_CHOICE = (
    "How far from the printed number still counts as the same is a choice, made and hashed before the runs."
)
#: Not on paper, where nothing moves.
MARGIN_NOTE = (
    "Move the slider to see which verdicts depend on this choice: a note at each claim says what its verdict "
    "would be, taken alone. The verdicts of this page stay those of the audit."
)
MARGIN_FIXED = "The margins are the audit’s."
MARGIN_MOVED = "At {d}, {n} of {m} claims would have another verdict."
MARGIN_BANNER = (
    "What if the margin were {d}: {n} of {m} claims would have another verdict. These are not the audit’s "
    "verdicts; the verdicts on this page are."
)
MARGIN_BEYOND = "The slider ends at {d}; the number in the box counts."
MARGIN_REFUSED = "“{text}” is not taken: a margin is above 0 and at most 100 points."
#: At a claim.
MARGIN_WHAT_IF = "what if: {word}"
NO_MARGINS = "No verdict of this audit hangs on a margin in points."
MARGINS_LISTED = "The margins that were fixed, and why"

FILTER_LABEL = "Filter the claims"
FILTER_HINT = "v:contradicted d:eurlex kind:order primary"
FILTER_SHOWN = "{n} of {m} claims shown"
FILTER_CLEAR = "show all"
FILTER_NONE = "No claim fits this filter."
FILTER_NO_KEY = "Unknown: {key} – the keys are v:, d:, kind: and m:."
FILTER_NO_VALUE = "Unknown: {asked} – there are {values}."
FILTER_HELP = (
    ("v:contradicted", "by verdict: reproduced, contradicted, inconclusive, not_tested"),
    ("d:eurlex", "by data set"),
    ("kind:order", "by kind of claim, or by the word on its button: kind:order is kind:comparison"),
    ("m:p@1", "by metric"),
    ("primary", "the primary claims"),
    ("flipped", "those that would have another verdict at the margin above"),
    ("pooling", "any other word: in the title, the sentence or the address of a claim"),
    ('"two words"', "with quotes: both in this order"),
    ("v:a,b", "a comma: one or the other; several conditions: all of them"),
    ("-d:eurlex", "a minus in front: all but these"),
)
FILTER_HELP_TITLE = "What can be asked for"
SORT_LABEL = "Order"
SORTS = (
    ("eye", "by verdict"),
    ("paper", "as in the claim file"),
    ("data", "by data set"),
    ("name", "by title"),
    ("flip", "nearest to another verdict first"),
)
OPEN_ALL = "open all shown"
CLOSE_ALL = "close all"
SELF_LINK = "link to this claim"
NOT_DRAWN = (
    "This page is large: without JavaScript only plots of the first contradictions are drawn. The numbers "
    "of all others stand beside their place."
)
ON_PAPER = (
    "Printed here: primary and contradicted claims in full, of each other claim its verdict in a line. What "
    "has a triangle (▸) is folded and stands in the page alone; what is unfolded there is printed."
)
KEYS = "Up and down go from claim to claim, Enter opens one."


def slider_sentence(movable: int, total: int) -> str:
    """How many claims the margin can move."""
    if not movable:
        return NO_MARGINS
    rest = total - movable
    keeps = "keeps its verdict" if rest == 1 else "keep their verdicts"
    others = f"; the other {digits.count(rest)} {keeps} at any margin in points" if rest else ""
    hang = "hangs" if movable == 1 else "hang"
    return f"{plural(movable, 'verdict')} {hang} on it{others}."


def fixed_margin(margin: Margin, claims: int) -> str:
    """`0.50 points, rule “field”, 23 claims: usual for so few test documents`"""
    size = f"{digits.margin_size(margin.value)} points, rule “{margin.rule}”, {plural(claims, 'claim')}"
    return f"{size}: {margin.why}" if margin.why else size


def more_of_them(number: int, where: str) -> str:
    """`33 inconsistent in the README of the public code`, or as many more without a place."""
    return f"{digits.count(number)} inconsistent {where}" if where else f"{digits.count(number)} more"


def gate_state(models: Sequence[str], passed: Sequence[str]) -> str:
    """Whether the fidelity gate is open, in one line; `passed` are the models that passed all checks."""
    if not models:
        return GATE_NONE
    if len(passed) == len(models):
        return GATE_OPEN
    lacking = [model for model in models if model not in passed]
    return f"not all checks are passed for {listed(lacking)}: on such runs no claim is called contradicted."


def author_state(response: AuthorResponse | None) -> str:
    """Whether the authors were asked, and whether they answered."""
    if response is None:
        return "not yet asked"
    if response.answered is None:
        return f"asked on {response.asked}; no answer yet"
    return f"asked on {response.asked}, answered on {response.answered}"


def plot_name(numbers: str) -> str:
    """Of a plot beside which all of its numbers stand."""
    return capital(numbers) if numbers else "Intervals and seeds"


def paper_and_here(printed: str, ours: str) -> str:
    """The two numbers of a row; empty where there are none."""
    parts = [f"paper {printed}"] if printed else []
    parts += [f"here {ours}"] if ours else []
    return ", ".join(parts)
