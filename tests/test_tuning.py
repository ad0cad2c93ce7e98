"""Tuning protocols: what they hold of the papers, what is sought for whom, what a claim file may change."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from audit.claims.load import load
from audit.cli.app import known_names
from audit.errors import ClaimFileError
from reimpl import rank_ae
from reimpl.config_fields import as_dict
from reimpl.errors import ConfigError
from reimpl.tuning import TUNING, Parameter, problem, space_of, tuning
from tests.runner.papers import write_paper


def names(protocol: str, model: str, config: dict[str, Any], **held: Any) -> set[str]:
    parts: dict[str, Any] = {"set_config": {}, "set_training": {}, "sizes": {}, **held}
    return {it.name for it in space_of(TUNING[protocol], model, config, **parts)}


# --------------------------------------------------------------------------- the papers'


def test_chen_et_al_try_48_settings_at_random_with_patience_10() -> None:
    """Appendix C; the split is that of section 4.1."""
    it = TUNING["chen2022"]
    assert (it.trials, it.sampler, it.pruner, it.patience, it.score) == (48, "random", "none", 10, "best")
    assert (it.hold_out, it.metric_for("eurlex-4k"), it.metric_for(None)) == ("chen2022", "P@1", "P@1")
    assert it.metric_for("wiki10-31k") == "P@3"


def test_wang_et_al_tune_lambda_margin_rate_and_decay_on_20_percent() -> None:
    """Section 3.1; the margin is from [0, 1] (section 2.3)."""
    it = TUNING["wang2019"]
    assert (it.hold_out, it.score) == ("wang2019", "last")
    config = as_dict(rank_ae.VARIANTS["paper"])
    sought = {"config.balance", "config.margin", "training.learning_rate", "training.weight_decay"}
    assert names("wang2019", "rank_ae", config) == sought
    (margin,) = (it for it in it.spaces["rank_ae"] if it.key == "margin")
    assert (margin.low, margin.high, margin.log) == (0.0, 1.0, False)
    assert names("wang2019", "rank_ae", as_dict(rank_ae.VARIANTS["bce"])) == sought - {"config.margin"}


# --------------------------------------------------------------------------- what is sought

CNN = {"maps": 128, "hidden": 512, "pools": 4, "pooling": "dynamic", "dropout_embedding": 0.2}
CNN |= {"dropout_output": 0.5}
ALL = {*(f"config.{key}" for key in CNN if key != "pooling"), "training.learning_rate"}


@pytest.mark.parametrize(
    ("config", "held", "less"),
    [
        (CNN, {}, set()),
        (CNN | {"hidden": None}, {}, {"config.hidden"}),  # there is none
        (CNN | {"pooling": "max"}, {}, {"config.pools"}),  # they do nothing
        (CNN, {"set_config": {"maps": 128}}, {"config.maps"}),  # the experiment's own
        (CNN, {"set_training": {"learning_rate": 1e-3}}, {"training.learning_rate"}),
        (CNN, {"sizes": {"maps": 16, "hidden": 128}}, {"config.maps", "config.hidden"}),  # reduced
    ],
)
def test_sought_is_what_does_something_and_is_not_set(
    config: dict[str, Any], held: dict[str, Any], less: set[str]
) -> None:
    assert names("chen2022", "xml_cnn", config, **held) == ALL - less


def test_a_search_for_nothing_is_refused() -> None:
    with pytest.raises(ConfigError, match="no ranges for model 'bert_xml'; it has xml_cnn"):
        names("chen2022", "bert_xml", {})
    with pytest.raises(ConfigError, match="leaves nothing to seek for model 'linear'"):
        names("wang2019", "linear", {"C": 1.0}, set_config={"C": 1.0})


# --------------------------------------------------------------------------- ranges


@pytest.mark.parametrize(
    ("parts", "why"),
    [
        ({}, "low must be a number, not None"),
        ({"low": 1.0, "high": 1.0}, "low must be below high, not 1.0 and 1.0"),
        ({"low": 0.0, "high": 1.0, "log": True}, "low must be above 0"),
        ({"low": 0.0, "high": float("inf")}, "high must be a number, not inf"),
        ({"low": True, "high": 2.0}, "low must be a number, not True"),
        ({"choices": (1,)}, "at least two choices"),
        ({"choices": (1, 1)}, "each once"),
        ({"choices": (1, 2), "low": 0.0}, "not both"),
    ],
)
def test_a_range_that_is_none_is_refused(parts: dict[str, Any], why: str) -> None:
    with pytest.raises(ConfigError, match=f"^parameter 'margin': .*{why}"):
        Parameter("config", "margin", **parts)


# --------------------------------------------------------------------------- overrides


@pytest.mark.parametrize(
    ("said", "key", "why"),
    [
        ("wang", None, "there is no tuning protocol 'wang'; known are wang2019, chen2022"),
        ({"protocol": "x"}, "protocol", "there is no tuning protocol 'x'"),
        ({"protocol": "wang2019", "trails": 3}, "trails", "is not known; known are protocol, trials"),
        ({"protocol": "wang2019", "trials": "3"}, "trials", "cannot be '3'"),
        ({"protocol": "wang2019", "trials": 0}, None, "trials must be a whole number from 1, not 0"),
        ({"protocol": "wang2019", "patience": 3}, None, "patience 3 goes with score: best, not last"),
        ({"protocol": "wang2019", "hold_out": "x"}, "hold_out", "hold-out 'x' is not known"),
        ({"protocol": "wang2019", "metric": "P@2"}, None, "metric cannot be 'P@2'"),
        ({"protocol": "wang2019", "sampler": "grid"}, "sampler", "cannot be 'grid'"),
    ],
)
def test_changes_that_cannot_be_are_told_with_their_key(said: Any, key: str | None, why: str) -> None:
    found = problem("rank_ae", said)
    assert found is not None
    assert found[0] == key
    assert why in found[1]
    with pytest.raises(ConfigError):
        tuning(said)


# --------------------------------------------------------------------------- in a claim file

PLACE = "title: Words, model"


def refusal(folder: Path, said: str) -> str:
    path = write_paper(folder, (PLACE, f"{said}, {PLACE}"))
    with pytest.raises(ClaimFileError) as caught:
        load(path, known=known_names())
    return str(caught.value).replace(str(folder), "")


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("tuning: wang", ": there is no tuning protocol 'wang'; known are wang2019, chen2022"),
        (
            "tuning: wang2019",
            ": protocol 'wang2019' has no ranges for model 'xml_cnn'; it has rank_ae, linear",
        ),
        ("tuning: {trials: 3}", ".protocol: this key is missing; add it"),
        ("tuning: 3", ": 3 is not keys and values; write keys and values"),
        (
            "tuning: {protocol: chen2022, trials: '3'}",
            ".trials: '3' is not a whole number; write a whole number",
        ),
        ("tuning: {protocol: chen2022, hold_out: x}", ".hold_out: cannot be: hold-out 'x' is not known"),
        ("tuning: {protocol: chen2022, pruner: x}", ".pruner: cannot be 'x'"),
        (
            "noise: {kind: missing, rate: 0.5}, tuning: chen2022",
            ": stands beside noise; drop one of them",
        ),
    ],
)
def test_what_is_amiss_is_told_once_with_its_line_and_key(tmp_path: Path, said: str, told: str) -> None:
    message = refusal(tmp_path, said)
    assert message.startswith(f"/toy.yaml:27: experiments.words.tuning{told}")
    assert "\n" not in message


def test_tuning_stands_not_beside_unavailable(tmp_path: Path) -> None:
    path = write_paper(tmp_path, ("unavailable: its code", "tuning: chen2022, unavailable: its code"))
    with pytest.raises(ClaimFileError, match=r"experiments\.lost\.tuning: stands beside unavailable"):
        load(path)
