"""Tuning protocols: what they hold of the papers, what is sought for whom, what a claim file may change."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from audit.claims.links import names_here as known_names
from audit.claims.load import load
from audit.errors import ClaimFileError
from reimpl import rank_ae
from reimpl.protocol import TUNING, as_dict, space_of
from tests.runner.papers import write_paper


def names(protocol: str, model: str, config: dict[str, Any], **held: Any) -> set[str]:
    parts: dict[str, Any] = {"set_config": {}, "set_training": {}, "sizes": {}, **held}
    return {it.name for it in space_of(TUNING[protocol], model, config, **parts)}


def test_chen_et_al_try_48_settings_at_random_with_patience_10() -> None:
    """Appendix C; the split is that of section 4.1."""
    it = TUNING["chen2022"]
    assert (it.trials, it.sampler, it.pruner, it.patience, it.score) == (48, "random", "none", 10, "best")
    assert (it.hold_out, it.metric, it.metric_on.get("eurlex-4k")) == ("chen2022", "P@1", None)
    assert it.metric_on["wiki10-31k"] == "P@3"


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


PLACE = "title: Words, model"


def refusal(folder: Path, said: str) -> str:
    path = write_paper(folder, (PLACE, f"{said}, {PLACE}"))
    with pytest.raises(ClaimFileError) as caught:
        load(path, known=known_names())
    return str(caught.value).replace(str(folder), "")


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("tuning: wang", ": there is no tuning protocol 'wang'; did you mean 'wang2019'"),
        ("tuning: wang2019", ": protocol 'wang2019' has no ranges for model 'xml_cnn'; it has rank_ae"),
        ("tuning: {trials: 3}", ".protocol: this key is missing; add it"),
        ("tuning: 3", ": 3 is a bare number; put it in quotes"),
        ("tuning: {protocol: chen2022, trials: '3'}", ".trials: '3' is not a whole number; write a"),
        ("tuning: {protocol: chen2022, hold_out: x}", ".hold_out: cannot be: hold-out 'x' is not known"),
        ("tuning: {protocol: chen2022, pruner: x}", ".pruner: cannot be 'x'"),
        ("noise: {kind: missing, rate: 0.5}, tuning: chen2022", ": excludes noise; drop one of them"),
    ],
)
def test_what_is_amiss_is_told_once_with_its_line_and_key(tmp_path: Path, said: str, told: str) -> None:
    message = refusal(tmp_path, said)
    assert message.startswith(f"/toy.yaml:27: experiments.words.tuning{told}")
    assert "\n" not in message
