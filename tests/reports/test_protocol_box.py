"""The protocol on the first screen: what was reduced, and whether curves still rose when training ended."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from audit.record import Audit, Deviation, ExperimentRecord
from reports.lookup import lookup
from reports.protocol import is_reduced, protocol_box
from tests.reports import sample

LAPTOP = "reduced so that a suite of claims runs on a laptop CPU in minutes"
CHANGED = (
    Deviation("data", "EUR-Lex (train 15,449)", "stand-in: train 100", "other corpus"),
    Deviation("maps", "128", "16", LAPTOP, numbers=(128, 16)),
    Deviation("base maps", "128", "16", LAPTOP, numbers=(128, 16)),
    Deviation("documents held out", "you2019", "you2019-small", LAPTOP),
    Deviation("fully connected", "(512, 256)", "(32,)", LAPTOP),
    Deviation("learning rate", "0.001", "5e-05", LAPTOP, numbers=(0.001, 5e-05)),
    Deviation("words kept of a document", "500", "96", LAPTOP, numbers=(500, 96)),
    Deviation("epochs", "30", "20", LAPTOP, numbers=(30, 20)),
    Deviation(
        "word vectors", "GloVe 840B, 300 components", "glove, 50 components", "the file", numbers=(300, 50)
    ),
    Deviation("hidden", "512", "512", LAPTOP, numbers=(512, 512)),
)


def audit(
    *, protocol: str = "xun2020-small", deviations: Sequence[Deviation] = CHANGED, only: int = 2
) -> Audit:
    """The first `only` experiments by this protocol, the others as they are in the sample."""
    study = sample.study()
    changed = [_changed(it, protocol, tuple(deviations)) for it in study.experiments[:only]]
    return replace(study, experiments=(*changed, *study.experiments[only:]))


def _changed(it: ExperimentRecord, protocol: str, deviations: tuple[Deviation, ...]) -> ExperimentRecord:
    spec = {"name": protocol, "deviation": LAPTOP}
    runs = tuple(replace(run, spec=replace(run.spec, protocol=spec)) for run in it.runs)
    return replace(it, protocol=protocol, deviations=deviations, runs=runs)


def with_curves(*scores: Sequence[float], metric: str = "P@1") -> Audit:
    """Every experiment's seeds have the curve of its place; those beyond the last have none."""
    study = sample.study()
    held = [*scores, *([()] * len(study.experiments))]
    experiments = []
    for it, values in zip(study.experiments, held, strict=False):
        curve = tuple({"epoch": k + 1.0, metric: value} for k, value in enumerate(values))
        experiments.append(replace(it, runs=tuple(replace(run, curve=curve) for run in it.runs)))
    return replace(study, experiments=tuple(experiments))


def test_a_reduced_protocol_says_in_what() -> None:
    """First what everybody asks, then the largest changes; a base's setting once, no words."""
    box = protocol_box(lookup(audit(only=6)))
    assert box is not None and box.text == (
        "Reduced for a CPU: 20 epochs for 30, 96 words of a document for 500, word vectors of 50 components "
        "for 300, learning rate 5e-05 for 0.001, maps 16 for 128."
    )


def test_a_paper_with_several_numbers_is_told_from_the_least_to_the_largest() -> None:
    several = [Deviation("epochs", "", "", LAPTOP, numbers=(paper, 20)) for paper in (30, 5, 100)]
    box = protocol_box(lookup(audit(only=6, deviations=several)))
    assert box is not None and box.text == "Reduced for a CPU: 20 epochs for 5 to 100."


def test_reduced_goes_by_the_protocol_s_name() -> None:
    experiment = sample.study().experiments[0]
    names = ("small", "xun2020-small", "smaller", "chen2022", "notsmall")
    assert [is_reduced(replace(experiment, protocol=name)) for name in names] == [
        True,
        True,
        False,
        False,
        False,
    ]


def test_curves_that_are_best_at_their_end_are_counted() -> None:
    """One that peaked before is not; one of two evaluations and a loss tell nothing."""
    box = protocol_box(lookup(with_curves((1.0, 2.0, 3.0), (1.0, 3.0, 2.0), (1.0, 2.0, 2.5), (1.0, 2.0))))
    assert box is not None and box.rising == (
        "In 2 of 3 arms the curve was still rising at the end (their mean score on held-out documents is "
        "best at the last evaluation): differences may be about training time."
    )
    fell = protocol_box(lookup(with_curves((1.0, 3.0, 2.0))))
    losses = protocol_box(lookup(with_curves((1.0, 2.0, 3.0), metric="loss")))
    assert fell is not None and losses is not None and (fell.rising, losses.rising) == ("", "")


def test_seeds_that_stopped_at_different_times_are_not_taken_for_rising() -> None:
    """The mean ends where the first seed stopped: it went on after that."""
    study = with_curves((1.0, 2.0, 3.0))
    first = study.experiments[0]
    longer = replace(first.runs[0], curve=(*first.runs[0].curve, {"epoch": 4.0, "P@1": 1.0}))
    changed = replace(first, runs=(longer, *first.runs[1:]))
    box = protocol_box(lookup(replace(study, experiments=(changed, *study.experiments[1:]))))
    assert box is not None and box.rising == ""
