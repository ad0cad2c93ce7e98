"""Sentences about one claim and its verdict: for its card, the first screen, its plot, its exports."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from audit.record import (
    UNTESTED,
    ClaimRecord,
    Deviation,
    OpenChoice,
    Outcome,
    Readings,
    ReadingVerdict,
    Scope,
    Settling,
    Verdict,
)
from reports import numbers
from reports import sentences as words
from reports.lookup import Lookup
from reports.text import capital, joined, listed, plural, quoted

Bounds = tuple[float, float]

# --------------------------------------------------------------------------- the numbers of a verdict


def coverage(verdict: Verdict) -> tuple[str, str]:
    """Of the intervals of both tests, in percent: `90` and `95` at the level of 5 %, `98` and `99` at 1 %."""
    return f"{100.0 * (1.0 - 2.0 * verdict.level):.6g}", f"{100.0 * (1.0 - verdict.level):.6g}"


def edges(claim: ClaimRecord, verdict: Verdict) -> tuple[float, ...]:
    """What an estimate is read against: the target (or no difference) and the margin on either side."""
    kind = words.kind_words(claim)
    if kind.measure is words.RATIO:
        return (1.0,)
    centre = verdict.target if kind.printed or kind.measure is words.EXPONENT else 0.0
    if centre is None:
        return ()
    return (centre,) if verdict.margin is None else (centre, centre - verdict.margin, centre + verdict.margin)


def subject_of(claim: ClaimRecord) -> str:
    """What the claim compares: its metric, or what stands in its place where it is not about one."""
    details = claim.details
    if claim.metric or "of" in details:
        return claim.metric or str(details["of"])
    if "quantity" in details:
        return words.quantity(str(details["quantity"]))
    if words.kind_words(claim).one_axis:
        return ""
    metrics = details.get("metrics") or dict.fromkeys(line["metric"] for line in details.get("lines", ()))
    return listed(list(metrics)) or "all metrics"


def printed_of(claim: ClaimRecord, verdict: Verdict) -> str:
    """The printed number as it was printed."""
    return claim.printed[0] if claim.printed else numbers.points(verdict.target)


def target_of(claim: ClaimRecord, verdict: Verdict) -> str:
    """The printed number as printed; a score to be reached; or a printed difference with its sign."""
    kind = words.kind_words(claim)
    if kind.is_value:
        return printed_of(claim, verdict)
    return (numbers.signed if kind.differs else numbers.points)(verdict.target)


def estimate_text(claim: ClaimRecord, verdict: Verdict, *, sd: bool = True) -> str:
    """`75.20 ± 0.31`, `+1.66`, a ratio or an exponent, on its side of target and margin."""
    kind, marks = words.kind_words(claim), edges(claim, verdict)
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
        spread = str(min(n)) if min(n) == max(n) else f"{min(n)} to {max(n)}"
        return f"{spread} {noun} each{lost}"
    return f"{listed(texts) or 'no'} {noun}"


def medians_of(verdict: Verdict) -> tuple[str, ...]:
    """`11.49`, `not reached`: the medians of a convergence claim; none without."""
    return tuple("not reached" if it is None else f"{round(it, 2):g}" for it in verdict.medians)


def share_as_claimed(claim: ClaimRecord, verdict: Verdict) -> str:
    """`2 of 3 steps go as claimed`, by the means alone; empty where nothing was compared."""
    known = [part.estimate for part in verdict.parts if part.estimate is not None]
    if not known:
        return ""
    number = sum(estimate > 0 for estimate in known)
    first, _, rest = (words.kind_words(claim).parts or "comparison").partition(" ")
    noun = joined(plural(len(known), first), rest)
    return f"{number} of {noun} {'goes' if number == 1 else 'go'} as claimed"


def about_text(claim: ClaimRecord, verdict: Verdict) -> str:
    """The metric, or what stands in its place: `P@1`, `training time`, `epochs to 57.70 nDCG@5`."""
    if words.kind_words(claim).epochs and verdict.target is not None:
        return f"epochs to {numbers.points(verdict.target)} {subject_of(claim)}".rstrip()
    return subject_of(claim)


def printed_text(claim: ClaimRecord, verdict: Verdict) -> str:
    """The printed number, the printed difference with its sign, or the claimed exponent; else a dash."""
    measure = words.kind_words(claim).measure
    none = measure is words.EXPONENT and verdict.target is None
    if measure is None or measure is words.RATIO or none:
        return numbers.ABSENT
    return measure.sign + target_of(claim, verdict)


def ours_text(claim: ClaimRecord, verdict: Verdict) -> str:
    """`+1.66 (1.10 to 2.22)`, `× 1.62 (...)`, `power 1.05 (...)`, `11.49 / not reached`, or a share."""
    kind = words.kind_words(claim)
    measure = kind.measure
    if measure is None:
        shown = share_as_claimed(claim, verdict) if kind.parts else " / ".join(medians_of(verdict))
        return shown or numbers.ABSENT
    if verdict.estimate is None:
        return numbers.ABSENT
    text = measure.sign + estimate_text(claim, verdict)
    if measure is words.MEAN or not verdict.ci95:
        return text
    return f"{text} ({numbers.interval(verdict.ci95, beside=edges(claim, verdict))})"


def _apart(difference: float, margin: float | None, level: str) -> str:
    """`0.62 points below`"""
    size = numbers.distance(difference, margin=margin)
    return level if size == "0.00" else f"{size} points {'below' if difference < 0 else 'above'}"


def is_exact(verdict: Verdict) -> bool:
    """Whether it was decided without any chance, as nothing is random."""
    return verdict.p_reproduced is None and verdict.outcome != "inconclusive"


def fields_of(claim: ClaimRecord, verdict: Verdict, names: Sequence[str]) -> dict[str, str]:
    """Everything that a sentence about the claim may ask for, as text; an absent number is a dash."""
    first, second = [*names, numbers.ABSENT, numbers.ABSENT][:2]
    marks, (inner, outer) = edges(claim, verdict), coverage(verdict)
    estimate, target, margin = verdict.estimate, verdict.target, verdict.margin
    number, medians = numbers.points(estimate, beside=marks), medians_of(verdict)
    place = "beside"
    if estimate is not None and target is not None:
        place = _apart(estimate - target, margin, "exactly")
    # An order or a cost is tested on one side, which the inner interval shows, and the reverse by twice that
    # p, which the outer one shows: of an open claim the one on whose side the estimate lies.
    ratio, behind = words.kind_words(claim).measure is words.RATIO, f"the paper’s {claim.runs_behind} runs"
    single = claim.runs_behind < 2
    against = estimate is not None and estimate < (1.0 if ratio else 0.0)
    back = verdict.reason == "reversed" or (verdict.outcome == "inconclusive" and against)
    deciding, bounds = (outer, verdict.ci95) if back else (inner, verdict.ci90)

    def within(level: str, of: str, span: Bounds | None) -> str:
        return f" ({level}% interval of the {of} {numbers.interval(span, beside=marks)})" if span else ""

    return {
        "first": first,
        "second": second,
        "metric": claim.metric,
        "subject": subject_of(claim),
        "seeds": seeds_text(verdict.n, verdict.attempts),
        "mean": numbers.mean_sd(estimate, verdict.sd, beside=marks),
        "sizes": str(len(claim.experiments)),
        "cost": words.quantity(str(claim.details.get("quantity", ""))),
        "power": number,
        "ratio": number,
        "medians": f": {' against '.join(medians)}, by the medians" if medians else "",
        "give": "gives" if verdict.attempts in ((1,), ()) and verdict.n == (1,) else "give",
        "place": place,
        "gap": _apart(estimate or 0.0, margin, "level with"),
        "held": share_as_claimed(claim, verdict),
        "moves": "rises" if claim.details.get("direction", "rising") == "rising" else "falls",
        "beyond": "in every run" if is_exact(verdict) else "beyond the spread of the seeds",
        "printed": printed_of(claim, verdict),
        "target": target_of(claim, verdict),
        "margin": numbers.margin_size(margin),
        "negligible": numbers.margin_size(claim.negligible),
        "ci90": numbers.interval(verdict.ci90, beside=marks),
        "ci95": numbers.interval(verdict.ci95, beside=marks),
        "unusual": "one unusual run" if single else f"chance in {behind}",
        "lucky": "one lucky run" if single else f"luck in {behind}",
        "inner": inner,
        "outer": outer,
        "alone": alone_text(verdict, verdict.level) if verdict.p_reproduced is not None else numbers.ABSENT,
        "range90": within(inner, "difference", verdict.ci90),
        "range95": within(outer, "difference", verdict.ci95),
        "deciding": deciding,
        "range_deciding": within(deciding, "difference", bounds),
        "ratio_deciding": within(deciding, "ratio", bounds),
        "from_margin": numbers.smallest_reproducing(verdict.margin_reproduced_from, margin=margin),
        "to_margin": numbers.largest_contradicting(verdict.margin_contradicted_up_to, margin=margin),
        "declared": str(verdict.readings_declared or numbers.ABSENT),
        "came_out": came_out(claim, verdict) or numbers.ABSENT,
        "readings": readings_counted(verdict),
        "more": words.MORE_SEEDS,
    }


def alone_text(it: Verdict | ReadingVerdict, level: float) -> str:
    """What a claim that only the others keep open would be by itself."""
    return "reproduced" if it.p_reproduced is not None and it.p_reproduced <= level else "contradicted"


# --------------------------------------------------------------------------- titles and summaries


def over_metrics(marks: Iterable[tuple[str, words.Status]]) -> str:
    """How one claim of the file came out over its metrics.

    >>> over_metrics([("P@1", "reproduced"), ("P@3", "inconclusive"), ("P@5", "reproduced")])
    'Reproduced at P@1 and P@5; inconclusive at P@3.'
    """
    by_status: dict[words.Status, list[str]] = {status: [] for status in words.STATUSES}
    for metric, status in marks:
        by_status[status].append(metric)
    parts = []
    for status, metrics in by_status.items():
        at = listed([metric for metric in metrics if metric])
        parts += [words.STATUS_WORDS[status].lower() + (f" at {at}" if at else "")] if metrics else []
    return capital("; ".join(parts)) + "." if parts else ""


def margin_band(verdict: Verdict) -> str:
    """The margins that would give a verdict, the claim taken alone: `reproduced from 1.05 on; ...`."""
    if verdict.reason in words.UNJUDGED:
        return ""
    margin = verdict.margin
    ends = (
        ("reproduced", verdict.margin_reproduced_from, verdict.margin_reproduced_up_to),
        ("contradicted", verdict.margin_contradicted_from, verdict.margin_contradicted_up_to),
    )
    parts = []
    for word, start, end in ends:
        if start is None and end is None:
            continue
        low = "" if start is None else f"from {numbers.smallest_reproducing(start, margin=margin)}"
        high = "" if end is None else f"up to {numbers.largest_contradicting(end, margin=margin)}"
        if end == 0.0:
            parts.append(f"{word} by none")
        elif start == 0.0:
            parts.append(f"{word} {high or 'at any margin'}")
        else:
            parts.append(joined(word, low, high or "on"))
    return "; ".join(parts)


def hangs_on(claim: ClaimRecord, verdict: Verdict) -> Iterator[tuple[str, str]]:
    """What the verdict hangs on, a term and its words each: spread and its prior, the scatter, the look."""
    for name, it in zip(claim.experiments, verdict.scatter, strict=False):
        if it.sd is not None and it.moderated is not None and it.prior_sd is not None:
            own, moderated, common = (numbers.points(sd) for sd in (it.sd, it.moderated, it.prior_sd))
            who = f"{name}: " if len(verdict.scatter) > 1 else ""
            prior = f"common sd {common} with {it.prior_df:.3g} df"
            yield "Spread", f"{who}sd {own}, moderated {moderated} ({prior})"
    if verdict.look:
        level = f"{100.0 * verdict.level:.3g}%"
        yield "Look", f"number {verdict.look} at these runs, at the level of {level}"
    if verdict.by_own_spread is not None:
        same = verdict.by_own_spread == verdict.outcome
        yield "Own spread", f"without moderation {'the same' if same else verdict.by_own_spread}"
    if verdict.kappa is not None:
        kappa = numbers.points(verdict.kappa)
        yield "Would vanish", f"if the paper’s runs scatter {kappa} times as much as ours; 2 is assumed"


def plot_description(claim: ClaimRecord, verdict: Verdict) -> str:
    """What the interval plot shows, for those who do not see it."""
    kind = words.kind_words(claim)
    difference, exponent = kind.differs, kind.measure is words.EXPONENT
    show = partial(numbers.signed if difference else numbers.points, beside=edges(claim, verdict))
    inner, outer = coverage(verdict)
    parts = []
    if verdict.target is not None:
        named = "claimed exponent" if exponent else "printed difference" if difference else "printed"
        parts.append(f"{named} {target_of(claim, verdict)}")
    if verdict.margin is not None:
        unit = "" if exponent else " points"
        parts.append(f"margin {numbers.margin_size(verdict.margin)}{unit} either way")
    if verdict.estimate is not None:
        label = kind.measure.noun if kind.measure else "mean"
        parts.append(f"{label} {show(verdict.estimate)} from {seeds_text(verdict.n)}")
    spans = {f"{inner}%": verdict.ci90, f"{outer}%": verdict.ci95, "prediction": verdict.pi95}
    for label, bounds in spans.items():
        if bounds is not None:
            parts.append(f"{label} interval {numbers.interval(bounds, beside=edges(claim, verdict))}")
    if not parts:
        parts.append(f"every seed of {len(verdict.values)} experiments, {seeds_text(verdict.n)}")
    return capital("; ".join(parts)) + "."


def no_plot(claim: ClaimRecord, verdict: Verdict | None) -> str:
    """Why a claim has no interval plot."""
    kind = words.kind_words(claim)
    if verdict is not None and verdict.scope == "other_data" and kind.printed:
        return "Not drawn: the runs used other data than the paper, so its number and ours share no axis."
    if verdict is not None and verdict.parts:
        return "Not drawn: the comparisons share no axis; the table below has each."
    if verdict is not None and verdict.values and kind.epochs:
        return "Not drawn: what counts is the epoch at which a run reaches the score, listed below."
    return "Not drawn: there is no number to show."


# --------------------------------------------------------------------------- the sentence of a verdict


def verdict_sentence(
    claim: ClaimRecord,
    verdict: Verdict,
    *,
    names: Sequence[str],
    departures: int = 0,
    settling: Settling | None = None,
) -> str:
    """What was measured and what follows from it, with the other explanations first where it contradicts.

    `names` are the titles of the claim's experiments, in its order; `departures` counts those from the paper.
    `settling` says how many seeds would settle it, where it is open.
    """
    status = words.status_of(verdict)
    fields = {**fields_of(claim, verdict, names), "more": _more(settling, verdict.scope)}
    follows = unrun(verdict, quoted(names)) or _conclusion(claim, verdict, fields)
    every_reading = verdict.readings and len(verdict.readings) == verdict.readings_declared
    return joined(
        alternatives(claim, departures) if status == "contradicted" else "",
        _measured(claim, verdict, fields) if status != "not_tested" else "",
        f"{_word(claim, verdict)}: {follows}.",
        _size(claim, verdict) if status == "reproduced" else _leaning(claim, verdict, fields),
        _borne_out(claim, verdict),
        words.AGREED.format_map(fields) if every_reading and verdict.outcome != "inconclusive" else "",
        _on_one_side(claim, verdict),
    )


def brief_sentence(
    claim: ClaimRecord,
    verdict: Verdict,
    *,
    names: Sequence[str],
    departures: int = 0,
    settling: Settling | None = None,
    others: Sequence[tuple[ClaimRecord, Verdict]] = (),
) -> str:
    """What a reader in a hurry is told of a claim; the arguments are those of `verdict_sentence`.

    `others` are the claim's other metrics: those that point another way are named in the same sentence.
    """
    status = words.status_of(verdict)
    if status == "not_tested":
        return verdict_sentence(claim, verdict, names=names)
    plain = fields_of(claim, verdict, names)
    fields = {**plain, "more": ""} if settling else plain
    follows = conclusion = _conclusion(claim, verdict, fields)
    kind = words.kind_words(claim)
    pattern = kind.brief.get(verdict.reason) or words.ANY_KIND.brief.get(verdict.reason)
    seen = _seen(claim, verdict, fields, others)
    if seen and pattern and not is_exact(verdict) and not _lacks_a_number(pattern, fields):
        follows = pattern.format_map(fields)
    if settling and _conclusion(claim, verdict, plain) != conclusion:
        follows += _more(settling, verdict.scope)
    direction = kind.direction_only and status == "reproduced" and verdict.target is not None
    return joined(
        alternatives(claim, departures) if status == "contradicted" else "",
        seen,
        f"{_word(claim, verdict)}: {follows}.",
        f"The paper prints a difference of {numbers.points(verdict.target)}." if direction else "",
        _on_one_side(claim, verdict) if status != "reproduced" else "",
    )


def alternatives(claim: ClaimRecord, departures: int) -> str:
    """What else could be behind a contradiction of this claim."""
    known = f"one of the {departures} departures listed under “Protocol”, "
    if departures < 2:
        known = "the departure listed under “Protocol”, " if departures else ""
    luck = "a slip in printing" if words.kind_words(claim).is_value else "a lucky run"
    rest = "a setting that the paper leaves open, another preparation of the data, or"
    return capital(f"{known}{rest} {luck} may be behind what follows.")


def _word(claim: ClaimRecord, verdict: Verdict) -> str:
    """`Reproduced, as to direction`: an order is judged without its size; with the level of a look."""
    status = words.status_of(verdict)
    only = words.kind_words(claim).direction_only and status == "reproduced"
    direction = ", as to direction" if only else ""
    usual = verdict.level == Verdict.level or verdict.p_reproduced is None
    look = "" if usual else f", at the level of {100 * verdict.level:.3g} %"
    return words.STATUS_WORDS[status] + direction + look


def _measured(claim: ClaimRecord, verdict: Verdict, fields: Mapping[str, str]) -> str:
    """What the runs gave; empty for a printed number on other data, which is not to be compared with ours."""
    kind = words.kind_words(claim)
    known = verdict.target is not None if kind.epochs else verdict.parts or verdict.estimate is not None
    if not known or not kind.measured or (kind.printed and verdict.scope == "other_data"):
        return ""
    return capital(words.SCOPE_PREFIX[verdict.scope] + kind.measured.format_map(fields)) + "."


def _conclusion(claim: ClaimRecord, verdict: Verdict, fields: Mapping[str, str]) -> str:
    """The sentence for a kind and reason; the reason's few words where a number that it needs is absent."""
    code = verdict.reason if verdict.reason != "deterministic" else f"deterministic {verdict.outcome}"
    pattern = words.kind_words(claim).conclusions.get(code) or words.ANY_KIND.conclusions.get(code)
    if pattern is None or _lacks_a_number(pattern, fields):
        return words.REASONS.get(code, words.reason(verdict.reason)).replace("{more}", fields["more"])
    return pattern.format_map(fields)


def _lacks_a_number(pattern: str, fields: Mapping[str, str]) -> bool:
    return any(fields[name] == numbers.ABSENT for name in re.findall(r"\{(\w+)\}", pattern))


def _size(claim: ClaimRecord, verdict: Verdict) -> str:
    """That comparisons are judged by direction alone, with the printed difference where there is one."""
    kind = words.kind_words(claim)
    if kind.parts:
        return words.SIZES_UNKNOWN
    if not kind.direction_only:
        return ""
    if verdict.target is None:
        return words.SIZE_UNKNOWN
    return words.SIZE_NOT_JUDGED.format(target=numbers.points(verdict.target))


def _leaning(claim: ClaimRecord, verdict: Verdict, fields: Mapping[str, str]) -> str:
    """Which side of zero an undecided likeness lies on, where its whole outer interval is on one side.

    Other reasons say themselves why the seeds do not show a direction, or that the margin is passed.
    """
    open_size = words.kind_words(claim).likeness and verdict.reason in ("straddles_margin", "multiplicity")
    if not open_size or verdict.outcome != "inconclusive" or verdict.ci95 is None:
        return ""
    low, high = verdict.ci95
    if low <= 0 <= high:
        return ""
    side, higher = ("above", "higher") if low > 0 else ("below", "lower")
    return words.LEANING.format_map({**fields, "side": side, "higher": higher})


def _borne_out(claim: ClaimRecord, verdict: Verdict) -> str:
    """What all seeds give, where an earlier look decided."""
    if not verdict.last_n:
        return ""
    last = replace(verdict, estimate=verdict.last_estimate)
    mean = "alike" if last.estimate is None else estimate_text(claim, last, sd=False)
    return words.BORNE_OUT.format(seeds=seeds_text(verdict.last_n), mean=mean)


def _on_one_side(claim: ClaimRecord, verdict: Verdict) -> str:
    """Where the means of all readings lie on one side of a printed value: the side, and the nearest."""
    means = [it.estimate for it in verdict.readings if it.estimate is not None]
    target = verdict.target
    value = words.kind_words(claim).is_value
    if not value or target is None or len(means) < 2 or verdict.scope == "other_data":
        return ""
    below = all(it < target for it in means)
    if not (below or all(it > target for it in means)):
        return ""
    nearest = numbers.points(min(means, key=lambda it: abs(it - target)), beside=(target,))
    side, printed = "below" if below else "above", printed_of(claim, verdict)
    return words.ONE_SIDE.format(number=len(means), side=side, printed=printed, nearest=nearest)


def _seen(
    claim: ClaimRecord,
    verdict: Verdict,
    fields: Mapping[str, str],
    others: Sequence[tuple[ClaimRecord, Verdict]],
) -> str:
    """What the runs gave: of two arms, how far the one that is said to be better is ahead.

    With `, but 0.50 points behind in P@3` of metrics that point another way.
    """
    seen, kind = _measured(claim, verdict, fields), words.kind_words(claim)
    if seen and kind.differs and verdict.estimate is not None:
        size = numbers.distance(verdict.estimate, margin=verdict.margin)
        side = "ahead" if verdict.estimate > 0 else "behind"
        if kind.likeness and not claim.details.get("no_loss"):
            lead = "the two are level" if size == "0.00" else f"the two are {size} points apart"
        else:
            better = "lose nothing" if kind.likeness else "be better"
            lead = f"the one said to {better} is " + ("level" if size == "0.00" else f"{size} points {side}")
        printed = f"; the paper prints {fields['target']}" if kind.printed else ""
        said = f"with {fields['seeds']}, {lead} in {fields['metric']}{printed}"
        seen = capital(words.SCOPE_PREFIX[verdict.scope] + said) + "."
    own, turned = _side(claim, verdict), []
    for it, other in others:
        side_of_it = _side(it, other)
        if own * side_of_it < 0 or {verdict.outcome, other.outcome} == {"reproduced", "contradicted"}:
            above, below = ("ahead", "behind") if words.kind_words(it).differs else ("above", "below")
            size = numbers.distance(side_of_it, margin=other.margin)
            how = f"{size} points {above if side_of_it > 0 else below}" if side_of_it else other.outcome
            turned.append(f"{how} in {it.metric}")
    return f"{seen.removesuffix('.')}, but {listed(turned)}." if seen and turned else seen


def _side(claim: ClaimRecord, verdict: Verdict) -> float:
    """Above (+) or below (-) what the estimate is read against; 0 where that is not known, or no matter."""
    kind, estimate, target = words.kind_words(claim), verdict.estimate, verdict.target
    if estimate is None or (kind.likeness and not claim.details.get("no_loss")):
        return 0.0
    if kind.differs:
        return 0.0 if abs(estimate) < 0.005 else estimate  # shown as 0.00, it is no side
    known = kind.is_value and target is not None and verdict.scope != "other_data"
    return estimate - (target or 0.0) if known else 0.0


def sentence(claim: ClaimRecord, index: Lookup) -> str:
    """The verdict on `claim` in a sentence or two; a claim without a verdict is not tested."""
    return verdict_sentence(claim, index.verdicts[claim.id], **_about(claim, index))


def brief(claim: ClaimRecord, index: Lookup) -> str:
    """The same for the first screen, without intervals; its other metrics where they point another way."""
    others = [(it, index.verdicts[it.id]) for it in index.metrics[claim.claim] if it.id != claim.id]
    return brief_sentence(claim, index.verdicts[claim.id], others=others, **_about(claim, index))


def _about(claim: ClaimRecord, index: Lookup) -> dict[str, Any]:
    settling = index.audit.settling.get(claim.id)
    number = len(departures(claim, index))
    return {"names": index.names(claim), "departures": number, "settling": settling}


def departures(claim: ClaimRecord, index: Lookup) -> list[Deviation]:
    """The departures from the paper behind the claim's runs, each once."""
    return list(dict.fromkeys(it for record in index.records(claim) for it in record.deviations))


# --------------------------------------------------------------------------- what was not run


def unrun(verdict: Verdict, names: Sequence[str]) -> str | None:
    """`no run of A; the other arm has 1 seed`; None where no arm was run, or the verdict is another.

    `names` are those of the claim's experiments, in its order, as they are to stand in the sentence.
    """
    if verdict.reason != "not_run" or not any(verdict.attempts):
        return None
    arms = {it[0]: it[1:] for it in zip(names, verdict.n, verdict.attempts, strict=False)}
    never = [name for name, (_, attempts) in arms.items() if not attempts]
    barren = [name for name, (n, attempts) in arms.items() if attempts and not n]
    seeds = [n for n, _ in arms.values() if n]
    if not never and not barren:
        return None

    def some(lacking: Sequence[str]) -> str:
        return listed(
            lacking if len(lacking) <= 3 else [*lacking[:2], f"{len(lacking) - 2} others"], word="or"
        )

    parts = [f"no run of {some(never)}"] if never else []
    parts += [f"no run of {some(barren)} gives this number"] if barren else []
    if seeds:
        most = plural(max(seeds), "seed")
        spread = f"{most} each" if min(seeds) == max(seeds) else f"{min(seeds)} to {most}"
        parts.append(
            f"the other {f'arm has {most}' if len(seeds) == 1 else f'{len(seeds)} arms have {spread}'}"
        )
    return "; ".join(parts)


def unjudged_lines(
    pairs: Iterable[tuple[ClaimRecord, Verdict]],
    names: Callable[[ClaimRecord], Sequence[str]],
    codes: Iterable[str],
) -> Iterator[str]:
    """How many claims each of the reasons `codes` left undecided, under the status that the page gives them.

    What is missing of those of which one side was run: of a few sorts each, of many one.
    """
    every = list(pairs)
    for code in codes:
        told = [(claim, unrun(verdict, names(claim))) for claim, verdict in every if verdict.reason == code]
        word = words.STATUS_WORDS["not_tested" if code in UNTESTED else "inconclusive"].lower()
        sides = Counter(why for _, why in told if why)
        counts = {words.reason(code): len(told) - sides.total()} if len(told) > sides.total() else {}
        if len(sides) > 3:
            claim, why = next(it for it in told if it[1])
            some = f"one side was run and the other was not, as in {claim.id}: {why}"
            sides = Counter({some: sides.total()})
        for why, number in {**counts, **sides}.items():
            yield f"{plural(number, 'claim')} {word}: {why}."


# --------------------------------------------------------------------------- what would settle it

ON_STAND_IN = "on this stand-in"
NEVER_PRINTED = "a stand-in can never settle the printed number, which is about the paper’s own data"


def to_settle(settling: Settling, scope: Scope | None, verdict: Verdict) -> str:
    """`6 seeds, 0.4 GPU-hours: to reproduce it 6 (7), to contradict it none`, or why there is no number.

    Of a claim that was judged on other data it says that this is about the stand-in alone; `verdict` tells
    of one whose readings differ which way they point.
    """

    def seeds(fewest: int | None, more: int | None) -> str:
        return "none" if fewest is None else f"{fewest} ({more or 'more than 100'})"

    needed = _readings_to_settle(verdict)
    if not needed:
        needed = settling.text
        if settling.seeds is not None and not _is_hopeless(settling):
            reproduce, contradict = seeds(*settling.reproduce), seeds(*settling.contradict)
            needed += f": to reproduce it {reproduce}, to contradict it {contradict}"
    return f"{ON_STAND_IN}: {needed}; {NEVER_PRINTED}" if scope == "other_data" else needed


def to_settle_short(settling: Settling, scope: Scope | None, verdict: Verdict | None = None) -> str:
    """`6 seeds, 0.4 GPU-hours`, and on whose data."""
    text = (verdict and _readings_to_settle(verdict)) or settling.text
    return f"{ON_STAND_IN}: {text}" if scope == "other_data" else text


def chance(settling: Settling, scope: Scope | None) -> str:
    """`To reproduce it: 80% with 6 seeds, 90% with 7. To contradict it: none.`, or why there is no number."""
    of = f"{capital(ON_STAND_IN)}. " if scope == "other_data" else ""
    if _is_hopeless(settling):
        return f"{of}{capital(settling.text).rstrip('.')}."

    def chances(fewest: int | None, more: int | None) -> str:
        if fewest is None:
            return "no number of seeds"
        return f"80% with {fewest} seeds, 90% with {more or 'more than 100'}"

    reproduce, contradict = chances(*settling.reproduce), chances(*settling.contradict)
    return f"{of}To reproduce it: {reproduce}. To contradict it: {contradict}."


def _is_hopeless(settling: Settling) -> bool:
    return not any((*settling.reproduce, *settling.contradict))


def _more(settling: Settling | None, scope: Scope | None) -> str:
    """`; to settle it: 6 seeds`, in place of `MORE_SEEDS`."""
    if scope != "other_data":
        return f"; to settle it: {settling.text}" if settling else words.MORE_SEEDS
    if settling is None:
        return f"{words.MORE_SEEDS} {ON_STAND_IN}"
    return f"; to settle it {ON_STAND_IN}: {settling.text} ({NEVER_PRINTED})"


# --------------------------------------------------------------------------- readings

#: Reason codes of open readings that more seeds may decide.
_FOR_SEEDS = ("undecided", "straddles_margin", "tied", "too_few_seeds", "no_variance_estimate")
#: Group -> its words for one reading and for more of them, in the order in which they are told.
_READING_WORDS = {
    "reproduced": ("reproduces it", "reproduce it"),
    "contradicted": ("contradicts it", "contradict it"),
    "reproduced alone": ("would reproduce it if taken alone", "would reproduce it if taken alone"),
    "contradicted alone": ("would contradict it if taken alone", "would contradict it if taken alone"),
    "seeds": ("is open for want of seeds", "are open for want of seeds"),
    "test sets": ("is open by the noise of two test sets", "are open by the noise of two test sets"),
    "luck": ("is as far off as one lucky run explains", "are as far off as one lucky run explains"),
}


def readings_counted(verdict: Verdict) -> str:
    """`9 reproduced, 2 contradicted`, of the readings that were run; a dash for the default alone."""
    number = Counter(it.outcome for it in verdict.readings)
    order: tuple[Outcome, ...] = ("reproduced", "contradicted", "inconclusive")
    return ", ".join(f"{number[word]} {word}" for word in order if number[word]) or numbers.ABSENT


def few_words(verdict: Verdict) -> str:
    """The reason beside the status, where the readings all but agree; empty elsewhere."""
    outcomes = _outcomes(verdict)
    if outcomes == {"contradicted", "inconclusive"}:
        return "no reading of what the paper leaves open reproduces it, and some contradict it"
    if outcomes == {"reproduced", "inconclusive"}:
        return "no reading of what the paper leaves open contradicts it, and some reproduce it"
    return ""


def _outcomes(verdict: Verdict) -> set[str]:
    differ = verdict.reason == "ambiguous_description"
    return {it.outcome for it in verdict.readings} if differ else set()


def came_out(claim: ClaimRecord, verdict: Verdict) -> str:
    """`none of its 15 declared readings ... reproduces it: 4 contradict it, 8 would if taken alone`.

    Empty where no reading was run.
    """
    groups = Counter(_group(it, claim, verdict) for it in verdict.readings)
    if not groups:
        return ""
    told = [(groups[name], *words) for name, words in _READING_WORDS.items() if groups[name]]
    parts = [f"{number} {one if number == 1 else more}" for number, one, more in told]
    for word, other, verb in (
        ("contradicted", "reproduced", "contradict"),
        ("reproduced", "contradicted", "reproduce"),
    ):
        if groups[word] and groups[f"{word} alone"] and not groups[f"{other} alone"]:
            parts = [it.replace(f"would {verb} it if", "would if") for it in parts]
    others = {why: n for why, n in groups.items() if why not in _READING_WORDS}
    parts += [f"{n} {'is' if n == 1 else 'are'} open ({why})" for why, n in others.items()]
    run, declared = len(verdict.readings), verdict.readings_declared
    those = f"{f'the {run} that were run of ' if run < declared else ''}its {declared} declared readings"
    if bool(groups["reproduced"]) != bool(groups["contradicted"]):
        does = "contradicts" if groups["reproduced"] else "reproduces"
        return f"none of {those} of what the paper leaves open {does} it: {listed(parts)}"
    return (
        f"it hangs on what the paper leaves open, as not all of {those} come to the same verdict "
        f"({listed(parts)})"
    )


def _readings_to_settle(verdict: Verdict) -> str:
    """What would settle a claim that no reading reproduces and some contradict; empty elsewhere."""
    if _outcomes(verdict) != {"contradicted", "inconclusive"}:
        return ""
    text = "none of its readings reproduces it: more seeds of those that are open may settle it"
    if any(_is_between_splits(it) for it in verdict.readings):
        text += "; where the noise of two test sets leaves them open, the paper’s own split would"
    number = verdict.readings_declared - len(verdict.readings)
    were = "was" if number == 1 else "were"
    return text + (f"; {number} of them {were} not run" if number > 0 else "")


def _group(it: ReadingVerdict, claim: ClaimRecord, verdict: Verdict) -> str:
    """A key of `_READING_WORDS`, or the reason in words."""
    if it.outcome != "inconclusive":
        return it.outcome
    if it.reason == "multiplicity" and it.p_reproduced is not None:
        return f"{alone_text(it, verdict.level)} alone"
    if _is_between_splits(it):
        return "seeds" if _is_further_off(it, claim, verdict) else "test sets"
    if it.reason == "within_seed_spread":
        return "luck"
    return "seeds" if it.reason in _FOR_SEEDS else words.reason(it.reason)


def _is_between_splits(it: ReadingVerdict) -> bool:
    """Judged with the noise of both test sets, and open."""
    return it.outcome == "inconclusive" and it.reason == "other_split" and it.p_reproduced is not None


def _is_further_off(it: ReadingVerdict, claim: ClaimRecord, verdict: Verdict) -> bool:
    """Whether a contradicted reading lies nearer to what is claimed, on the same side, than this open one."""
    centre = 0.0 if words.kind_words(claim).differs else verdict.target
    if centre is None or it.estimate is None or it.estimate == centre:
        return False
    others = (other for other in verdict.readings if other.outcome == "contradicted")
    decided = (other.estimate - centre for other in others if other.estimate is not None)
    return any(0.0 < off / (it.estimate - centre) < 1.0 for off in decided)


def reading_because(it: ReadingVerdict, claim: ClaimRecord, verdict: Verdict) -> str:
    """Why a reading came out as it did; of an open one that is further off than a decided one, the spread."""
    because = words.reason(it.reason)
    if it.reason == "other_split" and words.kind_words(claim).is_value:
        because = "the noise of two test sets leaves it open"
    if it.reason == "multiplicity" and it.p_reproduced is not None:
        because += f" (alone: {alone_text(it, verdict.level)})"
    if it.outcome == "inconclusive" and it.n and _is_further_off(it, claim, verdict):
        sd = f" (SD {numbers.points(it.sd)})" if it.sd is not None else ""
        because = f"{seeds_text(it.n)} spread too widely{sd}; {because}"
    return because


def reading_name(reading: Mapping[str, str]) -> str:
    """`pooling divisor: slots`, or `default`."""
    return "; ".join(f"{name}: {choice}" for name, choice in reading.items()).replace("_", " ") or "default"


def open_choice(it: OpenChoice) -> str:
    """What is open, its choices, and why."""
    name, first, *others = (text.replace("_", " ") for text in (it.name, *it.choices))
    before = ", ".join((f"{first} (default)", *others[:-1]))
    return f"{capital(name)}: {before} or {others[-1]}. {it.why.rstrip('.')}."


def open_in(claim: ClaimRecord, readings: Readings) -> tuple[OpenChoice, ...]:
    """What is open in the claim's experiments, in the order of the claim file."""
    names = {name for it in claim.experiments for name in readings.of.get(it, ())}
    return tuple(it for it in readings.open if it.name in names)
