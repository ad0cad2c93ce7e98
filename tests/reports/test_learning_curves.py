"""Learning curves: which score is drawn, the mean over seeds, and where its points lie."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

import pytest

from audit.record import ExperimentRecord
from reports.curves import Curves, curves_of, learning_draw
from tests.reports import sample


def experiment(*curves: Sequence[Mapping[str, float]], select: str = "") -> ExperimentRecord:
    (kim,) = sample.tiny().experiments
    done = kim.runs[0]
    protocol = {"select_metric": select} if select else {}
    runs = tuple(
        replace(done, key=f"run{k}", curve=tuple(it), spec=replace(done.spec, seed=k, protocol=protocol))
        for k, it in enumerate(curves)
    )
    return replace(kim, runs=runs)


def steps(*values: float, metric: str = "P@1") -> list[dict[str, float]]:
    return [{"epoch": float(k), "loss": 1.0 / k, metric: it} for k, it in enumerate(values, 1)]


def test_the_score_that_chose_the_checkpoint_is_drawn() -> None:
    both = [{"epoch": float(k), "P@1": 1.0 * k, "nDCG@5": 2.0 * k} for k in (1, 2)]
    chosen = curves_of(experiment(both, select="nDCG@5"))
    assert chosen == Curves("nDCG@5", (((1.0, 2.0), (2.0, 4.0)),))
    assert (curves_of(experiment(both)) or pytest.fail()).metric == "P@1"
    assert (curves_of(experiment(both, select="R@5")) or pytest.fail()).metric == "P@1"


def test_numbers_that_are_none_are_left_out() -> None:
    found = curves_of(experiment(steps(1.0, float("nan"), 3.0, float("inf"))))
    assert (found or pytest.fail()).seeds == (((1.0, 1.0), (3.0, 3.0)),)


def points(svg: str, kind: str) -> list[list[tuple[float, float]]]:
    """The points of every path of a kind."""
    paths = re.findall(rf'class="{kind}" d="M([^"]*)"', svg)
    return [[tuple(map(float, it.split())) for it in path.split("L")] for path in paths]  # type: ignore[misc]


def test_higher_scores_are_drawn_higher_and_later_ones_to_the_right() -> None:
    svg = learning_draw(
        Curves("P@1", (((1.0, 10.0), (2.0, 30.0), (3.0, 20.0)), ((1.0, 12.0), (2.0, 28.0), (3.0, 22.0))))
    )
    first, second = points(svg, "run")
    (mean,) = points(svg, "mean-line")
    assert [x for x, _ in mean] == sorted(x for x, _ in mean) == [44.0, 184.0, 324.0]
    assert mean[0][1] > mean[2][1] > mean[1][1]
    for k in range(3):
        assert mean[k][1] == pytest.approx((first[k][1] + second[k][1]) / 2, abs=0.11)
    assert all(22 <= y <= 150 for line in (first, second, mean) for _, y in line)


def labels(svg: str) -> list[tuple[str, float, str]]:
    """Kind, place and text of the numbers and names in the drawing."""
    found = re.findall(r'<text class="(\w+)" x="([\d.]+)" y="[\d.]+">([^<]*)<', svg)
    return [(kind, float(x), text) for kind, x, text in found]


@pytest.mark.parametrize(("epochs", "value"), [(100, 0.5), (1000, 12345.5), (20_000, 0.0001), (5, 99.5)])
def test_no_label_leaves_the_drawing(epochs: int, value: float) -> None:
    """Numbers have at most 6.2 units a character (11 px, sans serif): 340 wide, the last epoch's too."""
    svg = learning_draw(Curves("P@1", (((0.0, 0.0), (float(epochs), value)),)))
    shown = labels(svg)
    assert any(kind == "across" for kind, _, _ in shown)
    for kind, x, text in shown:
        wide = 6.2 * len(text)
        first = {"up": x - wide, "across": x - wide / 2, "measured": x}[kind]
        assert first >= 0 and first + wide <= 340, (kind, x, text)


def test_a_loss_that_falls_far_is_drawn_by_its_logarithm() -> None:
    """100, 10, 1: equal steps downwards, and its ticks are powers of ten; a score is never drawn so."""
    line = ((1.0, 100.0), (2.0, 10.0), (3.0, 1.0))
    svg = learning_draw(Curves("loss", (line,)))
    ((_, first), (_, second), (_, third)) = points(svg, "run")[0]
    assert second - first == pytest.approx(third - second, abs=0.11)
    assert [text for kind, _, text in labels(svg) if kind == "up"] == ["1", "10", "100", "epoch"]
    assert "training loss, logarithmic axis" in svg
    between = learning_draw(Curves("loss", (((1.0, 0.7), (2.0, 0.03)),)))
    assert [text for kind, _, text in labels(between) if kind == "up"] == [
        "0.05",
        "0.1",
        "0.2",
        "0.5",
        "epoch",
    ]
    for plain in (
        Curves("P@1", (line,)),
        Curves("loss", (line[1:],)),
        Curves("loss", ((*line, (4.0, 0.0)),)),
    ):
        assert "logarithmic" not in learning_draw(plain)
