"""Claims and experiments that rest on the very same runs: one of them tells of the runs, others lead to it.

A corpus that was run for several data sets of a paper gives each claim about one of them the same numbers.
That is one piece of evidence under several names: the claim about the corpus itself has the full entry, or
else the first, a primary one before others.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from audit.record import Audit, ClaimRecord, ExperimentRecord, Scope, Verdict, canonical_json

#: The paper's own data before others.
_NEAREST: tuple[Scope | None, ...] = ("same_data", "other_split", "other_data", None)
#: Kinds that are about a printed number, which each has for itself.
_PRINTED = ("value", "gap")
#: Kinds that are about the difference of two arms in one metric.
_OF_A_PAIR = ("order", "gap", "equivalent", "significant")


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


def comparison(claim: ClaimRecord, verdict: Verdict) -> str:
    """Two claims with this in common are one comparison, as the record counts them (`Share.once`).

    The same numbers and metric, whatever is asked about a difference of two; of one place nDCG and P are one
    number. Other kinds are told apart by kind, margin and what they compare, printed values by the number.
    """
    arms: list[Any] = [list(it) for it in verdict.values] or list(claim.experiments)
    if claim.kind in _OF_A_PAIR:
        return canonical_json([arms, _metric(claim)])
    printed = claim.printed if claim.kind == "value" else ()
    margin = claim.margin.value if claim.margin else None
    return canonical_json([claim.kind, arms, _metric(claim), margin, printed, claim.details])


def distinct(pairs: Iterable[tuple[ClaimRecord, Verdict]]) -> int:
    """How many different comparisons these claims are."""
    return len({(comparison(claim, it), it.outcome) for claim, it in pairs})


def _metric(claim: ClaimRecord) -> str:
    return "P@1" if claim.metric == "nDCG@1" else claim.metric


def _claims(audit: Audit) -> dict[str, str]:
    """Of claims about other data sets than the one that tells; a claim of which an arm was not run stays."""
    runs = {it.id: tuple(sorted(run.key for run in it.runs)) for it in audit.experiments}
    verdicts = {it.claim: it for it in audit.verdicts}
    groups: dict[str, list[tuple[ClaimRecord, Verdict]]] = {}
    for claim in audit.claims:
        it, arms = verdicts.get(claim.id), [runs.get(name, ()) for name in claim.experiments]
        if it is not None and it.scope is not None and it.reason != "not_run" and arms and all(arms):
            margin = claim.margin.value if claim.margin and claim.kind not in _PRINTED else None
            key = canonical_json([claim.kind, arms, _metric(claim), margin, claim.details])
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
