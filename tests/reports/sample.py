"""Audits to draw: one as rich as a real one, and one that is small enough to read as HTML. The numbers are
invented, but consistent: intervals, p-values and margin bands follow from the seeds by the formulas of a t
interval, so that the plots show what the words say. These tests are about showing verdicts, not about
reaching them."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path

from audit.record import (
    Audit,
    Cell,
    ClaimRecord,
    Column,
    ExperimentRecord,
    Margin,
    PaperInfo,
    Row,
    Scope,
    SplitNoise,
    TableRecord,
    Verdict,
    Where,
    audit_from_json,
)

MARGIN = Margin(0.5, "field", "usual for fewer than 10,000 test documents")


@cache
def study(scope: Scope = "same_data") -> Audit:
    """Six experiments of three seeds, some forty verdicts of every reason, two tables, findings. On other
    data printed values are not judged, and what was not run on the paper's own is not run there."""
    record = Path(__file__).parent / "audits" / "06-chen2022.json"
    audit = replace(audit_from_json(record.read_text(encoding="utf-8")), splits=None, seal="")
    experiments = [
        replace(it, scope=scope, runs=tuple(replace(run, curve=()) for run in it.runs))
        for it in audit.experiments
    ]
    verdicts = []
    for claim, verdict in zip(audit.claims, audit.verdicts, strict=True):
        if scope == "other_data" and claim.claim.startswith("mimic"):
            verdict = Verdict(claim.id, "inconclusive", verdict.reason)
        elif scope != "same_data" and verdict.scope == "same_data":
            verdict = replace(verdict, scope=scope)
            if scope == "other_data" and claim.kind == "value":
                verdict = Verdict(claim.id, "inconclusive", "other_data", scope, verdict.n, verdict.attempts)
        verdicts.append(verdict)
    return replace(audit, experiments=tuple(experiments), verdicts=tuple(verdicts))


def tiny() -> Audit:
    """One reproduced value of one experiment with three seeds, one of them without a result."""
    seeds = (75.1, 75.3, None)
    kim = study().experiments[1]
    runs = tuple(
        replace(
            run,
            metrics={} if value is None else {"P@1": value},
            status="failed" if value is None else "done",
            reason="loss became NaN in epoch 3" if value is None else None,
        )
        for run, value in zip(kim.runs, seeds, strict=True)
    )
    experiment = replace(kim, variant="chen2022-kim-words", runs=runs, deviations=kim.deviations[:1])
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
        fidelity=study().fidelity[:1],
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
