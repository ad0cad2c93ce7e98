"""The named protocols hold what the papers and the public code do; impossible ones are refused."""

from __future__ import annotations

import re
from dataclasses import fields
from typing import Any

import pytest

from audit.record import RunSpec
from reimpl.errors import ConfigError
from reimpl.protocol import Protocol, on_a_cpu, protocol

#: From the papers and configurations: Liu et al.'s train.py (51 passes: the loop includes its end) and
#: data_helpers.py; the study's config/EUR-Lex/*.yml and main.py; LibMultiLabel's EURLEX57K KimCNN config.
PRINTED: dict[str, dict[str, Any]] = {
    "liu2017": {
        "epochs": 51,
        "batch_size": 256,
        "learning_rate": 1e-3,
        "optimiser": "lasagne_adam",
        "shuffle": "batches",
        "padding": "split",
        "length": 500,
        "select": "last",
    },
    "chen2022": {
        "epochs": 50,
        "batch_size": 256,
        "learning_rate": 1e-3,
        "optimiser": "adam",
        "shuffle": "documents",
        "padding": "length",
        "length": 500,
        "select": "last",
    },
    "chen2022-code": {"epochs": 50, "select": "best_on_test", "select_metric": "P@1", "padding": "length"},
    "libmultilabel": {
        "epochs": 50,
        "batch_size": 16,
        "learning_rate": 3e-4,
        "padding": "batch",
        "select": "best_on_dev",
        "select_metric": "RP@5",
        "patience": 10,
    },
    # FACTS.md 4.3 and 5.3: patience e stops at the evaluation e + 1 without a gain.
    "you2019-code": {
        "epochs": 30,
        "batch_size": 40,
        "learning_rate": 1e-3,
        "optimiser": "dense_sparse_adam",
        "clip": "you2019",
        "padding": "batch",
        "length": 500,
        "select": "best_on_dev",
        "select_metric": "nDCG@5",
        "select_above": 0.0,
        "hold_out": "you2019",
        "evaluate": "every_steps",
        "evaluate_every": 100,
        "patience": 51,
        "average_from": 10,
    },
    "you2019-paper": {
        "epochs": 30,
        "batch_size": 40,
        "learning_rate": 1e-3,
        "optimiser": "adam",
        "select": "last",
        "evaluate": "end",
        "average_from": 10,
    },
    "xun2020": {"optimiser": "dense_sparse_adam", "clip": "you2019", "patience": 101, "average_from": 10},
    "xun2020-paper": {"optimiser": "adam", "select_metric": "nDCG@5", "evaluate_every": 100},
    # FACTS.md 7.2; of the paper, that all training documents are trained on.
    "rank-ae-third-party": {
        "epochs": 1000,
        "batch_size": 256,
        "learning_rate": 1e-3,
        "optimiser": "adam",
        "weight_decay": 1e-8,
        "select": "last",
    },
    "wang2019": {"optimiser": "adam", "select": "last"},
}


@pytest.mark.parametrize("name", PRINTED)
def test_a_protocol_holds_what_its_source_says(name: str) -> None:
    held = protocol(name).as_dict()
    assert {key: held[key] for key in PRINTED[name]} == PRINTED[name]


@pytest.mark.parametrize("name", ["you2019-code", "you2019-paper", "xun2020", "xun2020-paper"])
def test_a_reduced_protocol_differs_in_sizes_only(name: str) -> None:
    """Averaging, clipping, selection, optimiser and padding are those of the whole one."""
    assert on_a_cpu(name) == f"{name}-small"
    whole, reduced, small = protocol(name), protocol(f"{name}-small"), protocol("small")
    sizes = ("epochs", "batch_size", "learning_rate", "length", "dimension", "model", "deviation")
    assert all(getattr(reduced, it) == getattr(small, it) for it in sizes)
    counts = ("patience", "evaluate_every", "hold_out", "average_from")
    for key in counts:
        assert (getattr(whole, key) is None) == (getattr(reduced, key) is None)
    for it in fields(Protocol):
        if it.name not in (*sizes, *counts, "name"):
            assert getattr(whole, it.name) == getattr(reduced, it.name), it.name
    assert reduced.average_from == 15  # 10 of 30 epochs would be 7 of 20: before three quarters
    assert reduced.patience == whole.patience


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("chen2022", "f0dddb1d7bfd84be6d77888404492f59"),
        ("chen2022-code", "6686177b9aab4035cba46a83b5ca9ee7"),
        ("liu2017", "b1a70feebb364dc02f251e4d25df1dc4"),
        ("small", "b3ddb947f3253a17c87da4fb92ed77a7"),
    ],
)
def test_runs_of_the_first_protocols_keep_their_keys(name: str, key: str) -> None:
    """Computed when there was neither averaging nor clipping nor a hold-out: stored runs are found again."""
    told = protocol(name).as_dict()
    spec = RunSpec(
        model="m", variant="v", config={}, protocol=told, data="d", seed=0, precision="float32", revision=1
    )
    assert spec.key == key


REFUSED = [
    ({"epochs": 0}, "epochs must be a whole number from 1, not 0"),
    ({"learning_rate": 0.0}, "learning_rate must be positive, not 0.0"),
    ({"learning_rate": float("nan")}, "learning_rate must be positive, not nan"),
    (
        {"optimiser": "sgd"},
        "optimiser must be one of 'adam', 'lasagne_adam', 'dense_sparse_adam', 'adadelta', not 'sgd'",
    ),
    ({"select": "best_on_test"}, "best_on_test needs evaluate: every_epoch"),
    ({"hold_out": "liu2017"}, "hold_out 'liu2017' is for select: best_on_dev, not last"),
    # With nothing to better, every run would stop after `patience` epochs.
    ({"patience": 3, "evaluate": "every_epoch"}, "patience 3 needs a selected epoch"),
    ({"evaluate": "every_steps"}, "evaluate: every_steps does not go with evaluate_every None"),
    ({"clip": "norm"}, "clip must be a number or one of 'you2019', not 'norm'"),
    ({"clip": 0.0}, "clip must be positive, not 0.0"),
    ({"epochs": 3, "average_from": 3}, "average_from must be before the end of 3 epochs, not 3"),
    ({"average_from": -1}, "average_from must be a whole number from 0, or null for none, not -1"),
    ({"part_rates": {"hidden": 0}}, "part_rates: that of 'hidden' must be positive, not 0"),
    ({"warm_up": 5}, "warm_up 5 needs schedule: triangular"),
    ({"select_above": 0.0}, "select_above 0.0 needs a selected epoch, not select: last"),
]


@pytest.mark.parametrize(("changes", "message"), REFUSED)
def test_an_impossible_protocol_is_refused_with_its_name_and_value(
    changes: dict[str, Any], message: str
) -> None:
    with pytest.raises(ConfigError, match=rf"^protocol 'mine': .*{re.escape(message)}"):
        Protocol(**{"name": "mine", "epochs": 1, "batch_size": 1, **changes})
