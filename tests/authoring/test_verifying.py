"""A second reading of a table against the first: what agrees, what differs, and what is refused."""

from __future__ import annotations

import pytest

from audit.authoring.reading import table_of
from audit.authoring.verifying import compared
from audit.claims.load import fingerprint, verified
from audit.claims.schema import Table, Transcription


def table(*rows: dict[str, object], columns: tuple[object, ...] = ("P@1", "P@3")) -> Table:
    about = {"where": {"label": "Table 1"}, "caption": "scores", "dataset": "one", "source": "own_run"}
    return Table.model_validate({**about, "columns": columns, "rows": rows})


TWO = table(
    {"id": "kim", "label": "Kim-CNN", "values": ["75.10", None]},
    {
        "id": "xml",
        "label": "XML-CNN",
        "values": [{"printed": "76.40", "sd": "0.20", "mark": "bold *"}, "61.0"],
    },
)


def found(text: str) -> list[str]:
    differences, _ = compared(table_of("t.csv", text, {}), "t1", TWO)
    return [f"{of.row},{of.column}: {of.here} | {of.there}" for of in differences]


@pytest.mark.parametrize(
    ("kim", "xml", "differences"),
    [
        ("75.1,-", "76.40 ± 0.20 *,61.0", ["0,0: 75.10 | 75.1"]),
        ("75.10,60.0", "76.40 ± 0.20 *,61.0", ["0,1: a dash | 60.0"]),
        ("75.10,-", "76.40 ± 0.2 *,61.0", ["1,0: 76.40 ± 0.20 * | 76.40 ± 0.2 *"]),
        ("75.10,-", "76.40 ± 0.20,61.0", ["1,0: 76.40 ± 0.20 * | 76.40 ± 0.20"]),
    ],
)
def test_numbers_spreads_stars_and_dashes_are_compared_as_printed(
    kim: str, xml: str, differences: list[str]
) -> None:
    assert found(f"M,P@1,P@3\nKim-CNN,{kim}\nXML-CNN,{xml}\n") == differences


def test_labels_captions_and_order_may_change_since_and_ids_and_numbers_may_not() -> None:
    """A record by hand has no fingerprint, and is taken at its word; the paper's goes for all tables."""
    of = fingerprint({"t1": TWO})
    label = TWO.rows[0].model_copy(update={"label": "Kim (2014)"})
    other = TWO.model_copy(update={"rows": (TWO.rows[1], label), "caption": "others"})
    swapped = [row.model_copy(update={"id": id}) for row, id in zip(TWO.rows, ("xml", "kim"), strict=True)]
    whole = Transcription.model_validate({"verified_by": "A", "date": "2026-11-28", "fingerprint": of})
    by_hand = TWO.model_copy(update={"transcription": Transcription(verified_by="B")})
    tables = {"same": TWO, "label": other, "ids": TWO.model_copy(update={"rows": tuple(swapped)})}
    assert {name: verified("t1", {"t1": it}, whole) for name, it in tables.items()} == {
        "same": "A, 2026-11-28",
        "label": "A, 2026-11-28",
        "ids": None,
    }
    assert verified("t1", {"t1": TWO, "t2": TWO}, whole) is None, "a table was added since"
    assert verified("t1", {"t1": by_hand}, None) == "B, no date"
