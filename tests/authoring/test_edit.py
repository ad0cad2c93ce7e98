"""Edits of a claim file: every other character stays, nothing is replaced, nothing invalid is written."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from audit.authoring.edit import ClaimFile, create, rendered
from audit.claims.load import builtin_claims, load
from audit.errors import AuditError, ClaimFileError

FILE = """\
# a comment on top
format: 1
paper: {key: toy, title: A paper}   # not yet more

datasets:
  # the one that all use
  eurlex: {name: EUR-Lex,
           catalogue: eurlex-4k}

tables:
  t1:
    where: {label: Table 1}
    caption: scores
    dataset: eurlex
    source: own_run
    columns: [P@1]
    rows:
      - {id: a, values: ["75.10"]}   # as printed

# nothing was run yet
experiments: {}  # none
margins:
  default: {value: 0.5, rule: field, why: usual}
"""
TABLE = {
    "where": {},
    "caption": "a: b",
    "dataset": "eurlex",
    "source": "own_run",
    "columns": ["P@1"],
    "rows": [{"id": "b", "values": ["1.50"]}],
}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "toy.yaml"
    path.write_text(FILE)
    return path


def of_text(text: str) -> ClaimFile:
    return ClaimFile(Path("toy.yaml"), None, b"", text)  # type: ignore[arg-type]


def test_a_new_table_stands_before_the_comment_of_what_follows(path: Path) -> None:
    file = ClaimFile.open(path)
    file.put(("tables", "t2"), TABLE)
    new = """\
  t2:
    where: {}
    caption: "a: b"
    dataset: eurlex
    source: own_run
    columns: [P@1]
    rows:
      - {id: b, values: ["1.50"]}
"""
    place = FILE.index("\n# nothing was run yet")
    assert file.text == FILE[:place] + new + FILE[place:]
    assert path.read_text() == FILE
    assert list(file.save().tables) == ["t1", "t2"] == list(load(path).tables)


def test_an_empty_mapping_in_brackets_is_opened_and_its_comment_stays(path: Path) -> None:
    file = ClaimFile.open(path)
    file.put(("experiments", "kim"), {"title": "Kim", "dataset": "eurlex", "unavailable": "no code"})
    entry = "experiments:  # none\n  kim: {title: Kim, dataset: eurlex, unavailable: no code}\n"
    assert file.text == FILE.replace("experiments: {}  # none\n", entry)
    file.check()


def test_a_part_that_is_missing_comes_where_the_schema_has_it(path: Path) -> None:
    file = ClaimFile.open(path)
    file.append(("missing",), {"label": "Table 7", "why": "not in the text"})
    entry = "A paper}   # not yet more\n\nmissing: [{label: Table 7, why: not in the text}]\n"
    assert file.text == FILE.replace("A paper}   # not yet more\n", entry)
    assert file.check().missing[0].label == "Table 7"


def test_a_value_is_replaced_on_the_spot(path: Path) -> None:
    file = ClaimFile.open(path)
    file.replace(("tables", "t1", "rows", 0, "values", 0), {"printed": "75.10", "mark": "*"})
    file.replace(("tables", "t1", "where"), {"page": 3})
    new = FILE.replace('["75.10"]', '[{printed: "75.10", mark: "*"}]')
    assert file.text == new.replace("{label: Table 1}", "{page: 3}")


ENDS = {
    "folded text": "claims:\n  - id: a\n    says: >-\n      some\n      text\n",
    "literal text": "claims:\n  - id: a\n    says: |\n      some text\n",
    "text over two lines": "claims:\n  - id: a\n    says: some\n      text  # why\n",
    "quotes over two lines": "claims:\n- id: a\n  list:\n  - 'x\n     y'\n",
    "nothing": "claims:\n  - id: a\n    note:\n",
    "brackets over two lines": "claims:\n  -   id: a\n      x: {b: 1,\n          c: 2}\n",
}


@pytest.mark.parametrize("end", ENDS)
@pytest.mark.parametrize(
    "after", ["", "\n\n# about the code\ndepartures: []\n", "  # inner\n# outer\nmissing: []\n"]
)
def test_a_new_item_follows_the_last_one_whatever_that_ends_with(end: str, after: str) -> None:
    start = "" if end.startswith("quotes") else "  "
    file = of_text(ENDS[end] + after)
    file.append(("claims",), {"id": "b", "says": "x"})
    assert file.text == f"{ENDS[end]}{start}- {{id: b, says: x}}\n{after}"


def test_a_block_and_an_empty_value_are_replaced_where_they_stand() -> None:
    text = "a:\n  b:\n    x: 1\n    y: >-\n      long\n  c:\n  # d\nd: 1\n"
    new = {"by": "x", "z": [{"a": {"b": [1]}}]}
    file, other = of_text(text), of_text(text)
    file.replace(("a", "b"), new)
    assert file.text == "a:\n  b:\n    by: x\n    z:\n      - a: {b: [1]}\n  c:\n  # d\nd: 1\n"
    other.replace(("a", "c"), "x")
    assert other.text == text.replace("  c:", "  c: x")
    assert yaml.safe_load(file.text)["a"]["b"] == new


def test_what_stands_there_is_never_put_twice(path: Path) -> None:
    with pytest.raises(AuditError, match=r"tables\.t1 is there already, and is kept; choose another name"):
        ClaimFile.open(path).put(("tables", "t1"), TABLE)


def test_what_would_be_invalid_is_refused_with_the_lines_of_the_loader_and_not_written(path: Path) -> None:
    file = ClaimFile.open(path)
    file.put(("tables", "t2"), {**TABLE, "dataset": "eurlexx"})
    with pytest.raises(ClaimFileError) as caught:
        file.save()
    assert caught.value.problems[0].startswith(f"{path}: not changed, since it would not be valid then")
    assert caught.value.problems[1].startswith(
        f"{path}:22: tables.t2.dataset: there is no data set 'eurlexx'"
    )
    assert path.read_text() == FILE and [it.name for it in path.parent.iterdir()] == ["toy.yaml"]


def test_a_file_that_changed_meanwhile_is_not_replaced(path: Path) -> None:
    file = ClaimFile.open(path)
    file.put(("tables", "t2"), TABLE)
    path.write_text(FILE + "# another hand\n")
    with pytest.raises(AuditError, match="changed by another program meanwhile"):
        file.save()
    assert path.read_text() == FILE + "# another hand\n"


@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
@pytest.mark.parametrize("start", ["", "\ufeff"])
def test_line_ends_and_byte_order_mark_stay(path: Path, line_end: str, start: str) -> None:
    path.write_bytes((start + FILE).replace("\n", line_end).encode())
    file = ClaimFile.open(path)
    file.put(("tables", "t2"), TABLE)
    file.save()
    text = path.read_bytes().decode()
    assert text.startswith(start + "# a comment") and text.count("\n") == text.count(line_end)
    assert len(load(path).tables) == 2


def test_a_new_file_takes_nobodys_place(tmp_path: Path) -> None:
    path = tmp_path / "new.yaml"
    assert create(path, FILE).paper.key == "toy"
    with pytest.raises(AuditError, match="there is such a file, and it is kept"):
        create(path, FILE)
    with pytest.raises(ClaimFileError, match="datasets"):
        create(tmp_path / "other.yaml", FILE.replace("datasets:", "data sets:"))
    assert [it.name for it in tmp_path.iterdir()] == ["new.yaml"] and path.read_text() == FILE


@pytest.mark.parametrize("source", builtin_claims(), ids=lambda path: path.stem)
def test_in_every_paper_all_lines_stay_and_the_content_is_what_was_put(source: Path, tmp_path: Path) -> None:
    path = tmp_path / source.name
    path.write_bytes(source.read_bytes())
    file = ClaimFile.open(path)
    new = {**TABLE, "dataset": next(iter(file.paper.datasets)), "caption": "x"}
    file.put(("tables", "t999"), new)
    file.append(("missing",), {"label": "Table 99", "why": "none"})
    removed = [line for line in file.diff().splitlines()[2:] if line.startswith("-")]
    assert not removed
    before, after = (yaml.safe_load(text) for text in (file.old, file.text))
    assert after["tables"].pop("t999") == new and after["missing"].pop() == {
        "label": "Table 99",
        "why": "none",
    }
    assert after == {"missing": [], **before}
    file.save()


PLAIN = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"])),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.from_regex(r"[a-zA-Z0-9@_.-]{1,8}", fullmatch=True), inner, max_size=4)
    ),
    max_leaves=12,
)


@settings(max_examples=150, suppress_health_check=[HealthCheck.too_slow])
@given(PLAIN, st.booleans())
def test_what_is_rendered_reads_back_as_it_was(value: object, flow: bool) -> None:
    text = rendered(value, flow=flow)
    assert yaml.safe_load(text) == value
    if flow:
        assert "\n" not in text
