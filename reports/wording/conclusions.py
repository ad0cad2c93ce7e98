"""What follows from the numbers of a claim: one pattern for each kind of claim and reason code."""

from __future__ import annotations

#: What follows from the numbers, by kind and reason code; `*` is any kind. The status word stands before it.
CONCLUSIONS = {
    (
        "value",
        "tost",
    ): "the 90% interval, {ci90}, lies within {margin} points of the printed number; taken alone, "
    "any margin from {from_margin} on would do",
    (
        "value",
        "minimum_effect",
    ): "even allowing for one unusual run, the printed number lies outside the margin of "
    "{margin}; taken alone, it would for any margin up to {to_margin}",
    (
        "value",
        "within_seed_spread",
    ): "one lucky run would explain the difference, and more seeds of ours may never "
    "settle it; taken alone, it would be reproduced from a margin of {from_margin} on",
    (
        "value",
        "straddles_margin",
    ): "the printed number is neither inside the margin of {margin} nor, allowing for "
    "one unusual run, outside it; more seeds may settle it",
    (
        "value",
        "other_split",
    ): "the runs used another split, and the noise of both test sets leaves the margin of {margin} undecided",
    (
        "value",
        "other_data",
    ): "the runs used other data than the paper, on which a printed value is not judged",
    ("order", "direction"): "the difference is above zero beyond the spread of the seeds",
    ("order", "reversed"): "here the order is the reverse, beyond the spread of the seeds",
    (
        "order",
        "negligible",
    ): "the two differ by less than {negligible} points here, and the printed difference of "
    "{target} is not there",
    ("order", "undecided"): "the 95% interval of the difference holds zero; more seeds may settle it",
    (
        "equivalent",
        "tost",
    ): "the whole interval lies within {margin} points of no difference; taken alone, any "
    "margin from {from_margin} on would do",
    (
        "equivalent",
        "minimum_effect",
    ): "the whole 95% interval, {ci95}, lies more than {margin} points from no difference",
    ("equivalent", "straddles_margin"): "the interval lies neither inside nor outside {margin} points of no "
    "difference; more seeds may settle it",
    (
        "*",
        "deterministic reproduced",
    ): "every run gives the same number, and it lies within the margin of {margin}",
    ("*", "deterministic contradicted"): "every run gives the same number, and it lies outside the margin of "
    "{margin}",
    (
        "*",
        "multiplicity",
    ): "taken alone this claim would be decided, but not once all claims of the audit are taken together",
    ("*", "no_variance_estimate"): "a single run says nothing about the spread between seeds",
    ("*", "too_few_seeds"): "so few seeds do not show how far they spread; three are the least",
    ("*", "no_spread"): "all seeds gave the same number, which leaves no spread to judge by",
    ("*", "not_run"): "no run stands behind this claim",
    ("*", "run_failed"): "no run of it came to its end",
    (
        "*",
        "unverified_reimplementation",
    ): "the numbers disagree, but our implementation has not passed all of its own "
    "checks and may not speak against a claim before it has",
}

SIZE_NOT_JUDGED = "The paper prints a difference of {target}; its size is not judged."
SIZE_UNKNOWN = "The size of the difference is not judged."
LEANING = (
    "The whole 95% interval, {ci95}, lies {side} zero: “{first}” is {higher} beyond the spread of the seeds; "
    "whether by less or by more than the margin is open."
)
