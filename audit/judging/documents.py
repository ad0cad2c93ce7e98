"""What single test documents say, from what runs keep beside their records: a description, never a verdict.

The verdict is about this test set, on which only the seeds are random. Of a comparison of two arms the same
difference can also be seen as one of a sample of documents:

    McNemar's exact test    for P@1, of each pair of seeds; then the mean difference, since documents of
                            several seeds are not more documents
    two estimands           on these documents, and on new ones of their kind
    paired bootstrap        over documents, one draw for all arms and seeds; copies of a text come together

Of one experiment: what it gets right of frequent and of rare labels (`reimpl.data.strata`) among the first k.
Runs that did not keep their documents, and metrics that are of no single document, have none of it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from audit.errors import StoreError
from audit.judging.evidence import Arm, Evidence
from audit.kinds import KINDS
from audit.record import (
    Audit,
    Estimate,
    ExperimentRecord,
    InstanceEvidence,
    LabelStrata,
    SeedPair,
    StratumResult,
)
from audit.stats.documents import mcnemar, replicated_means
from audit.stats.sample import error, interval, sample
from audit.storage.runs import Store
from reimpl.data.strata import by_share, scores_of_hits
from reimpl.errors import ReimplError
from reimpl.metrics import hit_pattern, is_kept, of_documents

REPLICATES = 2000
RNG_SEED = 0
#: More test documents are not drawn from: the normal interval is as good, and the draws take minutes.
MOST_DOCUMENTS = 50_000
#: The cut at which strata are scored; fewer where the lists are shorter.
K = 5

Arrays = Mapping[str, NDArray[Any]]
Predictions = Callable[[str], Arrays | None]
_KEPT = ("hits", "true_labels", "documents_sha256", "hits_format", "copies")


def with_predictions(audit: Audit, store: Store) -> Audit:
    """The audit with all that the predictions in `store` say beside its verdicts: documents, and strata."""
    return with_strata(with_instances(audit, store), store)


def with_instances(audit: Audit, store: Store) -> Audit:
    """The audit with the evidence of all its comparisons whose runs kept their documents in `store`.

    Files that are gone or changed since are passed over: no verdict rests on them.
    """
    return replace(audit, instances=instance_evidence(audit, _reader(store)))


def with_strata(audit: Audit, store: Store) -> Audit:
    """The audit with the strata of all experiments whose runs kept their labels in `store`."""
    found = (label_strata(record, _reader(store)) for record in audit.experiments)
    return replace(audit, strata=tuple(strata for strata in found if strata is not None))


def _reader(store: Store) -> Predictions:
    def read(key: str) -> Arrays | None:
        with suppress(StoreError):
            return store.predictions(key)
        return None

    return read


@dataclass(frozen=True)
class _Scores:
    """One arm of one claim: (seeds, N) percent of each document."""

    experiment: str
    seeds: tuple[int, ...]
    values: NDArray[np.float64]
    documents: bytes  # Digest of their truth.
    copies: NDArray[Any] | None

    @property
    def key(self) -> tuple[str, tuple[int, ...]]:
        return self.experiment, self.seeds


def instance_evidence(audit: Audit, predictions: Predictions) -> dict[str, InstanceEvidence]:
    """Claim id -> its evidence; `predictions` gives what was kept beside the run with a key."""

    @cache
    def read(key: str) -> Arrays | None:
        """The arrays of single documents, made from lists and truth where both were kept (imported runs)."""
        arrays = predictions(key)
        if not arrays or "hits" in arrays:
            return {name: arrays[name] for name in _KEPT if name in arrays} if arrays else None
        with suppress(KeyError, ReimplError):
            return hit_pattern(arrays["ids"], (arrays["truth_offsets"], arrays["truth_labels"]))
        return None

    evidence = Evidence({record.id: record for record in audit.experiments})
    found: dict[str, InstanceEvidence] = {}
    metrics = dict.fromkeys(claim.metric for claim in audit.claims)
    for metric in filter(is_kept, metrics):  # one at a time, to hold one at a time
        arms: dict[str, list[_Scores]] = {}
        for claim, verdict in zip(audit.claims, audit.verdicts, strict=True):
            kind = KINDS.get(claim.kind)
            if claim.metric == metric and kind and kind.of_a_pair and len(verdict.seeds) == 2:
                both = zip(claim.experiments, verdict.seeds, strict=True)
                scores = [_scores(evidence.arm(name, metric), metric, seeds, read) for name, seeds in both]
                there = [score for score in scores if score is not None]
                if len(there) == 2 and there[0].documents == there[1].documents:
                    arms[claim.id] = there
        draws = _bootstrap([scores for both in arms.values() for scores in both])
        found |= {name: _evidence(metric, first, second, draws) for name, (first, second) in arms.items()}
    return {claim.id: found[claim.id] for claim in audit.claims if claim.id in found}


def _scores(arm: Arm, metric: str, seeds: Sequence[int], read: Predictions) -> _Scores | None:
    """With the seeds that gave the verdict; None where one of their runs did not keep its documents."""
    runs = [run for run in arm.runs if run.spec.seed in seeds]
    kept = [arrays for run in runs if (arrays := read(run.key))]
    documents = {arrays["documents_sha256"].tobytes() for arrays in kept}
    if len(kept) < len(runs) or len(documents) != 1:
        return None
    with suppress(ReimplError, KeyError):
        values = np.stack([of_documents(arrays, metric) for arrays in kept])
        copies = kept[0].get("copies") if all("copies" in arrays for arrays in kept) else None
        return _Scores(arm.experiment, tuple(r.spec.seed for r in runs), values, documents.pop(), copies)
    return None


def _bootstrap(every: Sequence[_Scores]) -> dict[Any, NDArray[np.float64]]:
    """Resampled means (replicates,) of each arm; all arms on the same documents share the draws."""
    groups: dict[bytes, dict[Any, _Scores]] = {}
    for scores in every:
        if scores.values.shape[1] <= MOST_DOCUMENTS:
            groups.setdefault(scores.documents, {})[scores.key] = scores
    found: dict[Any, NDArray[np.float64]] = {}
    for group in groups.values():
        arms, rng = list(group.values()), np.random.default_rng(RNG_SEED)
        values, clusters = [arm.values for arm in arms], _clusters(arms)
        means = replicated_means(values, rng=rng, replicates=REPLICATES, clusters=clusters)
        found |= dict(zip(group, means.T, strict=True))
    return found


def _clusters(arms: Sequence[_Scores]) -> NDArray[Any] | None:
    """Texts that differ in the words of any arm are different texts."""
    copies = [arm.copies for arm in arms if arm.copies is not None]
    return max(copies, key=lambda ids: len(np.unique(ids))) if len(copies) == len(arms) else None


def _evidence(metric: str, first: _Scores, second: _Scores, draws: Mapping[Any, Any]) -> InstanceEvidence:
    gaps = first.values.mean(axis=0) - second.values.mean(axis=0)
    difference, n, clusters = float(gaps.mean()), len(gaps), _clusters([first, second])
    sd = float(gaps.std(ddof=1)) if n > 1 else 0.0
    over_seeds = [sample(arm.values.mean(axis=1).tolist()) for arm in (first, second)]
    several = min(arm.n for arm in over_seeds) > 1
    of_seeds = [(arm.variance / arm.n, arm.df) for arm in over_seeds]
    drawn = first.key in draws and second.key in draws
    apart = draws[first.key] - draws[second.key] if drawn else gaps
    low, high = map(float, np.quantile(apart, (0.025, 0.975)))

    def estimate(*parts: tuple[float, float]) -> Estimate:
        se, df = error(*parts)
        return Estimate(se, None if df == float("inf") else df, interval(difference, se, df))

    pairs = []  # the seeds of both arms in order, side by side
    rows = zip(first.seeds, second.seeds, first.values > 0.0, second.values > 0.0, strict=False)
    for one, two, right, other in rows if metric == "P@1" else ():
        b, c = int((right & ~other).sum()), int((~right & other).sum())
        pairs.append(SeedPair((one, two), b, c, mcnemar(b, c)))
    return InstanceEvidence(
        documents=n,
        texts=n if clusters is None else len(np.unique(clusters)),
        difference=difference,
        sd_documents=sd,
        these=estimate(*of_seeds) if several else None,
        new=estimate(*of_seeds, (sd * sd / n, n - 1.0)) if several and n > 1 else None,
        bootstrap=(low, high) if drawn else None,
        replicates=REPLICATES if drawn else 0,
        rng_seed=RNG_SEED,
        pairs=tuple(pairs),
    )


def label_strata(experiment: ExperimentRecord, predictions: Predictions) -> LabelStrata | None:
    """The strata of one experiment, means over its runs; None where none kept what it takes."""
    rule, runs = "", []
    for run in experiment.runs:
        arrays = predictions(run.key) if run.status == "done" and not run.imported else None
        with suppress(KeyError, ReimplError, ValueError):
            if arrays is not None:
                strata = by_share(arrays["label_train"])
                k, rule = min(K, int(arrays["hits_format"][1])), strata.rule
                hits = arrays["ids"], arrays["hits"], arrays["label_test"]
                runs.append(scores_of_hits(*hits, strata, k=k))
    alike = {tuple((score.k, score.labels, score.true) for score in scores) for scores in runs}
    if len(alike) != 1:
        return None
    positives, results = sum(score.true for score in runs[0]), []
    for scores in zip(*runs, strict=True):
        first = scores[0]
        means: dict[str, Any] = {}
        for name in ("share_of_precision", "precision", "recall", "macro_f1"):
            # over the runs in which there was something to divide by
            values = [value for score in scores if (value := getattr(score, name)) is not None]
            means[name] = sum(values) / len(values) if values else None
        share = 100 * first.true / positives if positives else 0.0
        means["share_of_precision"] = means["share_of_precision"] or 0.0
        results.append(StratumResult(first.name, first.labels, first.true, share, **means))
    return LabelStrata(experiment.id, runs[0][0].k, rule, len(runs), tuple(results))
