"""`audit plan`: the open claims by what it costs to settle them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from audit.claims.papers import papers_of
from audit.cli.app import Words, app, command, say, say_table, wrapped
from audit.cli.report import read_sound, records_in
from audit.errors import AuditError, Exit
from audit.names import counted, first_of
from audit.record import Audit

if TYPE_CHECKING:
    from audit.judging.plan import Outlook

_LEGEND = (
    "Seeds an arm, those already run included, for a chance of 80 % (90 %), if means and spread are as they "
    "are now: planned with the upper 80 % limit of the SD, at the level that the paper's other claims leave. "
    "More seeds by hand are a further look, which has less of the level; "
    "`audit run --until-settled --budget 30m` declares the looks."
)


@command(app, "plan")
def plan_command(names: Words = None, *, out: Path = Path("audit-report"), as_json: bool = False) -> int:
    """List the open claims by what it costs to settle them: seeds, and their time by the run records.

    Needs no data, no GPU and no torch. Exit code 0 whether claims are open or not, 2 for bad input.
    """
    from audit.judging.plan import cost, outlooks

    audits, some = list(_audits(names, out)), False
    if as_json:
        said = [_as_json(audit, where) for audit, where in audits]
        say(json.dumps(said, indent=1, ensure_ascii=False))
        return Exit.OK
    for audit, where in audits:
        open_claims = sorted(outlooks(audit), key=cost)  # the cheapest first
        _print(audit, where, open_claims)
        some = some or any(claim.seeds is not None for claim in open_claims)
    if some:
        say("\n".join(wrapped(_LEGEND)))
    return Exit.OK


def _audits(names: Sequence[str] | None, out: Path) -> Iterator[tuple[Audit, str]]:
    """The audits, and where each one stands."""
    for name in names or ():
        if name.endswith(".json"):
            yield read_sound(Path(name)), name
            continue
        (key,) = [paper.paper.key for paper in papers_of([name])]
        audits = [(read_sound(path), str(path)) for path in records_in(out)]
        if not any(audit.paper.key == key for audit, _ in audits):
            raise AuditError(f"{out}: no audit of {key} is there; `audit run {name}` makes one")
        yield from (of for of in audits if of[0].paper.key == key)
    if not names:
        yield from ((read_sound(path), str(path)) for path in records_in(out))


def _print(audit: Audit, where: str, open_claims: Sequence[Outlook]) -> None:
    from audit.judging.plan import RunTimes, sentence

    by_seeds = [claim for claim in open_claims if claim.seeds is not None]
    head = f"{audit.paper.key} ({where}): {len(open_claims)} of {counted(len(audit.claims), 'claim')}"
    say("\n".join(wrapped(f"{head} open, {len(by_seeds)} with a number of seeds")) + "\n")
    if by_seeds:
        rows: dict[tuple[str, ...], list[str]] = {}
        for claim in by_seeds:
            now = " and ".join(str(n) for n in dict.fromkeys(claim.seeds_now.values()))
            name, _, metric = claim.claim.partition(":")
            cells = (name, now, _needed(claim.reproduce), _needed(claim.contradict), sentence(claim))
            rows.setdefault(cells, []).append(metric)  # metrics with the same plan share a line
        heads = ("claim", "now", "reproduce", "contradict", "to settle it")
        say_table(heads, [(" ".join((name, *of)).rstrip(), *others) for (name, *others), of in rows.items()])
        runs: dict[str, int] = {}
        for claim in by_seeds:
            for name, number in claim.missing.items():
                runs[name] = max(number, runs.get(name, 0))
        time = RunTimes(audit.experiments).of(runs) or "time not known"
        shared = "all of these together, runs that they share counted once"
        say("\n".join(wrapped(f"{shared}: {sum(runs.values())} runs, {time}", 0, 2)) + "\n")
    hopeless: dict[str, list[str]] = {}
    for claim in open_claims:
        if claim.seeds is None:
            hopeless.setdefault(sentence(claim), []).append(claim.claim)
    for text, names in sorted(hopeless.items()):
        lines = wrapped(f"{counted(len(names), 'claim')}: {text}", 0, 2)
        say("\n".join([*lines, *wrapped(first_of(sorted(names), 3), 4)]))
    say("")


def _needed(needed: Any) -> str:
    """`6 (7)`: for 80 and for 90 %."""
    if needed.seeds_80 is None:
        return "–"
    return f"{needed.seeds_80} ({needed.seeds_90 if needed.seeds_90 is not None else '> 100'})"


def _as_json(audit: Audit, where: str) -> dict[str, Any]:
    from audit.judging.plan import settling

    claims = [{"claim": name, **asdict(found)} for name, found in settling(audit).items()]
    return {"paper": audit.paper.key, "record": where, "claims": len(audit.claims), "open": claims}
