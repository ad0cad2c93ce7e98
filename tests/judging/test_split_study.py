"""Runs of several split columns: what scatters with the split, what with the seed, and what is never one."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from audit.claims.load import Paper, load
from audit.judging.assemble import split_study
from audit.record import ExperimentRecord, Run, SplitStudy
from reports.tables import split_table
from tests.records import make_experiment, make_run
from tests.runner.papers import write_linear_paper


@pytest.fixture
def paper(tmp_path: Path) -> Paper:
    return load(write_linear_paper(tmp_path))


def of_column(column: int, values: dict[int, float | None], name: str = "svm") -> dict[str, ExperimentRecord]:
    """Seed -> P@1; None is a failed run."""
    runs: list[Run] = []
    for seed, value in values.items():
        how = {} if value is not None else {"status": "failed", "reason": "memory"}
        runs.append(make_run(seed, value, key=f"{name}-{column}-{seed}", **how))  # type: ignore[arg-type]
    return {name: make_experiment(name, runs)}


def study(
    paper: Paper, columns: dict[int, dict[str, ExperimentRecord]], fidelity: dict[str, bool] | None = None
) -> SplitStudy:
    return split_study(paper, columns, corpus="toy", command="audit run", fidelity=fidelity or {})


def test_one_run_of_each_column_and_all_seeds_of_the_first(paper: Paper) -> None:
    """Seeds 1 and 2 of column 4 are no further columns, and columns 0 and 7 are no further seeds."""
    found = study(
        paper,
        {
            4: of_column(4, {0: 68.0, 1: 69.0, 2: 70.0}),
            0: of_column(0, {0: 66.0}),
            7: of_column(7, {0: 70.0}),
        },
    )
    [noise] = found.noise
    assert (noise.experiment, noise.metric, noise.printed) == ("svm", "P@1", "80.00")
    assert (noise.columns, noise.values, noise.attempts) == ((0, 4, 7), (66.0, 68.0, 70.0), 3)
    assert (noise.column, noise.seeds, noise.seed_values) == (4, (0, 1, 2), (68.0, 69.0, 70.0))
    assert (noise.mean, noise.sd_columns, noise.sd_seeds) == (68.0, pytest.approx(2.0), pytest.approx(1.0))
    assert noise.sd_split == pytest.approx(3**0.5)
    assert found.runs == {"svm": ("svm-4-0", "svm-4-1", "svm-4-2", "svm-0-0", "svm-7-0")}


def test_a_column_whose_first_seed_failed_is_missing_and_another_seed_does_not_stand_in(paper: Paper) -> None:
    found = study(
        paper,
        {
            0: of_column(0, {0: None, 1: 69.0, 2: 70.0}),
            1: of_column(1, {0: 66.0}),
            2: of_column(2, {0: 68.0}),
        },
    )
    [noise] = found.noise
    assert (noise.columns, noise.attempts, found.failed) == ((1, 2), 3, 1)
    assert (noise.seeds, noise.sd_seeds) == ((1, 2), pytest.approx(0.5**0.5))


def test_a_number_of_another_corpus_does_not_stand_beside_the_columns(paper: Paper) -> None:
    """Of a paper on several corpora all experiments may be run on one: only those on it have numbers."""
    columns = {c: of_column(c, {0: 66.0 + c}) for c in (0, 1)}
    far = {
        c: {key: replace(it, scope="other_data") for key, it in held.items()} for c, held in columns.items()
    }
    assert [it.printed for it in study(paper, columns).noise] == ["80.00"]
    assert [it.printed for it in study(paper, far).noise] == [None]


def test_a_number_that_a_claim_is_about_is_judged_by_that_claim(paper: Paper) -> None:
    columns = {c: of_column(c, {0: 66.0 + c}) for c in range(3)}
    [noise] = study(paper, columns, {"xml_cnn": True}).noise
    assert (noise.claim, noise.printed) == ("svm-value:P@1", "80.00")
    assert noise.as_one_split is not None and noise.as_mean is not None
    assert (noise.as_one_split.outcome, noise.as_one_split.margin) == ("contradicted", 0.5)
    assert noise.as_mean.reason == "no_variance_estimate"


def test_on_another_corpus_no_number_is_judged(paper: Paper) -> None:
    columns = {c: of_column(c, {0: 66.0 + c}) for c in range(3)}
    far = {c: {"svm": replace(it["svm"], scope="other_data")} for c, it in columns.items()}
    [noise] = study(paper, far, {"xml_cnn": True}).noise  # type: ignore[arg-type]
    assert (noise.claim, noise.as_one_split, noise.as_mean) == (None, None, None)


def test_the_table_shows_both_noises(paper: Paper) -> None:
    found = study(
        paper,
        {
            0: of_column(0, {0: 68.0, 1: 69.0, 2: 70.0}),
            1: of_column(1, {0: 66.0}),
            2: of_column(2, {0: 70.0}),
        },
        {"xml_cnn": True},
    )
    # 68 -+ 4.3027 * 2 * sqrt(4 / 3), and 68 -+ 4.3027 * 1 * sqrt(2 / 3); the paper scatters twice as much:
    # t = (12 - 0.505) / (2 * sqrt(1 / 3 + 4)) = 2.76 with 2 df
    assert split_table(found) == (
        "     metric  mean   SD columns  SD seeds  SD split  one unknown split  mean of these   printed\n"
        "svm  P@1     68.00  2.00        1.00      1.73      58.06 to 77.94     64.49 to 71.51  80.00\n"
        "\n"
        "printed numbers under each reading of the split, each alone at the full level:\n"
        "svm P@1, printed 80.00\n"
        "  one unknown split: inconclusive (one lucky split would explain the difference; "
        "p (reproduced) 0.995, p (contradicted) 0.110)\n"
        "  mean of these 3: inconclusive (too few seeds on one column; at least four are needed)"
    )
