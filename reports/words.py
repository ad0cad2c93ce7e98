"""Statuses, scopes and reason codes in words, and the joining of words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from audit.record import Scope, Verdict
from reports.text import listed, plural

Status = Literal["reproduced", "contradicted", "inconclusive", "not_tested"]

STATUSES: tuple[Status, ...] = ("reproduced", "contradicted", "inconclusive", "not_tested")
STATUS_WORDS: dict[Status, str] = {
    "reproduced": "Reproduced",
    "contradicted": "Contradicted",
    "inconclusive": "Inconclusive",
    "not_tested": "Not tested",
}
#: Kinds that runs can decide; statements about the tables alone are findings.
KIND_WORDS = {
    "value": "printed value",
    "order": "comparison",
    "gap": "printed difference",
    "equivalent": "likeness",
    "significant": "significance",
    "ranking": "ranking",
    "trend": "trend",
    "optimum": "best setting",
    "dominance": "best throughout",
    "cost": "cost",
    "convergence": "convergence",
    "complexity": "growth",
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
#: Said where nobody has worked out how many.
MORE_SEEDS = "; more seeds may settle it"
#: Reason codes in a few words, to stand beside the status; `{more}` is what would settle it.
REASONS = {
    "tost": "the whole interval lies inside the margin",
    "direction": "the difference is above zero, beyond the seeds’ spread; its size is not judged",
    "deterministic": "every run gives the same number",
    "no_loss": "not lower by the margin",
    "exceeds_margin": "the difference is more than the margin, beyond the spread of the seeds",
    "in_order": "every neighbour in the ranking is above the next, beyond the spread of the seeds",
    "trend": "the trend holds, and no step goes back beyond the spread of the seeds",
    "unique": "above every other level, beyond the spread of the seeds",
    "among_best": "no level is higher by the margin",
    "dominates": "as high as claimed throughout, beyond the spread of the seeds",
    "cheaper": "needs less, beyond the spread of the seeds",
    "faster": "needs fewer epochs, beyond the spread of the seeds",
    "minimum_effect": "outside the margin, even allowing for one unusual run",
    "reversed": "the order is the reverse here",
    "negligible": "not better here by as much as counts",
    "negligible_gain": "better, and by less than counts as a gain",
    "hangs_on_spread": "outside the margin only if the paper’s runs scatter no more than ours",
    "loss": "lower by more than the margin here",
    "step_back": "a step goes the other way here",
    "within_seed_spread": "one lucky run would explain the difference",
    "straddles_margin": "neither inside nor outside the margin{more}",
    "undecided": "the difference may be either way{more}",
    "tied": "not told from every other level{more}",
    "ambiguous_spread": "it hangs on what stands after the plus-minus sign, which the paper does not say",
    "never_reached": "no run reaches the score",
    "too_few_sizes": "too few sizes; five is the least",
    "too_narrow": "the sizes lie too close together to tell how the cost grows",
    "multiplicity": "not decided once all claims are taken together",
    "no_variance_estimate": "one run says nothing about spread",
    "too_few_seeds": "too few seeds; three is the least",
    "no_spread": "all seeds gave one number, so there is no spread to judge by",
    "other_split": "the runs used another split",
    "other_data": "not judged on other data than the paper’s",
    "unverified_reimplementation": "our implementation has not passed all of its own checks",
    "stand_in": "the runs speak against it, on other data than the paper’s",
    "reduced_protocol": "the runs speak against it, by another protocol than the paper’s",
    "untuned": "the runs speak against it, with settings not tuned as in the paper",
    "unverified_import": "the imported numbers are not stated to be of the paper’s own code",
    "not_run": "no run on record",
    "run_failed": "our runs failed, so that nothing speaks to it",
    "same_runs": "both sides rest on the same runs",
    "mixed_evidence": "one side rests on our runs, the other on imported numbers",
    "different_data": "the two sides were tested on different data",
    "no_margin": "the claim file fixes no margin",
    "no_printed_number": "the claim names no printed number",
    "runs_gone": "runs that were on record are gone; run them again",
    "margins_changed": "the margins were changed after the runs",
    "no_target_score": "the claim file fixes no score to be reached",
    "not_measured": "the run records do not hold what the claim is about",
    "different_machines": "the runs were timed on different machines",
    "too_many_levels": "the sweep has more levels than the test is worked out for",
    "partly_run": "not all of its comparisons were run, and those that were do not break it",
    "place_always_held": "there are no more methods than places, so nothing could speak against it",
    "absolute_cost": "what one system needs hangs on its data and machine; only ratios of two are judged",
    "no_sizes": "the claim file names no experiments of growing size whose cost could be compared",
    "counted_exactly": "no runs are asked for: its operations are counted, among the checks that need no run",
    "not_one_size": "the experiments differ in more than the size that grows",
    "ambiguous_description": "it hangs on what the paper leaves open: readings come to different verdicts",
    "some_readings": "not judged under every reading of what the paper leaves open",
    "kind_not_judged": "there is no rule yet for this kind of claim",
}
#: Reasons for which a claim is *not tested*: no run spoke to it, or only runs on other data. Of runs that all
#: failed the record says `inconclusive`, as the statistics do; a page that counts them with what the seeds
#: left open would tell of evidence where there is none.
UNTESTED = ("not_run", "run_failed", "other_data", "absolute_cost", "no_sizes", "counted_exactly")
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


def reason(code: str) -> str:
    """A reason code in words; an unknown code with its underscores opened."""
    return REASONS.get(code, code.replace("_", " ")).replace("{more}", MORE_SEEDS)


def quantity(name: str) -> str:
    """`training_time` as it is said."""
    return QUANTITIES.get(name, name.replace("_", " "))


#: Before the names.
WHICH = "Which experiments"
_NAMED_FEW = 2


def heading(titles: Sequence[str]) -> str:
    """Both of two, the first of more.

    >>> heading(["A", "B"]), heading(["A", "B", "C"])
    ('A; B', 'A and 2 more experiments')
    """
    if len(titles) <= _NAMED_FEW:
        return "; ".join(titles)
    return f"{titles[0]} and {plural(len(titles) - 1, 'more experiment')}"


def untold(titles: Sequence[str]) -> tuple[str, ...]:
    """All titles, where the heading does not tell all of them."""
    return tuple(titles) if len(titles) > _NAMED_FEW else ()


def all_but(total: int, others: Sequence[str]) -> str:
    """Where most share something.

    >>> all_but(12, ["A"])
    'All 12 experiments that were run but “A”'
    """
    return f"All {plural(total, 'experiment')} that were run but {listed([f'“{it}”' for it in others])}"


def status_of(verdict: Verdict | None) -> Status:
    """The four statuses of a report: what no run spoke to, or only a run on other data, is *not tested*."""
    if verdict is None or verdict.reason in UNTESTED:
        return "not_tested"
    return verdict.outcome


def judged_on(verdict: Verdict | None) -> Scope | None:
    """On whose data a claim was judged, or begun to be; None where its runs do not speak to it."""
    return verdict.scope if verdict is not None and verdict.reason != "other_data" else None


#: What needs a reader's eye comes first; a headline speaks of the first of its metrics' verdicts.
ORDER: tuple[Status, ...] = ("contradicted", "inconclusive", "reproduced", "not_tested")
#: What needs a reader's eye comes first.
PRESSING: tuple[Status, ...] = ("contradicted", "inconclusive", "reproduced", "not_tested")
ICONS: dict[Status | None, str] = {
    "reproduced": "✓",
    "contradicted": "✗",
    "inconclusive": "◐",
    "not_tested": "–",
    None: " ",
}
