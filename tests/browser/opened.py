"""An audit with all that only some have: readings, split columns, strata of labels, curves, six margins.

Its numbers are invented, and fit together only as far as the page looks at them.
"""

from __future__ import annotations

from dataclasses import replace

from audit.record import (
    Audit,
    ClaimRecord,
    ExperimentRecord,
    LabelStrata,
    Margin,
    OpenChoice,
    Outcome,
    Readings,
    ReadingVerdict,
    SplitStudy,
    SplitVerdict,
    StratumResult,
    Verdict,
)
from tests.reports import sample
from tests.reports.sample import NOISE

_OPEN = tuple(
    OpenChoice(name, f"Section 2.4 is silent about the {name.replace('_', ' ')}.", choices)
    for name, choices in (
        ("pooling_divisor", ("words of the document", "vocabulary")),
        ("hidden_loss", ("mean over components", "sum over components")),
        ("epochs", ("hundred", "fifty", "two hundred")),
        ("row_norm", ("as given", "unit length")),
        ("batch", ("of 256", "of 1024")),
    )
)
#: Estimate of the default reading and of each single departure from it; one stands far out.
_ESTIMATES = (75.9, 76.4, 74.8, 75.1, 10.33, 76.0)
_OUTCOMES: tuple[Outcome, ...] = ("reproduced", "contradicted", "inconclusive")
_NEAR = (0.5, 0.55, 0.6, 1.0, 1.5, 2.0)


def with_everything() -> Audit:
    """The study, its claims about one experiment under six of seven readings, on three split columns."""
    audit = sample.study()
    claims = tuple(
        replace(it, margin=it.margin and Margin(_NEAR[k % len(_NEAR)], "field", "usual"))
        for k, it in enumerate(audit.claims)
    )
    about = {it.id for it in claims if it.kind == "value" and it.experiments == ("kim_words",)}
    names = tuple(it.name for it in _OPEN)
    return replace(
        audit,
        claims=claims,
        verdicts=tuple(_read(it) if it.claim in about else it for it in audit.verdicts),
        readings=Readings("one_at_a_time", _OPEN, {"kim_words": names}),
        experiments=tuple(map(_with_curves, audit.experiments)),
        splits=_splits(claims),
        strata=tuple(_strata(it.id) for it in audit.experiments),
    )


def _read(verdict: Verdict) -> Verdict:
    departures = [{}, *({it.name: choice} for it in _OPEN for choice in it.choices[1:])]
    held = tuple(
        ReadingVerdict(
            reading,
            _OUTCOMES[k % 3],
            "straddles_margin",
            (3,),
            value,
            0.2,
            (value - 0.5, value + 0.5),
            (value - 0.8, value + 0.8) if value > 50 else (-6.7, 27.4),
        )
        for k, (reading, value) in enumerate(zip(departures, _ESTIMATES, strict=False))
    )
    return replace(
        verdict,
        outcome="inconclusive",
        reason="ambiguous_description",
        readings=held,
        readings_declared=len(departures),
    )


def _with_curves(experiment: ExperimentRecord) -> ExperimentRecord:
    """A loss that falls from 2.4 to 0.01 in a hundred epochs."""
    curve = tuple({"epoch": float(k), "loss": 2.4 / k**1.2} for k in range(1, 101))
    return replace(experiment, runs=tuple(replace(run, curve=curve) for run in experiment.runs))


def _splits(claims: tuple[ClaimRecord, ...]) -> SplitStudy:
    claim = next(it for it in claims if it.kind == "value" and it.experiments == ("kim_words",))
    judged = SplitVerdict("contradicted", "minimum_effect", 3, -7.83, 0.5, 0.14, 2.0, 1.0, 0.004)
    printed = replace(
        NOISE,
        metric=claim.metric,
        printed=claim.printed[0],
        claim=claim.id,
        as_one_split=replace(judged, outcome="inconclusive", reason="straddles_margin"),
        as_mean=judged,
    )
    other = replace(printed, experiment="kim_emb", printed=None, claim=None, as_one_split=None, as_mean=None)
    return SplitStudy(
        "chen2022",
        "eurlex",
        "audit run chen2022 --data-file /a/long/path/to/the/data/of/the/collection.txt.gz --columns 0-3",
        (other, printed),
        {"kim_words": ("a",), "kim_emb": ("b",)},
        failed=1,
    )


def _strata(experiment: str) -> LabelStrata:
    parts = (("head", 74, 50.3), ("torso", 213, 29.7), ("tail", 696, 20.0))
    return LabelStrata(
        experiment,
        5,
        "positives",
        3,
        tuple(StratumResult(name, n, 900, share, share / 2, 40.0, 22.64, 18.2) for name, n, share in parts),
    )
