"""Protocols, recipes and tuning protocols have a line each, which says what they do as they are now."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from audit import cli
from audit.errors import Exit
from reimpl import described
from reimpl.data.recipe import RECIPES, find_recipe
from reimpl.protocol import PROTOCOLS, protocol
from reimpl.tuning import TUNING


def test_every_name_has_one_line_and_no_other_name_has() -> None:
    for held, lines in (
        (PROTOCOLS, described.protocols()),
        (RECIPES, described.recipes()),
        (TUNING, described.tunings()),
    ):
        assert list(lines) == list(held)
        assert all(re.fullmatch(r"\S[^\n]{15,220}", line) for line in lines.values())
    assert set(described.OF_PROTOCOLS) <= set(PROTOCOLS)
    assert set(described.OF_RECIPES) == set(RECIPES)


def test_a_line_says_what_papers_and_codes_say_of_theirs() -> None:
    """Appendix A.3 of Chen et al. 2022; Liu et al.'s loop of 51; Table 2 and the public code of You et al."""
    lines = described.protocols()
    assert lines["chen2022"] == (
        "Chen et al. 2022, Appendix A.3: 50 epochs, batches of 256, Adam at 0.001, 500 tokens; the last "
        "epoch counts"
    )
    assert lines["chen2022-code"].endswith("the best P@1 on the test set counts")
    assert "51 epochs, batches of 256, Lasagne's Adam" in lines["liu2017"]
    assert lines["you2019-code"].endswith("the best nDCG@5 of averaged weights on documents held out counts")
    assert lines["you2019-paper"].endswith("; averaged weights count")
    assert lines["ye2020-small"].startswith(
        "Ye et al. 2020, as in the paper, at the sizes of small: 8 epochs"
    )


def test_a_line_follows_its_protocol_and_recipe(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(described, "PROTOCOLS", {"small": replace(PROTOCOLS["small"], epochs=7)})
    assert "7 epochs" in described.protocols()["small"]
    changed = replace(RECIPES["liu2017"], vocabulary_size=12_000, unlabelled="drop")
    monkeypatch.setattr(described, "RECIPES", {"liu2017": changed})
    assert described.recipes() == {
        "liu2017": "Liu et al. 2017, public code: tokens of the 12,000 most frequent words of training and "
        "test texts; training texts without labels are dropped"
    }


@pytest.mark.parametrize("sort", ["protocols", "recipes", "tuning"])
def test_names_are_listed_by_themselves_and_behind_the_papers(
    sort: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """`--protocol` takes each name that is shown, as its help says."""
    assert cli.main(["list", sort]) == Exit.OK
    lines = capsys.readouterr().out.splitlines()
    assert cli.main(["list", "wang2019"]) == Exit.OK
    whole = capsys.readouterr().out
    key = {"protocols": "protocol", "recipes": "recipe"}.get(sort, sort)
    assert f"\n{key}:\n" + "".join(f"  {line}\n" for line in lines) in whole
    for name in (line.split()[0] for line in lines):
        if sort == "protocols":
            assert protocol(name).name == name
        elif sort == "recipes":
            assert find_recipe(name).name == name
