"""Sentences about the whole audit: its data, its gate, its margins, and what it left out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from audit.record import FidelityCheck, Finding, InstanceEvidence, Scope, Share, Verdict
from reports import digits
from reports.wording.fields import medians
from reports.wording.printed_checks import noted
from reports.wording.words import (
    SCOPE_WORDS,
    STATUS_WORDS,
    UNJUDGED,
    UNTESTED,
    capital,
    listed,
    plural,
    reason,
)

NOTHING_TESTED = "Nothing was tested."
NO_PRIMARY = "The claim file marks no claim as primary."
NO_CHECKS = (
    "No check of our implementation is on record. Until there is one, no claim is called contradicted "
    "on its runs."
)
NO_TABLES = "The claim file holds no table."
KEY_PLOT = (
    "An invented example: the dashed line is the printed number and the shaded band its margin; the "
    "diamond is our mean, the thick bar its 90% interval, the thin one its 95% interval; along the "
    "dotted line 95% of single runs of the paper would fall; each dot is one seed. At a look that has less "
    "than the level of 5% all of these are wider, and the numbers beside the plot say by how much."
)
KEY_VERDICT = (
    "Reproduced: the thick bar lies inside the band. Contradicted: the printed number is so far off "
    "that even one unusual run does not explain it. A comparison is reproduced as to its direction only. "
    "Not tested: nothing was run, our runs failed, or used other data than a printed value is about. "
    "Anything else is inconclusive."
)
#: Beside an inconsistency whose numbers were read once.
UNREAD = "numbers not yet verified by a second reader"
#: Beside the two forms of a mark.
ON_NUMBER = "filled: on the number,"
ON_COMPARISON = "outlined: on a comparison"
TABLE_KEY = (
    "Large: the number as printed. Below it, ours: mean ± sd over n seeds. A filled mark beside a "
    "number is the verdict on that number. An outlined one is the verdict on a comparison that rests on "
    "it; it says nothing of how near the two numbers are. "
    "≠ leads to a finding that no run was needed for. Hatched: copied from another paper, not judged."
)

#: Of a split that is not the paper's, and of one that is not known to be.
_ANOTHER = "another split"
_UNKNOWN = "a split that need not be the paper’s"


def tally(*, total: int, judged: int, decided: int) -> str:
    """The denominators: all claims, those that could be judged, those that were decided."""
    if not total:
        return NOTHING_TESTED
    if not judged:
        return f"Of {plural(total, 'claim')}, none could be judged."
    could = "all" if judged == total else digits.count(judged)
    settled = "none was" if not decided else "1 was" if decided == 1 else f"{digits.count(decided)} were"
    return f"Of {plural(total, 'claim')}, {could} could be judged and {settled} decided."


def resting(scopes: Sequence[Scope | None]) -> str:
    """On whose data the claims rest that were judged; empty where none was, or none of it is known."""
    known = [it for it in scopes if it is not None]
    if not known:
        return ""
    if set(known) == {"same_data"}:
        return "What was judged rests on the paper’s own data."
    if set(known) == {"other_data"} and len(known) == len(scopes):
        return "All that was judged rests on stand-in data: what holds there may not hold on the paper’s own."
    counts = [(known.count(scope), SCOPE_WORDS[scope]) for scope in ("other_data", "other_split")]
    told = listed([f"{digits.count(number)} on {word}" for number, word in counts if number])
    return f"Of those judged, {told}: what holds there may not hold on the paper’s own."


def counted_once(share: Share | None) -> str:
    """Where claims say the same of several data sets and all were run on one corpus; else empty."""
    if share is None or share.once is None or share.once[1] == share.decided:
        return ""
    comparisons = plural(share.once[1], "different comparison")
    kept = "" if share.once[0] == share.once[1] else f", {digits.count(share.once[0])} of them reproduced"
    return (
        f"The {digits.count(share.decided)} decided claims are {comparisons}{kept}: some say the same of "
        "several data sets, or in other words, and rest on the same runs."
    )


def runs_failed(number: int) -> str:
    """Below the number of claims that were not tested: those of which we have no run because ours failed."""
    return f"{digits.count(number)} because our runs failed" if number else ""


def resting_of(verdicts: Sequence[Verdict]) -> str:
    """The same of all verdicts of an audit, of which those count that could be judged."""
    return resting([it.scope for it in verdicts if it.reason not in UNJUDGED])


def on_imported(number: int, judged: int) -> str:
    """Whose runs the judged claims rest on, where others made them; empty where all are ours."""
    if not number:
        return ""
    which = "All of it" if number == judged else f"{digits.count(number)} of {plural(judged, 'judged claim')}"
    rests = "rests" if 1 in (number, number / judged) else "rest"
    return f"{which} {rests} on numbers that were imported, not verified here."


def further_badges(number: int) -> str:
    return f"{digits.count(number)} more like these"


def scope_made(*, runs: int, data: str, datasets: Sequence[str]) -> str:
    """On which data the runs behind some data sets of the paper were made."""
    return f"{plural(runs, 'run')} for {listed([f'“{it}”' for it in datasets])} used {data}"


def scope_means(scope: Scope, *, stated: str = "", split_known: bool = True) -> str:
    """What runs on such data allow; `stated` is why imported ones are said to be on the paper's own.

    `split_known` is false where several come with the corpus and the paper's may be any or none.
    """
    if scope == "same_data":
        how = f"as the import states, not verified here ({stated})" if stated else "by content"
        return f"the paper’s own, {how}. Values and comparisons are judged."
    if scope == "other_split":
        return (
            f"the same corpus in {_ANOTHER if split_known else _UNKNOWN}. Values are judged with the noise "
            "of both test sets added; comparisons are judged on this split."
        )
    return (
        "another corpus than the paper’s, on which its values are not judged. Comparisons are, and what is "
        "found holds for this stand-in; whether it holds on the paper’s data is open."
    )


def imported_data(name: str, *, fingerprint: str) -> str:
    """The data of imported runs, of which we have no more than the name and what was declared."""
    return f"“{name}”, as the import calls it (declared fingerprint: {fingerprint})"


def unjudged_strip(title: str, *, imported: bool) -> str:
    """The heading of runs that stand beside the judged ones."""
    return f"{title}: {'imported' if imported else 'run here'}, shown and not judged"


def fidelity_note(model: str, checks: Sequence[FidelityCheck]) -> str:
    """Whether our implementation of `model` may speak against a claim."""
    passed = sum(check.passed for check in checks)
    if passed == len(checks):
        every = "its one check" if passed == 1 else f"all {plural(passed, 'check')}"
        return f"{model}: {every} passed, so its runs may speak against a claim."
    return (
        f"{model}: {digits.count(passed)} of {plural(len(checks), 'check')} passed. Until all have, no claim "
        "is called contradicted on its runs."
    )


def finding_place(finding: Finding) -> str:
    """Where it stands, and in what if not in the paper; the cells where that is not known."""
    place = finding.where or ", ".join(finding.cells)
    return f"{place} (from the README of the public code, not from the paper)" if finding.source else place


def finding_sentence(finding: Finding) -> str:
    """The other explanations first, then the arithmetic, then the result."""
    may = f"May be {listed(finding.alternatives, word='or')}. " if finding.alternatives else ""
    read = f"{noted(finding)}: {finding.note.rstrip('.')}. " if finding.note else ""
    caveat = f" {capital(UNREAD)}." if is_unread(finding) else ""
    return f"{may}{read}{finding.arithmetic.rstrip('.')}. {capital(finding.result)}.{caveat}"


def is_unread(finding: Finding) -> bool:
    """Whether it says that numbers disagree which nobody but their first reader has held against the page."""
    return finding.result == "inconsistent" and not finding.verified


def stand_in_footnote(scopes: Iterable[Scope], *, split_known: bool = True) -> str:
    """What the dagger beside our numbers in a redrawn table means; empty when none is needed."""
    held = set(scopes)
    split = f"on {_ANOTHER if split_known else _UNKNOWN}{{}} judged with the noise of both test sets added"
    stand_in = f"on {SCOPE_WORDS['other_data']}{{}} not comparable with the printed number above it"
    if {"other_split", "other_data"} <= held:
        return f"† Ours {split.format(',')}, or {stand_in.format(',')}."
    if "other_split" in held:
        return f"† Ours {split.format(':')}."
    return f"† Ours {stand_in.format(':')}." if "other_data" in held else ""


def copied_from(source: str | None) -> str:
    return f"copied from {source or 'another paper'}"


def unjudged(number: int, *, code: str, why: str | None = None) -> str:
    """How many claims one reason left undecided, under the status that the page gives them.

    `why` stands in place of the reason's words.
    """
    word = STATUS_WORDS["not_tested" if code in UNTESTED else "inconclusive"].lower()
    return f"{plural(number, 'claim')} {word}: {why or reason(code)}."


def all_experiments(number: int) -> str:
    return f"All {plural(number, 'experiment')} that were run"


def margins_note(mark: str, *, same: int, runs: int, imported: int = 0) -> str:
    """Whether the margins stood before the runs began; of those that were imported nobody knows."""
    if not runs:
        return f"Margins {mark[:12]}: no run has begun under them."
    every = "the one run" if runs == 1 else f"all {plural(runs, 'run')}"
    some = f"{digits.count(same)} of {plural(runs, 'run')}"
    if imported and same < runs:
        return f"Margins {mark[:12]}: {some} began or were imported under them; imported ones may be older."
    if imported == runs:
        return f"Margins {mark[:12]}: fixed before the import of {every}, which may be older."
    if imported:
        came = f"{digits.count(imported)} of {plural(runs, 'run')}"
        return f"Margins {mark[:12]}: fixed before our first run; {came} came by import and may be older."
    if same == runs:
        return f"Margins {mark[:12]}: fixed before the first run; {every} began under them."
    return f"Margins {mark[:12]}: {some} began under them, the others did not."


def seed_note(status: str, why: str | None) -> str:
    """Why a run has no value."""
    word = {"failed": "ended early", "interrupted": "interrupted"}.get(status, "no value of this metric")
    return f"{word}: {why}" if why else word


def reached(epoch: float | None, *, target: float, last: float) -> str:
    """When a run had the score that counts on held-out documents, or that it did not have it at its end."""
    score = f"{digits.points(target)} held out"
    if epoch is None:
        return f"{score} not reached in {round(last, 2):g} epochs"
    if epoch.is_integer():
        return f"{score} reached in epoch {epoch:g}"
    return f"{score} reached after {round(epoch, 2):g} epochs"


def on_test(name: str, metric: str) -> str:
    """Over the seeds of a convergence claim, which have the score of one set and the epoch of another."""
    return f"{name}: {metric} on test documents, and when the curve of held-out ones reached the score"


def to_reach(target: float, metric: str, lowest: str | None) -> str:
    """The score that a convergence claim is about, and what part that is of the lowest printed one.

    >>> to_reach(57.7, "nDCG@5", "64.13")
    '57.70 nDCG@5 on held-out documents, as the claim file fixes it: 90% of the lowest printed, 64.13'
    """
    text = f"{digits.points(target)} {metric} on held-out documents, as the claim file fixes it"
    if lowest is None or not float(lowest) > 0:
        return text
    return f"{text}: {100 * target / float(lowest):.0f}% of the lowest printed, {lowest}"


def epochs_needed(verdict: Verdict) -> str:
    """`epochs 4.65 and 4.65`, the medians of a convergence claim as its badge has them; empty without one."""
    held = medians(verdict)
    return f"epochs {' and '.join(held)}" if held else ""


def of_documents(found: InstanceEvidence) -> tuple[str, str]:
    """What holds on these test documents, and what on new ones of their kind; empty where there is no error.

    Beside a verdict, which is about these documents: the words say nothing of reproduced or contradicted.
    """
    size = f"{digits.signed(found.difference)} points"
    texts = f" ({digits.count(found.texts)} different texts)" if found.texts < found.documents else ""
    documents = f"{plural(found.documents, 'test document')}{texts}"
    these = new = ""
    if found.these is not None:
        these = f"{size}, 95% interval {digits.interval(found.these.ci95, beside=(0.0,))}: seeds alone vary"
    if found.new is not None:
        drawn = ""
        if found.bootstrap is not None:
            interval = digits.interval(found.bootstrap, beside=(0.0,))
            drawn = f"; drawing documents alone anew gives {interval}"
        bounds = digits.interval(found.new.ci95, beside=(0.0,))
        new = f"{size}, 95% interval {bounds}: the {documents} are a sample too{drawn}"
    return these, new


def mcnemar(found: InstanceEvidence) -> str:
    """For each pair of seeds, the documents that only one arm gets right; empty for other metrics."""
    pairs = [
        f"seeds {pair.seeds[0]} and {pair.seeds[1]}: {pair.first_only} to {pair.second_only}, "
        f"p {digits.p_value(pair.p)}"
        for pair in found.pairs
    ]
    return f"documents that only one side gets right, {'; '.join(pairs)}" if pairs else ""
