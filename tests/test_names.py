"""What is offered for a name that nobody knows."""

from __future__ import annotations

import pytest

from audit.names import known_names


@pytest.mark.parametrize(
    ("name", "names", "expected"),
    [
        ("rulle", ["rule", "why"], "did you mean 'rule'? Known: rule, why"),
        ("NDCG@5", ["P@5", "nDCG@5"], "did you mean 'nDCG@5'? Known: P@5, nDCG@5"),
        ("own", ["unknown", "own_run"], "did you mean 'own_run'? Known: unknown, own_run"),
        ("zebra", ["rule", "why"], "known: rule, why"),
        ("", ["rule"], "known: rule"),
        ("x", [], "none is known"),
        ("zebra", ["a", "a", "b"], "known: a, b"),
    ],
)
def test_the_nearest_name_is_offered_with_all_that_are_known(
    name: str, names: list[str], expected: str
) -> None:
    assert known_names(name, names) == expected


def test_a_long_list_is_cut() -> None:
    assert known_names("zebra", [f"n{k}" for k in range(14)]).endswith("n10, n11 and 2 more")
