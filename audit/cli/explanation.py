"""`audit explain`: one verdict with every number of its derivation, as lines of text."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from audit.errors import AuditError
from audit.judging.plan import TEXTS, Derivation, derivation, outlooks
from audit.judging.plan import sentence as outlook_sentence
from audit.judging.verdicts import about_specifications
from audit.names import counted, known_names, wrapped
from audit.record import Audit, ClaimRecord, ExperimentRecord
from audit.stats.decision import ALPHA, Step, num, percent
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
_WORDS: Mapping[str, Mapping[str, str]] = TEXTS["derivation"]


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
        (part.says, *(numbers.ABSENT if value is None else f"{value:.4g}" for value in values))
        for part, values in parts
    )
    return [
        *_rows("claim", [f"{claim.id}, {kind.word}{', primary' if claim.primary else ''}"]),
        *_rows("says", [claim.says]),
        *_rows("said in", [where_text(claim)]),
        *_rows("verdict", [f"{STATUS_WORDS[status_of(verdict)].upper()} ({verdict.reason})"]),
        *_rows("", [on_page.sentence(claim)]),
        *_rows("printed", _printed(claim, {record.id: record.title for record in records})),
        *_rows("margin", _margin(claim, audit, records)),
        *_rows("data", [SCOPE_WORDS[verdict.scope] if verdict.scope else ""]),
        *_rows("runs", _runs(found)),
        *(line for term, text in hangs_on(claim, verdict) for line in _rows(term.lower(), [text])),
        *_rows("note", verdict.badges),
        *_rows("protocol", _departures(claim, on_page)),
        *_steps(claim, found.steps),
        *_rows("looks", _looks(found, audit)),
        *_rows("family", _family(found)),
        *_specifications(found, audit),
        *_rows("other margins", [f"D {band}, taken alone" if band else ""]),
        *_rows(
            "parts",
            (f"{says}: {by}{_unit(claim)}, p {p}, of the reverse {back}" for says, by, p, back in as_text),
        ),
        *_rows("would change", _changes(found, audit, records)),
    ]


def _rows(term: str, texts: Iterable[str]) -> Iterator[str]:
    """A term and its texts below each other, each wrapped; nothing where there is no text."""
    for k, text in enumerate(filter(None, texts)):
        first, *rest = wrapped(text, _INDENT)
        name = f"{'' if k else term:{_INDENT}}"
        yield from [name + first[_INDENT:]] if len(name.rstrip()) < _INDENT else [name, first]
        yield from rest


def _unit(claim: ClaimRecord) -> str:
    return " points" if claim.metric else ""


def _steps(claim: ClaimRecord, steps: Sequence[Step]) -> Iterator[str]:
    """What each step computes, in words, with the symbols that are new in it; its formula; its numbers."""
    if not steps:
        return
    unit = ", scores and differences in points" if claim.metric else ""
    yield from wrapped(f"derivation{unit} (computed with all digits, printed with those that matter)", 0, 2)
    names, symbols, last = _WORDS["steps"], dict(_WORDS["symbols"]), ""
    for step in steps:
        label, _, name = step.name.rpartition(": ")
        words = re.sub(r"^[\d.]+%", "%", name).split(",")[0]
        says = names.get(words) or names.get(words.rpartition(" ")[0], "")
        new = [symbols.pop(part) for part in tuple(symbols) if re.search(part, step.formula)]
        about = f" ({'; '.join(dict.fromkeys(new))})" if new else ""
        head = f"{label and f'{label}: '}{says or name}"
        yield from wrapped(f"{head}{about}", 2, 4) if head != last or new else ()
        last, (filled, value) = head, step.printed
        yield from wrapped(f"{name} = {step.formula}", 6, 8)
        yield from wrapped(f"= {filled} = {value}" if filled not in ("", value) else f"= {value}", 8, 10)


def _printed(claim: ClaimRecord, titles: Mapping[str, str]) -> Iterator[str]:
    """Whose each printed number is, and what its rounding leaves open."""
    runs = plural(claim.runs_behind, "run")
    behind = f"; of m = {runs} of the paper" if kind_words(claim).printed else ""
    whose = claim.experiments if len(claim.experiments) == len(claim.printed) else ()
    for k, text in enumerate(claim.printed):
        number = printed(text)
        to = f"to {counted(number.decimals, 'decimal')}" if number.decimals > 0 else "rounded"
        cell = f" ({claim.cells[k]})" if k < len(claim.cells) else ""
        of = f"{titles.get(whose[k], whose[k])}: " if whose else ""
        yield f"{of}{text}{cell}, printed {to}, so ±{num(float(number.half_unit))}{behind}"
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
    yield f"D = {numbers.margin_size(claim.margin.value)}{_unit(claim)}, by rule {claim.margin.rule}{why}"
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
        decimals = max((len(f"{value:.5g}".partition(".")[2]) for value in values.values()), default=0)
        shown = [f"seed {seed}: {value:.{min(decimals, 3)}f}" for seed, value in values.items()]
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
    family, level = found.family, percent(found.level)
    if family is None:
        yield f"not corrected for multiple claims: no test may decide it (level {level})"
        return
    yield f"{plural(family.size, 'claim')} can be tested, {family.primaries} of them primary (level {level})"
    holm = "Holm"
    if 0 < family.primaries < family.size:
        holm = "Holm; primary and other claims have half of the level each, plus what the other half leaves"
    rules = (("p_rep", family.reproduced, "Benjamini and Hochberg"), ("p_con", family.contradicted, holm))
    for name, place, rule in rules:
        others = f"corrected for the other claims it is {place.adjusted:.3g} ({rule})"
        yield (
            f"{name} = {place.raw:.3g} ranks {place.rank} of {family.size}, the smallest first; {others}. "
            f"{place.threshold:.3g} or less would be significant, the others being as they are"
        )


def _looks(found: Derivation, audit: Audit) -> Iterator[str]:
    """What a look is, which one this verdict is of, and what else was looked at."""
    look, own = found.look, max(found.verdict.n, default=0)
    if look is None:
        yield from audit.about_looks
        return
    yield (
        "A look is one judging of the claims while seeds are being added. Each look is one more chance to "
        f"err, so all looks share the level of {percent(ALPHA)}"
    )
    fewer = f", of which it has {own}" if own < look.seeds else ""
    level = percent(look.level)
    yield f"This claim has the verdict of the look at {look.seeds} seeds{fewer}, at the level of {level}"
    others = [f"at {it.seeds} seeds ({percent(it.level)})" for it in audit.looks if it != look]
    yield f"Other looks at this paper: {', '.join(others)}" if others else ""
    yield from audit.about_looks[1:]


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
    about = about_specifications(counts, verdict.readings_declared)
    yield from wrapped(f"{about}: {TEXTS['of_readings']}", 2, 4)
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
        yield f"a margin below {low:.4g}"
    if high := getattr(verdict, f"margin_{side}_up_to"):
        yield f"a margin above {high:.4g}"
    if found.family is not None:
        yield f"more seeds, if they raised {name} above {getattr(found.family, side).threshold:.3g}"
    if verdict.outcome == "contradicted":
        imported = any(run.imported for record in records for run in record.runs)
        theirs = "evidence that the imported runs do not use the authors' code, or these settings"
        yield theirs if imported else "a failed check of our implementation"
