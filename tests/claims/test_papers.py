"""What a user's words for a paper lead to, and what is offered for a name that nobody knows."""

from __future__ import annotations

from pathlib import Path

import pytest

from audit.claims.load import claim_paths
from audit.errors import AuditError
from audit.names import known_names


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("place", ["claims/made2024.yaml", "made2024.yaml"])
def test_a_paper_of_one_s_own_is_found_by_its_key(place: str) -> None:
    """As `audit add` and `audit suggest` find it."""
    Path(place).parent.mkdir(exist_ok=True)
    Path(place).touch()
    assert claim_paths(["made2024"]) == [Path(place)]


def test_a_key_of_a_built_in_paper_is_that_paper() -> None:
    Path("chen2022.yaml").touch()
    Path("chen2022").mkdir()  # as `audit run` makes in its folder of reports
    assert claim_paths(["chen2022"])[0].is_absolute()
    assert claim_paths(["./chen2022.yaml"]) == [Path("chen2022.yaml")]


def test_what_is_neither_is_one_sentence() -> None:
    with pytest.raises(AuditError, match=r"'made2024' is neither a file nor a built-in paper; known"):
        claim_paths(["made2024"])


@pytest.mark.parametrize(
    ("name", "names", "expected"),
    [
        ("NDCG@5", ["P@5", "nDCG@5"], "did you mean 'nDCG@5'? Known: P@5, nDCG@5"),
        ("own", ["unknown", "own_run"], "did you mean 'own_run'? Known: unknown, own_run"),
        ("zebra", ["rule", "rule", "why"], "known: rule, why"),
        ("x", [], "none is known"),
    ],
)
def test_the_nearest_name_is_offered_with_all_that_are_known(
    name: str, names: list[str], expected: str
) -> None:
    assert known_names(name, names) == expected
