"""`audit explain`: one verdict with every number of its derivation, as lines of text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from audit.errors import AuditError
from audit.judging.plan import Derivation, derivation, outlooks
from audit.judging.plan import sentence as outlook_sentence
from audit.judging.verdicts import about_specifications
from audit.names import known_names, wrapped
from audit.record import Audit, ClaimRecord, ExperimentRecord
from audit.stats.decision import Step, num
from audit.stats.printed import printed
from reports import numbers
from reports.cards import seed_note, where_text
from reports.lookup import Lookup
from reports.protocol import margins_of
from reports.sentences import (
    SCOPE_WORDS,
    STATUS_WORDS,
    coverage,
    edges,
    hangs_on,
    kind_words,
    margin_band,
    open_choice,
    open_in,
    specification_name,
    status_of,
)
from reports.text import plural

_INDENT = 13
_OF_READINGS = (
    "one verdict per reading, each at the full level. A decision needs all of them, so it errs no more often "
    "than under the paper's own reading; no correction for their number is needed. The p-values of the claim "
    "are the largest over its readings"
)


def explained(claim: str, audits: Sequence[tuple[Path, Audit]]) -> Iterator[str]:
    """A text for each audit and metric of a claim, or of a claim and metric. Raises `AuditError` for none."""
    there = False
    for path, audit in audits:
        for record in audit.claims:
            if claim in (record.id, record.claim):
                there = True
                lines = explanation(audit, record)
                yield "\n".join((f"{audit.paper.key} ({path})", *lines))
    if not there:
        where = str(audits[0][0]) if len(audits) == 1 else f"{len(audits)} records"
        name, _, metric = claim.partition(":")
        claims = [record for _, audit in audits for record in audit.claims]
        metrics = [record.metric for record in claims if record.claim == name]
        if metric and metrics:
            raise AuditError(f"{name!r} is not about {metric!r} in {where}; {known_names(metric, metrics)}")
        offered = known_names(claim, [record.claim for record in claims])
        raise AuditError(f"no claim {claim!r} in {where}; {offered}")


def explanation(audit: Audit, claim: ClaimRecord) -> list[str]:
    """All that is known of one claim and its verdict, from the printed number to what would change it."""
    found, on_page = derivation(audit, claim.id), Lookup(audit)
    verdict, kind, band = found.verdict, kind_words(claim), margin_band(found.verdict)
    records = [found.experiments[name] for name in claim.experiments if name in found.experiments]
    parts = ((part, (part.estimate, part.p_reproduced, part.p_contradicted)) for part in verdict.parts)
    as_text = (
        (part.says, *(numbers.ABSENT if value is None else num(value) for value in values))
        for part, values in parts
    )
    return [
        *_rows("claim", [f"{claim.id}, {kind.word}{', primary' if claim.primary else ''}"]),
        *_rows("says", [claim.says]),
        *_rows("said in", [where_text(claim)]),
        *_rows("verdict", [f"{STATUS_WORDS[status_of(verdict)].upper()} ({verdict.reason})"]),
        *_rows("", [on_page.sentence(claim)]),
        *_rows("printed", _printed(claim)),
        *_rows("margin", _margin(claim, audit, records)),
        *_rows("data", [SCOPE_WORDS[verdict.scope] if verdict.scope else ""]),
        *_rows("runs", _runs(found)),
        *(line for term, text in hangs_on(claim, verdict) for line in _rows(term.lower(), [text])),
        *_rows("note", verdict.badges),
        *_rows("protocol", _departures(claim, on_page)),
        *_steps("derivation", found.steps),
        *_rows("looks", audit.about_looks),
        *_rows("family", _family(found)),
        *_specifications(found, audit),
        *_rows("band", [f"D {band}, taken alone" if band else ""]),
        *_rows("parts", (f"{says}: {by}, p {p}, of the reverse {back}" for says, by, p, back in as_text)),
        *_rows("would change", _changes(found, audit, records)),
    ]


def _rows(term: str, texts: Iterable[str]) -> Iterator[str]:
    """A term and its texts below each other, each wrapped; nothing where there is no text."""
    for k, text in enumerate(filter(None, texts)):
        first, *rest = wrapped(text, _INDENT)
        name = f"{'' if k else term:{_INDENT}}"
        yield from [name + first[_INDENT:]] if len(name.rstrip()) < _INDENT else [name, first]
        yield from rest


def _steps(title: str, steps: Sequence[Step]) -> Iterator[str]:
    if steps:
        yield title
    for step in steps:
        if step.filled in ("", num(step.value)):
            yield from wrapped(str(step), 2, 6)
        else:
            yield from wrapped(f"{step.name} = {step.formula}", 2, 6)
            yield from wrapped(f"= {step.filled} = {num(step.value)}", 6, 8)


def _printed(claim: ClaimRecord) -> Iterator[str]:
    """The cells as printed, with the half unit of each; after ± the most that rounds to it."""
    kind, runs = kind_words(claim), plural(claim.runs_behind, "run")
    behind = f"; {runs} of the paper behind it, m = {claim.runs_behind}" if kind.printed else ""
    for k, text in enumerate(claim.printed):
        half = num(float(printed(text).half_unit))
        address = f" ({claim.cells[k]})" if k < len(claim.cells) else ""
        yield f"{'v = ' if kind.is_value else ''}{text}{address}, rounded: h = {half}{behind}"
    if spread := claim.details.get("spread"):
        size, reading = printed(spread["size"]), spread.get("reading") or "the paper does not say what"
        used = f"used as {num(float(size.interval[1]))}, the most that rounds to it"
        if claim.runs_behind < 2:
            used = "not used: it belongs to a single run of the paper"
        yield f"printed spread {size.text} ({reading}), {used}"


def _margin(claim: ClaimRecord, audit: Audit, records: Sequence[ExperimentRecord]) -> Iterator[str]:
    if claim.margin is None:
        less = f"; differences of less than {num(claim.negligible)} points do not count"
        how = less if kind_words(claim).direction_only else ""
        yield f"none: claims of this kind are judged by direction only{how}"
        return
    why = f": {claim.margin.why}" if claim.margin.why else ""
    yield f"D = {num(claim.margin.value)}, by rule {claim.margin.rule}{why}"
    if audit.margins_hash:
        yield margins_of(audit, (run for record in records for run in record.runs), claim.id)


def _runs(found: Derivation) -> Iterator[str]:
    """Every seed of every experiment, and where its settings come from."""
    verdict = found.verdict
    for k, name in enumerate(found.claim.experiments):
        record, values = found.experiments.get(name), {}
        if k < len(verdict.seeds):
            values = dict(zip(verdict.seeds[k], verdict.values[k], strict=False))
        others = [run for run in (record.runs if record else ()) if run.spec.seed not in values]
        shown = [f"seed {seed}: {num(value)}" for seed, value in values.items()]
        shown += [f"seed {run.spec.seed}: {seed_note(run.status, run.reason)}" for run in others]
        yield f"{name} ({record.title if record else name}): {'; '.join(shown) or 'none'}"
        if record is not None and record.study is not None:
            yield f"{record.study.summary}; study file studies/{record.study.key}.json"


def _departures(claim: ClaimRecord, on_page: Lookup) -> Iterator[str]:
    """Their number, and each where the verdict's sentence points at them: beside a contradiction."""
    there = on_page.departures(claim)
    number = f"{plural(len(there), 'departure')} from the paper"
    if there and status_of(on_page.verdicts[claim.id]) != "contradicted":
        yield f"{number}; the page lists {'it' if len(there) == 1 else 'them'} under “Protocol”"
        return
    if there:
        yield number
    for departure in there:
        here = "as configured" if departure.as_set or not departure.here else departure.here
        code = f"; its public code: {departure.code}" if departure.code else ""
        why = f" ({departure.why})" if departure.why else ""
        yield f"{departure.what}: the paper: {departure.paper or 'nothing'}{code}; here: {here}{why}"


def _family(found: Derivation) -> Iterator[str]:
    look, family = found.look, found.family
    own = max(found.verdict.n, default=0)
    part = f", {own} of them for this claim" if look and own < look.seeds else ""
    at = (f"look at {look.seeds} seeds{part}, " if look else "") + f"level {num(found.level)}"
    if family is None:
        yield f"outside the correction for multiple claims: no test may decide it ({at})"
        return
    yield f"{plural(family.size, 'claim')} can be tested, {family.primaries} of them primary ({at})"
    holm = "Holm"
    if 0 < family.primaries < family.size:
        holm = "Holm; primary and other claims have half of the level each, plus what the other half leaves"
    rules = (("p_rep", family.reproduced, "Benjamini and Hochberg"), ("p_con", family.contradicted, holm))
    for name, place, rule in rules:
        yield (
            f"{name} {num(place.raw)} ranks {place.rank} of {family.size}, smallest first; adjusted "
            f"{num(place.adjusted)} ({rule}); given the others, {num(place.threshold)} "
            "or less would be significant"
        )


def _specifications(found: Derivation, audit: Audit) -> Iterator[str]:
    """What is open, and a line for each reading that was run; nothing where nothing is open."""
    claim, verdict = found.claim, found.verdict
    if audit.readings is None or not verdict.readings_declared:
        return
    yield f"readings of what the paper leaves open: {verdict.readings_declared} declared"
    for choice in open_in(claim, audit.readings):
        yield from wrapped(open_choice(choice), 2, 4)
    if not verdict.readings:
        yield "  only the default reading was run; `audit run --readings` runs the others"
        return
    counts = Counter(reading.outcome for reading in verdict.readings)
    yield from wrapped(f"{about_specifications(counts, verdict.readings_declared)}: {_OF_READINGS}", 2, 4)
    difference, marks = kind_words(claim).differs, edges(claim, verdict)
    show = numbers.signed if difference else numbers.points
    interval = f"{coverage(verdict)[1]}% interval"
    rows = [("reading", "seeds", "difference" if difference else "mean", interval, "verdict")]
    for reading in verdict.readings:
        seeds = " and ".join(dict.fromkeys(map(str, reading.n))) or numbers.ABSENT
        estimate, span = show(reading.estimate, beside=marks), numbers.interval(reading.ci95, beside=marks)
        outcome = f"{reading.outcome} ({reading.reason})"
        rows.append((specification_name(reading.reading), seeds, estimate, span, outcome))
    name, *widths = (max(map(len, column)) for column in zip(*rows, strict=True))
    for first, *rest in rows:  # numbers to the right
        yield "  ".join(["", first.ljust(name), *map(str.rjust, rest[:3], widths), rest[3]])


def _changes(found: Derivation, audit: Audit, records: Sequence[ExperimentRecord]) -> Iterator[str]:
    verdict = found.verdict
    if verdict.reason == "unverified_reimplementation":
        models = {model for record in records for model in record.models}
        failing = [check for check in audit.fidelity if check.model in models and not check.passed]
        said = "; ".join(f"{check.model}: {check.name}" for check in failing) or "none was made"
        yield f"failed checks of our implementation: {said}"
    if verdict.outcome == "inconclusive":
        yield from map(outlook_sentence, outlooks(audit, only=found.claim.id))
        return
    name, side = ("p_rep", "reproduced") if verdict.outcome == "reproduced" else ("p_con", "contradicted")
    if low := getattr(verdict, f"margin_{side}_from"):
        yield f"a margin below {num(low)}"
    if high := getattr(verdict, f"margin_{side}_up_to"):
        yield f"a margin above {num(high)}"
    if found.family is not None:
        yield f"more seeds, if they raised {name} above {num(getattr(found.family, side).threshold)}"
    if verdict.outcome == "contradicted":
        imported = any(run.imported for record in records for run in record.runs)
        theirs = "evidence that the imported runs do not use the authors' code, or these settings"
        yield theirs if imported else "a failed check of our implementation"
