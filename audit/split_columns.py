"""The split columns of a corpus, found in a store: which reports are of one corpus, and their study.

Every column has a plan of its own beside the run records (`audit.manifest`). The study is made of all
columns that have one, however many commands ran them, so that `audit run` and `audit judge` say the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from audit.claim import Paper
from audit.evidence import about_gone
from audit.manifest import KeptPlan, with_stored_runs
from audit.record import Audit, ExperimentRecord, Run, SplitStudy, canonical_json
from audit.split_study import split_study

_COLUMN = re.compile(r"(.+)@([0-9]{1,4})")

Columns = dict[int, dict[str, ExperimentRecord]]


@dataclass(frozen=True)
class ColumnPlans:
    """The kept plans of one corpus, the column of which most seeds were planned first."""

    report: str
    """Of the corpus: that of each column is `report@column`."""
    plans: Mapping[int, KeptPlan]


def column_of(report: str) -> tuple[str, int] | None:
    """Report of the corpus, and column; None for a report of no column.

    >>> column_of("wang2019-delicious@3"), column_of("wang2019-delicious")
    (('wang2019-delicious', 3), None)
    """
    match = _COLUMN.fullmatch(report)
    return (match[1], int(match[2])) if match else None


def grouped(plans: Iterable[KeptPlan]) -> dict[str, ColumnPlans]:
    """Report of a corpus -> its columns, two or more."""
    found: dict[str, dict[int, KeptPlan]] = {}
    for plan in plans:
        if (of := column_of(plan.report)) is not None:
            found.setdefault(of[0], {})[of[1]] = plan
    return {
        report: ColumnPlans(report, dict(sorted(held.items(), key=lambda it: (-_seeds(it[1]), it[0]))))
        for report, held in found.items()
        if len(held) > 1
    }


def _seeds(plan: KeptPlan) -> int:
    return max(map(len, plan.keys.values()), default=0)


def studies_of(
    paper: Paper, plans: Iterable[KeptPlan], runs: Sequence[Run], lost: Mapping[str, tuple[int, ...]]
) -> dict[str, SplitStudy]:
    """Report of a corpus with split columns -> the study of them; `lost` as in `audit.manifest`."""
    found = {report: study_of(paper, columns, runs, lost) for report, columns in grouped(plans).items()}
    return {report: study for report, study in found.items() if study is not None}


def study_of(
    paper: Paper, columns: ColumnPlans, runs: Sequence[Run], lost: Mapping[str, tuple[int, ...]]
) -> SplitStudy | None:
    """The study of all columns by their stored runs; None where fewer than two have any.

    What was run with other settings than on the first column, or is no run of the column, is left out; so is
    an experiment of which a run is gone, on all columns.
    """
    held: Columns = {}
    left_out: list[str] = []
    gone: set[str] = set()
    for column, plan in columns.plans.items():
        mine = with_stored_runs(plan, paper, runs, lost)
        left_out += [f"column {column}: {said}" for said in about_gone(mine.values())]
        gone |= {name for name, it in mine.items() if it.gone}
        held[column], why = _alike(column, mine, held)
        left_out += why
    held = {
        column: {name: it for name, it in mine.items() if name not in gone} for column, mine in held.items()
    }
    if sum(any(it.runs for it in mine.values()) for mine in held.values()) < 2:
        return None
    return split_study(
        paper,
        held,
        corpus=columns.report.removeprefix(f"{paper.paper.key}-"),
        command=" && ".join(dict.fromkeys(plan.command for plan in columns.plans.values())),
        fidelity=_passed(columns.plans.values()),
        left_out=left_out,
    )


def _passed(plans: Iterable[KeptPlan]) -> dict[str, bool]:
    """Model -> whether it passed all of its checks, beside every column."""
    checks = [check for plan in plans for check in plan.fidelity]
    return {
        model: all(it.passed for it in checks if it.model == model) for model in {it.model for it in checks}
    }


def with_splits(audit: Audit, report: str, studies: Mapping[str, SplitStudy]) -> Audit:
    """The audit of one column with the study of all of them; any other one as it is."""
    of = column_of(report)
    return audit if of is None else replace(audit, splits=studies.get(of[0]))


def _alike(
    column: int, mine: Mapping[str, ExperimentRecord], before: Columns
) -> tuple[dict[str, ExperimentRecord], list[str]]:
    """The experiments of one more column, without those that were run otherwise than on the others."""
    found, why = {}, []
    for name, record in mine.items():
        runs = tuple(run for run in record.runs if run.data.split_column == column)
        earlier = (held[name] for held in before.values() if name in held)
        first = next((run for it in earlier for run in it.runs), None)
        if runs and first is not None and _settings(runs[0]) != _settings(first):
            why.append(f"{name}: column {column} was run with other settings than the others.")
            runs = ()
        found[name] = replace(record, runs=runs)
    return found, why


def _settings(run: Run) -> str:
    """All that decides a run but its data and its seed."""
    spec = run.spec
    return canonical_json([spec.model, spec.config, spec.protocol, spec.precision, spec.revision, spec.code])
