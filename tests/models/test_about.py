"""Protocols, recipes and tuning protocols have a line each, which says what they do as they are now."""

from __future__ import annotations

import re

import pytest

from audit import cli
from audit.errors import Exit
from reimpl import models
from reimpl.data.preprocessing import PREPROCESSINGS, find_preprocessing
from reimpl.protocol import PROTOCOLS, TABLES, TUNING, protocol


def test_every_name_has_one_line_and_no_other_name_has() -> None:
    told = (models.protocols(), models.recipes(), models.tunings())
    for held, lines in zip((PROTOCOLS, PREPROCESSINGS, TUNING), told, strict=True):
        assert list(lines) == list(held)
        assert all(re.fullmatch(r"\S[^\n]{15,220}", line) for line in lines.values())
    assert set(TABLES["recipes"]) == set(PREPROCESSINGS)


@pytest.mark.parametrize("sort", ["protocols", "recipes", "tuning"])
def test_names_are_listed(sort: str, capsys: pytest.CaptureFixture[str]) -> None:
    """`--protocol` takes each name that is shown, as its help says."""
    assert cli.main(["list", sort]) == Exit.OK
    lines = capsys.readouterr().out.splitlines()
    for name in (line.split()[0] for line in lines if not line.startswith(" ")):
        if sort == "protocols":
            assert protocol(name).name == name
        elif sort == "recipes":
            assert find_preprocessing(name).name == name
