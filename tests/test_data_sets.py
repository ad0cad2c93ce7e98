"""What claim files say of data sets, kept: the same as reading them, until one changes."""

from __future__ import annotations

from pathlib import Path

from audit.claim import Paper, builtin_claims, load
from audit.cli.data_sets import data_sets
from tests.runner.papers import write_paper

PAPERS = [load(path) for path in builtin_claims()]


def test_what_is_kept_is_what_the_claim_files_say(tmp_path: Path) -> None:
    files = list(builtin_claims())
    found = data_sets(files, lambda: PAPERS, tmp_path)
    again = data_sets(files, list, tmp_path)
    assert again == found == {paper.paper.key: paper.datasets for paper in PAPERS}
    assert [list(it) for it in again.values()] == [list(it.datasets) for it in PAPERS]


def test_a_claim_file_that_changed_is_read_again(tmp_path: Path) -> None:
    path = write_paper(tmp_path)
    data_sets([path], lambda: [load(path)], tmp_path)
    write_paper(tmp_path, ('"1,000"', '"1,001"'))
    assert data_sets([path], lambda: [load(path)], tmp_path)["toy2024"]["corpus"].printed["train"] == "1,001"


def test_without_a_cache_they_are_read_each_time(tmp_path: Path) -> None:
    path, times = write_paper(tmp_path), []

    def read() -> list[Paper]:
        times.append(1)
        return [load(path)]

    for _ in range(2):
        data_sets([path], read, None)
    assert len(times) == 2


def test_a_cache_that_cannot_be_written_is_no_hindrance(tmp_path: Path) -> None:
    path = write_paper(tmp_path)
    (tmp_path / "cache").write_text("a file")
    assert set(data_sets([path], lambda: [load(path)], tmp_path / "cache")) == {"toy2024"}
