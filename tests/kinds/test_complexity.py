"""Complexity claims, from a claim file and run records to a verdict."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

from audit.claims.load import load
from audit.judging.assemble import assemble
from audit.judging.plan import outlooks, sentence
from audit.record import ExperimentRecord, FidelityCheck, RunSpec, Verdict
from reports.sentences import status_of
from tests.judging.made import claim, judge, said
from tests.records import make_experiment, make_run

SIZES = {"n1": 1000, "n2": 2000, "n3": 4000, "n4": 8000, "n5": 16000}
LINEAR = [1.01, 1.98, 4.0, 8.16, 15.68]
SQUARE = [1.01, 3.96, 16.0, 65.28, 250.88]
NOISY = [1.0, 3.1, 3.0, 11.0, 14.0]
FILE = """\
format: 1
paper: {key: grow2020, title: How it grows}
datasets:
  one: {name: One, printed: {test: "3,865"}}
tables:
  t1:
    where: {page: 4, label: Table 1}
    caption: one method
    dataset: one
    columns: [P@1]
    rows: [{id: ours, experiment: n1, source: own_run, values: ["76.38"]}]
experiments:
EXPERIMENTS
margins:
  default: {value: 0.5, rule: field, why: usual}
claims:
  - id: linear
    kind: complexity
    of: time of training
    grows_with: filters
    exponent: 1
    sizes: {n1: 1000, n2: 2000, n3: 4000, n4: 8000, n5: 16000}
    says: It grows in proportion
    where: {page: 5}
  - id: counted
    kind: complexity
    of: operations
    grows_with: filters
    exponent: 1
    operations: 2 * n
    says: So do its operations
    where: {page: 5}
  - id: unnamed
    kind: complexity
    of: space
    grows_with: filters
    exponent: 1
    says: So does its memory
    where: {page: 5}
""".replace(
    "EXPERIMENTS",
    "\n".join(
        f"  {name}: {{title: F{size}, dataset: one, model: xml_cnn, variant: v, protocol: p, recipe: r}}"
        for name, size in SIZES.items()
    ),
)


def timed(
    costs: Sequence[float], *, repeats: int = 3, key: str = "filters", config: Mapping[str, Any] | None = None
) -> dict[str, ExperimentRecord]:
    """`repeats` runs a size, the first of them the fastest: the others took 10 % and 20 % longer."""
    found = {}
    for (name, size), cost in zip(SIZES.items(), costs, strict=False):
        runs = []
        for seed in range(repeats):
            held = {key: size, **(config or {}).get(name, {})}
            spec = RunSpec("xml_cnn", "v", held, {}, data="f", seed=seed)
            run = make_run(seed, 70.0, key=f"{name}-{seed}", seconds=cost * (1 + 0.1 * seed), parameters=size)
            runs.append(replace(run, spec=spec))
        found[name] = make_experiment(name, runs)
    return found


def verdicts(tmp_path: Path, experiments: Mapping[str, ExperimentRecord], text: str = FILE) -> Any:
    path = tmp_path / "grow2020.yaml"
    path.write_text(text)
    paper = load(path)
    passed = (FidelityCheck("xml_cnn", "shapes", True, ""),)
    return assemble(paper, experiments, fidelity=passed, command="")


@pytest.mark.parametrize(
    ("costs", "outcome", "reason"),
    [
        (LINEAR, "reproduced", "tost"),
        (SQUARE, "contradicted", "minimum_effect"),
        (NOISY, "inconclusive", "straddles_margin"),
    ],
)
def test_a_claim_of_a_file_is_judged_by_timed_runs(
    tmp_path: Path, costs: list[float], outcome: str, reason: str
) -> None:
    """Slope, error and intervals are scipy's, over the least time of each size."""
    audit = verdicts(tmp_path, timed(costs))
    verdict: Verdict = next(it for it in audit.verdicts if it.claim == "linear")
    fit = stats.linregress(np.log(list(SIZES.values())), np.log(costs))
    off, df = abs(fit.slope - 1.0), 3
    assert said(verdict) == (outcome, reason)
    assert (verdict.estimate, verdict.se) == pytest.approx((fit.slope, fit.stderr))
    assert (verdict.target, verdict.margin, verdict.df) == (1.0, 0.15, 3)
    assert verdict.ci90 == pytest.approx(tuple(fit.slope + stats.t.ppf([0.05, 0.95], df) * fit.stderr))
    assert verdict.p_reproduced == pytest.approx(stats.t.sf((0.15 - off) / fit.stderr, df))
    assert verdict.n == (3,) * 5
    assert verdict.badges[-2] == "5 sizes over 1.20 decades"


def test_what_no_run_can_say_is_not_tested_with_its_reason(tmp_path: Path) -> None:
    """Counted operations are a matter of the checks; without sizes nothing could be timed."""
    audit = verdicts(tmp_path, timed(LINEAR))
    found = {it.claim: it for it in audit.verdicts}
    assert found["counted"].reason == "counted_exactly"
    assert found["unnamed"].reason == "no_sizes"
    assert {status_of(found[name]) for name in ("counted", "unnamed")} == {"not_tested"}
    checks = [it for it in audit.findings if it.claim == "counted"]
    assert [it.result for it in checks] == ["consistent"]
    plans = {it.claim: sentence(it) for it in outlooks(audit)}
    assert plans["counted"] == "it needs no run: `audit check` counts its operations"
    assert "add sizes" in plans["unnamed"]


def growing(experiments: Mapping[str, ExperimentRecord], **more: Any) -> Verdict:
    details = {"exponent": 1.0, "quantity": "training_time", "sizes": SIZES, "of": "time", **more}
    return judge(claim("complexity", *details["sizes"], metric="", margin=None, details=details), experiments)


def test_a_time_is_the_least_of_three_on_one_machine() -> None:
    assert growing(timed(LINEAR, repeats=2)).reason == "too_few_seeds"
    mixed = timed(LINEAR)
    other = replace(mixed["n2"].runs[0], device="cuda")
    mixed["n2"] = replace(mixed["n2"], runs=(other, *mixed["n2"].runs[1:]))
    assert growing(mixed).reason == "different_machines"


def test_counts_of_parameters_need_one_run_a_size() -> None:
    """They are exact: sizes in proportion grow by the power of one."""
    verdict = growing(timed(SQUARE, repeats=1), quantity="parameters")
    assert said(verdict) == ("reproduced", "tost")
    assert verdict.estimate == pytest.approx(1.0)
