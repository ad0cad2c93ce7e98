"""Claims and experiments that rest on the very same runs: one of them tells of the runs, others lead to it.

A corpus that was run for several data sets of a paper gives each claim about one of them the same numbers.
That is one piece of evidence under several names: the claim about the corpus itself has the full entry, or
else the first, a primary one before others.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from audit.record import (
    Audit,
    ClaimRecord,
    ExperimentRecord,
    Scope,
    Verdict,
    canonical_json,
    comparable_metric,
    comparison,
)

#: The paper's own data before others.
_NEAREST: tuple[Scope | None, ...] = ("same_data", "other_split", "other_data", None)
#: Kinds that are about a printed number, which each has for itself.
_PRINTED = ("value", "gap")


@dataclass(frozen=True)
class SameRuns:
    """Of what repeats others, and of nothing else."""

    claims: Mapping[str, str]
    """Id of a claim -> that of the claim whose entry tells of its runs."""
    experiments: Mapping[str, str]
    """Id of an experiment -> that of the experiment that has its runs on nearer data, or first."""

    def again(self, experiment: str) -> tuple[str, ...]:
        """The experiments for which the runs of this one stand too."""
        return tuple(name for name, first in self.experiments.items() if first == experiment)


def same_runs(audit: Audit) -> SameRuns:
    return SameRuns(_claims(audit), _experiments(audit))


def distinct(pairs: Iterable[tuple[ClaimRecord, Verdict]]) -> int:
    """How many different comparisons these claims are, as the record counts them (`Share.once`)."""
    return len({(comparison(claim, it), it.outcome) for claim, it in pairs})


def _claims(audit: Audit) -> dict[str, str]:
    """Of claims about other data sets than the one that tells; a claim of which an arm was not run stays."""
    runs = {it.id: tuple(sorted(run.key for run in it.runs)) for it in audit.experiments}
    verdicts = {it.claim: it for it in audit.verdicts}
    groups: dict[str, list[tuple[ClaimRecord, Verdict]]] = {}
    for claim in audit.claims:
        it, arms = verdicts.get(claim.id), [runs.get(name, ()) for name in claim.experiments]
        if it is not None and it.scope is not None and it.reason != "not_run" and arms and all(arms):
            margin = claim.margin.value if claim.margin and claim.kind not in _PRINTED else None
            key = canonical_json([claim.kind, arms, comparable_metric(claim), margin, claim.details])
            groups.setdefault(key, []).append((claim, it))
    found: dict[str, str] = {}
    for members in groups.values():
        first, _ = min(members, key=lambda pair: (_NEAREST.index(pair[1].scope), not pair[0].primary))
        found |= {
            claim.id: first.id
            for claim, it in members
            if it.scope == "other_data" and claim.dataset != first.dataset
        }
    return found


def _experiments(audit: Audit) -> dict[str, str]:
    groups: dict[tuple[str, ...], list[ExperimentRecord]] = {}
    for it in audit.experiments:
        if it.runs:
            groups.setdefault(tuple(sorted(run.key for run in it.runs)), []).append(it)
    found: dict[str, str] = {}
    for members in groups.values():
        first = min(members, key=lambda it: _NEAREST.index(it.scope))
        found |= {
            it.id: first.id for it in members if it.scope == "other_data" and it.dataset != first.dataset
        }
    return found
