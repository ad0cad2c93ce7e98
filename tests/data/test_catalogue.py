"""The catalogue holds what papers print, and nothing that nobody prints."""

from __future__ import annotations

import re

import pytest

from audit.claims.load import builtin_claims, load
from reimpl.data.catalogue import catalogue, differences
from reimpl.data.describe import describe, observed_in
from reimpl.data.formats import sniff
from reimpl.metrics import propensity_constants
from tests.shared import shared


def plain(text: str) -> str:
    return text.replace(",", "")


def test_what_a_claim_file_prints_stands_in_the_catalogue() -> None:
    """Each `catalogue:` of a claim file is a key, and its printed statistics are there under that paper."""
    for paper in map(load, builtin_claims()):
        for dataset in paper.datasets.values():
            if dataset.catalogue is None:
                continue
            published = [v for v in catalogue().find(dataset.catalogue).published if paper.paper.key in v.by]
            printed = {key: plain(value) for key, value in dataset.printed.items()}
            said = [{k: plain(v) for k, v in it.printed.items()} for it in published]
            assert not printed or any(printed.items() <= it.items() for it in said), (printed, said)


def test_keys_places_numbers_and_contents_are_sound() -> None:
    """What is named is there, numbers are as printed, and one content stands in one place."""
    found = catalogue()
    for entry in found.entries.values():
        assert set(entry.places) <= found.places.keys()
        assert entry.stand_in_for is None or entry.stand_in_for in found.entries
        for sizes in entry.versions:
            assert all(
                re.fullmatch(r"\d{1,3}(,\d{3})*(\.\d+)?|\d+(\.\d+)?", n) for n in sizes.printed.values()
            )
    known = [each for entry in found.entries.values() for each in entry.known]
    assert len({each.content for each in known}) == len(known)
    digests = {it for each in known for it in (each.content, each.corpus, each.partition) if it}
    assert all(re.fullmatch("[0-9a-f]{64}", it) for it in digests)


@pytest.mark.parametrize(
    ("folder", "key"),
    [
        ("mulan-delicious", "delicious"),
        ("reuters21578", "reuters21578"),
        pytest.param("eurlex-4k-matched", "eurlex-4k-matched", marks=pytest.mark.slow),
        pytest.param("eurlex57k", "eurlex57k", marks=pytest.mark.slow),
        pytest.param("yso-titles-22k", "yso-titles-22k", marks=pytest.mark.slow),
    ],
)
def test_what_is_on_record_of_a_content_is_what_its_files_give(folder: str, key: str) -> None:
    """Sizes before hashes, and where and as what it was read."""
    path = shared(f"data/{folder}")
    where, figures = f"{path}, read as {sniff(path)[0].title}", describe(path)
    [known] = catalogue().entries[key].known
    assert known.sizes and not differences(known.sizes.printed, observed_in(figures)), where
    for name in ("content", "corpus", "partition"):
        assert getattr(known, name) == figures[name], f"{name} of {where}"


def test_propensity_constants_are_those_that_the_metrics_use() -> None:
    """By name: AmazonCat-13K has the default values, not those of the other Amazon sets (pyxclib #7)."""
    for entry in catalogue().entries.values():
        if entry.propensity:
            assert propensity_constants(entry.name) == (entry.propensity.A, entry.propensity.B), entry.name
