"""What the reports say: statuses, scopes, reasons and kinds of claims; long texts are in sentences.toml."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from importlib.resources import files
from typing import Literal

from audit.record import UNTESTED, ClaimRecord, Scope, Verdict

Status = Literal["reproduced", "contradicted", "inconclusive", "not_tested"]

STATUSES: tuple[Status, ...] = ("reproduced", "contradicted", "inconclusive", "not_tested")
#: What needs a reader's eye comes first; a headline speaks of the first of its metrics' verdicts.
PRESSING: tuple[Status, ...] = ("contradicted", "inconclusive", "reproduced", "not_tested")
STATUS_WORDS: dict[Status, str] = {
    "reproduced": "Reproduced",
    "contradicted": "Contradicted",
    "inconclusive": "Inconclusive",
    "not_tested": "Not tested",
}
ICONS: dict[Status | None, str] = {
    "reproduced": "✓",
    "contradicted": "✗",
    "inconclusive": "◐",
    "not_tested": "–",
    None: " ",
}
#: What a cost claim compares, where the plain words are others than those of the record.
QUANTITIES = {
    "training_time": "training time",
    "prediction_time": "prediction time",
    "parameters": "number of parameters",
}
SCOPE_WORDS: dict[Scope, str] = {
    "same_data": "same data",
    "other_split": "another split",
    "other_data": "stand-in data",
}
#: Where a claim was run, beside its title.
RUN_ON: dict[Scope, str] = {
    "same_data": "on the paper’s data",
    "other_split": "on another split",
    "other_data": "on stand-in data",
}
SCOPE_PREFIX: dict[Scope | None, str] = {
    "other_data": "on stand-in data, ",
    "other_split": "on another split, ",
    "same_data": "",
    None: "",
}
#: Said where nobody has worked out how many.
MORE_SEEDS = "; more seeds may settle it"
#: Reasons for which nothing could have been judged: they belong under "not checked", not in the denominator.
UNJUDGED = (
    "not_run",
    "run_failed",
    "other_data",
    "same_runs",
    "mixed_evidence",
    "different_data",
    "no_margin",
    "no_printed_number",
    "most_failed",
    "runs_gone",
    "margins_changed",
    "no_target_score",
    "not_measured",
    "different_machines",
    "too_many_levels",
    "place_always_held",
    "absolute_cost",
    "no_sizes",
    "counted_exactly",
    "not_one_size",
    "kind_not_judged",
)
SIZE_NOT_JUDGED = "The paper prints a difference of {target}; its size is not judged."
SIZE_UNKNOWN = "The size of the difference is not judged."
SIZES_UNKNOWN = "The sizes of the differences are not judged."
AGREED = "So it is under all {declared} declared readings of what the paper leaves open."
ONE_SIDE = (
    "The means under all {number} readings that were run lie {side} the printed {printed}; the nearest is "
    "{nearest}."
)
BORNE_OUT = "It was decided at an earlier look; all {seeds} give {mean}, and bear it out."
LEANING = (
    "The whole {outer}% interval, {ci95}, lies {side} zero: “{first}” is {higher} beyond the spread of the "
    "seeds; whether by less or by more than the margin is open."
)


@dataclass(frozen=True)
class Measure:
    """What the estimate of a claim is."""

    noun: str
    """Under a plot."""
    term: str
    """Beside the number on a card."""
    sign: str = ""
    """Before our number, of what is no score; on the page, and in a terminal."""
    terminal: str = ""
    signed: bool = False
    """Whether it is a difference, which has its sign."""


MEAN = Measure("mean", "Mean")
DIFFERENCE = Measure("difference of the means", "Difference", signed=True)
RATIO = Measure("ratio", "Ratio", "× ", "x ")
EXPONENT = Measure("exponent", "Exponent", "power ", "^ ")
_MEASURES = {"mean": MEAN, "difference": DIFFERENCE, "ratio": RATIO, "exponent": EXPONENT}


@dataclass(frozen=True, kw_only=True)
class KindWords:
    """All that a report says of claims of one kind."""

    word: str = ""
    conclusions: Mapping[str, str] = field(default_factory=dict)
    """Reason code -> what follows from the numbers. The status word stands before it."""
    brief: Mapping[str, str] = field(default_factory=dict)
    """The same in plain words for the first screen."""
    measured: str = ""
    """What the runs gave."""
    title: str = ""
    """Where the claim file has no short words for it."""
    measure: Measure | None = None
    """Of its estimate; None where it is made of several comparisons, or of epochs."""
    parts: str = ""
    """What one of several comparisons that make it up is called."""
    printed: bool = False
    """Whether it is about a printed number, which nothing on other data speaks to."""
    direction_only: bool = False
    """Whether it is judged without its size."""
    likeness: bool = False
    """Whether it says that two are alike."""
    epochs: bool = False
    """Whether it compares the epochs that a score takes."""
    one_axis: bool = True
    """Whether all of its arms were measured on one data set by one metric."""
    target_is: str = "printed difference"
    """What the estimate is held against."""
    in_table: str = ""
    """What stands in a table in place of a difference."""

    @property
    def is_value(self) -> bool:
        """Whether it says that one method has a printed score."""
        return self.measure is MEAN

    @property
    def differs(self) -> bool:
        """Whether its estimate is the difference of two means, in points."""
        return self.measure is DIFFERENCE


_TEXTS = tomllib.loads((files("reports") / "sentences.toml").read_text(encoding="utf-8"))
#: Reason codes in a few words, to stand beside the status; `{more}` is what would settle it.
REASONS: Mapping[str, str] = _TEXTS["reasons"]
#: By kind, those that runs can decide; statements about the tables alone are findings.
KINDS: Mapping[str, KindWords] = {
    name: KindWords(
        **{
            "measured": "with {seeds}, {held} by the means",
            **texts,
            "measure": _MEASURES.get(texts.get("measure", "")),
        }
    )
    for name, texts in _TEXTS["kinds"].items()
}
#: For reasons of any kind, and claims of a kind that is not there.
ANY_KIND = KindWords(**_TEXTS["any"])


def kind_words(claim: ClaimRecord) -> KindWords:
    """Of the claim's kind; of an unknown one no more than its name."""
    return KINDS.get(claim.kind) or replace(ANY_KIND, word=claim.kind)


def reason(code: str) -> str:
    """A reason code in words; an unknown code with its underscores opened."""
    return REASONS.get(code, code.replace("_", " ")).replace("{more}", MORE_SEEDS)


def quantity(name: str) -> str:
    """`training_time` as it is said."""
    return QUANTITIES.get(name, name.replace("_", " "))


def status_of(verdict: Verdict | None) -> Status:
    """The four statuses of a report: what no run spoke to, or only a run on other data, is *not tested*."""
    if verdict is None or verdict.reason in UNTESTED:
        return "not_tested"
    return verdict.outcome


def judged_on(verdict: Verdict | None) -> Scope | None:
    """On whose data a claim was judged, or begun to be; None where its runs do not speak to it."""
    return verdict.scope if verdict is not None and verdict.reason != "other_data" else None
