"""`audit plan`: the open claims by what it costs to settle them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from audit.cli.app import app, papers_of, say, say_table
from audit.cli.options import command
from audit.cli.report import numbers_explained, read_sound, records_in
from audit.errors import Exit

if TYPE_CHECKING:
    from audit.claims.load import Paper
    from audit.judging.plan import Outlook
    from audit.record import Audit

_LEGEND = (
    "Seeds an arm, those already run included, for a chance of 80 % (90 %), if means and spread are as they "
    "are now: planned with the upper 80 % limit of the SD, at the level that the paper's other claims leave. "
    "More seeds by hand are a further look, which has less of the level; "
    "`audit run --until-settled --budget 30m` declares the looks."
)


@command(app, "plan")
def plan_command(
    names: list[str] | None = None,
    *,
    out: Path = Path("audit-report"),
    as_json: bool = False,
    models: Path | None = None,
) -> int:
    """List the open claims by what it costs to settle them: seeds, and their time by the run records.

    Needs no data, no GPU and no torch. Exit code 0 whether claims are open or not, 2 for bad input.
    """
    from audit.judging.plan import cost, outlooks

    planned = []
    for audit, where in _audits(names, out):
        with numbers_explained(Path(where)):
            planned.append((audit, where, sorted(outlooks(audit), key=cost)))  # the cheapest first
    if as_json:
        said = [_as_json(audit, where, open_claims) for audit, where, open_claims in planned]
        say(json.dumps(said, indent=1, ensure_ascii=False))
        return Exit.OK
    for audit, where, open_claims in planned:
        _print(audit, where, open_claims)
    if any(it.seeds is not None for _, _, open_claims in planned for it in open_claims):
        say(_LEGEND)
    return Exit.OK


def _audits(names: Sequence[str] | None, out: Path) -> Iterator[tuple[Audit, str]]:
    """The audits, and where each one stands; of a paper that was never run, one without any run."""
    from audit.storage.files import read_audit

    if not names:
        yield from ((read_sound(path), str(path)) for path in records_in(out))
    for name in names or ():
        if name.endswith(".json"):
            yield read_sound(Path(name)), name
            continue
        (paper,) = papers_of([name])
        key = paper.paper.key
        paths = [it for it in sorted(out.glob(f"{key}*/audit.json")) if read_audit(it).paper.key == key]
        yield from ((read_sound(path), str(path)) for path in paths)
        if not paths:
            yield _unrun(paper), "not run yet"


def _unrun(paper: Paper) -> Audit:
    from audit.judging.assemble import assemble
    from audit.judging.plan import NOT_YET
    from audit.storage.manifest import BY_COMMAND
    from reimpl.models import known_models

    known, records = known_models(), {}
    for name, it in paper.single_experiments.items():
        no_model = None if it.model in known else f"this toolkit has no model {it.model!r} yet"
        never = None if it.command else it.never_run or no_model
        why = never or (BY_COMMAND if it.command else NOT_YET)
        records[name] = paper.without_runs(name, why, unavailable=never is not None)
    return assemble(paper, records, fidelity=(), command="")


# --------------------------------------------------------------------------- the screen


def _print(audit: Audit, where: str, open_claims: Sequence[Outlook]) -> None:
    from audit.judging.plan import RunTimes, sentence
    from audit.names import counted

    by_seeds = [it for it in open_claims if it.seeds is not None]
    head = f"{audit.paper.key} ({where}): {len(open_claims)} of {counted(len(audit.claims), 'claim')}"
    say(f"{head} open, {len(by_seeds)} with a number of seeds\n")
    for text in _readings(audit):
        say(text)
    if by_seeds:
        _print_table(by_seeds)
        runs: dict[str, int] = {}
        for it in by_seeds:
            for name, number in it.missing.items():
                runs[name] = max(number, runs.get(name, 0))
        time = RunTimes(audit.experiments).of(runs) or "time not known"
        shared = "all of these together, runs that they share counted once"
        say(f"{shared}: {sum(runs.values())} runs, {time}\n")
    hopeless: dict[str, list[str]] = {}
    for it in open_claims:
        if it.seeds is None:
            hopeless.setdefault(sentence(it), []).append(it.claim)
    for text, names in sorted(hopeless.items()):
        say(f"{counted(len(names), 'claim')}: {text}\n    {_first(sorted(names))}")
    say("")


def _first(names: Sequence[str]) -> str:
    return ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")


def _print_table(outlooks: Sequence[Outlook]) -> None:
    from rich.table import Table
    from rich.text import Text

    from audit.judging.plan import sentence

    table = Table(box=None, padding=(0, 2, 0, 0), show_edge=False)
    for title in ("claim", "seeds now", "to reproduce", "to contradict", "to settle it"):
        table.add_column(title, overflow="fold")
    rows: dict[tuple[str, ...], list[str]] = {}
    for it in outlooks:
        now = " and ".join(str(n) for n in dict.fromkeys(it.seeds_now.values()))
        claim, _, metric = it.claim.partition(":")
        cells = (claim, now, _needed(it.reproduce), _needed(it.contradict), sentence(it))
        rows.setdefault(cells, []).append(metric)  # metrics with the same plan share a line
    for (claim, *others), metrics in rows.items():
        table.add_row(*map(Text, (" ".join((claim, *metrics)).rstrip(), *others)))
    say_table(table)


def _readings(audit: Audit) -> Iterator[str]:
    """How many readings of what the paper leaves open there are, and how many were run."""
    from audit.claims.specifications import declared
    from audit.judging.plan import NOT_YET
    from audit.runner.plan import LEFT_OUT

    records = {it.id: it for it in audit.experiments}
    groups: dict[tuple[int, int], list[str]] = {}
    for name in audit.readings.of if audit.readings else ():
        if name in records and (records[name].runs or records[name].not_run in (NOT_YET, LEFT_OUT)):
            others = sum(it.reading_of == name and bool(it.runs) for it in audit.experiments)
            run = others + bool(records[name].runs)
            groups.setdefault((run, len(declared(audit.readings, [name]))), []).append(name)
    for (run, number), names in groups.items():
        more = "" if run == number else "; `audit run --readings` runs the others"
        yield f"readings of what the paper leaves open: {run} of {number} run of {_first(names)}{more}"
    if groups:
        yield ""


def _needed(needed: Any) -> str:
    """`6 (7)`: for 80 and for 90 %."""
    if needed.seeds_80 is None:
        return "–"
    return f"{needed.seeds_80} ({needed.seeds_90 if needed.seeds_90 is not None else '> 100'})"


def _as_json(audit: Audit, where: str, open_claims: Sequence[Outlook]) -> dict[str, Any]:
    from audit.judging.plan import sentence

    claims = [
        {
            "claim": it.claim,
            "kind": it.kind,
            "reason": it.reason,
            "seeds_now": dict(it.seeds_now),
            "reproduce": {"80": it.reproduce.seeds_80, "90": it.reproduce.seeds_90},
            "contradict": {"80": it.contradict.seeds_80, "90": it.contradict.seeds_90},
            "seeds": it.seeds,
            "missing": dict(it.missing) if it.seeds is not None else None,
            "seconds": it.time.seconds if it.time else None,
            "device": it.time.device if it.time else None,
            "by_similar_experiments": it.time.similar if it.time else None,
            "weakest_part": it.part,
            "why_not": None if it.seeds is not None else sentence(it),
            "sentence": sentence(it),
        }
        for it in open_claims
    ]
    return {"paper": audit.paper.key, "record": where, "claims": len(audit.claims), "open": claims}
