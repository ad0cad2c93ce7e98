"""What single test documents say, from what runs keep beside their records: a description, never a verdict.
Of two arms: exact McNemar for P@1 of each pair of seeds, and their difference here and on new documents."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from audit.errors import StoreError
from audit.judging.evidence import Arm, Evidence
from audit.kinds import KINDS
from audit.record import Audit, Estimate, InstanceEvidence, SeedPair
from audit.stats.sample import error, interval, mcnemar, sample
from audit.storage.runs import Store
from reimpl.errors import ReimplError
from reimpl.metrics import hit_pattern, is_kept, of_documents

Arrays = Mapping[str, NDArray[Any]]
Predictions = Callable[[str], Arrays | None]


def with_instances(audit: Audit, store: Store) -> Audit:
    """The audit with the evidence of all its comparisons whose runs kept their documents in `store`."""

    def read(key: str) -> Arrays | None:
        with suppress(StoreError):  # gone or changed since: no verdict rests on it
            return store.predictions(key)
        return None

    return replace(audit, instances=instance_evidence(audit, read))


def instance_evidence(audit: Audit, predictions: Predictions) -> dict[str, InstanceEvidence]:
    """Claim id -> its evidence; `predictions` gives what was kept beside the run with a key."""

    @cache
    def read(key: str) -> Arrays | None:
        """The arrays of single documents, made from lists and truth where both were kept (imported runs)."""
        arrays = predictions(key)
        if not arrays or "hits" in arrays:
            kept = ("hits", "true_labels", "documents_sha256", "hits_format")
            return {name: arrays[name] for name in kept if name in arrays} if arrays else None
        with suppress(KeyError, ReimplError):
            return hit_pattern(arrays["ids"], (arrays["truth_offsets"], arrays["truth_labels"]))
        return None

    evidence, found = Evidence({record.id: record for record in audit.experiments}), {}
    for claim, verdict in zip(audit.claims, audit.verdicts, strict=True):
        kind = KINDS.get(claim.kind)
        if kind and kind.of_a_pair and is_kept(claim.metric) and len(verdict.seeds) == 2:
            arms = [evidence.arm(name, claim.metric) for name in claim.experiments]
            both = [_scores(arm, seeds, read) for arm, seeds in zip(arms, verdict.seeds, strict=True)]
            if (of := _evidence(claim.metric, verdict.seeds, *both)) is not None:
                found[claim.id] = of
    return found


def _scores(arm: Arm, seeds: Sequence[int], read: Predictions) -> list[Arrays]:
    """What the runs of these seeds kept; nothing where one did not, or was scored on other documents."""
    kept = [read(run.key) for run in arm.runs if run.spec.seed in seeds]
    there = [arrays for arrays in kept if arrays]
    return there if len(there) == len(kept) else []


def _evidence(
    metric: str, seeds: Sequence[Sequence[int]], *both: Sequence[Arrays]
) -> InstanceEvidence | None:
    documents = {arrays["documents_sha256"].tobytes() for arm in both for arrays in arm}
    if len(documents) != 1 or not all(both):
        return None
    try:  # (seeds, N) of each arm, in percent
        first, second = (np.stack([of_documents(arrays, metric) for arrays in arm]) for arm in both)
    except (ReimplError, KeyError):
        return None
    gaps = first.mean(axis=0) - second.mean(axis=0)
    difference, n = float(gaps.mean()), len(gaps)
    sd = float(gaps.std(ddof=1)) if n > 1 else 0.0
    over_seeds = [sample(arm.mean(axis=1).tolist()) for arm in (first, second)]
    several = min(arm.n for arm in over_seeds) > 1
    of_seeds = [(arm.variance / arm.n, arm.df) for arm in over_seeds]

    def estimate(*parts: tuple[float, float]) -> Estimate:
        se, df = error(*parts)
        return Estimate(se, None if math.isinf(df) else df, interval(difference, se, df))

    pairs = []  # the seeds of both arms in order, side by side: several seeds are not more documents
    for one, two, right, other in zip(*seeds, first > 0.0, second > 0.0, strict=False):
        if metric == "P@1":
            b, c = int((right & ~other).sum()), int((~right & other).sum())
            pairs.append(SeedPair((one, two), b, c, mcnemar(b, c)))
    return InstanceEvidence(
        documents=n,
        difference=difference,
        sd_documents=sd,
        these=estimate(*of_seeds) if several else None,
        new=estimate(*of_seeds, (sd * sd / n, n - 1.0)) if several and n > 1 else None,
        pairs=tuple(pairs),
    )
