"""`audit explain`: one verdict with every number of its derivation, as lines of text."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from audit.errors import AuditError
from audit.judging.plan import TEXTS, Derivation, derivation, outlooks, seeds_needed
from audit.judging.plan import sentence as outlook_sentence
from audit.judging.verdicts import about_specifications
from audit.names import WIDTH, known_names, under, wrapped
from audit.record import Audit, ClaimRecord, ExperimentRecord, Part, Verdict
from audit.stats.decision import ALPHA, Step, num, percent
from audit.stats.printed import printed
from reports import numbers
from reports import sentences as words
from reports.cards import seed_note, where_text
from reports.lookup import Lookup
from reports.protocol import margins_of
from reports.text import grouped, plural

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
        name, claims = claim.partition(":")[0], [record for _, audit in audits for record in audit.claims]
        for key, found in ((audit.paper.key, found) for _, audit in audits for found in audit.findings):
            if name == (found.claim or "").partition(":")[0]:
                raise AuditError(f"{claim!r} needs no run: `audit check {key} --explain {found.id}`")
        own = [record.id for record in claims if record.claim == name]
        known = known_names(claim, own or [record.claim for record in claims])
        raise AuditError(f"no claim {claim!r} in {where}; {known}")


def explanation(audit: Audit, claim: ClaimRecord) -> list[str]:
    """All that is known of one claim and its verdict, from the printed number to what would change it."""
    found, on_page = derivation(audit, claim.id), Lookup(audit)
    verdict, kind, band = found.verdict, words.kind_words(claim), words.margin_band(found.verdict)
    records = [found.experiments[name] for name in claim.experiments if name in found.experiments]
    sentence, told = on_page.sentence(claim), audit.author_response
    against = verdict.outcome == "contradicted"
    hangs = [it for it in words.hangs_on(claim, verdict) if not (found.steps and it[0].startswith("SD"))]
    return [
        *under("claim", [f"{claim.id}, {kind.word}{', primary' if claim.primary else ''}"]),
        *under("says", [claim.says]),
        *under("said in", [where_text(claim)]),
        *under("verdict", [words.STATUS_WORDS[words.status_of(verdict)].upper(), sentence]),
        *under("to change it", _changes(found, audit, records)),
        *under("authors", [(told and told.answer) or TEXTS["authors"]] if against else []),
        *under("printed", _printed(claim)),
        *under("margin", _margin(claim, verdict, audit, records)),
        *under("margins", [f"{band}, without correction for other claims" if band not in sentence else ""]),
        *under("data", [on_page.run_on(claim, verdict).removeprefix("on ")]),
        *under("runs", _runs(found)),
        *(line for term, text in hangs for line in under(term.lower(), [text])),
        *under("note", verdict.badges),
        *under("protocol", _departures(claim, on_page)),
        *under("looks", _looks(found, audit)),
        *under("family", _family(found)),
        *_specifications(found, audit),
        *under("parts", (_part(part, _unit(claim)) for part in verdict.parts)),
        *_steps(claim, found.steps),
    ]


def _part(part: Part, unit: str) -> str:
    of = (part.estimate, part.p_reproduced, part.p_contradicted)
    by, p, back = (numbers.ABSENT if value is None else f"{value:.4g}" for value in of)
    return f"{part.says}: {by}{unit}, p {p}, of the reverse {back}"


def _unit(claim: ClaimRecord) -> str:
    return " points" if claim.metric else ""


def _steps(claim: ClaimRecord, steps: Sequence[Step]) -> Iterator[str]:
    """What each step computes, in words, with the symbols that are new in it; its formula; its numbers."""
    if not steps:
        return
    unit = ", scores and differences in points" if claim.metric else ""
    yield from wrapped(f"derivation{unit} (computed with all digits, printed with those that matter)", 0, 2)
    names, symbols, last, low = _WORDS["steps"], dict(_WORDS["symbols"]), "", ""
    for step in steps:
        label, _, name = step.name.rpartition(": ")
        (filled, value), formula = step.printed, step.formula
        if name.endswith(", from"):  # both ends of an interval are told at once
            low = value
            continue
        if name.endswith(", to"):
            name, value = name.removesuffix(", to"), f"{low} to {value}"
            formula, filled = (text.replace(" + t(", " -+ t(") for text in (formula, filled))
        plain = re.sub(r"^[\d.]+%", "%", name).split(",")[0]
        says = names.get(plain) or names.get(plain.rpartition(" ")[0], "")
        new = [symbols.pop(part) for part in tuple(symbols) if re.search(part, formula)]
        about = f" ({'; '.join(dict.fromkeys(new))})" if new else ""
        head = f"{label and f'{label}: '}{says or name}"
        yield from wrapped(f"{head}{about}", 2, 4) if head != last or new else ()
        last, made = head, f"{name} = {formula}"
        worked = f"= {filled} = {value}" if filled not in ("", value) else f"= {value}"
        if len(made) + len(worked) < WIDTH - 6:
            yield f"      {made} {worked}"
        else:
            yield from (*wrapped(made, 6, 8), *wrapped(worked, 8, 10))


def _printed(claim: ClaimRecord) -> Iterator[str]:
    """Whose each printed number is, and what its rounding leaves open."""
    runs = plural(claim.runs_behind, "run")
    behind = f"; of m = {runs} of the paper" if words.kind_words(claim).printed else ""
    whose = claim.experiments if len(claim.experiments) == len(claim.printed) > 1 else ()
    for k, text in enumerate(claim.printed):
        cell = f" ({claim.cells[k]})" if k < len(claim.cells) else ""
        of = f"{whose[k]}: " if whose else ""
        yield f"{of}{text}{cell}, ±{num(float(printed(text).half_unit))} by rounding{behind}"
    if len(claim.printed) == 1 and len(claim.experiments) == 2:
        yield "the other side: not printed"
    if spread := claim.details.get("spread"):
        size, reading = printed(spread["size"]), spread.get("reading") or "the paper does not say what"
        used = f"used as {num(float(size.interval[1]))}, the most that rounds to it"
        if claim.runs_behind < 2:
            used = "not used: it belongs to a single run of the paper"
        yield f"printed spread {size.text} ({reading}), {used}"


def _margin(
    claim: ClaimRecord, verdict: Verdict, audit: Audit, records: Sequence[ExperimentRecord]
) -> Iterator[str]:
    if claim.margin is None:
        less = f"; differences of less than {num(claim.negligible)} points do not count"
        how = less if words.kind_words(claim).direction_only else ""
        yield f"none: claims of this kind are judged by direction only{how}"
        return
    why = f": {claim.margin.why}" if claim.margin.why else ""
    fixed, used, rule = claim.margin.value, verdict.margin or 0.0, f"rule {claim.margin.rule}{why}"
    wider = f"half of the printed difference, which is more than the {numbers.margin_size(fixed)} of "
    size = numbers.margin_size(max(fixed, used))
    yield f"D = {size}{_unit(claim)}, {wider if used > fixed else 'by '}{rule}"
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
        unit = _unit(found.claim).replace(" points", ", in points")
        yield f"{name} ({record.title if record else name}){unit}: {'; '.join(shown) or 'none'}"
        if record is not None and record.study is not None:
            yield f"{record.study.summary}; study file studies/{record.study.key}.json"


def _departures(claim: ClaimRecord, on_page: Lookup) -> Iterator[str]:
    """Their number, and each where the verdict's sentence points at them: beside a contradiction."""
    there = on_page.departures(claim)
    number = f"{plural(len(there), 'departure')} from the paper"
    against = words.status_of(on_page.verdicts[claim.id]) == "contradicted"
    yield (number if against else f"{number}, listed on the page under “Protocol”") if there else ""
    for here, alike in grouped(there if against else [], lambda departure: departure.here).items():
        if len(alike) > 2:  # of an imported program no more is known
            yield f"{here}: {'; '.join(departure.what for departure in alike)}"
            continue
        for departure in alike:
            as_set = "as configured" if departure.as_set or not here else here
            code = f"; its public code: {departure.code}" if departure.code else ""
            why = f" ({departure.why})" if departure.why else ""
            yield f"{departure.what}: the paper: {departure.paper or 'nothing'}{code}; here: {as_set}{why}"


def _family(found: Derivation) -> Iterator[str]:
    family, level = found.family, percent(found.level)
    if family is None:
        yield f"not corrected for multiple claims: no test may decide it (level {level})"
        return
    size = plural(family.size, "judgement")
    yield f"{size} can be tested, {family.primaries} of them primary (level {level})"
    holm = "Holm"
    if 0 < family.primaries < family.size:
        holm = "Holm; primary and other claims, ranked apart, have half of the level each, plus what is left"
    rules = (("p_rep", family.reproduced, "Benjamini and Hochberg"), ("p_con", family.contradicted, holm))
    decides = {"reproduced": rules[:1], "contradicted": rules[1:]}.get(found.verdict.outcome, rules)
    for name, place, rule in decides:
        yield (
            f"{name} = {place.raw:.3g} (rank {place.rank} of {place.of}, the smallest first), corrected "
            f"for the other claims {place.adjusted:.3g} ({rule}). With the others as they are, "
            f"{place.threshold:.3g} or less is significant"
        )


def _looks(found: Derivation, audit: Audit) -> Iterator[str]:
    """What a look is, which one this verdict is of, and what else was looked at."""
    look, own = found.look, max(found.verdict.n, default=0)
    if look is None:
        yield from audit.about_looks
        return
    fewer = f", of which it has {own}" if own < look.seeds else ""
    yield (
        f"The verdict is of the look at {look.seeds} seeds{fewer}, at the level of {percent(look.level)}. "
        f"Each look at more seeds is one more chance to err, so all looks share {percent(ALPHA)}"
    )
    others = [f"at {it.seeds} seeds ({percent(it.level)})" for it in audit.looks if it != look]
    yield f"Other looks at this paper: {', '.join(others)}" if others else ""
    yield from audit.about_looks[1:]


def _specifications(found: Derivation, audit: Audit) -> Iterator[str]:
    """What is open, and a line for each reading that was run; nothing where nothing is open."""
    claim, verdict = found.claim, found.verdict
    if audit.readings is None or not verdict.readings_declared:
        return
    yield f"readings of what the paper leaves open: {verdict.readings_declared} declared"
    for choice in words.open_in(claim, audit.readings):
        yield from wrapped(words.open_choice(choice), 2, 4)
    if not verdict.readings:
        yield "  only the default reading was run; `audit run --readings` runs the others"
        return
    counts = Counter(reading.outcome for reading in verdict.readings)
    about = about_specifications(counts, verdict.readings_declared)
    yield from wrapped(f"{about}: {TEXTS['of_readings']}", 2, 4)
    show = numbers.signed if words.kind_words(claim).differs else numbers.points
    level, marks = words.coverage(verdict)[1], words.edges(claim, verdict)
    for reading in verdict.readings:
        estimate, span = show(reading.estimate, beside=marks), numbers.interval(reading.ci95, beside=marks)
        measured = f"{estimate} ({words.seeds_text(reading.n)}; {level}% interval {span})"
        outcome = f"{reading.outcome}, {words.reason(reading.reason)}"
        yield from wrapped(f"{words.specification_name(reading.reading)}: {measured}; {outcome}", 2, 4)


def _changes(found: Derivation, audit: Audit, records: Sequence[ExperimentRecord]) -> Iterator[str]:
    verdict = found.verdict
    if verdict.reason == "unverified_reimplementation":
        models = {model for record in records for model in record.models}
        failing = [check for check in audit.fidelity if check.model in models and not check.passed]
        said = "; ".join(f"{check.model}: {check.name}" for check in failing) or "none was made"
        yield f"failed checks of our implementation: {said}"
    if verdict.outcome == "inconclusive":
        for outlook in outlooks(audit, only=found.claim.id):
            yield seeds_needed(outlook) if outlook.seeds else outlook_sentence(outlook)
            yield TEXTS["imports"] if outlook.seeds and outlook.imported else ""
        return
    name, side = ("p_rep", "reproduced") if verdict.outcome == "reproduced" else ("p_con", "contradicted")
    if low := getattr(verdict, f"margin_{side}_from"):
        yield f"a margin below {low:.4g}"
    if high := getattr(verdict, f"margin_{side}_up_to"):
        yield f"a margin above {high:.4g}"
    if found.family is not None:
        most = f"{getattr(found.family, side).threshold:.3g}"
        yield f"more seeds, if they raised the p-value ({name}) above {most}"
    if verdict.outcome == "contradicted":
        imported = any(run.imported for record in records for run in record.runs)
        theirs = "evidence that the imported results are of another file, data set, setting or program"
        yield theirs if imported else "a failed check of our implementation"
