"""Audits to draw: one as rich as a real one, and one that is small enough to read as HTML.

The numbers are invented, but consistent: intervals, p-values and margin bands follow from the seeds by
the formulas of a t interval, so that the plots show what the words say. These tests are about showing
verdicts, not about reaching them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from scipy import stats

from audit.record import (
    Audit,
    Cell,
    ClaimRecord,
    Column,
    DataInfo,
    Deviation,
    ExperimentRecord,
    FidelityCheck,
    Finding,
    Margin,
    Outcome,
    PaperInfo,
    Row,
    Run,
    RunSpec,
    Scope,
    SplitNoise,
    TableRecord,
    Verdict,
    Where,
)

METRICS = ("P@1", "P@3", "P@5")
#: id -> title, printed cells, distance of our mean from them, spread of our seeds
TABLE_4: dict[str, tuple[str, tuple[str, ...], float, float]] = {
    "kim_emb": ("Kim-CNN, embeddings", ("45.38", "34.02", "27.72"), 0.35, 0.9),
    "kim_words": ("Kim-CNN, words", ("75.83", "61.08", "50.19"), -0.05, 0.06),
    "xml_emb_eq7": ("XML-CNN, embeddings, Eq. (7)", ("75.96", "60.56", "49.23"), -2.2, 0.15),
    "xml_words_eq7": ("XML-CNN, words, Eq. (7)", ("58.09", "45.19", "37.06"), -1.1, 0.8),
    "xml_emb_eq6": ("XML-CNN, embeddings, Eq. (6)", ("63.03", "48.31", "39.32"), 0.42, 0.12),
    "xml_words_eq6": ("XML-CNN, words, Eq. (6)", ("75.73", "61.82", "50.82"), 0.08, 0.07),
}
#: One shape of three seeds with mean 0 and standard deviation 1.
SHAPE = (-1.0477, 0.1070, 0.9407)
MARGIN = Margin(0.5, "field", "usual for fewer than 10,000 test documents")


def study(scope: Scope = "same_data") -> Audit:
    """Six experiments of three seeds, some forty verdicts of every reason, two tables, findings."""
    experiments = tuple(_experiment(key, scope) for key in TABLE_4)
    claims, verdicts = _judged(experiments, scope)
    return Audit(
        paper=PaperInfo(
            key="chen2022",
            title="Even the Simplest Baseline Needs Careful Re-investigation: A Case Study on XML-CNN",
            authors=("Si-An Chen", "Jie-Jyun Liu", "Tsung-Han Yang", "Hsuan-Tien Lin", "Chih-Jen Lin"),
            venue="NAACL",
            year=2022,
            url="https://aclanthology.org/2022.naacl-main.145",
            code_url="https://github.com/sian-chen/xml-cnn-study-code",
            code_commit="2051eda",
        ),
        tables=(_table_4(), _table_8()),
        experiments=(*experiments, NOT_RUN),
        claims=claims,
        verdicts=verdicts,
        findings=FINDINGS,
        fidelity=FIDELITY,
        margins_hash="5d41402abc4b2a76b9719d911017c592",
        command="audit run claims/chen2022.yaml --data eurlex-4k --seeds 3 --device cuda",
        tool_version="0.1.0",
        created="2026-03-01T12:30:11.250000+00:00",
        not_checked=(
            "Tables 1, 2, 6, 7 and 9 to 15 of the paper are not in the claim file.",
            "The claim of section 3.4 about average pooling has no experiment yet.",
        ),
    )


def tiny() -> Audit:
    """One reproduced value of one experiment with three seeds, one of them without a result."""
    seeds = (75.1, 75.3, None)
    runs = tuple(
        _run("kim_words", k, {} if v is None else {"P@1": v}, "same_data") for k, v in enumerate(seeds)
    )
    experiment = replace(
        _experiment("kim_words", "same_data"),
        variant="chen2022-kim-words",
        runs=runs,
        deviations=DEVIATIONS[:1],
    )
    column = Column("P@1", "P@1", "P@1", "eurlex")
    row = Row("kim_words", "Kim-CNN, words", (Cell("t4.kim_words.P@1", "75.83", "own_run", "kim_words"),))
    claim = ClaimRecord(
        id="kim-words:P@1",
        claim="kim-words",
        kind="value",
        says="Kim-CNN over words reaches 75.83",
        metric="P@1",
        where=Where("3.2", 1991, "Table 4"),
        primary=True,
        cells=("t4.kim_words.P@1",),
        printed=("75.83",),
        experiments=("kim_words",),
        dataset="eurlex",
        margin=MARGIN,
    )
    verdict = Verdict(
        claim=claim.id,
        outcome="inconclusive",
        reason="too_few_seeds",
        scope="same_data",
        n=(2,),
        attempts=(3,),
        values=((75.1, 75.3),),
        seeds=((0, 1),),
        estimate=75.2,
        target=75.83,
        margin=0.5,
        sd=0.1414,
        se=0.1,
        df=1.0,
        ci90=(74.5686, 75.8314),
        ci95=(73.9294, 76.4706),
        pi95=(72.9993, 77.4007),
        p_reproduced=0.789,
        p_contradicted=0.726,
        margin_reproduced_from=1.2664,
        margin_contradicted_up_to=0.0,
        badges=("2 of 3 seeds",),
    )
    return Audit(
        paper=PaperInfo(key="chen2022", title="A Case Study on XML-CNN", authors=("A. Author",), year=2022),
        tables=(TableRecord("t4", "Table 4", "P@k on EUR-Lex", (column,), (row,), 1992),),
        experiments=(experiment,),
        claims=(claim,),
        verdicts=(verdict,),
        fidelity=FIDELITY[:1],
        margins_hash="5d41402abc4b2a76b9719d911017c592",
        command="audit run claims/chen2022.yaml --seeds 3",
        tool_version="0.1.0",
        created="2026-03-01T12:30:11+00:00",
    )


def empty() -> Audit:
    """An audit of a paper about which nothing was claimed or run."""
    return Audit(PaperInfo("none", "A paper"), tables=(), experiments=(), claims=(), verdicts=())


def untested() -> Audit:
    """Every claim of the tiny audit, and no run."""
    whole = tiny()
    why = "No run is on record; run the command below."
    experiments = tuple(replace(e, runs=(), not_run=why) for e in whole.experiments)
    verdicts = tuple(Verdict(claim=c.id, outcome="inconclusive", reason="not_run") for c in whole.claims)
    return replace(whole, experiments=experiments, verdicts=verdicts, created="")


# --------------------------------------------------------------------------- runs and experiments


def _experiment(key: str, scope: Scope) -> ExperimentRecord:
    title, printed, shift, spread = TABLE_4[key]
    printed_points = [float(text) for text in printed]
    if scope == "other_data":  # a corpus on which the same pattern shows at another level
        printed_points = [20 + 0.8 * value for value in printed_points]
    seeds = [
        {m: v + shift + spread * unit for m, v in zip(METRICS, printed_points, strict=True)} for unit in SHAPE
    ]
    if key == "xml_words_eq7":
        seeds.append({})
    return ExperimentRecord(
        id=key,
        title=title,
        model="xml_cnn",
        variant=f"chen2022-{key}",
        dataset="eurlex",
        protocol="chen2022",
        config={"sweep": "words" if "words" in key else "embeddings"},
        runs=tuple(_run(key, k, metrics, scope) for k, metrics in enumerate(seeds)),
        scope=scope,
        deviations=DEVIATIONS if key == "xml_emb_eq7" else DEVIATIONS[:3],
    )


def _run(key: str, seed: int, metrics: dict[str, float], scope: Scope) -> Run:
    spec = RunSpec(
        model="xml_cnn",
        variant=f"chen2022-{key}",
        config={"row": key},
        protocol={"epochs": 50, "batch": 256},
        data="9f86d081884c7d65" if scope == "same_data" else "2c26b46b68ffc68f",
        seed=seed,
    )
    data = DataInfo("eurlex-4k", "9f86d081884c7d659a2feaa0c55ad015", "study2022", 15449, 3865, 3956)
    stand_in = DataInfo("synthetic", "2c26b46b68ffc68ff99b453c1d304134", "topics-1", 2000, 500, 120)
    return Run(
        key=spec.key,
        spec=spec,
        status="done" if metrics else "failed",
        data=stand_in if scope == "other_data" else data,
        metrics=metrics,
        reason=None if metrics else "loss became NaN in epoch 3",
        seconds=131.4 + 3 * seed,
        peak_memory_bytes=2_415_919_104,
        parameters=8_203_124,
        device="cpu" if scope == "other_data" else "cuda: NVIDIA H100",
        threads=2 if scope == "other_data" else None,
        versions={"python": "3.11.9", "torch": "2.13.0", "numpy": "2.4.6"},
        commit="0123456789abcdef",
        dirty=False,
        margins={"chen2022": "5d41402abc4b2a76b9719d911017c592"},
    )


NOT_RUN = ExperimentRecord(
    id="liu_mimic_all",
    title="Mimic of the public code, all words",
    model="xml_cnn",
    variant="chen2022-liu-mimic",
    dataset="eurlex",
    protocol="chen2022",
    config={},
    not_run="The unreduced vocabulary needs the raw text, which the given folder does not hold.",
)

DEVIATIONS = (
    Deviation("Epochs", "50", "8", "CPU-sized protocol", code="50, best by test P@1 kept"),
    Deviation(
        "Checkpoint", "last epoch", "last epoch", "as the paper says", code="best by P@1 on the test set"
    ),
    Deviation("Word vectors", "GloVe 6B 300d", "random, 64d", "no vectors given", code="GloVe 6B 300d"),
    Deviation("Second dropout", "0.5", "0.25", "as the public code's own file", code="0.25 in this row only"),
)

FIDELITY = (
    FidelityCheck("xml_cnn", "feature sizes", True, "14,176; 56,704; 95,104; 1,536"),
    FidelityCheck("xml_cnn", "reference vectors", True, "9 of 9 cases of the public code"),
    FidelityCheck("xml_cnn", "layers against naive loops", True, "convolution, Eq. (6), Eq. (7)"),
    FidelityCheck("xml_cnn", "hand examples", True, "P@k, nDCG@k, PSP@k"),
)

FINDINGS = (
    Finding(
        "granularity",
        "consistent",
        ("t4.kim_words.P@1",),
        "75.83 % of 3,865 documents is 2,931 documents, rounded.",
    ),
    Finding(
        "granularity",
        "inconsistent",
        ("t8.liu.P@1",),
        "No whole number of 3,809 documents gives 76.38 % by rounding.",
        alternatives=("another test size", "a mean of several runs", "truncation instead of rounding"),
    ),
)


# --------------------------------------------------------------------------- tables


def _columns() -> tuple[Column, ...]:
    return tuple(Column(m, m, m, "eurlex") for m in METRICS)


def _table_4() -> TableRecord:
    rows = tuple(
        Row(
            key,
            title,
            tuple(Cell(f"t4.{key}.{m}", v, "own_run", key) for m, v in zip(METRICS, values, strict=True)),
        )
        for key, (title, values, *_) in TABLE_4.items()
    )
    caption = "P@k on EUR-Lex for two sweeping directions and two ways of pooling"
    return TableRecord("t4", "Table 4", caption, _columns(), rows, 1992)


def _table_8() -> TableRecord:
    copied = ("76.38", "62.81", "51.41")
    own: tuple[str | None, ...] = ("74.05", "59.61", None)
    rows = (
        Row(
            "liu",
            "Reported in Liu et al. (2017)",
            tuple(
                Cell(f"t8.liu.{m}", v, "copied", None, "liu2017")
                for m, v in zip(METRICS, copied, strict=True)
            ),
        ),
        Row(
            "mimic_all",
            "Code mimicking the public code, all words",
            tuple(
                Cell(f"t8.mimic_all.{m}", v, "own_run", "liu_mimic_all")
                for m, v in zip(METRICS, own, strict=True)
            ),
        ),
    )
    return TableRecord("t8", "Table 8", "Checks of the public code, P@k", _columns(), rows, 1997)


# --------------------------------------------------------------------------- claims and verdicts


def _judged(
    experiments: Sequence[ExperimentRecord], scope: Scope
) -> tuple[tuple[ClaimRecord, ...], tuple[Verdict, ...]]:
    by_id = {experiment.id: experiment for experiment in experiments}
    pairs = []
    for says, better, worse, primary in ORDERS:
        pairs += [_order(says, by_id[better], by_id[worse], metric, primary) for metric in METRICS]
    for key in TABLE_4:
        pairs += [_value(by_id[key], metric, scope) for metric in METRICS]
    pairs += [_equivalent(by_id["xml_emb_eq7"], by_id["kim_words"], metric) for metric in METRICS]
    pairs += _others(by_id, scope)
    return tuple(claim for claim, _ in pairs), tuple(verdict for _, verdict in pairs)


ORDERS = (
    ("Kim-CNN is dramatically worse when it sweeps embeddings", "kim_words", "kim_emb", True),
    ("XML-CNN deteriorates when words are swept with Eq. (7)", "xml_words_eq6", "xml_words_eq7", True),
    ("The two oddities together beat the procedure of the paper", "xml_emb_eq7", "xml_words_eq6", True),
    ("XML-CNN as described is ahead of Kim-CNN", "xml_words_eq6", "kim_words", False),
)


def _claim(
    slug: str, kind: str, says: str, metric: str, arms: Sequence[ExperimentRecord], **more: Any
) -> ClaimRecord:
    """A claim about the cells of Table 4 of these experiments."""
    return ClaimRecord(
        id=f"{slug.replace('_', '-')}:{metric}",
        claim=slug,
        kind=kind,
        says=says,
        metric=metric,
        where=more.pop("where", Where("3.2", 1991)),
        cells=tuple(f"t4.{e.id}.{metric}" for e in arms),
        printed=tuple(TABLE_4[e.id][1][METRICS.index(metric)] for e in arms),
        experiments=tuple(e.id for e in arms),
        dataset="eurlex",
        **more,
    )


def _value(e: ExperimentRecord, metric: str, scope: Scope) -> tuple[ClaimRecord, Verdict]:
    printed = TABLE_4[e.id][1][METRICS.index(metric)]
    where, says = Where(None, 1992, "Table 4"), f"{e.title} scores {printed}"
    claim = _claim(f"{e.id}-value", "value", says, metric, (e,), where=where, margin=MARGIN)
    x = [run.metrics[metric] for run in e.runs if run.status == "done"]
    n, mean, s, v, half = len(x), sum(x) / len(x), sd(x), float(printed), 0.005
    d, se, wide = mean - v, s / math.sqrt(n), s * math.sqrt(1 / n + 1)
    t90, t95 = t(0.95, n - 1), t(0.975, n - 1)
    p_rep = float(stats.t.sf((0.5 - half - abs(d)) / se, n - 1))
    p_con = min(1.0, 2 * float(stats.t.sf((abs(d) - 0.5 - half) / wide, n - 1)))
    outcome, reason = _value_outcome(p_rep, p_con, abs(d) <= t95 * wide)
    verdict = Verdict(
        claim=claim.id,
        outcome=outcome,
        reason=reason,
        scope=scope,
        n=(n,),
        attempts=(len(e.runs),),
        values=(tuple(x),),
        seeds=(tuple(range(n)),),
        estimate=mean,
        target=v,
        margin=0.5,
        sd=s,
        se=se,
        df=n - 1.0,
        ci90=(mean - t90 * se, mean + t90 * se),
        ci95=(mean - t95 * se, mean + t95 * se),
        pi95=(mean - t95 * wide, mean + t95 * wide),
        badges=("3 of 4 seeds",) if len(e.runs) > n else (),
    )
    if scope == "other_data":
        # the runs are shown, but p-values and margins against a number of other data would mean nothing
        return claim, replace(verdict, outcome="inconclusive", reason="other_data")
    return claim, replace(
        verdict,
        p_reproduced=p_rep,
        p_contradicted=p_con,
        p_reproduced_adjusted=min(1.0, 1.4 * p_rep),
        p_contradicted_adjusted=min(1.0, 1.2 * p_con),
        margin_reproduced_from=abs(d) + t90 * se + half,
        margin_contradicted_up_to=max(0.0, abs(d) - t95 * wide - half),
    )


def _value_outcome(p_rep: float, p_con: float, lucky: bool) -> tuple[Outcome, str]:
    if p_rep <= 0.05:
        return "reproduced", "tost"
    if p_con <= 0.05:
        return "contradicted", "minimum_effect"
    return "inconclusive", "within_seed_spread" if lucky else "straddles_margin"


def _difference(a: ExperimentRecord, b: ExperimentRecord, metric: str) -> Verdict:
    """Welch's numbers for the first minus the second; the outcome is filled in by the caller."""
    x = tuple(run.metrics[metric] for run in a.runs if run.status == "done")
    y = tuple(run.metrics[metric] for run in b.runs if run.status == "done")
    parts = (sd(x) ** 2 / len(x), sd(y) ** 2 / len(y))
    se = math.sqrt(sum(parts))
    df = sum(parts) ** 2 / (parts[0] ** 2 / (len(x) - 1) + parts[1] ** 2 / (len(y) - 1))
    estimate = sum(x) / len(x) - sum(y) / len(y)
    t90, t95 = t(0.95, df), t(0.975, df)
    printed = [float(TABLE_4[e.id][1][METRICS.index(metric)]) for e in (a, b)]
    return Verdict(
        claim="",
        outcome="inconclusive",
        reason="undecided",
        scope=a.scope,
        n=(len(x), len(y)),
        attempts=(len(a.runs), len(b.runs)),
        values=(x, y),
        seeds=(tuple(range(len(x))), tuple(range(len(y)))),
        estimate=estimate,
        target=round(printed[0] - printed[1], 2),
        se=se,
        df=df,
        ci90=(estimate - t90 * se, estimate + t90 * se),
        ci95=(estimate - t95 * se, estimate + t95 * se),
        p_reproduced=float(stats.t.sf(estimate / se, df)),
        p_contradicted=min(1.0, 2 * float(stats.t.cdf(estimate / se, df))),
    )


def _order(
    says: str, a: ExperimentRecord, b: ExperimentRecord, metric: str, primary: bool
) -> tuple[ClaimRecord, Verdict]:
    slug = says.lower().split("when")[0].strip().replace(" ", "-")
    claim = _claim(slug, "order", says, metric, (a, b), primary=primary)
    verdict = replace(_difference(a, b, metric), claim=claim.id)
    if (verdict.p_reproduced or 0) <= 0.05:
        return claim, replace(verdict, outcome="reproduced", reason="direction")
    if (verdict.p_contradicted or 1) <= 0.05:
        return claim, replace(verdict, outcome="contradicted", reason="reversed")
    return claim, verdict


def _equivalent(a: ExperimentRecord, b: ExperimentRecord, metric: str) -> tuple[ClaimRecord, Verdict]:
    says = "Both oddities together come close to Kim-CNN over words"
    margin = Margin(1.0, "paper_yardstick", "the paper calls 0.88 points close")
    claim = _claim("oddities-like-kim", "equivalent", says, metric, (a, b), margin=margin)
    verdict = replace(_difference(a, b, metric), claim=claim.id, margin=1.0, badges=("lenient margin",))
    low, high = verdict.ci95 or (0.0, 0.0)
    verdict = replace(verdict, margin_reproduced_from=max(abs(low), abs(high)))
    if low > 1 or high < -1:
        return claim, replace(verdict, outcome="contradicted", reason="minimum_effect")
    return claim, replace(verdict, reason="straddles_margin")


#: Adjusted p-values and bands, where a verdict has none.
_NO_BAND: Any = {"margin_reproduced_from": None, "margin_contradicted_up_to": None}
_NO_TEST: Any = dict.fromkeys(
    ("p_reproduced", "p_contradicted", "p_reproduced_adjusted", "p_contradicted_adjusted")
)


def _others(by_id: dict[str, ExperimentRecord], scope: Scope) -> list[tuple[ClaimRecord, Verdict]]:
    """The reasons that do not arise by themselves: nothing run, runs lost, a closed gate, ..."""
    made = []
    cases: tuple[tuple[str, int], ...] = (
        ("not_run", 0),
        ("run_failed", 0),
        ("no_variance_estimate", 1),
        ("too_few_seeds", 2),
        ("unverified_reimplementation", 3),
        ("other_split", 3),
        ("multiplicity", 3),
    )
    for reason, n in cases:
        claim, verdict = _value(by_id["xml_emb_eq6"], "P@1", "same_data")
        key = f"mimic-{reason.replace('_', '-')}"
        about = {"cells": ("t8.mimic_all.P@1",), "printed": ("74.05",), "says": "The mimic reaches 74.05"}
        experiments = ("xml_emb_eq6" if n else "liu_mimic_all",)
        claim = replace(claim, id=f"{key}:P@1", claim=key, experiments=experiments, **about)
        values = tuple(run.metrics["P@1"] for run in by_id["xml_emb_eq6"].runs[:n])
        if not n or scope == "other_data":
            verdict = Verdict(claim.id, "inconclusive", reason)
        else:
            verdict = replace(
                verdict,
                claim=claim.id,
                outcome="inconclusive",
                reason=reason,
                scope="other_split" if reason == "other_split" else "same_data",
                n=(n,),
                attempts=(n,),
                values=(values,),
                seeds=(tuple(range(n)),),
                estimate=sum(values) / n,
                target=74.05,
                **_NO_BAND,
            )
        if n == 1:
            verdict = replace(verdict, sd=None, ci90=None, ci95=None, pi95=None, **_NO_TEST)
        made.append((claim, verdict))
    return made


def sd(values: Sequence[float]) -> float:
    mean = sum(values) / len(values)
    return math.sqrt(sum((value - mean) ** 2 for value in values) / (len(values) - 1))


def t(probability: float, df: float) -> float:
    return float(stats.t.ppf(probability, df))


#: One printed number over three split columns.
NOISE = SplitNoise(
    experiment="kim_words",
    metric="P@1",
    columns=(0, 1, 3),
    values=(66.0, 68.0, 70.0),
    attempts=4,
    column=0,
    seeds=(0, 1),
    seed_values=(66.0, 66.5),
    mean=68.0,
    sd_columns=2.0,
    sd_seeds=0.25,
    sd_split=1.98,
    pi95_column=(58.06, 77.94),
    ci95_columns=(67.0, 69.0),
    pi95_mean=(66.59, 69.41),
    printed="75.83",
)
