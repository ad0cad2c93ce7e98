"""What follows from the numbers of a claim: one pattern for each kind of claim and reason code."""

from __future__ import annotations

_VALUE = {
    "tost": (
        "the {inner}% interval, {ci90}, lies within {margin} points of the printed number; taken "
        "alone, any margin from {from_margin} on would do"
    ),
    "minimum_effect": (
        "even allowing for one unusual run, the printed number lies outside the margin of {margin}; taken "
        "alone, it would for any margin up to {to_margin}"
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
        "whether the printed number lies outside the margin of {margin} hangs on what the paper prints after "
        "the plus-minus sign, which it does not say"
    ),
    "other_split": (
        "the runs used another split, and the noise of both test sets leaves the margin of {margin} undecided"
    ),
    "other_data": "the runs used other data than the paper, on which a printed value is not judged",
}
_ORDER = {
    "direction": "the difference is above zero {beyond}",
    "reversed": "here the order is the reverse, {beyond}",
    "negligible": "the difference is less than {negligible} points here, {beyond}",
    "negligible_gain": (
        "the difference is above zero, and less than the {negligible} points that count as a gain, both "
        "{beyond}"
    ),
    "undecided": "the {deciding}% interval of the difference holds zero{more}",
}
_GAP = {
    "tost": (
        "the {inner}% interval, {ci90}, lies within {margin} points of the printed difference; taken "
        "alone, any margin from {from_margin} on would do"
    ),
    "minimum_effect": (
        "even allowing for one unusual run on either side, the printed difference lies outside the margin of "
        "{margin}; taken alone, it would for any margin up to {to_margin}"
    ),
    "within_seed_spread": (
        "lucky runs would explain how far the two differences are apart, and more seeds of ours may never "
        "settle it"
    ),
    "straddles_margin": (
        "the printed difference is neither inside the margin of {margin} nor, allowing for one unusual run "
        "on either side, outside it{more}"
    ),
    "other_split": "the runs used another split, on which a printed difference is not judged",
    "other_data": "the runs used other data than the paper, on which a printed difference is not judged",
}
_EQUIVALENT = {
    "tost": (
        "the whole interval lies within {margin} points of no difference; taken alone, "
        "any margin from {from_margin} on would do"
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
}
_SIGNIFICANT = {
    "exceeds_margin": "the difference is more than {margin} points, {beyond}",
    "direction": "the difference is more than {margin} points, {beyond}",
    "reversed": "here the order is the reverse, {beyond}",
    "negligible": (
        "the two differ by less than {margin} points here, and the printed difference of {target} is not "
        "there"
    ),
    "undecided": (
        "the seeds do not show that the difference is more than {margin} points, nor that it is not there"
    ),
    "straddles_margin": "the difference is there, but no larger than {margin} points",
}
_RANKING = {
    "in_order": "every neighbour in the ranking is above the next, {beyond}",
    "reversed": "at least one pair of neighbours stands the other way round here, {beyond}",
    "undecided": "not every pair of neighbours is told apart by the seeds{more}",
}
_TREND = {
    "trend": "{metric} {moves} along the sweep by Page’s test, and no step goes back {beyond}",
    "reversed": "along the sweep {metric} does the opposite here, {beyond}",
    "step_back": "at least one step of the sweep goes the other way here, {beyond}",
    "undecided": "the seeds show neither the trend nor a step against it{more}",
}
_OPTIMUM = {
    "unique": "it is above every other level, {beyond}",
    "among_best": "no level is higher by {margin} points, and at least one is lower, {beyond}",
    "reversed": "at least one other level is higher here, {beyond}",
    "tied": "the seeds do not tell it from every other level{more}",
    "undecided": "the seeds do not tell it from every other level{more}",
}
_DOMINANCE = {
    "dominates": "the method stands as high as claimed, {beyond}",
    "reversed": "on at least one data set the method stands lower than claimed, {beyond}",
    "undecided": "not every comparison is told apart by the seeds{more}",
    "partly_run": (
        "not all of its comparisons were run; those that were do not break it, and only all of them together "
        "could show it"
    ),
    "place_always_held": (
        "there are no more methods than the place that is claimed, so nothing could speak against it"
    ),
}
_COST = {
    "cheaper": "“{first}” needs less, {beyond}",
    "reversed": "“{first}” needs more here, {beyond}",
    "undecided": "the {deciding}% interval of the ratio holds 1{more}",
    "other_data": "the runs used other data, whose labels and words make networks of another size",
}
_CONVERGENCE = {
    "faster": "“{first}” reaches {target} {metric} in fewer epochs, {beyond}",
    "reversed": "“{first}” reaches {target} {metric} in more epochs here, {beyond}",
    "undecided": "the seeds do not tell which of the two reaches {target} {metric} first",
    "never_reached": "no run of either reaches {target} {metric}",
    "not_measured": "the run records hold no score after each epoch",
}
_COMPLEXITY = {
    "tost": (
        "the {inner}% interval, {ci90}, lies within {margin} of the claimed exponent; logarithmic factors "
        "cannot be told apart from none"
    ),
    "minimum_effect": (
        "the whole {outer}% interval, {ci95}, lies more than {margin} from the claimed exponent"
    ),
    "straddles_margin": (
        "the exponent is neither shown to lie within {margin} of the claimed one nor outside; more sizes, or "
        "sizes further apart, may settle it"
    ),
    "too_few_seeds": "a size was timed fewer than three times, and the least time is only then to be had",
}
_ANY = {
    "deterministic reproduced": "every run gives the same number, and it lies within the margin of {margin}",
    "deterministic contradicted": (
        "every run gives the same number, and it lies outside the margin of {margin}"
    ),
    "hangs_on_spread": (
        "the printed number would lie outside the margin of {margin} if the paper’s runs scattered as ours "
        "do, and not at twice that, as is assumed where no spread is printed"
    ),
    "multiplicity": (
        "taken alone this claim would be {alone}, but not once all claims of the audit are taken together"
    ),
    "no_variance_estimate": "a single run says nothing about the spread between seeds",
    "ambiguous_description": "{came_out}",
    "some_readings": (
        "not all of the {declared} declared readings of what the paper leaves open were run ({readings}), "
        "and only all of them together decide"
    ),
    "too_few_seeds": "so few seeds do not show how far they spread; three are the least",
    "no_spread": (
        "all seeds gave the same number, which leaves no spread to judge by unless the model declares that "
        "nothing is random (`DETERMINISTIC`), or of imported runs the claim (`deterministic: true`)"
    ),
    "not_run": "no run stands behind this claim",
    "run_failed": "our runs failed, and none came to its end, so that nothing speaks to it",
    "runs_gone": "runs that were on record are gone, and what is left of them decides nothing",
    "margins_changed": (
        "the margins were changed after the runs began, and the claim file declares no new audit of them"
    ),
    "unverified_reimplementation": (
        "the numbers disagree, but our implementation has not passed all of its own checks and may not speak "
        "against a claim before it has"
    ),
    "stand_in": (
        "the numbers disagree, but the runs used other data, and only runs on the paper’s own corpus speak "
        "against a claim"
    ),
    "reduced_protocol": (
        "the numbers disagree, but the runs did not follow the paper’s protocol in full, and only runs that "
        "do speak against a claim"
    ),
    "untuned": (
        "the numbers disagree, but the paper tunes its settings, and those of the runs were not tuned, or in "
        "fewer trials"
    ),
    "unverified_import": (
        "the numbers disagree, but ours were imported, and until it is stated that the paper’s own code gave "
        "them, no claim is called contradicted on them"
    ),
}
_BY_KIND = {
    "value": _VALUE,
    "order": _ORDER,
    "gap": _GAP,
    "equivalent": _EQUIVALENT,
    "significant": _SIGNIFICANT,
    "ranking": _RANKING,
    "trend": _TREND,
    "optimum": _OPTIMUM,
    "dominance": _DOMINANCE,
    "cost": _COST,
    "convergence": _CONVERGENCE,
    "complexity": _COMPLEXITY,
    "*": _ANY,
}
#: What follows from the numbers, by kind and reason code; `*` is any kind. The status word stands before it.
CONCLUSIONS = {(kind, code): text for kind, held in _BY_KIND.items() for code, text in held.items()}
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
