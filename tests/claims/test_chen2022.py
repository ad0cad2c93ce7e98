"""The claim file of Chen et al. 2022 against the paper's text, its arithmetic, and the models it names."""

from __future__ import annotations

import re
from decimal import Decimal
from functools import cache
from typing import Any

import pytest

from audit.claims.load import Paper, builtin_claims, load
from audit.record import Cell, ClaimRecord
from audit.runner.resolve import tuning_of
from reimpl import xml_cnn
from reimpl.models import find_config
from reimpl.protocol import as_dict, space_of
from tests.shared import shared


@cache
def paper() -> Paper:
    return load(next(path for path in builtin_claims() if path.name == "chen2022.yaml"))


def text() -> str:
    """The paper's text as extracted, with plain apostrophes and without ligatures."""
    plain = shared("papers/chen2022_xmlcnn_study.txt").read_text(encoding="utf-8")
    for old, new in {"\u2019": "'", "\ufb01": "fi", "\ufb02": "fl"}.items():
        plain = plain.replace(old, new)
    return plain


def cells() -> dict[str, Cell]:
    return {it.address: it for table in paper().table_records() for row in table.rows for it in row.cells}


def records(kind: str) -> list[ClaimRecord]:
    return [record for record in paper().claim_records() if record.kind == kind]


#: How the line of each row begins in the paper's text, up to its first number.
LINES = {
    "t3.reported": "Results reported in Liu et al. (2017)",
    "t3.public": "Public code by Liu et al. (2017)'s authors Lasagne",
    "t3.mimic": "Our code mimicking the above PyTorch",
    "t4.kim_emb": "Kim-CNN embeddings N/A",
    "t4.kim_words": "Kim-CNN words N/A",
    "t4.xml_emb_eq7": "XML-CNN embeddings Eq. (7)",
    "t5.words": "words",
    "t8.reported": "Results reported in Liu et al. (2017)",
    "t6a.impl": "XML-CNN-impl",
    "t11.d1": "d= 1",
    "t11.d64": "d= 64",
    "t12.f128_d8": "128 8",
    "t13c.kim": "Kim-CNN-Eq.(3)",
    "t14.kim_words": "Kim-CNN words N/A",
}


@pytest.mark.parametrize("row", LINES)
def test_every_row_stands_in_the_paper_with_all_its_numbers(row: str) -> None:
    """The line of the text that begins with the row's name goes on with the row's numbers, and no other."""
    printed = [cell.printed for address, cell in cells().items() if address.rpartition(".")[0] == row]
    numbers = [it.removeprefix(LINES[row]) for it in text().splitlines() if it.startswith(LINES[row] + " ")]
    found = [re.findall(r"\b\d\d\.\d\d?\b", rest) for rest in numbers if re.match(r" \d\d\.\d\d", rest)]
    assert printed in found
    assert all(line == printed for line in found if row.startswith(("t3", "t5", "t8")))


#: Claims about experiments whose number the paper does not print.
UNPRINTED = {
    "less-training-data-is-worse",
    "eq4-better-than-eq3",
    "one-filter-size-suffices",
    "kim-with-hidden-layer-strong",
}


@pytest.mark.parametrize("record", records("order"), ids=lambda record: record.id)
def test_the_printed_better_one_is_better(record: ClaimRecord) -> None:
    """A swap of the two sides would show here, since the paper's sentences agree with its tables."""
    if record.claim in UNPRINTED:
        assert len(record.printed) < 2
        return
    better, worse = map(Decimal, record.printed)
    assert better > worse


@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("ce_plain", {"loss": "softmax_ce", "hidden": None, "pooling": "max"}),
        ("bce_dynamic", {"loss": "bce_mean", "hidden": None, "pooling": "dynamic"}),
        ("bce_hidden_dynamic", {"loss": "bce_mean", "pooling": "dynamic"}),
        ("paper_tuned", {"loss": "bce_mean", "pooling": "dynamic", "sweep": "words"}),
        ("impl_tuned", {"loss": "bce_mean", "pooling": "overlapping", "sweep": "embeddings", "stride": 2}),
        *((f"pools_{d}", {"pooling": "dynamic", "pools": d}) for d in (2, 8, 32, 64)),
        ("filters_128_pools_2", {"pooling": "dynamic", "maps": 128, "pools": 2}),
    ],
)
def test_tuned_rows_are_the_networks_of_their_table_with_windows_of_8_and_what_it_names_is_not_sought(
    name: str, settings: dict[str, Any]
) -> None:
    experiment = paper().experiments[name]
    config = as_dict(find_config(xml_cnn, experiment.variant, experiment.config))
    assert {key: config[key] for key in settings} == settings
    assert config["windows"] == (8,)
    space = space_of(
        tuning_of(experiment),
        "xml_cnn",
        config,
        set_config=experiment.config,
        set_training=experiment.training,
        sizes={},
    )
    assert not {it.key for it in space} & set(experiment.config)
    assert "learning_rate" in {it.key for it in space}
    assert ("hidden" in {it.key for it in space}) == (config["hidden"] is not None)
    free = config["pooling"] == "dynamic" and "pools" not in settings
    assert ("pools" in {it.key for it in space}) == free
