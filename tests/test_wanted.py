"""What to write in place of a value of another type."""

from __future__ import annotations

import pytest
from pydantic import TypeAdapter, ValidationError

from reimpl.config_fields import wanted


@pytest.mark.parametrize(
    ("kind", "value", "said"),
    [
        (int, '"ten"', "; give a whole number without quotes, as 10"),
        (int, "1.5", "; give a whole number without quotes, as 10"),
        (float, '"big"', "; give a number without quotes, as 0.5"),
        (bool, "1", "; give true or false"),
        (str, "1", "; give a text"),
        (list[int], "1", "; give a list, as [1, 2]"),
    ],
)
def test_each_type_says_what_to_write(kind: type, value: str, said: str) -> None:
    with pytest.raises(ValidationError) as caught:
        TypeAdapter(kind).validate_json(value, strict=True)
    assert wanted(caught.value.errors()[0]["type"]) == said


def test_of_what_says_all_itself_nothing_more_is_said() -> None:
    assert wanted("literal_error") == ""
