"""The patterns of sentences, by what they are about: statuses, kinds, scopes, reasons, conclusions."""

from __future__ import annotations

from typing import Literal

from audit.record import UNTESTED, Scope, Verdict

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
SCOPE_PREFIX: dict[Scope | None, str] = {
    "other_data": "on stand-in data, ",
    "other_split": "on another split, ",
    "same_data": "",
    None: "",
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
    "most_failed": "more of the runs failed than came to an end",
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


# --------------------------------------------------------------------------- what was measured

#: Kinds whose estimate is the difference of two means, in points.
DIFFERENCES = ("order", "gap", "equivalent", "significant")
#: Kinds that are about a printed number, which nothing on other data speaks to.
PRINTED_KINDS = ("value", "gap")
#: Kinds that are made of several comparisons, with what one of those is called.
COMPARISONS = {
    "ranking": "pair of neighbours",
    "trend": "step",
    "optimum": "comparison with another level",
    "dominance": "comparison",
}
#: What the runs gave, by kind.
MEASURED = {
    "value": "{seeds} of “{first}” {give} {mean} {metric}, {place} the printed {printed}",
    "order": "with {seeds}, “{first}” is {gap} “{second}” in {metric}{range_deciding}",
    "gap": "with {seeds}, “{first}” is {gap} “{second}” in {metric}{range90}; the paper prints {target}",
    "equivalent": "with {seeds}, “{first}” is {gap} “{second}” in {metric}{range90}",
    "significant": "with {seeds}, “{first}” is {gap} “{second}” in {metric}{range95}",
    "cost": "with {seeds}, “{second}” needs {ratio} times the {subject} of “{first}”{ratio_deciding}",
    "convergence": (
        "with {seeds}, the epochs of “{first}” and “{second}” to {target} {metric} on held-out documents are "
        "compared{medians}"
    ),
    "complexity": "over {sizes} sizes, the {cost} grows by the power {power} of it; claimed is {target}",
    **dict.fromkeys(COMPARISONS, "with {seeds}, {held} by the means"),
}


# --------------------------------------------------------------------------- what follows from it

_BY_KIND = {
    "value": {
        "tost": (
            "the {inner}% interval, {ci90}, lies within {margin} points of the printed number; taken alone, "
            "any margin from {from_margin} on would do"
        ),
        "minimum_effect": (
            "even allowing for one unusual run, the printed number lies outside the margin of {margin}; "
            "taken alone, it would for any margin up to {to_margin}"
        ),
        "within_seed_spread": (
            "one lucky run would explain the difference, and more seeds of ours may never settle it; taken "
            "alone, it would be reproduced from a margin of {from_margin} on"
        ),
        "straddles_margin": (
            "the printed number is neither inside the margin of {margin} nor, allowing for one unusual run, "
            "outside it{more}"
        ),
        "ambiguous_spread": (
            "whether the printed number lies outside the margin of {margin} hangs on what the paper prints "
            "after the plus-minus sign, which it does not say"
        ),
        "other_split": (
            "the runs used another split, and the noise of both test sets leaves the margin of {margin} "
            "undecided"
        ),
        "other_data": "the runs used other data than the paper, on which a printed value is not judged",
    },
    "order": {
        "direction": "the difference is above zero {beyond}",
        "reversed": "here the order is the reverse, {beyond}",
        "negligible": "the difference is less than {negligible} points here, {beyond}",
        "negligible_gain": (
            "the difference is above zero, and less than the {negligible} points that count as a gain, both "
            "{beyond}"
        ),
        "undecided": "the {deciding}% interval of the difference holds zero{more}",
    },
    "gap": {
        "tost": (
            "the {inner}% interval, {ci90}, lies within {margin} points of the printed difference; taken "
            "alone, any margin from {from_margin} on would do"
        ),
        "minimum_effect": (
            "even allowing for one unusual run on either side, the printed difference lies outside the "
            "margin of {margin}; taken alone, it would for any margin up to {to_margin}"
        ),
        "within_seed_spread": (
            "lucky runs would explain how far the two differences are apart, and more seeds of ours may "
            "never settle it"
        ),
        "straddles_margin": (
            "the printed difference is neither inside the margin of {margin} nor, allowing for one unusual "
            "run on either side, outside it{more}"
        ),
        "other_split": "the runs used another split, on which a printed difference is not judged",
        "other_data": "the runs used other data than the paper, on which a printed difference is not judged",
    },
    "equivalent": {
        "tost": (
            "the whole interval lies within {margin} points of no difference; taken alone, any margin from "
            "{from_margin} on would do"
        ),
        "no_loss": (
            "“{first}” is not lower by {margin} points; it may be higher by any number of points, and taken "
            "alone, any margin from {from_margin} on would do"
        ),
        "loss": "“{first}” is lower by more than {margin} points, {beyond}",
        "minimum_effect": (
            "the whole {outer}% interval, {ci95}, lies more than {margin} points from no difference"
        ),
        "straddles_margin": (
            "the interval lies neither inside nor outside {margin} points of no difference{more}"
        ),
    },
    "significant": {
        "exceeds_margin": "the difference is more than {margin} points, {beyond}",
        "direction": "the difference is more than {margin} points, {beyond}",
        "reversed": "here the order is the reverse, {beyond}",
        "negligible": (
            "the two differ by less than {margin} points here, and the printed difference of {target} is not"
            " there"
        ),
        "undecided": (
            "the seeds do not show that the difference is more than {margin} points, nor that it is not there"
        ),
        "straddles_margin": "the difference is there, but no larger than {margin} points",
    },
    "ranking": {
        "in_order": "every neighbour in the ranking is above the next, {beyond}",
        "reversed": "at least one pair of neighbours stands the other way round here, {beyond}",
        "undecided": "not every pair of neighbours is told apart by the seeds{more}",
    },
    "trend": {
        "trend": "{metric} {moves} along the sweep by Page’s test, and no step goes back {beyond}",
        "reversed": "along the sweep {metric} does the opposite here, {beyond}",
        "step_back": "at least one step of the sweep goes the other way here, {beyond}",
        "undecided": "the seeds show neither the trend nor a step against it{more}",
    },
    "optimum": {
        "unique": "it is above every other level, {beyond}",
        "among_best": "no level is higher by {margin} points, and at least one is lower, {beyond}",
        "reversed": "at least one other level is higher here, {beyond}",
        "tied": "the seeds do not tell it from every other level{more}",
        "undecided": "the seeds do not tell it from every other level{more}",
    },
    "dominance": {
        "dominates": "the method stands as high as claimed, {beyond}",
        "reversed": "on at least one data set the method stands lower than claimed, {beyond}",
        "undecided": "not every comparison is told apart by the seeds{more}",
        "partly_run": (
            "not all of its comparisons were run; those that were do not break it, and only all of them "
            "together could show it"
        ),
        "place_always_held": (
            "there are no more methods than the place that is claimed, so nothing could speak against it"
        ),
    },
    "cost": {
        "cheaper": "“{first}” needs less, {beyond}",
        "reversed": "“{first}” needs more here, {beyond}",
        "undecided": "the {deciding}% interval of the ratio holds 1{more}",
        "other_data": "the runs used other data, whose labels and words make networks of another size",
    },
    "convergence": {
        "faster": "“{first}” reaches {target} {metric} in fewer epochs, {beyond}",
        "reversed": "“{first}” reaches {target} {metric} in more epochs here, {beyond}",
        "undecided": "the seeds do not tell which of the two reaches {target} {metric} first",
        "never_reached": "no run of either reaches {target} {metric}",
        "not_measured": "the run records hold no score after each epoch",
    },
    "complexity": {
        "tost": (
            "the {inner}% interval, {ci90}, lies within {margin} of the claimed exponent; logarithmic "
            "factors cannot be told apart from none"
        ),
        "minimum_effect": (
            "the whole {outer}% interval, {ci95}, lies more than {margin} from the claimed exponent"
        ),
        "straddles_margin": (
            "the exponent is neither shown to lie within {margin} of the claimed one nor outside; more "
            "sizes, or sizes further apart, may settle it"
        ),
        "too_few_seeds": "a size was timed fewer than three times, and the least time is only then to be had",
    },
    "*": {
        "deterministic reproduced": (
            "every run gives the same number, and it lies within the margin of {margin}"
        ),
        "deterministic contradicted": (
            "every run gives the same number, and it lies outside the margin of {margin}"
        ),
        "hangs_on_spread": (
            "the printed number would lie outside the margin of {margin} if the paper’s runs scattered as "
            "ours do, and not at twice that, as is assumed where no spread is printed"
        ),
        "multiplicity": (
            "taken alone this claim would be {alone}, but not once all claims of the audit are taken together"
        ),
        "no_variance_estimate": "a single run says nothing about the spread between seeds",
        "ambiguous_description": "{came_out}",
        "some_readings": (
            "not all of the {declared} declared readings of what the paper leaves open were run "
            "({readings}), and only all of them together decide"
        ),
        "too_few_seeds": "so few seeds do not show how far they spread; three are the least",
        "no_spread": (
            "all seeds gave the same number, which leaves no spread to judge by unless the model declares "
            "that nothing is random (`DETERMINISTIC`), or of imported runs the claim (`deterministic: true`)"
        ),
        "not_run": "no run stands behind this claim",
        "run_failed": "our runs failed, and none came to its end, so that nothing speaks to it",
        "most_failed": (
            "more seeds of an experiment failed than came to an end, and those that did are no fair sample"
        ),
        "runs_gone": "runs that were on record are gone, and what is left of them decides nothing",
        "margins_changed": (
            "the margins were changed after the runs began, and the claim file declares no new audit of them"
        ),
        "unverified_reimplementation": (
            "the numbers disagree, but our implementation has not passed all of its own checks and may not "
            "speak against a claim before it has"
        ),
        "stand_in": (
            "the numbers disagree, but the runs used other data, and only runs on the paper’s own corpus "
            "speak against a claim"
        ),
        "reduced_protocol": (
            "the numbers disagree, but the runs did not follow the paper’s protocol in full, and only runs "
            "that do speak against a claim"
        ),
        "untuned": (
            "the numbers disagree, but the paper tunes its settings, and those of the runs were not tuned, "
            "or in fewer trials"
        ),
        "unverified_import": (
            "the numbers disagree, but ours were imported, and until it is stated that the paper’s own code "
            "gave them, no claim is called contradicted on them"
        ),
    },
}
#: What follows from the numbers, by kind and reason code; `*` is any kind. The status word stands before it.
CONCLUSIONS = {(kind, code): text for kind, texts in _BY_KIND.items() for code, text in texts.items()}
SIZE_NOT_JUDGED = "The paper prints a difference of {target}; its size is not judged."
SIZE_UNKNOWN = "The size of the difference is not judged."
AGREED = "So it is under all {declared} declared readings of what the paper leaves open."
ONE_SIDE = (
    "The means under all {number} readings that were run lie {side} the printed {printed}; the nearest is "
    "{nearest}."
)
SIZES_UNKNOWN = "The sizes of the differences are not judged."
LEANING = (
    "The whole {outer}% interval, {ci95}, lies {side} zero: “{first}” is {higher} beyond the spread of the "
    "seeds; whether by less or by more than the margin is open."
)
_CHANCE = "chance alone does not explain it"
#: The same in plain words for the first screen.
FOLLOWS = {
    ("value", "tost"): "with chance allowed for, that is within the margin of {margin} points",
    ("value", "minimum_effect"): (
        "that is beyond the margin of {margin} points, even if the paper’s was an unusual run"
    ),
    ("value", "within_seed_spread"): (
        "one lucky run may explain it; it would be reproduced from a margin of {from_margin} points on"
    ),
    ("value", "straddles_margin"): (
        "with chance allowed for, that may lie within the margin of {margin} points, or beyond it"
    ),
    ("order", "direction"): _CHANCE,
    ("order", "reversed"): f"here it is the other way round, and {_CHANCE}",
    ("order", "undecided"): "chance alone may explain it",
    ("gap", "tost"): "with chance allowed for, that is within the margin of {margin} points",
    ("gap", "straddles_margin"): (
        "with chance allowed for, that may lie within the margin of {margin} points, or beyond it"
    ),
    ("significant", "direction"): f"that is more than {{margin}} points, and {_CHANCE}",
    ("significant", "exceeds_margin"): f"that is more than {{margin}} points, and {_CHANCE}",
    ("significant", "reversed"): f"here it is the other way round, and {_CHANCE}",
    ("equivalent", "tost"): "with chance allowed for, that is within the margin of {margin} points",
    ("equivalent", "no_loss"): "with chance allowed for, that is no loss of {margin} points",
    ("equivalent", "loss"): f"that is a loss of more than {{margin}} points, and {_CHANCE}",
    ("equivalent", "minimum_effect"): f"that is beyond the margin of {{margin}} points, and {_CHANCE}",
    ("equivalent", "straddles_margin"): (
        "with chance allowed for, that may lie within the margin of {margin} points, or beyond it"
    ),
    ("*", "multiplicity"): "alone it would be {alone}, but of so many claims some come out so by chance",
}
