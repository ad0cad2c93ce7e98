"""Whatever a claim file may hold, the checks come to an end and say something of cells that are there."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any, get_args

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as some

from audit.checks import Sheet, all_findings
from audit.claims.schema import METRICS, Quantity
from audit.record import canonical_json
from tests.checks.made import Of, data_set, paper, states, table

NUMBERS = some.one_of(
    some.from_regex(r"[0-9]{1,3}(\.[0-9]{1,4})?%?", fullmatch=True),
    some.sampled_from(
        ["0", "0.00", "100.00", "-0.5", "\N{MINUS SIGN}3", "1,000", ".5", "99999999999", "1." + "0" * 30]
    ),
)
NAMES = [f"{it}@{k}" if with_k else it for it, with_k in METRICS.items() for k in (1, 3, 5)[: 1 + 2 * with_k]]
SUBJECTS = some.one_of(
    some.builds(lambda it: {"metric": it}, some.sampled_from(NAMES)),
    some.builds(lambda it: {"quantity": it}, some.sampled_from(get_args(Quantity))),
)
DATASETS = ("d", "e", "unknown")
STATISTICS = (
    "train",
    "test",
    "validation",
    "labels",
    "features",
    "labels_per_document",
    "documents_per_label",
)
KINDS = (
    "order",
    "gap",
    "significant",
    "equivalent",
    "ranking",
    "trend",
    "optimum",
    "cost",
    "value",
    "convergence",
)


@some.composite
def sheets(draw: Any, key: str = "one") -> Sheet:
    columns = [
        Of(
            id=f"c{i}",
            dataset=draw(some.sampled_from(DATASETS)),
            unit=draw(some.sampled_from([None, "fraction"])),
            **it,
        )
        for i, it in enumerate(draw(some.lists(SUBJECTS, min_size=1, max_size=5)))
    ]
    rows = {}
    for i in range(draw(some.integers(1, 4))):
        source = draw(some.sampled_from(["own_run", "copied", "unknown"]))
        row = Of(
            id=f"r{i}",
            method=draw(some.sampled_from([None, "a", "b"])),
            source=source,
            copied_from=draw(some.sampled_from(["one", "two", "nobody"])) if source == "copied" else None,
        )
        cell = some.one_of(
            some.none(), NUMBERS, some.builds(lambda text: Of(printed=text, sd="0.1"), NUMBERS)
        )
        rows[row] = [draw(cell) for _ in columns]
    held = [
        data_set(
            name,
            draw(some.sampled_from([None, "c"])),
            **draw(some.dictionaries(some.sampled_from(STATISTICS), NUMBERS)),
        )
        for name in DATASETS[:2]
    ]
    cells = some.builds(lambda i, j: f"t.r{i}.c{j}", some.integers(0, 4), some.integers(0, 5))
    says = [
        states(
            draw(some.sampled_from(KINDS)),
            *draw(some.lists(cells, max_size=4)),
            metric=draw(some.sampled_from(["P@1", "nDCG@3", ""])),
            dataset=draw(some.sampled_from(DATASETS)),
            id=f"s{i}",
        )
        for i in range(draw(some.integers(0, 3)))
    ]
    says.append(
        states(
            "dominance",
            id="best",
            winner=draw(some.sampled_from(["a", "b", "c"])),
            tables=["t"],
            place=draw(some.integers(1, 3)),
            at_least=draw(some.one_of(some.none(), some.integers(1, 3))),
        )
    )
    a, b = draw(cells), draw(cells)
    forms = (
        f"gain({a}, {b}) > 1",
        f"relative_gain({a}, {b}) about 3",
        f"rank({a}) = 1",
        "max(t.*.c0) < 3",
        f"{a} /",
    )
    says.append(states("arithmetic", id="sum", metric="P@1", expect=draw(some.sampled_from(forms))))
    runs = draw(some.sampled_from([None, 1, 3]))
    return paper(table(columns, rows, runs=runs), key=key, datasets=held, says=says)


@given(sheets(), sheets("two"))
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_any_sheets_can_be_checked_and_their_findings_written(one: Sheet, two: Sheet) -> None:
    found = all_findings([one, two])
    assert len({it.id for it in found}) == len(found)
    known = {
        *one.numbers,
        *two.numbers,
        *(f"{sheet.paper.key}:{name}" for sheet in (one, two) for name in sheet.numbers),
    }
    for it in found:
        canonical_json(asdict(it))
        assert 1 <= it.weight <= 5 and it.arithmetic
        assert it.power is None or 0 <= it.power <= 1
        assert it.result != "inconsistent" or it.alternatives, "an innocent reason comes with each accusation"
        assert it.check == "statistics" or set(it.cells) <= known
