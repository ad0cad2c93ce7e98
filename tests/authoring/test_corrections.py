"""What users say of columns, rows and cells."""

from __future__ import annotations

import pytest

from audit.authoring.corrections import Correction, parsed, settings_of
from audit.errors import AuditError


@pytest.mark.parametrize(
    ("text", "right"),
    [
        ("column 3: metric=P@1", Correction("column", ((3,),), {"metric": "P@1"})),
        ("columns 3-5: dataset=eurlex", Correction("column", ((3,), (4,), (5,)), {"dataset": "eurlex"})),
        ("column 2:skip", Correction("column", ((2,),), {"skip": "skip"})),
        ('row 2: label="A, B: c" id=a', Correction("row", ((2,),), {"label": "A, B: c", "id": "a"})),
        (
            "row 1: source=copied from=liu2017",
            Correction("row", ((1,),), {"source": "copied", "from": "liu2017"}),
        ),
        ("cell 5,3: value=75.1 mark=*", Correction("cell", ((5, 3),), {"value": "75.1", "mark": "*"})),
        ("cell 5 , 3: dash", Correction("cell", ((5, 3),), {"dash": "dash"})),
        ("table: heads=2 unit=fraction", Correction("table", ((),), {"heads": "2", "unit": "fraction"})),
    ],
)
def test_a_correction_is_a_place_and_what_stands_there(text: str, right: Correction) -> None:
    assert parsed(text) == right


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("metric=P@1", "is no correction; write it as 'column 3: dataset=eurlex metric=P@1'"),
        ("column three: skip", "is no correction"),
        ("column 3", "is no correction"),
        ("cell 3: dash", "write cell ROW,COLUMN, or columns 3-5, or rows 2-4"),
        ("column 3,4: skip", "write cell ROW,COLUMN, or columns 3-5, or rows 2-4"),
        ("columns 5-3: skip", "5-3 counts backwards or from 0; write columns 3-5"),
        ("column 0: skip", "counts backwards or from 0"),
        ("rows 1-999999: skip", "more than 10,000 places"),
        ("column 3: metrik=P@1", "'metrik=P@1' says nothing of a column; did you mean 'metric='?"),
        ("row 3: text", "'text' says nothing of a row; "),
        ("column 3: metric=", "'metric=' says nothing of a column"),
        ('row 3: label="x', "its quotes do not pair up; close them"),
        ("row 3: id=a id=b", "id stands there twice; say it once"),
        ("row 3:", "says nothing; add what the row is"),
    ],
)
def test_what_is_no_correction_is_answered_with_its_form(text: str, sentence: str) -> None:
    with pytest.raises(AuditError) as caught:
        parsed(text)
    assert sentence in str(caught.value)


def test_the_later_word_counts() -> None:
    said = settings_of(
        [parsed("columns 2-3: metric=P@1 dataset=a"), parsed("column 3: metric=P@3")], "column"
    )
    assert said == {(2,): {"metric": "P@1", "dataset": "a"}, (3,): {"metric": "P@3", "dataset": "a"}}
