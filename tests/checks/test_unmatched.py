"""A copied number that cannot be looked up says what is missing, and what to write where."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from audit import cli
from audit.checks.across import copies
from audit.checks.sheet import Sheet
from audit.errors import Exit
from audit.record import Finding
from tests.checks.made import Of, data_set, only, paper, table

ORIGIN = paper(
    table(["P@1"], {Of(id=id, method=f"{id}_cnn"): ["76.38"] for id in ("kim", "xml")}),
    key="origin",
    datasets=[data_set()],
)


def copying(catalogue: str | None = "eurlex-4k", *values: str, **of: Any) -> Sheet:
    row = Of(id="kim", source="copied", copied_from="origin", **of)
    columns = ["P@1", "P@3"][: len(values) or 1]
    held = table(columns, {row: list(values or ("76.38",))})
    return paper(held, key="copy", datasets=[data_set("eurlex", catalogue)])


def found(sheet: Sheet) -> Finding:
    it = only(copies([sheet, ORIGIN]))
    assert it.result == "untestable"
    return it


def test_a_row_without_an_experiment_is_told_to_have_one() -> None:
    it = found(copying())
    assert it.id == "copy:copies:no-experiment-t.kim"
    assert it.arithmetic == (
        "1 number is copied from origin, and row t.kim has no experiment that says of which method; add one "
        "with `audit add experiment ID --row t.kim --set method=NAME`, by its name in origin: did you mean "
        "'kim_cnn'? Known: kim_cnn, xml_cnn"
    )


def test_an_experiment_without_a_method_is_told_to_name_it() -> None:
    it = found(copying("eurlex-4k", "76.38", "60.00", experiment="mine"))
    assert it.id == "copy:copies:no-method-t.kim"
    assert it.arithmetic == (
        "2 numbers are copied from origin, and the experiment of row t.kim does not say of which method; "
        "write `method: NAME` there, by its name in origin: did you mean 'kim_cnn'? Known: kim_cnn, xml_cnn"
    )
    assert it.cells == ("t.kim.P@1", "t.kim.P@3")


def test_a_data_set_of_no_collection_is_told_to_name_it() -> None:
    it = found(copying(None, method="kim_cnn"))
    assert it.id == "copy:copies:no-catalogue-eurlex"
    assert it.arithmetic == (
        "1 number is copied from origin, and data set eurlex does not say which collection it is; write "
        "`catalogue: ENTRY` there (`audit data list` shows them)"
    )


@pytest.mark.parametrize("of", [{"method": "attention_xml"}, {"method": "kim_cnn", "quantity": "train"}])
def test_what_is_named_and_not_there_is_said_to_be_not_there(of: dict[str, Any]) -> None:
    it = found(copying(**of))
    assert it.id == "copy:copies:not-in-origin"
    assert (
        it.arithmetic
        == "1 number is copied from origin, whose claim file has none of this method, collection and metric"
    )


def test_rows_that_lack_the_same_are_told_one_by_one() -> None:
    rows = [Of(id=id, source="copied", copied_from="origin", experiment=id) for id in ("kim", "xml")]
    held = paper(table(["P@1"], {it: ["1.00"] for it in rows}), key="copy", datasets=[data_set()])
    ids = [it.id for it in copies([held, ORIGIN])]
    assert ids == ["copy:copies:no-method-t.kim", "copy:copies:no-method-t.xml"]


def test_what_the_message_says_makes_the_number_testable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """With the method and the collection the copied 76.38 is found in liu2017; nothing else was lacking."""
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "toy.yaml"
    file.write_text(TOY)
    for old, new, said in (
        ("unavailable: copied}", "unavailable: copied, method: xml_cnn}", "write `method: NAME` there"),
        ("name: EUR-Lex}", "name: EUR-Lex, catalogue: eurlex-4k}", "write `catalogue: ENTRY` there"),
    ):
        assert cli.main(["check", "toy.yaml", "--all"]) == Exit.OK
        assert said in " ".join(capsys.readouterr().out.split())
        file.write_text(file.read_text().replace(old, new))
    assert cli.main(["check", "toy.yaml"]) == Exit.CONTRADICTED
    assert "76.31 here, 76.38 in liu2017: 0.07 apart" in " ".join(capsys.readouterr().out.split())


TOY = """\
format: 1
paper: {key: toy, title: A paper}
datasets: {eurlex: {name: EUR-Lex}}
tables:
  t1:
    where: {label: Table 1}
    caption: scores
    dataset: eurlex
    source: copied
    from: liu2017
    columns: [P@1]
    rows:
      - {id: xml, experiment: xml, values: ["76.31"]}
experiments:
  xml: {title: XML-CNN, dataset: eurlex, unavailable: copied}
margins:
  default: {value: 0.5, rule: field, why: usual}
"""
