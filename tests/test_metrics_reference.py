"""The metrics against values that four public programs gave when run on the same problems.

tests/reference/01_metrics.* and 02_inverse_propensity.json.gz hold the problems and the values of
yourh/AttentionXML e2bbbec, kunaldahiya/pyxclib 5d13086, mwydmuch/napkinXC e95fb3f and
ntumlgroup/LibMultiLabel 5cd775a, and those of independent plain-Python code. Kinds of problem: plain, ties,
short (lists of 0 to 7), dup (a label twice in a list), all_empty, tiny_train (N = 2), L6.
"""

from __future__ import annotations

import gzip
import json
import math
import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_matrix

from reimpl.label_lists import top_k
from reimpl.metrics import CONVENTIONS, OURS, Convention, evaluate
from reimpl.propensity import PropensityWarning, inverse_propensity

REFERENCE = Path(__file__).parent / "reference"
PROGRAMS = {
    "yourh_all_labels": "yourh",
    "yourh_test_labels": "yourh",
    "pyxclib_list": "pyxclib",
    "pyxclib_sparse_list": "pyxclib",
    "pyxclib_scores": "pyxclib",
    "napkinxc_list": "napkinxc",
    "napkinxc_scores": "napkinxc",
    "libmultilabel_scores": "libmultilabel",
    "independent": "napkinxc",
}


def _read(name: str) -> Any:
    return json.loads(gzip.decompress((REFERENCE / name).read_bytes()))


METRICS = _read("01_metrics.json.gz")
PROBLEMS = {problem["id"]: problem for problem in METRICS["problems"]}
ARRAYS = dict(np.load(REFERENCE / "01_metrics.npz"))
CASES = _read("02_inverse_propensity.json.gz")["cases"]


def _values(problem: dict[str, Any], ids: np.ndarray, how: Convention) -> dict[str, float]:
    """All values by the reference's keys: metric@k, or metric@k/AB with the three pairs A, B."""
    values: dict[str, float] = {}
    truth = csr_matrix(ARRAYS[problem["id"] + "_truth"])
    frequency = ARRAYS[problem["id"] + "_train_freq"]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PropensityWarning)  # the tiny_train problem has N = 2 on purpose
        for name, (A, B) in METRICS["AB"].items():
            settings = {"train_frequency": frequency, "n_train": problem["n_train"], "A": A, "B": B}
            plain_sum = evaluate(ids, truth, convention=replace(how, psp="sum"), **settings)
            for metric, value in evaluate(ids, truth, convention=how, **settings).items():
                values[metric if "PS" not in metric else f"{metric}/{name}"] = value / 100
                if metric.startswith("PSP@"):
                    values[f"PSP_unnormalised@{metric[4:]}/{name}"] = plain_sum[metric] / 100
    return values


def _ids(problem: dict[str, Any], program: str) -> np.ndarray:
    """The saved list; for scores with ties the five labels that the program itself picked."""
    own = f"{problem['id']}_top5_used_by_{program}"
    return ARRAYS[own if problem["kind"] == "ties" and own in ARRAYS else problem["id"] + "_ranked"]


def _close(program: str, metric: str, expected: float, value: float) -> bool:
    if math.isnan(expected) or math.isnan(value):
        return math.isnan(expected) and math.isnan(value)
    single = program.startswith("pyxclib") and "nDCG" in metric  # kept in float32 by that program
    return abs(value - expected) <= (2e-6 if single else 1e-12 * max(1.0, abs(expected)))


@pytest.mark.parametrize("problem", PROBLEMS.values(), ids=lambda p: f"{p['id']}-{p['kind']}")
def test_every_value_of_every_program_is_met_under_its_convention(problem: dict[str, Any]) -> None:
    """Under the convention named after a program, all its values on a problem come out, NaN included."""
    different = []
    for program, expected in problem["values"].items():
        values = _values(problem, _ids(problem, program), CONVENTIONS[PROGRAMS[program]])
        different += [
            (program, metric, float(number), values[metric])
            for metric, number in expected.items()
            if not _close(program, metric, float(number), values[metric])
        ]
    assert different == []


def test_reference_is_whole() -> None:
    """33 problems with 6,918 values and 66 propensity cases were read, so the tests above are not empty."""
    assert len(PROBLEMS) == 33
    assert sum(len(v) for p in PROBLEMS.values() for v in p["values"].values()) == 6918
    assert len(CASES) == 66


@pytest.mark.parametrize("kind", ["plain", "ties", "short", "all_empty", "tiny_train", "L6"])
def test_ours_is_yourhs_and_all_but_psndcg_of_the_others(kind: str) -> None:
    """Without repeats in a list our convention gives yourh's values, and the others' except for PSnDCG."""
    for problem in (p for p in PROBLEMS.values() if p["kind"] == kind):
        values = _values(problem, ARRAYS[problem["id"] + "_ranked"], OURS)
        for program in ("yourh_all_labels", "pyxclib_list", "napkinxc_list"):
            for metric, number in problem["values"][program].items():
                if program == "yourh_all_labels" or "PSnDCG" not in metric:
                    assert _close(program, metric, float(number), values[metric]), (program, metric)


def test_a_repeated_label_is_where_ours_and_yourhs_part() -> None:
    """With repeats P and PSP are yourh's, nDCG and PSnDCG are not: ours counts the label once there too."""
    for problem in (p for p in PROBLEMS.values() if p["kind"] == "dup"):
        values = _values(problem, _ids(problem, "yourh_all_labels"), OURS)
        theirs = problem["values"]["yourh_all_labels"]
        for metric in ("P@5", "PSP@5/default"):
            assert values[metric] == pytest.approx(theirs[metric], rel=1e-12)
        for metric in ("nDCG@5", "PSnDCG@5/default"):
            assert values[metric] < theirs[metric] - 1e-3


def test_psndcg_forms_differ_as_measured() -> None:
    """The two forms of PSnDCG agree at k = 1 and differ at k = 3 by the largest difference on record."""
    gaps = {1: 0.0, 3: 0.0}
    for problem in (p for p in PROBLEMS.values() if p["kind"] == "plain"):
        ids = ARRAYS[problem["id"] + "_ranked"]
        total, each = (_values(problem, ids, CONVENTIONS[name]) for name in ("yourh", "napkinxc"))
        for k in gaps:
            for name in METRICS["AB"]:
                gaps[k] = max(gaps[k], abs(total[f"PSnDCG@{k}/{name}"] - each[f"PSnDCG@{k}/{name}"]))
    recorded = METRICS["PSnDCG_largest_difference_plain"]
    assert gaps[1] == pytest.approx(0, abs=1e-12)
    assert gaps[3] == pytest.approx(recorded["yourh_all_labels vs napkinxc_list @3"], rel=1e-12)


@pytest.mark.parametrize(
    "problem", [p for p in PROBLEMS.values() if p["kind"] not in ("short", "dup")], ids=lambda p: str(p["id"])
)
def test_lists_of_scores_are_the_saved_lists(problem: dict[str, Any]) -> None:
    """Score falling, then lower id: the saved list of every problem with scores, ties included."""
    ranked = ARRAYS[problem["id"] + "_ranked"]
    assert np.array_equal(top_k(ARRAYS[problem["id"] + "_scores"], ranked.shape[1])[1], ranked)


@pytest.mark.parametrize("case", CASES, ids=lambda c: f"N{c['N']}-A{c['A']}-L{len(c['freq'])}")
def test_inverse_propensity_of_three_programs(case: dict[str, Any]) -> None:
    """All three programs' inverse propensities, the negative ones of N = 1 included."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PropensityWarning)
        ours = inverse_propensity(case["freq"], case["N"], A=case["A"], B=case["B"])
    for program in ("yourh", "pyxclib", "napkinxc"):
        # At N = 1 some weights are 1 - 1, where the programs themselves differ by a rounding error.
        np.testing.assert_allclose(ours, case[program], rtol=1e-12, atol=1e-15)
