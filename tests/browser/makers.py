"""Audits for the browser: one whose verdicts hang on their margins, by the comparator, and large ones."""

from __future__ import annotations

import zlib
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from audit.judging.verdicts import compare
from audit.record import (
    Audit,
    ClaimRecord,
    ExperimentRecord,
    FidelityCheck,
    Margin,
    PaperInfo,
    TableRecord,
    Verdict,
    Where,
)
from tests.records import make_experiment, make_run
from tests.reports import sample

#: Scores of five seeds an experiment.
RUNS: dict[str, tuple[float, ...]] = {
    "a": (78.6, 78.1, 78.9, 78.4, 78.7),
    "b": (76.8, 77.2, 76.5, 77.0, 76.9),
    "c": (70.1, 70.6, 70.2, 69.8, 70.4),
    "d": (77.9, 78.3, 78.2, 78.0, 78.4),
}
#: Of another model, which has not passed its checks.
UNVERIFIED = {"u": (60.2, 60.1, 60.4, 60.3, 60.2)}
MARGINS = (Margin(0.5, "field", "usual"), Margin(1.0, "lenient", "so that nobody can say it was strict"))


def hanging() -> Audit:
    """Twenty-two claims of every kind that has a margin in points, and some that have none."""
    experiments = [_experiment(name, values) for name, values in RUNS.items()]
    experiments += [replace(_experiment(name, values), model="other") for name, values in UNVERIFIED.items()]
    claims = tuple(_claims())
    checks = (
        FidelityCheck("xml_cnn", "layers", True, ""),
        FidelityCheck("other", "layers", False, "not yet"),
    )
    audit = Audit(
        PaperInfo("toy", "A paper whose verdicts hang on their margins"),
        (),
        tuple(experiments),
        claims,
        (),
        fidelity=checks,
    )
    return replace(audit, verdicts=judged(audit, claims))


def judged(audit: Audit, claims: Iterable[ClaimRecord]) -> tuple[Verdict, ...]:
    """The comparator's own verdicts, on the evidence of the record."""
    failed = {check.model for check in audit.fidelity if not check.passed}
    return compare(
        tuple(claims),
        {it.id: it for it in audit.experiments},
        fidelity={check.model: check.model not in failed for check in audit.fidelity},
        specifications=audit.readings,
    )


def at_margin(audit: Audit, claim: ClaimRecord, margin: float) -> Verdict:
    """Of one claim at another margin, taken alone."""
    (verdict,) = judged(audit, [replace(claim, margin=Margin(margin, "moved", ""))])
    return verdict


def _experiment(name: str, values: tuple[float, ...]) -> ExperimentRecord:
    return make_experiment(name, [make_run(k, x, key=f"{name}{k}") for k, x in enumerate(values)])


def _claims() -> Iterable[ClaimRecord]:
    printed = {
        "a": ("78.60", "79.30", "80.90"),
        "b": ("76.90", "78.20"),
        "c": ("70.20", "73.30"),
        "d": ("78.00",),
    }
    for name, numbers in printed.items():
        for k, number in enumerate(numbers):
            yield _claim(f"value-{name}{k}", "value", (name,), (number,), MARGINS[k % 2])
    yield _claim("value-u", "value", ("u",), ("64.00",), MARGINS[0])
    yield _claim("value-u-near", "value", ("u",), ("60.30",), MARGINS[0])
    for first, second, numbers in (
        ("a", "b", ("78.60", "76.81")),
        ("a", "c", ("78.60", "70.00")),
        ("a", "d", ("78.60", "78.00")),
    ):
        arms = (first, second)
        yield _claim(f"equivalent-{first}{second}", "equivalent", arms, (), MARGINS[0], primary=first == "a")
        yield _claim(
            f"no-loss-{first}{second}", "equivalent", arms[::-1], (), MARGINS[1], details={"no_loss": True}
        )
        yield _claim(f"gap-{first}{second}", "gap", arms, numbers, MARGINS[0])
        yield _claim(f"significant-{first}{second}", "significant", arms, numbers, MARGINS[0])
        yield _claim(f"order-{first}{second}", "order", arms, numbers, None)


def _claim(
    name: str, kind: str, arms: tuple[str, ...], printed: tuple[str, ...], margin: Margin | None, **more: Any
) -> ClaimRecord:
    return ClaimRecord(
        id=f"{name}:P@1",
        claim=name,
        kind=kind,
        says=f"What {name} says",
        metric="P@1",
        where=Where(section="4"),
        printed=printed,
        experiments=arms,
        dataset="toy" if kind == "value" else "toy two",
        margin=margin,
        **more,
    )


def large(copies: int) -> Audit:
    """Forty claims a copy, all but one judged and with a plot, ids of usual length; two tables a copy."""
    audit = sample.study()
    return replace(
        audit,
        claims=tuple(_renamed(claim, k) for k in range(copies) for claim in audit.claims),
        verdicts=tuple(replace(it, claim=_id(it.claim, k)) for k in range(copies) for it in audit.verdicts),
        tables=tuple(_table(table, k) for k in range(copies) for table in audit.tables),
    )


def _renamed(claim: ClaimRecord, k: int) -> ClaimRecord:
    cells = tuple(f"{k}-{address}" for address in claim.cells)
    return replace(claim, id=_id(claim.id, k), claim=_id(claim.id, k).rpartition(":")[0], cells=cells)


def _id(name: str, k: int) -> str:
    """The sample's ids are whole sentences; those of claim files have some twenty letters."""
    stem, _, metric = name.rpartition(":")
    return f"{k}-{stem[:14]}{zlib.crc32(stem.encode()) % 1000}:{metric}"


def _table(table: TableRecord, k: int) -> TableRecord:
    rows = tuple(
        replace(row, cells=tuple(replace(cell, address=f"{k}-{cell.address}") for cell in row.cells))
        for row in table.rows
    )
    return replace(table, id=f"{k}-{table.id}", rows=rows)
