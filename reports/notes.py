"""Sentences about the whole audit: its data, its gate, its margins, and what it left out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from audit.record import AuthorResponse, FidelityCheck, InstanceEvidence, Margin, Scope, Share, Verdict
from reports import digits
from reports.fields import medians
from reports.text import capital, listed, plural
from reports.words import SCOPE_WORDS, STATUS_WORDS, UNJUDGED, UNTESTED, reason

NOTHING_TESTED = "Nothing was tested."
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


INCONSISTENT = "Inconsistent: {title}"
BETWEEN_PAPERS = "between papers"
IN_README = "in the README of the public code, not in the paper"
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
    ("Not tested", "Nothing was run, our runs failed, or used other data than a printed number is about."),
    ("Seed", "One training run. Seeds differ in nothing but chance; fewer than three decide nothing."),
    ("Margin", "How far two numbers may be apart and still count as one; fixed before the runs."),
    ("Stand-in data", "Another corpus than the paper’s: it shows whether a comparison holds there."),
)
NONE_INCONSISTENT = "No check of the printed numbers found an inconsistency."
NO_FINDINGS = "The printed numbers were not checked against each other."
GATE_OPEN = "passed all of their own checks, so that their runs may contradict a claim."
GATE_IMPORTED = "not used: all runs were imported, and our checks say nothing about the code that made them."
GATE_NOT_IMPORTED = "They say nothing about imported runs."
GATE_NONE = "no check of them is on record, so that their runs contradict no claim."
#: Of the example plot, whose caption explains it.
KEY_NAME = "An invented example: printed 76.20, mean 75.62."
MARGIN_UNITS = ("point", "points")
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
FILTER_SHOWN = "{n} of {m} claims shown"
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
SORTS = (
    ("eye", "by verdict"),
    ("paper", "as in the claim file"),
    ("data", "by data set"),
    ("name", "by title"),
    ("flip", "nearest to another verdict first"),
)
OPEN_ALL = "open all shown"
SELF_LINK = "link to this claim"
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


NOT_ASKED = "Not yet asked."
HOW = "Their answer is shown here word for word; it goes into the claim file under “author_response”."
NO_EFFECT = "not yet worked in"


def asked(said: AuthorResponse | None) -> str:
    """When they were asked and whether they answered."""
    if said is None:
        return NOT_ASKED
    if said.answered is None:
        return f"Asked on {said.asked}; no answer yet."
    return f"Asked on {said.asked}, answered on {said.answered}:"


PRIMARY = "Primary claims"
PRIMARY_AND_VALUES = "Printed values, and the primary claims"
CONTRADICTED = "Contradicted"
DISAGREE = "Printed numbers that disagree"
BESIDE_OPEN = "Open, the cheapest to settle first"
BESIDE_VALUES = "printed values and ours, mean ± standard deviation over seeds."
BESIDE_COMPARISONS = (
    "Comparisons stated by the paper: the printed difference, and ours with its interval (95% unless stated)."
)
#: By kind, what stands in a table of comparisons in place of a difference.
_IN_PLACE = {
    "cost": "× is how many times as much the second takes.",
    "complexity": "A power is that by which the cost grows with the size: claimed, and ours.",
    "convergence": "Epochs are the medians over seeds of both until the score is reached.",
}


def in_place(kinds: Iterable[str]) -> str:
    """What the numbers are that are no differences, for the kinds of claim that a table has."""
    held = set(kinds)
    return " ".join(said for kind, said in _IN_PLACE.items() if kind in held)


def epochs_to(score: str, metric: str) -> str:
    """`epochs to 57.70 nDCG@5`"""
    return f"epochs to {score} {metric}".rstrip()


def times(ratio: str) -> str:
    return f"× {ratio}"


def power_text(exponent: str) -> str:
    return f"power {exponent}"


def two_numbers(subject: str, printed: str, ours: str) -> str:
    """`P@1: printed 75.83, ours 75.20 ± 0.14`"""
    return f"{subject}: printed {printed}, ours {ours}"


def further(number: int, noun: str) -> str:
    """How many a short list leaves out."""
    return f"{plural(number, f'further {noun}')}: see the report."


def tested(number: int, of: int) -> str:
    """How many claims of a kind have a row in a table of those that were tested."""
    if number == of:
        return f"All {plural(of, 'claim')} were tested." if of > 1 else "The one claim was tested."
    return f"{digits.count(number)} of {plural(of, 'claim')} were tested."


def on_other_data(scopes: Iterable[Scope | None]) -> str:
    """What a dagger at our numbers means; empty where no run used other data than the paper."""
    others = {SCOPE_WORDS[scope] for scope in scopes if scope not in (None, "same_data")}
    return f"† On {listed(sorted(others), word='or')}, not on the paper’s own data." if others else ""


def made_by(version: str, newest_run: str) -> str:
    """`xmtc-audit 0.1.0, newest run 2026-03-01 12:30 UTC`"""
    tool = f"xmtc-audit {version}".strip()
    return f"{tool}, newest run {newest_run}" if newest_run else tool
