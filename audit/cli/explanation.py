"""A derivation as lines of text."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from audit.cli.explained_protocol import protocol_texts
from audit.cli.explained_readings import readings_lines
from audit.cli.explained_splits import splits_lines
from audit.judging.explain import Derivation, Family, derivation
from audit.record import Audit, ClaimRecord, ExperimentRecord, Run, Verdict
from audit.stats.decision import Step, num
from audit.stats.printed import printed
from reports.cards import seed_note
from reports.lookup import Lookup, lookup
from reports.numbers import ABSENT
from reports.rerun import margins_note
from reports.sentences import KIND_WORDS, PRINTED_KINDS, SCOPE_WORDS, STATUS_WORDS, status_of
from reports.text import plural
from reports.verdicts import hangs_on, margin_band, sentence

_WIDTH = 110
_INDENT = 13


def explanation(audit: Audit, claim: ClaimRecord) -> list[str]:
    """All that is known of one claim and its verdict, from the printed number to what would change it."""
    found, on_page = derivation(audit, claim.id), lookup(audit)
    parts = (
        _head(found, on_page),
        _printed(found),
        _margin(found, audit),
        _evidence(found),
        _protocol(claim, on_page),
        _steps("derivation", found.steps),
        _together(found),
        readings_lines(claim, found.verdict, audit.readings),
        splits_lines(claim, audit.splits),
        _other_margins(found),
        _parts(found.verdict),
        _steps("single documents, beside the verdict, which is about these documents", found.documents),
        _change(found, audit),
    )
    return [line for part in parts for line in part]


def row(term: str, text: str) -> Iterator[str]:
    """One term and its text, wrapped below itself."""
    lines = textwrap.wrap(text, _WIDTH - _INDENT, break_long_words=False, break_on_hyphens=False) or [""]
    yield f"{term:{_INDENT}}{lines[0]}".rstrip()
    yield from (f"{'':{_INDENT}}{line}" for line in lines[1:])


def _head(found: Derivation, on_page: Lookup) -> Iterator[str]:
    claim, verdict = found.claim, found.verdict
    kind = KIND_WORDS.get(claim.kind, claim.kind)
    yield from row("claim", f"{claim.id}, {kind}{', primary' if claim.primary else ''}")
    if claim.says:
        yield from row("says", claim.says)
    where = (f"section {claim.where.section}" if claim.where.section else "", claim.where.label or "")
    place = [it for it in (*where, f"page {claim.where.page}" if claim.where.page else "") if it]
    if place:
        yield from row("said in", ", ".join(place))
    yield from row("verdict", f"{STATUS_WORDS[status_of(verdict)].upper()} ({verdict.reason})")
    yield from row("", sentence(claim, on_page))


def _title(experiments: Mapping[str, ExperimentRecord], key: str) -> str:
    return experiments[key].title if key in experiments else key


def _printed(found: Derivation) -> Iterator[str]:
    """The cells as printed, with the half unit of each."""
    claim = found.claim
    behind = ""
    if claim.kind in PRINTED_KINDS:
        runs = plural(claim.runs_behind, "run")
        behind = f"; {runs} of the paper behind it, m = {claim.runs_behind}"
    for k, text in enumerate(claim.printed):
        half = num(float(printed(text).half_unit))
        address = f" ({claim.cells[k]})" if k < len(claim.cells) else ""
        symbol = "v = " if claim.kind == "value" else ""
        yield from row("" if k else "printed", f"{symbol}{text}{address}, rounded: h = {half}{behind}")
    if claim.details.get("spread"):
        yield from row("", _spread(claim))


def _spread(claim: ClaimRecord) -> str:
    """What is printed after ±, and what of it counts: rounding may hide a larger one."""
    held = claim.details["spread"]
    size, reading = printed(held["size"]), held.get("reading") or "the paper does not say what"
    said = f"printed spread {size.text} ({reading})"
    if claim.runs_behind < 2:
        return f"{said}, not used: no second run of the paper is on record behind it"
    return f"{said}, used as {num(float(size.interval[1]))}, the most that rounds to it"


def _margin(found: Derivation, audit: Audit) -> Iterator[str]:
    claim = found.claim
    if claim.margin is None:
        how = f"; less than {num(claim.negligible)} points count as none" if claim.kind == "order" else ""
        yield from row("margin", f"none: claims of this kind are judged by direction{how}")
        return
    why = f": {claim.margin.why}" if claim.margin.why else ""
    yield from row("margin", f"D = {num(claim.margin.value)}, by rule {claim.margin.rule}{why}")
    if audit.margins_hash:
        runs = {run.key: run for key in claim.experiments for run in _runs(found, key)}.values()
        marks = [run.margins.get(audit.paper.key) for run in runs]
        stands = {it for it, added in audit.margins_grown.items() if claim.id not in added}
        same = sum(mark in (audit.margins_hash, *stands) for mark in marks)
        others = sum(run.imported for run in runs)
        said = margins_note(audit.margins_hash, same=same, runs=len(marks), imported=others)
        yield from row("", said)


def _runs(found: Derivation, key: str) -> Sequence[Run]:
    record = found.at.experiments.get(key)
    return record.runs if record else ()


def _evidence(found: Derivation) -> Iterator[str]:
    verdict, claim = found.verdict, found.claim
    if verdict.scope:
        yield from row("data", SCOPE_WORDS[verdict.scope])
    for k, key in enumerate(claim.experiments):
        judged = zip(verdict.seeds[k], verdict.values[k], strict=False) if k < len(verdict.seeds) else ()
        values = dict(judged)
        lost = [run for run in _runs(found, key) if run.spec.seed not in values]
        shown = [f"seed {seed}: {num(value)}" for seed, value in values.items()]
        shown += [f"seed {run.spec.seed}: {seed_note(run.status, run.reason)}" for run in lost]
        name = f"{key} ({_title(found.at.experiments, key)})"
        yield from row("" if k else "runs", f"{name}: {'; '.join(shown) or 'none'}")
        yield from _tuning(found.at.experiments.get(key))
    for term, text in hangs_on(claim, verdict):
        yield from row(term.lower(), text)
    for k, badge in enumerate(verdict.badges):
        yield from row("" if k else "note", badge)


def _tuning(record: ExperimentRecord | None) -> Iterator[str]:
    """Where the settings of its runs come from."""
    if record is not None and record.study is not None:
        yield from row("", f"{record.study.summary}; study file studies/{record.study.key}.json")


def _protocol(claim: ClaimRecord, on_page: Lookup) -> Iterator[str]:
    for k, text in enumerate(protocol_texts(claim, on_page)):
        yield from row("" if k else "protocol", text)


def _steps(title: str, steps: Sequence[Step]) -> Iterator[str]:
    if not steps:
        return
    yield title
    for step in steps:
        if step.filled in ("", num(step.value)):
            yield f"  {step}"
            continue
        yield f"  {step.name} = {step.formula}"
        indent = " " * 6
        yield from textwrap.wrap(
            f"= {step.filled} = {num(step.value)}",
            _WIDTH,
            initial_indent=indent,
            subsequent_indent=f"{indent}  ",
            break_on_hyphens=False,
        )


def _together(found: Derivation) -> Iterator[str]:
    """The claim among the others of the paper."""
    look, family = found.at.look, found.family
    at = (f"look at {look.seeds} seeds, " if look else "") + f"level {num(found.at.level)}"
    yield from _looks(found)
    if family is None:
        yield from row("family", f"not adjusted together with other claims: no test may decide it ({at})")
        return
    tested = f"{plural(family.size, 'claim')} of the paper can be tested"
    yield from row("family", f"{tested}, {family.primaries} of them primary ({at})")
    yield from row("", _place("p_rep", family, "Benjamini and Hochberg"))
    rule = "Holm, primaries and others with half of the level each and what the other leaves"
    mixed = 0 < family.primaries < family.size
    yield from row("", _place("p_con", family, rule if mixed else "Holm"))


def _looks(found: Derivation) -> Iterator[str]:
    for k, said in enumerate(found.about_looks):
        yield from row("" if k else "looks", said)


def _place(name: str, family: Family, rule: str) -> str:
    it = family.reproduced if name == "p_rep" else family.contradicted
    return (
        f"{name} {num(it.raw)} is number {it.rank} of {family.size} from below; adjusted {num(it.adjusted)} "
        f"({rule}); with the others as they are, {num(it.threshold)} or less would do"
    )


def _other_margins(found: Derivation) -> Iterator[str]:
    """The band of margins, and what some margins would give."""
    if band := margin_band(found.verdict):
        yield from row("band", f"D {band}, taken alone")
    for k, it in enumerate(found.at_margins):
        alone = f"{it.alone.outcome} ({it.alone.reason}) taken alone"
        together = f"{it.together} in this paper's family; " if it.together else ""
        yield from row("" if k else "at D", f"{num(it.margin)} ({it.name}): {together}{alone}")


def _parts(verdict: Verdict) -> Iterator[str]:
    """The comparisons with their p-values as the page shows them: adjusted within the claim."""
    for k, part in enumerate(verdict.parts):
        numbers = (part.estimate, part.p_reproduced, part.p_contradicted)
        difference, holds, back = (ABSENT if it is None else num(it) for it in numbers)
        yield from row("" if k else "parts", f"{part.says}: {difference}, p {holds}, of the reverse {back}")


def _change(found: Derivation, audit: Audit) -> Iterator[str]:
    """What would make another verdict of it."""
    for k, text in enumerate(_changes(found, audit)):
        yield from row("" if k else "would change", text)


def _changes(found: Derivation, audit: Audit) -> Iterator[str]:
    from audit.judging.mixed_evidence import advice
    from audit.judging.plan import outlooks, sentence

    verdict, claim = found.verdict, found.claim
    if verdict.reason == "mixed_evidence":
        yield from advice(replace(audit, claims=(claim,)))
    elif verdict.outcome == "inconclusive":
        yield from (sentence(it) for it in outlooks(audit) if it.claim == claim.id)
    if verdict.reason == "unverified_reimplementation":
        records = [found.at.experiments[key] for key in claim.experiments if key in found.at.experiments]
        models = {model for it in records for model in it.models}
        failing = [f"{it.model}: {it.name}" for it in audit.fidelity if it.model in models and not it.passed]
        yield f"checks of our implementation that it does not pass: {'; '.join(failing) or 'none was made'}"
    if verdict.outcome == "inconclusive":
        return
    family, held = found.family, verdict.outcome == "reproduced"
    yield from _margins_beyond(verdict)
    if family is not None:
        name, place = ("p_rep", family.reproduced) if held else ("p_con", family.contradicted)
        yield f"further seeds, if they brought {name} above {num(place.threshold)}"
    if not held and any(run.imported for key in claim.experiments for run in _runs(found, key)):
        yield "word that the imported runs are not of the authors' code, or not of these settings"
    elif not held:
        yield "a check of our implementation that it does not pass"


def _margins_beyond(verdict: Verdict) -> Iterator[str]:
    """The margins at which the verdict would be another, the claim taken alone."""
    if verdict.outcome == "reproduced":
        low, high = verdict.margin_reproduced_from, verdict.margin_reproduced_up_to
    else:
        low, high = verdict.margin_contradicted_from, verdict.margin_contradicted_up_to
    if low:
        yield f"a margin below {num(low)}"
    if high:
        yield f"a margin above {num(high)}"
