"""Every sentence about a claim: its status, the numbers of its verdict, the reason, what would settle it. The
patterns by kind and reason are in sentences.toml; `fields_of` fills them in."""

from __future__ import annotations

import math
import re
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib.resources import files
from typing import Literal

from audit.record import (
    UNTESTED,
    ClaimRecord,
    OpenChoice,
    Scope,
    Settling,
    Specifications,
    SpecificationVerdict,
    Verdict,
)
from reports import numbers
from reports.text import View, capital, joined, listed, plural, quoted

Status = Literal["reproduced", "contradicted", "inconclusive", "not_tested"]

STATUSES: tuple[Status, ...] = ("reproduced", "contradicted", "inconclusive", "not_tested")
#: What needs a reader's eye comes first.
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
QUANTITIES = {"parameters": "number of parameters"}
SCOPE_WORDS: dict[Scope, str] = {
    "same_data": "same data",
    "other_split": "another split",
    "other_data": "stand-in data",
}
RUN_ON: dict[Scope | None, str] = {
    "same_data": "on the paper’s data",
    "other_split": "on another split",
    "other_data": "on stand-in data",
    None: "",
}
#: Reasons for which nothing could have been judged: they belong under "not checked", not in the denominator.
UNJUDGED = (
    *("not_run", "run_failed", "other_data", "same_runs", "mixed_evidence", "different_data", "no_margin"),
    *("no_printed_number", "most_failed", "runs_gone", "margins_changed", "no_target_score", "not_measured"),
    *("different_machines", "too_many_levels", "place_always_held", "absolute_cost", "no_sizes"),
    *("counted_exactly", "not_one_size", "kind_not_judged"),
)


@dataclass(frozen=True)
class Measure:
    """What the estimate of a claim is."""

    noun: str
    sign: str = ""  # Before our number, of what is no score; on the page, and in a terminal.
    terminal: str = ""


MEAN, DIFFERENCE = Measure("mean"), Measure("difference of the means")
RATIO, EXPONENT = Measure("ratio", "× ", "x "), Measure("exponent", "power ", "^ ")
_MEASURES = {"": None, "printed value": MEAN, "difference": DIFFERENCE, "ratio": RATIO, "exponent": EXPONENT}


@dataclass(frozen=True, kw_only=True)
class KindWords:
    """All that a report says of claims of one kind."""

    word: str = ""
    reasons: Mapping[str, str] = field(default_factory=dict)  # Code -> its words for this kind, with fields.
    measured: str = "{held}, by the means of {seeds}"  # What the paper says and what the runs gave.
    title: str = ""  # Where the claim file has no short words for it.
    measure: Measure | None = None  # None where it is made of several comparisons, or of epochs.
    parts: str = ""  # What one of several comparisons that make it up is called.
    printed: bool = False  # Whether it is about a printed number, which nothing on other data speaks to.
    direction_only: bool = False  # Whether it is judged without its size.
    epochs: bool = False  # Whether it compares the epochs that a score takes.
    one_axis: bool = True  # Whether all of its arms were measured on one data set by one metric.
    target_is: str = "printed difference"  # What the estimate is compared with.
    in_table: str = ""  # What stands in a table in place of a difference.

    @property
    def is_value(self) -> bool:
        """Whether it says that one method has a printed score."""
        return self.measure is MEAN

    @property
    def differs(self) -> bool:
        """Whether its estimate is the difference of two means, in points."""
        return self.measure is DIFFERENCE


#: sentences.toml
TEXTS = tomllib.loads((files("reports") / "sentences.toml").read_text(encoding="utf-8"))
REASONS: Mapping[str, str] = TEXTS["reasons"]
#: By kind, those that runs can decide; statements about the tables alone are findings.
KINDS: Mapping[str, KindWords] = {
    name: KindWords(**{**texts, "measure": _MEASURES[texts.get("measure", "")]})
    for name, texts in TEXTS["kinds"].items()
}
#: For reasons of any kind, and claims of a kind that is not there.
ANY_KIND = KindWords(reasons=TEXTS["any"])


def kind_words(claim: ClaimRecord) -> KindWords:
    """Of the claim's kind; of an unknown one no more than its name."""
    return KINDS.get(claim.kind) or replace(ANY_KIND, word=claim.kind)


def reason(code: str, *, alone: str = "significant", more: str = "") -> str:
    """A reason code in words; an unknown code with its underscores opened. `alone`: what the claim would be
    if only the others keep it open; `more`: what would settle it."""
    return REASONS.get(code, code.replace("_", " ")).replace("{more}", more).replace("{alone}", alone)


def status_of(verdict: Verdict | None) -> Status:
    """The four statuses of a report: what no run spoke to, or only a run on other data, is *not tested*."""
    if verdict is None or verdict.reason in UNTESTED:
        return "not_tested"
    return verdict.outcome


def run_on(scope: Scope | None, imported: bool) -> str:
    """`on stand-in data`; imports that state nothing may be of any data."""
    return "on data not stated to be the paper’s" if imported and scope == "other_data" else RUN_ON[scope]


def judged_on(verdict: Verdict | None) -> Scope | None:
    """On whose data a claim was judged, or begun to be; None where its runs do not speak to it."""
    return verdict.scope if verdict is not None and verdict.reason != "other_data" else None


# --------------------------------------------------------------------------- the numbers of a verdict


def coverage(verdict: Verdict) -> tuple[str, str]:
    """Of the intervals of both tests, in percent: `90` and `95` at the level of 5%, `98` and `99` at 1%."""
    return f"{100.0 * (1.0 - 2.0 * verdict.level):.6g}", f"{100.0 * (1.0 - verdict.level):.6g}"


def edges(claim: ClaimRecord, verdict: Verdict) -> tuple[float, ...]:
    """What an estimate is read against: the target (or no difference) and the margin on either side."""
    kind = kind_words(claim)
    if kind.measure is RATIO:
        return (1.0,)
    centre = verdict.target if kind.printed or kind.measure is EXPONENT else 0.0
    if centre is None:
        return ()
    return (centre,) if verdict.margin is None else (centre, centre - verdict.margin, centre + verdict.margin)


def subject_of(claim: ClaimRecord) -> str:
    """What the claim compares: its metric, or what stands in its place where it is not about one."""
    details = claim.details
    if claim.metric or "of" in details:
        return claim.metric or str(details["of"])
    if "quantity" in details:
        return quantity(claim)
    if kind_words(claim).one_axis:
        return ""
    metrics = details.get("metrics") or dict.fromkeys(line["metric"] for line in details.get("lines", ()))
    return listed(list(metrics)) or "all metrics"


def quantity(claim: ClaimRecord) -> str:
    """`training_time` as it is said."""
    name = str(claim.details.get("quantity", ""))
    return QUANTITIES.get(name, name.replace("_", " "))


def printed_of(claim: ClaimRecord, verdict: Verdict) -> str:
    """The printed number as printed; a score to be reached; or a printed difference with its sign."""
    kind = kind_words(claim)
    if kind.is_value and claim.printed:
        return claim.printed[0]
    return (numbers.signed if kind.differs else numbers.points)(verdict.target)


def estimate_text(claim: ClaimRecord, verdict: Verdict, *, sd: bool = True) -> str:
    """`75.20 ± 0.31`, `+1.66`, a ratio or an exponent, on its side of target and margin."""
    kind, marks = kind_words(claim), edges(claim, verdict)
    if kind.is_value and sd:
        return numbers.mean_sd(verdict.estimate, verdict.sd, beside=marks)
    return (numbers.signed if kind.differs else numbers.points)(verdict.estimate, beside=marks)


def seeds_text(n: Sequence[int], attempts: Sequence[int] = ()) -> str:
    """`3 seeds`, `1 seed`, `3 seeds each`, `3 and 5 seeds`, `5 of 6 seeds`, `2 to 5 seeds each`."""
    tries = list(attempts) if len(attempts) == len(n) else list(n)
    whole = list(n) == tries
    texts = [str(k) if whole else f"{k} of {of}" for k, of in zip(n, tries, strict=True)]
    noun = "seed" if set(tries) == {1} else "seeds"
    if len(texts) > 1 and len(set(texts)) == 1:
        return f"{texts[0]} {noun} each"
    if len(texts) > 3:
        lost = "" if whole else f" ({plural(sum(tries) - sum(n), 'run')} without a value)"
        return f"{min(n)} to {max(n)} {noun} each{lost}"
    return f"{listed(texts) or 'no'} {noun}"


def medians_of(verdict: Verdict) -> tuple[str, ...]:
    """`11.49`, `not reached`: the medians of a convergence claim; none without."""
    return tuple("not reached" if median is None else f"{round(median, 2):g}" for median in verdict.medians)


def share_as_claimed(claim: ClaimRecord, verdict: Verdict) -> str:
    """`2 of 3 steps go as claimed`, by the means alone; empty where nothing was compared."""
    known = [part.estimate for part in verdict.parts if part.estimate is not None]
    if not known:
        return ""
    number = sum(estimate > 0 for estimate in known)
    first, _, rest = (kind_words(claim).parts or "comparison").partition(" ")
    go = "goes" if number == 1 else "go"
    return f"{number} of {joined(plural(len(known), first), rest)} {go} as claimed"


def deciding_interval(claim: ClaimRecord, verdict: Verdict) -> tuple[str, tuple[float, float] | None]:
    """Its coverage in percent, and its bounds: the inner one for what is one-sided, the outer one for the
    reverse; of an open claim the one on whose side the estimate lies."""
    kind, (inner, outer) = kind_words(claim), coverage(verdict)
    against = verdict.estimate is not None and verdict.estimate < (1.0 if kind.measure is RATIO else 0.0)
    open_against = verdict.outcome == "inconclusive" and against and not kind.is_value
    back = verdict.outcome == "contradicted" or open_against
    return (outer, verdict.ci95) if back else (inner, verdict.ci90)


def row_texts(claim: ClaimRecord, verdict: Verdict) -> View:
    """What the paper prints and what the runs gave, as every table of an audit has it; empty where absent.
    `paper`, `ours`, `difference` and `interval` (of `level` percent) are the columns of the page. For a line
    of text `about` says what was compared, `printed` what the paper has, `measured` what the runs gave."""
    kind, marks, target, estimate = kind_words(claim), edges(claim, verdict), verdict.target, verdict.estimate
    measure, about, paper = kind.measure, subject_of(claim), " / ".join(claim.printed[:4])
    paper += " …" if len(claim.printed) > 4 else ""
    printed = text = ""
    if measure and measure is not RATIO and (target is not None or (kind.is_value and claim.printed)):
        printed = paper = measure.sign + printed_of(claim, verdict)
        if kind.differs and len(claim.printed) == 2:
            paper = f"{claim.printed[0]} − {claim.printed[1]} = {printed}"
    if measure and estimate is not None:
        text = measure.sign + estimate_text(claim, verdict)
    ours = measured = difference = text
    if kind.differs and len(verdict.values) == 2 and all(verdict.values):
        ours = " − ".join(numbers.points(math.fsum(scores) / len(scores)) for scores in verdict.values)
    elif measure is None:
        medians = " / ".join(medians_of(verdict))
        measured = share_as_claimed(claim, verdict) or medians
        ours = f"epochs {medians}" if medians else measured
    if kind.epochs and target is not None:
        about = f"epochs to {numbers.points(target)} {about}".rstrip()
    level, span = deciding_interval(claim, verdict)
    if span and text and not kind.is_value:
        measured += f" ({level}%: {numbers.interval(span, beside=marks)})"
    if kind.is_value:  # of a value the page has the distance from the printed one
        zero = target or 0.0
        marks, span = tuple(mark - zero for mark in marks), span and (span[0] - zero, span[1] - zero)
        known = estimate is not None and target is not None
        difference = numbers.signed(estimate - zero, beside=marks) if known else ""  # type: ignore[operator]
    interval = numbers.interval(span, beside=marks) if span and marks else ""
    if kind.printed and verdict.scope == "other_data":  # nothing there speaks to a printed number
        difference = interval = ""
    return View(
        about=about,
        printed=printed,
        measured=measured,
        paper=paper,
        ours=ours,
        difference=difference,
        interval=interval,
        level=level if interval else "",
    )


def margin_band(verdict: Verdict) -> str:
    """The margins that would give a verdict, the claim taken alone: `reproduced with 1.05 or more; ...`."""
    if verdict.reason in UNJUDGED:
        return ""
    margin, parts = verdict.margin, []
    for word, start, end in (
        ("reproduced", verdict.margin_reproduced_from, verdict.margin_reproduced_up_to),
        ("contradicted", verdict.margin_contradicted_from, verdict.margin_contradicted_up_to),
    ):
        low = numbers.band_end(start, margin=margin, up=True) if start else ""
        high = "" if end is None else numbers.band_end(end, margin=margin, up=False)
        if end is not None and not float(high):
            parts.append(f"never {word}")
        elif low or high:
            ends = f"{low} to {high}" if low and high else f"{low} or more" if low else f"{high} or less"
            parts.append(f"{word} with {ends}")
        elif start == 0.0:
            parts.append(f"always {word}")
    return "; ".join(parts)


def by_own_spread(verdict: Verdict) -> str:
    """The outcome without the spread of the paper's other experiments; empty where it is the same."""
    own = verdict.by_own_spread
    return own if own and own != verdict.outcome else ""


def hangs_on(claim: ClaimRecord, verdict: Verdict) -> Iterator[tuple[str, str]]:
    """Spread and its prior, the look, the paper's spread: a term, and what is to be said of it."""
    for name, scatter in zip(claim.experiments, verdict.scatter, strict=False):
        if scatter.sd is not None and scatter.moderated is not None:
            who = f" of {name}" if len(verdict.scatter) > 1 else ""
            sd, moderated = numbers.points(scatter.sd), numbers.points(scatter.moderated)
            yield f"SD{who} (moderated)", f"{sd} ({moderated})"
    if verdict.look and verdict.look > 1:  # the head of the page tells of the first one
        yield "Look", f"number {verdict.look} at these runs, at the level of {100.0 * verdict.level:.3g}%"
    if otherwise := by_own_spread(verdict):
        yield "Own spread", f"by the spread of its own seeds alone, the verdict would be {otherwise}"
    if verdict.kappa is not None:
        times = f"{numbers.points(verdict.kappa, beside=(2.0,))} times as much as ours; 2 times is assumed"
        yield "Would vanish", f"if the paper’s runs vary {times}"


def fields_of(claim: ClaimRecord, verdict: Verdict, names: Sequence[str]) -> dict[str, str]:
    """Everything that a pattern may ask for, as text; an absent number is a dash."""
    first, second = [*names, numbers.ABSENT, numbers.ABSENT][:2]
    kind, marks, estimate, target = kind_words(claim), edges(claim, verdict), verdict.estimate, verdict.target
    number, (level, span) = numbers.points(estimate, beside=marks), deciding_interval(claim, verdict)
    zero = target or 0.0 if kind.is_value else 1.0 if kind.measure is RATIO else 0.0
    apart = (estimate or 0.0) - zero
    size = numbers.points(abs(apart), beside=() if verdict.margin is None else (verdict.margin,))
    above, below, level_with = "higher than", "lower than", "the same as"
    if kind.is_value:
        above, below, level_with = "above", "below", "exactly"
    word = alone_text(verdict, verdict.level)
    decided, adjusted = getattr(verdict, f"p_{word}"), getattr(verdict, f"p_{word}_adjusted")
    behind = f"chance in the paper’s {claim.runs_behind} runs"
    return {
        "first": first,
        "second": second,
        "metric": claim.metric,
        "subject": subject_of(claim),
        "seeds": seeds_text(verdict.n, verdict.attempts),
        "give": "gives" if sum(verdict.n) == 1 and sum(verdict.attempts) in (0, 1) else "give",
        "mean": numbers.mean_sd(estimate, verdict.sd, beside=marks),
        "gap": level_with if size == "0.00" else f"{size} points {below if apart < 0 else above}",
        "interval": f"{level}% interval {numbers.interval(span, beside=marks)}" if span else "no interval",
        "sizes": str(len(claim.experiments)),
        "cost": quantity(claim),
        "power": number,
        "ratio": number,
        "medians": " and ".join(medians_of(verdict)) or numbers.ABSENT,
        "held": share_as_claimed(claim, verdict),
        "moves": "rises" if claim.details.get("direction", "rising") == "rising" else "falls",
        "printed": printed_of(claim, verdict),
        "target": printed_of(claim, verdict),
        "margin": numbers.margin_size(verdict.margin),
        "negligible": numbers.margin_size(claim.negligible),
        "lucky": "one lucky run" if claim.runs_behind < 2 else behind,
        "inner": coverage(verdict)[0],
        "alone": alone_text(verdict, verdict.level) if verdict.p_reproduced is not None else numbers.ABSENT,
        "p": p_text(decided, verdict.level),
        "adjusted": p_text(adjusted, verdict.level),
        "came_out": came_out(verdict) or numbers.ABSENT,
    }


def general_reason(judgement: Verdict | SpecificationVerdict, level: float) -> str:
    """The reason without numbers, as verdicts that share it are counted."""
    if judgement.p_reproduced is None:
        return reason(judgement.reason)
    return reason(judgement.reason, alone=alone_text(judgement, level))


def in_short(claim: ClaimRecord, verdict: Verdict) -> str:
    """Why a claim is open; or how it holds where the printed difference has another sign. Else empty."""
    if status_of(verdict) == "inconclusive":
        return (
            came_out(verdict)
            if verdict.reason == "ambiguous_description"
            else general_reason(verdict, verdict.level)
        )
    target, margin = verdict.target or 0.0, verdict.margin or 0.0
    whose = "ours and the paper’s lie" if abs(target) <= margin else "ours lies"
    opposite = verdict.reason == "tost" and (verdict.estimate or 0.0) * target < 0.0
    return f"{whose} within {numbers.margin_size(margin)} of zero" * opposite


def p_text(p: float | None, level: float) -> str:
    """`p = 0.048` or `p < 0.001`; a dash where there is none."""
    text = numbers.p_value(p, levels=(level,))
    return text if p is None else f"p {text}" if text[0] in "<>" else f"p = {text}"


def alone_text(judgement: Verdict | SpecificationVerdict, level: float) -> str:
    """What a claim that only the others keep open would be by itself."""
    reproduced = judgement.p_reproduced is not None and judgement.p_reproduced <= level
    return "reproduced" if reproduced else "contradicted"


# --------------------------------------------------------------------------- the sentences of a verdict


def because(
    claim: ClaimRecord,
    verdict: Verdict,
    names: Sequence[str],
    settling: Settling | None = None,
    lacking: Sequence[str] = (),
) -> str:
    """The reason in words, for the claim's kind where it has its own, with what would settle it."""
    code = verdict.reason if verdict.reason != "deterministic" else f"deterministic {verdict.outcome}"
    if code == "multiplicity" and verdict.barred and alone_text(verdict, verdict.level) == "contradicted":
        code = verdict.barred  # that it would not count anyway comes before the correction
    more = to_settle(settling, judged_on(verdict)) if settling else "more seeds may settle it"
    more = f"; {more}"
    if said := unrun(verdict, quoted(names), lacking):
        return said
    fields = {**fields_of(claim, verdict, names), "more": more}
    pattern = kind_words(claim).reasons.get(code) or ANY_KIND.reasons.get(code)
    if pattern is None or any(fields[name] == numbers.ABSENT for name in re.findall(r"\{(\w+)\}", pattern)):
        return reason(verdict.reason, more=more)
    return pattern.format_map(fields)


def status_text(claim: ClaimRecord, verdict: Verdict, usual: float = Verdict.level) -> str:
    """`Reproduced in direction`: an order is judged without its size; with another level than the usual."""
    status = status_of(verdict)
    direction = " in direction" if kind_words(claim).direction_only and status == "reproduced" else ""
    same = verdict.level == usual or verdict.p_reproduced is None
    level = "" if same else f" at the level of {100 * verdict.level:.3g}%"
    return STATUS_WORDS[status] + direction + level


def verdict_sentence(
    claim: ClaimRecord,
    verdict: Verdict,
    *,
    names: Sequence[str],
    departures: int = 0,
    settling: Settling | None = None,
    lacking: Sequence[str] = (),
    imported: bool = False,
) -> str:
    """What was measured and what follows from it, then what else could explain it. `names` are the titles of
    the claim's experiments, in its order; `departures` counts those from the paper. `settling` says how many
    seeds would settle it, where it is open; `lacking` why experiments have no runs."""
    status, kind, band = status_of(verdict), kind_words(claim), margin_band(verdict)
    measured = ""
    known = verdict.target is not None if kind.epochs else verdict.parts or verdict.estimate is not None
    if known and status != "not_tested" and not (kind.printed and verdict.scope == "other_data"):
        said = kind.measured.format_map(fields_of(claim, verdict, names))
        elsewhere = verdict.scope in ("other_split", "other_data")
        measured = capital(f"{run_on(verdict.scope, imported)}, {said}." if elsewhere else f"{said}.")
    borne_out = agreed = ""
    if verdict.last_n:
        last = replace(verdict, estimate=verdict.last_estimate)
        all_give = "the same" if last.estimate is None else estimate_text(claim, last, sd=False)
        seeds = seeds_text(verdict.last_n)
        borne_out = f"An earlier look decided it; all {seeds} give {all_give}, which confirms it."
    if len(verdict.readings) == verdict.readings_declared > 0 and verdict.outcome != "inconclusive":
        agreed = f"All {verdict.readings_declared} declared readings of what the paper leaves open agree."
    shows_band = band and kind.measure and status != "not_tested"
    return joined(
        measured,
        f"{status_text(claim, verdict)}: {because(claim, verdict, names, settling, lacking)}.",
        f"With other margins, and no correction for other claims: {band}." if shows_band else "",
        size_not_judged(claim, verdict) if status == "reproduced" else "",
        borne_out,
        agreed,
        alternatives(claim, departures, imported) if status == "contradicted" else "",
    )


def size_not_judged(claim: ClaimRecord, verdict: Verdict) -> str:
    """That comparisons are judged by direction alone, with the printed difference where there is one."""
    kind = kind_words(claim)
    if kind.parts:
        return "The sizes of the differences are not judged."
    if not kind.direction_only:
        return ""
    printed = "" if verdict.target is None else f" of {numbers.points(verdict.target)} that the paper prints"
    return f"The size of the difference{printed} is not judged."


def alternatives(claim: ClaimRecord, departures: int, imported: bool) -> str:
    """What else could explain a contradiction of this claim by our runs or by imported ones."""
    known = f"one of the {departures} departures listed under “Protocol”, " if departures > 1 else ""
    known = known or ("the departure listed under “Protocol”, " if departures else "")
    luck = "a slip in printing" if kind_words(claim).is_value else "a lucky run in the paper"
    also = f"{known}a setting that the paper leaves open, different data preparation"
    also = "a wrong file, other data or settings than the import states" if imported else also
    return f"Other possible explanations: {also}, or {luck}."


def over_metrics(marks: Iterable[tuple[str, Status]]) -> str:
    """How one claim of the file came out over its metrics."""
    by_status: dict[Status, list[str]] = {status: [] for status in STATUSES}
    for metric, status in marks:
        by_status[status].append(metric)
    parts = []
    for status, metrics in by_status.items():
        at = listed([metric for metric in metrics if metric])
        parts += [STATUS_WORDS[status].lower() + (f" at {at}" if at else "")] if metrics else []
    return capital("; ".join(parts)) + "." if parts else ""


# --------------------------------------------------------------------------- what was not run, or is open


def unrun(verdict: Verdict, names: Sequence[str], lacking: Sequence[str] = ()) -> str | None:
    """`A has not been run; cannot be run here. ...`; the reason alone where no side was run. None where it is
    not known, or the verdict is another. `names` and `lacking` are of the claim's experiments, in its order:
    as they are to stand in the sentence, and why they have no runs."""
    if verdict.reason != "not_run":
        return None
    why = next(filter(None, lacking), None)
    if not any(verdict.attempts):
        return why
    arms = {side[0]: side[1:] for side in zip(names, verdict.n, verdict.attempts, strict=False)}
    never = [name for name, (_, attempts) in arms.items() if not attempts]
    barren = [name for name, (n, attempts) in arms.items() if attempts and not n]

    def some(lacking: Sequence[str]) -> str:
        return listed(lacking if len(lacking) <= 3 else [*lacking[:2], f"{len(lacking) - 2} others"])

    has = "has" if len(never) == 1 else "have"
    parts = [joined(f"{some(never)} {has} not been run", why, by="; ")] if never else []
    parts += [f"no run of {some(barren)} gives this number"] if barren else []
    return "; ".join(parts) or None


def to_settle(settling: Settling, scope: Scope | None, *, chances: bool = False) -> str:
    """`it needs 6 seeds, 0.4 h on a GPU`, or why there is no number; with the chances of both outcomes."""
    on = "on this stand-in data, " if scope == "other_data" else ""
    on += "it needs " if settling.seeds else ""
    if not chances or settling.seeds is None or not any((*settling.reproduce, *settling.contradict)):
        return on + settling.text

    def seeds(fewest: int | None, more: int | None) -> str:
        return f"{fewest} ({more or 'more than 100'}) seeds" if fewest else "no number"

    reproduce, contradict = seeds(*settling.reproduce), seeds(*settling.contradict)
    return f"{on}{settling.text}; 80% (90%) chance to reproduce: {reproduce}; to contradict: {contradict}"


# --------------------------------------------------------------------------- readings


def came_out(verdict: Verdict) -> str:
    """`4 of its 15 declared readings ... contradict it, 8 would on their own and 3 are inconclusive`."""
    if not verdict.readings:
        return ""

    def group(reading: SpecificationVerdict) -> str:
        alone = reading.reason == "multiplicity" and reading.p_reproduced is not None
        return f"{alone_text(reading, verdict.level)} alone" if alone else reading.outcome

    groups = Counter(map(group, verdict.readings))
    verbs = {"reproduced": "reproduce", "contradicted": "contradict"}
    parts = []
    for outcome, verb in verbs.items():
        if number := groups[outcome]:
            parts.append(f"{number} {verb + 's' if number == 1 else verb} it")
        if number := groups[f"{outcome} alone"]:
            parts.append(f"{number} would {verb} it without the correction for other claims")
    if number := groups["inconclusive"]:
        parts.append(f"{number} {'is' if number == 1 else 'are'} inconclusive")
    run, declared = len(verdict.readings), verdict.readings_declared
    some = f"{run} were run: " if run < declared else ""
    lacking = (verb for word, verb in verbs.items() if not groups[word] and not groups[f"{word} alone"])
    none = next(lacking, "")
    said = f"; none {none}s it" if none and len(groups) > 1 else ""
    return f"of its {declared} declared readings of what the paper leaves open, {some}{listed(parts)}{said}"


def specification_name(choices: Mapping[str, str]) -> str:
    """`pooling divisor: slots`, or `default`."""
    return "; ".join(f"{name}: {choice}" for name, choice in choices.items()).replace("_", " ") or "default"


def open_choice(choice: OpenChoice) -> str:
    """What is open, its choices, and why."""
    name, first, *others = (text.replace("_", " ") for text in (choice.name, *choice.choices))
    before = ", ".join((f"{first} (default)", *others[:-1]))
    return f"{capital(name)}: {before} or {others[-1]}. {choice.why.rstrip('.')}."


def open_in(claim: ClaimRecord, specifications: Specifications) -> tuple[OpenChoice, ...]:
    """What is open in the claim's experiments, in the order of the claim file."""
    names = {name for experiment in claim.experiments for name in specifications.of.get(experiment, ())}
    return tuple(choice for choice in specifications.open if choice.name in names)
