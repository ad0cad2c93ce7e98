"""The protocol point by point, with the unknowns counted, and all of what was run."""

from __future__ import annotations

from dataclasses import replace

from audit.record import Audit, Deviation, OpenChoice, Readings
from reports.lookup import lookup
from reports.protocol import protocol_diff
from reports.render import html
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


def test_many_experiments_are_named_by_what_sets_them_apart() -> None:
    """What five of six share stands under "all but" the sixth; of three the first is told."""
    (kim,) = sample.tiny().experiments
    most, half = Deviation("Epochs", "50", "8", "small"), Deviation("Batch", "-", "256", "small")
    held = {k: tuple(it for it, to in ((most, 5), (half, 3)) if k < to) for k in range(6)}
    experiments = tuple(
        replace(kim, id=f"e{k}", title=f"E{k}", deviations=points) for k, points in held.items()
    )
    groups = protocol_diff(lookup(replace(sample.tiny(), experiments=experiments))).groups
    assert [(it.experiments, it.names) for it in groups] == [
        ("All 6 experiments that were run but “E5”", ()),
        ("E0 and 2 more experiments", ("E0", "E1", "E2")),
    ]
    page = html(replace(sample.tiny(), experiments=experiments))
    assert "<summary>Which experiments</summary>" in page and "<li><bdi>E2</bdi></li>" in page


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


def test_what_was_declared_open_is_a_point() -> None:
    """With its choices and the one that was taken: the default, or that of the reading."""
    readings = Readings("full", (OpenChoice("pool", "not said", ("max", "mean")),), {"kim_words": ("pool",)})
    audit = tiny(readings=readings)
    (group,) = protocol_diff(lookup(audit)).groups
    (point,) = group.points
    assert (point.what, point.paper, point.here) == ("pool", "left open; declared: max or mean", "max")
    assert point.silent
    (kim,) = audit.experiments
    mean = replace(kim, id="kim~pool=mean", reading_of="kim_words", reading={"pool": "mean"})
    (group,) = protocol_diff(lookup(replace(audit, experiments=(mean,)))).groups
    assert group.points[0].here == "mean"


def test_all_of_what_was_run_is_there() -> None:
    (settings,) = protocol_diff(lookup(tiny())).settings
    assert dict(settings.values)["batch"] == "256"
    assert dict(settings.values)["row"] == "kim_words"
    assert settings.named == "xml_cnn, chen2022-kim-words, chen2022"


def test_without_points_that_is_said() -> None:
    assert protocol_diff(lookup(sample.empty())).summary == "No departure from the paper is on record."


def values(protocol: dict[str, object], config: dict[str, object]) -> list[tuple[str, str]]:
    audit = sample.tiny()
    (kim,) = audit.experiments
    runs = tuple(replace(it, spec=replace(it.spec, protocol=protocol, config=config)) for it in kim.runs)
    (settings,) = protocol_diff(lookup(replace(audit, experiments=(replace(kim, runs=runs),)))).settings
    return list(settings.values)


def test_settings_of_one_name_of_training_and_model_are_told_apart() -> None:
    """XML-CNN pads for its convolutions, and the training pads its batches."""
    assert values({"epochs": 2, "padding": "length"}, {"maps": 3, "padding": "full"}) == [
        *(("epochs", "2"), ("padding (training)", "length")),
        *(("maps", "3"), ("padding (model)", "full")),
    ]


def test_no_base_variant_is_shown_where_the_base_is_written_out() -> None:
    """`none` is not what the claim file names."""
    written = {"base": "xml_cnn", "base_variant": None, "base_config": {"maps": 16}}
    assert [name for name, _ in values({}, dict(written))] == ["base", "base config"]
    assert dict(values({}, {**written, "base_variant": "kim2014"}))["base variant"] == "kim2014"
    assert dict(values({}, {"base": "xml_cnn", "base_variant": None}))["base variant"] == "none"
