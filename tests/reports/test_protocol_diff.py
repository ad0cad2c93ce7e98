"""The protocol point by point, with the unknowns counted, and all of what was run."""

from __future__ import annotations

from dataclasses import replace

from audit.record import Audit, Deviation
from reports.lookup import lookup
from reports.protocol import protocol_diff
from tests.reports import sample


def tiny(*deviations: Deviation, **of: object) -> Audit:
    audit = sample.tiny()
    (kim,) = audit.experiments
    return replace(audit, experiments=(replace(kim, deviations=deviations),), **of)


def test_shared_points_are_listed_once() -> None:
    """What all experiments share stands once, and apart from what only one of them does."""
    groups = protocol_diff(lookup(sample.study())).groups
    assert [(it.experiments, len(it.points)) for it in groups] == [
        ("All 6 experiments that were run", 3),
        ("XML-CNN, embeddings, Eq. (7)", 1),
    ]


def test_points_on_which_the_paper_is_silent_are_counted() -> None:
    said = Deviation("Epochs", "50", "8", "small", code="51")
    silent = Deviation(
        "Clipping",
        "Not mentioned",
        "see the configuration of the experiment",
        "train.py:3",
        silent=True,
        as_set=True,
    )
    diff = protocol_diff(lookup(tiny(said, silent)))
    assert diff.summary == "On 1 of 2 points the paper is silent."
    (group,) = diff.groups
    assert group.counts == "2 points: on 1 the paper is silent and for 1 its public code is known."
    assert [(it.silent, it.as_set, it.here) for it in group.points] == [
        (False, False, "8"),
        (True, True, "as the settings below have it"),
    ]
    assert group.points[1].code == "–"


def test_all_of_what_was_run_is_there() -> None:
    (settings,) = protocol_diff(lookup(tiny())).settings
    assert dict(settings.values)["batch"] == "256"
    assert dict(settings.values)["row"] == "kim_words"
    assert settings.named == "xml_cnn, chen2022-kim-words, chen2022"


def values(protocol: dict[str, object], config: dict[str, object]) -> list[tuple[str, str]]:
    audit = sample.tiny()
    (kim,) = audit.experiments
    runs = tuple(replace(it, spec=replace(it.spec, protocol=protocol, config=config)) for it in kim.runs)
    (settings,) = protocol_diff(lookup(replace(audit, experiments=(replace(kim, runs=runs),)))).settings
    return list(settings.values)
