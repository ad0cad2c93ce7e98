"""What an experiment asks for under `training` is checked, and acts on whole and on reduced protocols."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pytest

from reimpl.errors import ConfigError
from reimpl.protocol import protocol, with_choices, with_training

WHOLE, SMALL = protocol("you2019-code"), protocol("you2019-code-small")


def test_fields_of_the_protocol_are_changed_and_the_others_stay() -> None:
    changed = with_training(WHOLE, {"epochs": 10, "batch_size": 200, "average_from": 2})
    assert changed == replace(WHOLE, epochs=10, batch_size=200, average_from=2)
    assert with_training(WHOLE, {}) == WHOLE
    assert with_training(WHOLE, {"clip": 2}).clip == 2.0
    assert with_training(WHOLE, {"clip": None, "average_from": None}).average_from is None


REFUSED = [
    ({"swa": True}, "training key 'swa' is not known; known: epochs, batch_size"),
    ({"model": {}}, "training key 'model' is not known"),
    ({"epochs": "10"}, "training key 'epochs' cannot be '10': Input should be a valid integer"),
    ({"clip": "you2020"}, "training key 'clip' cannot be 'you2020'"),
    ({"hold_out": "half"}, "hold-out 'half' is not known; known: chen2022"),
    ({"select_metric": "NDCG@5"}, "'select_metric' cannot be 'NDCG@5'; measured are P, R, RP, nDCG at"),
    # Each may be right by itself.
    ({"epochs": 10}, "protocol 'you2019-code': average_from must be before the end of 10 epochs"),
    ({"evaluate": "every_epoch"}, "evaluate: every_epoch does not go with evaluate_every 100"),
    ({"select": "last"}, "patience 51 needs a selected epoch"),
]


@pytest.mark.parametrize(("training", "message"), REFUSED, ids=str)
def test_what_cannot_be_is_refused_with_the_key_and_value(training: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=re.escape(message)):
        with_training(WHOLE, training)


UNSELECTED = {"select": "last", "patience": None, "select_above": None, "hold_out": None}
#: Training -> what it changes of the reduced protocol: smaller sizes and choices act, larger ones do not.
ACTING: list[tuple[dict[str, Any], dict[str, Any]]] = [
    ({}, {}),
    ({"epochs": 40, "batch_size": 200, "length": 300, "dimension": 200}, {}),
    ({"batch_size": 8, "length": 50, "dimension": 16}, {"batch_size": 8, "length": 50, "dimension": 16}),
    ({"evaluate_every": 500}, {}),
    # A tenth of the rate that the protocol has is a tenth of the one that it has when it is reduced.
    ({"learning_rate": 1e-4}, {"learning_rate": 4e-4}),
    # Epochs that are not reduced: the rate is that of the claim file, and so is the start of the averaging.
    ({"epochs": 12}, {"epochs": 12, "learning_rate": 1e-3, "average_from": 10}),
    ({"epochs": 5, "average_from": 2}, {"epochs": 5, "learning_rate": 1e-3, "average_from": 2}),
    ({"epochs": 20}, {"learning_rate": 1e-3, "average_from": 10}),
    ({"patience": 5, "evaluate_every": 9, "hold_out": "you2019-4000"}, {"patience": 5, "evaluate_every": 9}),
    ({"average_from": None}, {"average_from": None}),
    ({"epochs": 40, "average_from": 8}, {"average_from": 15}),  # 4 of 20 epochs: before three quarters
    ({"epochs": 40, "average_from": 32}, {"average_from": 16}),
    ({"average_from": 0}, {"average_from": 15}),
    ({"clip": 0.5, "optimiser": "adam"}, {"clip": 0.5, "optimiser": "adam"}),
    ({"keep_from": 15}, {"keep_from": 10}),
    *((it, it) for it in ({"evaluate": "every_epoch", "evaluate_every": None}, UNSELECTED)),
]


@pytest.mark.parametrize(("training", "changed"), ACTING, ids=str)
def test_choices_act_on_a_reduced_protocol_and_larger_sizes_do_not(
    training: dict[str, Any], changed: dict[str, Any]
) -> None:
    claimed = with_training(WHOLE, training)
    assert with_choices(SMALL, claimed, training) == replace(SMALL, **changed)


def test_a_reduced_protocol_of_another_paper_fits_its_averaging_into_fewer_epochs() -> None:
    """Three quarters of 8 epochs, as it is three quarters of its own 20; other protocols stay whole."""
    claimed = with_training(protocol("chen2022"), {"epochs": 8})
    found = with_choices(SMALL, claimed, {"epochs": 8})
    assert found == replace(SMALL, epochs=8, learning_rate=1e-3, average_from=6)
    assert with_choices(WHOLE, claimed, {"epochs": 8}) == WHOLE


def test_a_choice_that_the_reduced_protocol_lacks_gets_the_reduced_size() -> None:
    """`small` selects nothing; the experiment asks for selection on held-out documents."""
    training = {
        "select": "best_on_dev",
        "hold_out": "you2019",
        "select_metric": "nDCG@5",
        "patience": 7,
        "evaluate": "every_steps",
        "evaluate_every": 500,
        "average_from": 25,
    }
    found = with_choices(protocol("small"), with_training(protocol("chen2022"), training), training)
    assert (found.select, found.hold_out, found.patience) == ("best_on_dev", "you2019-small", 7)
    assert (found.evaluate, found.evaluate_every, found.average_from) == ("every_steps", 50, 15)


def test_what_goes_with_a_choice_of_the_named_protocol_is_dropped_where_another_is_asked_for() -> None:
    """Patience of a protocol that selects does nothing in `small`, which reports the last epoch."""
    training = {"patience": 3, "keep_from": 2, "select_above": 1.0}
    claimed = with_training(protocol("chen2022-code"), training)
    assert with_choices(protocol("small"), claimed, training) == protocol("small")
