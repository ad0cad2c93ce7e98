"""A printed number against runs of several split columns, under each reading of "the split".

A paper that does not say which split its number is about leaves two readings, and each has another noise:

    one run on one unknown split     x_1..x_n, one run a column, are draws as the paper's was: s of them,
                                     se = s / sqrt(n), se_pred = s sqrt(1/n + kappa^2), n - 1 df
    the mean over these very splits  n runs of the paper, one a column: only seeds differ, with s of k seeds
                                     on one column, se = s / sqrt(n), k - 1 df,
                                     se_pred = s sqrt((1 + kappa^2) / n)

The test is `audit.stats.value`, the margin that of the claim. Each verdict is taken alone at the full level.
That seeds scatter on every column as on the one that was run with several is assumed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from audit.evidence import BARS, barred
from audit.record import Audit, ClaimRecord, ExperimentRecord, SplitNoise, SplitVerdict
from audit.stats.decision import Decision
from audit.stats.printed import printed
from audit.stats.sample import sample
from audit.stats.target import KAPPA
from audit.stats.value import ValueTest, value


def with_split_verdicts(
    noise: SplitNoise, claim: ClaimRecord, *, bar: str | None, deterministic: bool = False
) -> SplitNoise:
    """`noise` with the claim's printed number judged under both readings.

    `bar` is the reason code for which the runs may contradict nothing, if any. `deterministic`: declared by
    the model.
    """
    noise = replace(noise, printed=claim.printed[0], claim=claim.id)
    several = len(noise.columns) > 1
    return replace(
        noise,
        as_one_split=_verdict(noise, claim, _as_one_split(noise, claim), None, bar),
        as_mean=_verdict(noise, claim, *_as_mean(noise, claim, deterministic), bar) if several else None,
    )


def stand(audit: Audit) -> bool:
    """Whether the verdicts of the audit's split columns are those that its own numbers and claims give."""
    claims = {claim.id: claim for claim in audit.claims}
    held = audit.splits.noise if audit.splits else ()
    return all(_stands(it, claims.get(it.claim), audit) for it in held if it.claim)


def _stands(noise: SplitNoise, claim: ClaimRecord | None, audit: Audit) -> bool:
    """Another column may lack what this one has, so that nothing is contradicted; never less."""
    if claim is None or not claim.printed:
        return False
    records = [it for it in audit.experiments if it.id == noise.experiment]
    fidelity: dict[str, bool] = {}
    for check in audit.fidelity:
        fidelity[check.model] = fidelity.get(check.model, True) and check.passed
    bar = bar_of(records, fidelity, noise.readings_declared)
    ways = BARS if bar else (None, *BARS)
    still = any(it.deterministic for it in records)
    return any(with_split_verdicts(noise, claim, bar=way, deterministic=still) == noise for way in ways)


def bar_of(records: Iterable[ExperimentRecord], fidelity: Mapping[str, bool], readings: int) -> str | None:
    """Reason code for which runs of these records, under one of so many readings, contradict nothing."""
    return barred(records, fidelity) or ("some_readings" if readings > 1 else None)


def _margin(claim: ClaimRecord) -> float:
    return claim.margin.value if claim.margin else 0.0


def _as_one_split(noise: SplitNoise, claim: ClaimRecord) -> ValueTest:
    """Equal columns are no sign of a deterministic run: that says nothing of splits."""
    reported, margin = printed(claim.printed[0]), _margin(claim)
    return value(noise.values, reported=reported, margin=margin, paper_runs=1, paper_sd_ratio=KAPPA)


def _as_mean(noise: SplitNoise, claim: ClaimRecord, deterministic: bool) -> tuple[ValueTest, str | None]:
    """The test, and the reason why it may not decide."""
    seeds, n = noise.seed_values, len(noise.columns)
    spread = sample(seeds).sd if seeds else None
    reported, margin = printed(claim.printed[0]), _margin(claim)
    if (deterministic and len(set(seeds)) == 1) or (
        claim.deterministic and spread == 0.0
    ):  # whoever runs the columns again has this mean again
        again = [noise.mean] * 2
        return value(again, reported=reported, margin=margin, deterministic=True), None
    own = (spread, len(seeds) - 1.0) if spread and len(seeds) > 3 else None
    test = value(
        noise.values, reported=reported, margin=margin, paper_runs=n, paper_sd_ratio=KAPPA, noise=own
    )
    return test, None if own else _why_unusable(seeds, spread)


def _why_unusable(seeds: Sequence[float], spread: float | None) -> str:
    """An SD of fewer than four seeds does not judge what it was not measured on."""
    if len(seeds) < 2:
        return "no_variance_estimate"
    return "too_few_seeds" if len(seeds) < 4 else "no_spread"


def _verdict(
    noise: SplitNoise, claim: ClaimRecord, test: ValueTest, cap: str | None, bar: str | None
) -> SplitVerdict:
    plain = SplitVerdict(
        outcome="inconclusive",
        reason="no_margin",
        n=len(noise.columns),
        difference=test.difference,
        margin=claim.margin.value if claim.margin else None,
    )
    if not _margin(claim):
        return plain
    if cap is not None:
        return replace(plain, reason=cap)
    decision = test.decide()
    if decision.outcome == "contradicted" and bar:
        decision = Decision("inconclusive", bar)
    return replace(
        plain,
        outcome=decision.outcome,
        reason=decision.reason,
        se=test.se,
        df=test.df,
        p_reproduced=test.p_reproduced,
        p_contradicted=test.p_contradicted,
    )
