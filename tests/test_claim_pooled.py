"""Pools of a claim file: of experiments that there are, of one model on one data set, each in one pool."""

from __future__ import annotations

from pathlib import Path

import pytest

from audit.claim import load
from audit.errors import ClaimFileError
from tests.test_claim import edited

OTHERS = """\
  far: {title: Far, dataset: two, model: xml_cnn, variant: a, protocol: p, recipe: r}
  other: {title: Other, dataset: one, model: kim_cnn, variant: a, protocol: p, recipe: r}
  third: {title: Third, dataset: one, model: xml_cnn, variant: c, protocol: p, recipe: r}
  both: {title: Both, datasets: [one, two], model: xml_cnn, variant: a, protocol: p, recipe: r}
margins:
"""


def problems(folder: Path, *pools: str) -> list[str]:
    """The problems of the file with these pools; their first line is 39."""
    text = "".join(f"  pool{k}: {{experiments: [{it}], why: alike}}\n" for k, it in enumerate(pools))
    path = folder / "small.yaml"
    path.write_text(edited(("margins:\n", f"{OTHERS}"), ("claims:\n", f"pooled:\n{text}claims:\n")))
    try:
        load(path)
    except ClaimFileError as err:
        return [it.partition("small.yaml:")[2] for it in err.problems]
    return []


def test_a_pool_of_one_model_on_one_data_set_is_taken(tmp_path: Path) -> None:
    assert problems(tmp_path, "ours, base, third") == []
    assert problems(tmp_path, "ours, base", "third, both-one") == []


@pytest.mark.parametrize(
    ("pool", "place", "text"),
    [
        ("ours, bsae", "1", "there is no experiment on one data set 'bsae'; did you mean 'base'?"),
        ("ours, both", "1", "there is no experiment on one data set 'both'"),
        ("ours, far", "1", "'far' has data set 'two', and 'ours' 'one'; pool experiments of one data set"),
        ("ours, base, other", "2", "'other' has model 'kim_cnn', and 'ours' 'xml_cnn'; pool experiments of"),
        ("ours, base, ours", "2", "'ours' stands twice"),
    ],
)
def test_what_cannot_scatter_alike_is_refused(tmp_path: Path, pool: str, place: str, text: str) -> None:
    """With the line and the place in the list."""
    (problem,) = problems(tmp_path, pool)
    assert problem.startswith(f"41: pooled.pool0.experiments[{place}]: {text}")


def test_every_problem_of_every_pool_is_told(tmp_path: Path) -> None:
    found = problems(tmp_path, "ours, nobody", "far, other", "ours, base")
    assert [it.partition(": ")[2].partition(":")[0] for it in found] == [
        "pooled.pool0.experiments[1]",
        "pooled.pool1.experiments[1]",
        "pooled.pool1.experiments[1]",
        "pooled.pool2.experiments[0]",
    ]
    assert "is in pool 'pool0' already; keep it in one" in found[3]
