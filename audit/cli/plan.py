"""`audit plan`: the open claims by what it costs to settle them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from audit.cli.app import app, papers_of, say
from audit.cli.options import Models
from audit.cli.report import numbers_explained, read_sound, records_in
from audit.errors import Exit

if TYPE_CHECKING:
    from audit.claims.load import Paper
    from audit.judging.plan import Outlook, RunTime
    from audit.record import Audit, ExperimentRecord

_WIDTH = 110
"""Of what is written to a file or a pipe."""

_LEGEND = (
    "Seeds an arm, those already run included, for a chance of 80 % (90 %), if means and spread are as they "
    "are now: planned with the upper 80 % limit of the SD, at the level that the paper's other claims leave. "
    "More seeds by hand are a further look, which has less of the level; "
    "`audit run --until-settled --budget 30m` declares the looks."
)


@dataclass(frozen=True)
class _Planned:
    """One audit with its open claims, the cheapest first."""

    audit: Audit
    outlooks: tuple[Outlook, ...]
    where: str

    @property
    def by_seeds(self) -> list[Outlook]:
        return [it for it in self.outlooks if it.seeds is not None]


@app.command("plan")
def plan_command(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[CLAIMS|AUDIT_JSON]...",
            help="Claim files, keys of built-in ones, or records that `audit run` wrote; "
            "default: all records in --out.",
        ),
    ] = None,
    out: Annotated[Path, typer.Option(help="Folder where `audit run` wrote.")] = Path("audit-report"),
    as_json: Annotated[bool, typer.Option("--json", help="Print all open claims as JSON.")] = False,
    models: Models = None,
) -> int:
    """List the open claims by what it costs to settle them: seeds, and their time by the run records.

    Needs no data, no GPU and no torch. Exit code 0 whether claims are open or not, 2 for bad input.
    """
    planned = [_planned(audit, where) for audit, where in _audits(names, out)]
    if as_json:
        say(json.dumps([_as_json(it) for it in planned], indent=1, ensure_ascii=False))
        return Exit.OK
    for it in planned:
        _print(it)
    if any(it.by_seeds for it in planned):
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

    return assemble(paper, {it.id: it for it in _experiments(paper)}, fidelity=(), command="")


def _experiments(paper: Paper) -> Iterator[ExperimentRecord]:
    from audit.judging.plan import NOT_YET
    from audit.storage.manifest import BY_COMMAND
    from reimpl.models import known_models

    known = known_models()
    for name, it in paper.single_experiments.items():
        no_model = None if it.model in known else f"this toolkit has no model {it.model!r} yet"
        never = None if it.command else it.never_run or no_model
        why = never or (BY_COMMAND if it.command else NOT_YET)
        yield paper.without_runs(name, why, unavailable=never is not None)


def _planned(audit: Audit, where: str) -> _Planned:
    from audit.judging.plan import cost, outlooks

    with numbers_explained(Path(where)):
        found = outlooks(audit)
    return _Planned(audit, tuple(sorted(found, key=cost)), where)


# --------------------------------------------------------------------------- the screen


def _print(planned: _Planned) -> None:
    from audit.names import counted

    audit, open_claims = planned.audit, planned.outlooks
    head = f"{audit.paper.key} ({planned.where}): {len(open_claims)} of {counted(len(audit.claims), 'claim')}"
    say(f"{head} open, {len(planned.by_seeds)} with a number of seeds\n")
    for text in _readings(audit):
        say(text)
    if planned.by_seeds:
        _print_table(planned.by_seeds)
        say(f"all of these together, runs that they share counted once: {_together(planned)}\n")
    for text, names in _hopeless(open_claims):
        shown = ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
        say(f"{counted(len(names), 'claim')}: {text}\n    {shown}")
    say("")


def _print_table(outlooks: Sequence[Outlook]) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from audit.judging.plan import sentence

    console = Console(highlight=False)
    if not console.is_terminal:
        console = Console(highlight=False, width=_WIDTH)
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
    with console.capture() as captured:
        console.print(table)
    say(captured.get().rstrip() + "\n")


def _readings(audit: Audit) -> Iterator[str]:
    """How many readings of what the paper leaves open there are, and how many were run."""
    from audit.claims.specifications import declared
    from audit.judging.plan import NOT_YET
    from audit.runner.plan import LEFT_OUT

    may_run = (NOT_YET, LEFT_OUT)
    held = {it.id: it for it in audit.experiments}
    groups: dict[tuple[int, int], list[str]] = {}
    for name in audit.readings.of if audit.readings else ():
        if name in held and (held[name].runs or held[name].not_run in may_run):
            others = sum(it.reading_of == name and bool(it.runs) for it in audit.experiments)
            run = others + bool(held[name].runs)
            groups.setdefault((run, len(declared(audit.readings, [name]))), []).append(name)
    for (run, number), names in groups.items():
        shown = ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
        more = "" if run == number else "; `audit run --readings` runs the others"
        yield f"readings of what the paper leaves open: {run} of {number} run of {shown}{more}"
    if groups:
        yield ""


def _needed(needed: Any) -> str:
    """`6 (7)`: for 80 and for 90 %."""
    if needed.seeds_80 is None:
        return "–"
    return f"{needed.seeds_80} ({needed.seeds_90 if needed.seeds_90 is not None else '> 100'})"


def _together(planned: _Planned) -> str:
    runs: dict[str, int] = {}
    for it in planned.by_seeds:
        for name, number in it.missing.items():
            runs[name] = max(number, runs.get(name, 0))
    time = _time_of(planned.audit, runs)
    return f"{sum(runs.values())} runs, {time or 'time not known'}"


def _time_of(audit: Audit, runs: dict[str, int]) -> RunTime | None:
    from audit.judging.plan import RunTimes

    return RunTimes(audit.experiments).of(runs)


def _hopeless(outlooks: Sequence[Outlook]) -> Iterator[tuple[str, list[str]]]:
    from audit.judging.plan import sentence

    texts = sorted((sentence(it), it.claim) for it in outlooks if it.seeds is None)
    for text, group in groupby(texts, key=lambda pair: pair[0]):
        yield text, [claim for _, claim in group]


# --------------------------------------------------------------------------- JSON


def _as_json(planned: _Planned) -> dict[str, Any]:
    return {
        "paper": planned.audit.paper.key,
        "record": planned.where,
        "claims": len(planned.audit.claims),
        "open": [_claim_as_json(it) for it in planned.outlooks],
    }


def _claim_as_json(it: Outlook) -> dict[str, Any]:
    from audit.judging.plan import sentence

    return {
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
