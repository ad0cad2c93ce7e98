"""What it takes to settle a claim, in a few words."""

from __future__ import annotations

from audit.planning.outlook import LEAST, Outlook
from audit.planning.run_time import RunTime

#: By reason code: why seeds do not settle a claim.
HOPELESS = {
    "other_data": "it is about the paper's own data: `audit run --data` on those would test it",
    "other_split": "another split: the noise of two test sets stays; the paper's own split would settle it",
    "run_failed": "its runs failed: `audit run --retry-failed` first",
    "same_runs": "both sides rest on the same runs",
    "different_data": "its two sides were tested on different data",
    "unverified_reimplementation": "decided but for the model's own checks, which it has not passed",
    "stand_in": "runs on other data speak against it: `audit run --data` on the paper's own would decide",
    "reduced_protocol": "runs by a reduced protocol speak against it: `--protocol claimed` would decide",
    "untuned": "runs with settings that were not tuned speak against it: `audit tune` first",
    "unverified_import": "decided but for the imported runs, which are not stated to be of the authors' code",
    "mixed_evidence": "one side is ours and the other imported: run both or import both, or choose by "
    "--evidence where one kind is there for both",
    "never_reached": "no run reaches the score: longer training, or a lower score in a new audit, would tell",
    "runs_gone": "runs of it that were on record are gone: `audit run` first, which runs them again",
    "margins_changed": "the margins were changed after the runs: declare a new audit",
    "no_margin": "the claim file fixes no margin",
    "no_printed_number": "the claim names no printed number",
    "no_target_score": "the claim file fixes no score to reach",
    "not_measured": "the run records do not hold what it is about",
    "different_machines": "its runs were on different machines",
    "negligible_gain": "better, and by less than counts as a gain: more seeds would say the same",
    "ambiguous_description": "its readings of what the paper leaves open do not all come to one verdict: "
    "word of what the authors did settles it, or more seeds where single readings are open",
    "some_readings": "not all readings of what the paper leaves open were run: `audit run --readings` first",
    "kind_not_judged": "no rule for this kind of claim",
    "too_many_levels": "the sweep is too long for its test",
    "place_always_held": "there are too few methods for it to be wrong",
    "absolute_cost": "a cost of one system is that of its data and machine: name a second one",
    "no_sizes": "the claim file names no experiments of growing size: add sizes to the claim",
    "counted_exactly": "its operations are counted: `audit check` holds them against it",
    "not_one_size": "its experiments differ in more than the size that grows",
    "needs_sizes": "more seeds make the same line: more sizes, or sizes further apart, may settle it",
    "too_few_sizes": "five sizes are the least: run more",
    "too_narrow": "its sizes lie too close together: run larger ones",
    "no_spread": "all its runs gave one number, which leaves no spread to plan with: a model declares "
    "`DETERMINISTIC` where all seeds give one result, a claim on imported runs `deterministic: true`",
}

#: The same of claims that rest on imported runs.
_OF_IMPORTS = {
    "run_failed": "its imported runs failed: import some that came to their end",
    "other_data": "it is about the paper's own data: imported runs on those, stated to be so, would test it",
    "different_data": "its two sides were tested on different data: import both of one",
    "not_measured": "the import does not hold what it is about",
}

_OBSTACLES = {
    "no_number_of_our_seeds": "no number of our seeds settles this; the authors' seeds would",
    "no_number_of_seeds": "no number of seeds settles this, if the difference is as it is now",
    "too_many_seeds": "more than 100 seeds",
    "coarse_steps": "most of its runs reach the score at the same evaluation, whichever side they are of: "
    "evaluations at shorter steps (evaluate_every under training) would tell them apart, and seeds hardly",
    "no_rule": "seeds may settle it, but there is no rule to plan claims of this kind",
}


def sentence(outlook: Outlook) -> str:
    """`6 seeds, 0.4 GPU-hours`, or why there is no such number."""
    if outlook.imported:
        return _of_import(outlook)
    if outlook.why_not is not None:
        return _OBSTACLES.get(outlook.why_not) or HOPELESS.get(outlook.why_not) or outlook.why_not
    if outlook.first:
        begun = "not run" if outlook.reason == "not_run" else "too few seeds"
        return f"{begun}: {LEAST} seeds first, {_about(outlook.time)}"
    part = f" (weakest: {outlook.part})" if outlook.part else ""
    return f"{outlook.seeds} seeds, {outlook.time or 'time not known'}{part}"


def _of_import(outlook: Outlook) -> str:
    """What the imported program would have to add: seeds or values."""
    why = outlook.why_not
    if why is not None:
        return _OF_IMPORTS.get(why) or _OBSTACLES.get(why) or HOPELESS.get(why) or why
    if outlook.reason == "not_run":
        metric = outlook.claim.rpartition(":")[2]
        return f"{metric} was not imported for every side: import it, of {LEAST} seeds or more"
    part = f" (weakest: {outlook.part})" if outlook.part else ""
    return f"{outlook.seeds} seeds, the further ones by the program that was imported{part}"


def _about(time: RunTime | None) -> str:
    if time is None:
        return "time not known"
    return f"about {time}{' by similar experiments' if time.similar else ''}"
