"""What the single test documents say of a comparison of two arms: beside its verdict, never deciding it.

The verdict is about this test set, on which only the seeds are random. Read with the document-wise results
that runs keep (`reimpl.hit_pattern`), the same difference can also be seen as one of a sample of documents:

    McNemar's exact test    for P@1, of each pair of seeds; then the mean difference, since documents of
                            several seeds are not more documents
    two estimands           on these documents, and on new ones of their kind
    paired bootstrap        over documents, one draw for all arms and seeds; copies of a text come together

Runs that did not keep their documents, and metrics that are of no single document, have none of it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from audit.errors import StoreError
from audit.judging.evidence import Arm, Evidence
from audit.kinds import KINDS
from audit.record import Audit, ClaimRecord, Estimate, ExperimentRecord, InstanceEvidence, SeedPair, Verdict
from audit.stats.documents import mcnemar, replicated_means
from audit.stats.sample import interval, sample, satterthwaite
from audit.storage.runs import Store
from reimpl.errors import ReimplError
from reimpl.hit_pattern import hit_pattern, is_kept, of_documents

REPLICATES = 2000
RNG_SEED = 0
#: More test documents are not drawn from: the normal interval is as good, and the draws take minutes.
MOST_DOCUMENTS = 50_000

Arrays = Mapping[str, NDArray[Any]]
Predictions = Callable[[str], Arrays | None]
_Key = tuple[str, str, tuple[int, ...]]  # Experiment, metric, seeds.


@dataclass(frozen=True)
class _Scores:
    """One arm of one claim: (seeds, N) percent of each document."""

    key: _Key
    values: NDArray[np.float64]
    documents: bytes  # Digest of their truth.
    copies: NDArray[Any] | None


def with_instances(audit: Audit, store: Store) -> Audit:
    """The audit with the evidence of all its comparisons whose runs kept their documents in `store`.

    Files that are gone or changed since are passed over: the verdicts do not rest on them.
    """

    def read(key: str) -> Arrays | None:
        with suppress(StoreError):
            return store.predictions(key)
        return None

    return replace(audit, instances=instance_evidence(audit, read))


def instance_evidence(audit: Audit, predictions: Predictions) -> dict[str, InstanceEvidence]:
    """Claim id -> its evidence; `predictions` gives what was kept beside the run with a key."""
    kept: dict[str, Arrays | None] = {}

    def read(key: str) -> Arrays | None:
        if key not in kept:
            kept[key] = _documents(predictions(key))
        return kept[key]

    found: dict[str, InstanceEvidence] = {}
    experiments = {it.id: it for it in audit.experiments}
    pairs = list(zip(audit.claims, audit.verdicts, strict=True))
    for metric in dict.fromkeys(claim.metric for claim, _ in pairs):  # one at a time, to hold one at a time
        mine = [(claim, verdict) for claim, verdict in pairs if claim.metric == metric]
        held = [(claim, _arms(claim, verdict, experiments, read)) for claim, verdict in mine]
        arms = {claim.id: it for claim, it in held if it}
        draws = _bootstrap([scores for both in arms.values() for scores in both])
        found |= {claim.id: _evidence(claim, *arms[claim.id], draws) for claim, _ in mine if claim.id in arms}
    return {claim.id: found[claim.id] for claim, _ in pairs if claim.id in found}


def _documents(arrays: Arrays | None) -> Arrays | None:
    """The arrays of single documents, made from lists and truth where both were kept (imported runs)."""
    if arrays is None or "hits" in arrays:
        kept = ("hits", "true_labels", "documents_sha256", "hits_format", "copies")
        return {name: arrays[name] for name in kept if name in arrays} if arrays else None
    with suppress(KeyError, ReimplError):
        return hit_pattern(arrays["ids"], (arrays["truth_offsets"], arrays["truth_labels"]))
    return None


def _arms(
    claim: ClaimRecord, verdict: Verdict, experiments: Mapping[str, ExperimentRecord], read: Predictions
) -> tuple[_Scores, _Scores] | None:
    """Both arms on the same documents, with the seeds that gave the verdict; None where there are none."""
    kind = KINDS.get(claim.kind)
    if kind is None or not kind.of_a_pair or len(verdict.seeds) != 2 or not is_kept(claim.metric):
        return None
    seeds = [set(it) for it in verdict.seeds]
    arms = [Evidence(experiments).arm(name, claim.metric) for name in claim.experiments]
    found = [_scores(arm, claim.metric, mine, read) for arm, mine in zip(arms, seeds, strict=True)]
    first, second = found
    if first is None or second is None or first.documents != second.documents:
        return None
    return first, second


def _scores(arm: Arm, metric: str, seeds: set[int], read: Predictions) -> _Scores | None:
    runs = [run for run in arm.runs if run.spec.seed in seeds]
    arrays = [read(run.key) for run in runs]
    if not runs or not all(arrays):
        return None
    held = [it for it in arrays if it]
    documents = {it["documents_sha256"].tobytes() for it in held}
    if len(documents) > 1:
        return None
    try:
        values = np.stack([of_documents(it, metric) for it in held])
    except (ReimplError, KeyError):
        return None
    copies = held[0].get("copies") if all("copies" in it for it in held) else None
    key = (arm.experiment, metric, tuple(run.spec.seed for run in runs))
    return _Scores(key, values, documents.pop(), copies)


# --------------------------------------------------------------------------- bootstrap


def _bootstrap(every: Sequence[_Scores]) -> dict[_Key, NDArray[np.float64]]:
    """Resampled means (replicates,) of each arm; all arms on the same documents share the draws."""
    groups: dict[tuple[bytes, str], dict[_Key, _Scores]] = {}
    for it in every:
        if it.values.shape[1] <= MOST_DOCUMENTS:
            groups.setdefault((it.documents, it.key[1]), {})[it.key] = it
    found: dict[_Key, NDArray[np.float64]] = {}
    for held in groups.values():
        means = replicated_means(
            [it.values for it in held.values()],
            rng=np.random.default_rng(RNG_SEED),
            replicates=REPLICATES,
            clusters=_clusters(list(held.values())),
        )
        found |= dict(zip(held, means.T, strict=True))
    return found


def _clusters(held: Sequence[_Scores]) -> NDArray[Any] | None:
    """Texts that differ in the words of any arm are different texts."""
    copies = [it.copies for it in held]
    if any(it is None for it in copies):
        return None
    return max((it for it in copies if it is not None), key=lambda it: len(np.unique(it)))


# --------------------------------------------------------------------------- one claim


def _evidence(
    claim: ClaimRecord,
    first: _Scores,
    second: _Scores,
    draws: Mapping[_Key, NDArray[np.float64]],
) -> InstanceEvidence:
    gaps = first.values.mean(axis=0) - second.values.mean(axis=0)
    difference, n = float(gaps.mean()), len(gaps)
    sd = float(gaps.std(ddof=1)) if n > 1 else 0.0
    these = _seed_noise(first, second)
    clusters = _clusters([first, second])
    drawn = first.key in draws and second.key in draws
    return InstanceEvidence(
        documents=n,
        texts=n if clusters is None else len(np.unique(clusters)),
        difference=difference,
        sd_documents=sd,
        these=_estimate(difference, these) if these else None,
        new=_estimate(difference, [*these, (sd * sd / n, float(n - 1))]) if these and n > 1 else None,
        bootstrap=_percentiles(draws[first.key] - draws[second.key]) if drawn else None,
        replicates=REPLICATES if drawn else 0,
        rng_seed=RNG_SEED,
        pairs=tuple(_pairs(first, second)) if claim.metric == "P@1" else (),
    )


def _seed_noise(first: _Scores, second: _Scores) -> list[tuple[float, float]] | None:
    """(variance of the mean, df) of each arm; None with one seed in an arm."""
    a, b = ([float(x) for x in it.values.mean(axis=1)] for it in (first, second))
    if min(len(a), len(b)) < 2:
        return None
    return [(it.variance / it.n, float(it.df)) for it in (sample(a), sample(b))]


def _estimate(difference: float, parts: Sequence[tuple[float, float]]) -> Estimate:
    se, df = math.sqrt(math.fsum(variance for variance, _ in parts)), satterthwaite(tuple(parts))
    return Estimate(se, None if math.isinf(df) else df, interval(difference, se, df, level=0.95))


def _percentiles(draws: NDArray[np.float64]) -> tuple[float, float]:
    low, high = np.quantile(draws, (0.025, 0.975))
    return float(low), float(high)


def _pairs(first: _Scores, second: _Scores) -> Iterator[SeedPair]:
    """The seeds of both arms in order, side by side."""
    for k, seeds in enumerate(zip(first.key[2], second.key[2], strict=False)):
        right, other = first.values[k] > 0.0, second.values[k] > 0.0
        b, c = int((right & ~other).sum()), int((~right & other).sum())
        yield SeedPair(seeds, b, c, mcnemar(b, c))
