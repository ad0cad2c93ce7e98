"""`audit list model NAME` and `audit list training`: every key that a claim file may set is described."""

from __future__ import annotations

from dataclasses import dataclass, fields

import pytest

from audit import cli
from audit.errors import Exit
from reimpl.models import KeyLine, find_model, keys_of, known_models
from reimpl.protocol import KEYS


@dataclass(frozen=True)
class Base:
    size: int | None = None
    """Of what is below; None: none."""


@dataclass(frozen=True)
class Mine(Base):
    rate: float = 0.5
    windows: tuple[int, ...] = (3, 4)
    """Widths,
    in words."""
    name: str = "null"
    must: bool = True

    def told(self) -> str:
        """Not of a field."""
        return self.name


def listed(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    assert cli.main(["list", *words]) == Exit.OK
    return capsys.readouterr().out


def test_keys_have_type_default_and_docstring_and_inherited_ones_come_first() -> None:
    assert keys_of(Mine) == (
        KeyLine("size", "whole number or null", "null", "Of what is below; null: none."),
        KeyLine("rate", "number", "0.5", ""),
        KeyLine("windows", "list of whole numbers", "[3, 4]", "Widths, in words."),
        KeyLine("name", "text", '"null"', ""),
        KeyLine("must", "true or false", "true", ""),
    )


@pytest.mark.parametrize("name", known_models())
def test_every_key_and_variant_of_every_model_is_shown(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    lines = listed(capsys, "model", name).splitlines()
    variants, keys = lines.index("variants, named by `variant:`"), lines.index("keys of `config:`")
    names = [it.split(":")[0].strip() for it in lines if it.startswith("  ") and it[2] != " "]
    module = find_model(name)
    assert names == [*module.VARIANTS, *(it.name for it in fields(module.Config))]
    assert lines[variants + 1].strip() == next(iter(module.VARIANTS))
    assert lines[keys + 1].strip().startswith(f"{fields(module.Config)[0].name}: ")


def test_keys_of_training_are_those_that_may_be_changed_and_no_default_is_promised(
    capsys: pytest.CaptureFixture[str],
) -> None:
    shown = listed(capsys, "training")
    assert [it.split(":")[0].strip() for it in shown.splitlines() if it[:2] == "  " != it[2:4]] == [*KEYS]
    assert "  clip: number or you2019 or null\n      Largest norm of all gradients together;" in shown
    assert "default" not in shown.split("\nhold_out")[0]
    assert "\nhold_out is one of chen2022, " in shown
