"""Claim files: what is accepted, what is refused with which lines, and the records that come of them."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from audit.claims.load import KnownNames, builtin_claims, json_schema, load
from audit.claims.source import LIMIT_BYTES, read
from audit.errors import ClaimFileError
from audit.record import Cell, ClaimRecord, Column, Deviation, Margin, PaperInfo, Row, TableRecord, Where

SMALL = """\
format: 1
paper:
  key: small2020
  title: A small paper
datasets:
  one: {name: One, printed: {test: "3,865"}}
  two: {name: Two}
tables:
  t1:
    where: {page: 4, label: Table 1}
    caption: two methods
    dataset: one
    columns: [P@1, P@3]
    rows:
      - {id: ours, label: Our method, experiment: ours, source: own_run, values: ["76.38", "62.81"]}
      - {id: base, experiment: base, source: own_run, values: ["75.50", null]}
      - {id: old, experiment: old, source: copied, from: past2019, values: ["70.00", "60.00"]}
  t2:
    where: {section: "5"}
    caption: a sweep
    columns:
      - {id: small, label: d = 1, metric: P@1, dataset: one}
      - {id: large, metric: P@1, dataset: one}
      - {id: hours}
    rows:
      - id: d
        experiments: {small: ours, large: base}
        source: own_run
        values: ["96.10", "2.5", "12"]
experiments:
  ours: {title: Ours, dataset: one, model: xml_cnn, variant: a, protocol: p, recipe: r, config: {maps: 8}}
  base: {title: Base, dataset: one, model: xml_cnn, variant: b, protocol: p, recipe: r}
  old: {title: Old, dataset: one, unavailable: Nobody has the code.}
margins:
  default: {value: 0.5, rule: field, why: usual}
claims:
  - {id: ours-wins, kind: order, better: t1.ours, worse: t1.base, metric: P@1, says: We win, where: {page: 3}}
  - {id: ours-value, kind: value, of: t1.ours, metric: [P@1, P@3], says: As printed, where: {section: "4"}}
  - {id: no-loss, kind: equivalent, left: t2.d.large, right: t1.ours.P@1, says: Same, where: {section: "5"}}
departures:
  - {what: epochs, paper: "50", code: "51", source: train.py, experiments: [ours]}
  - {what: seeds, paper: none, code: fixed, source: main.py}
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "small.yaml"


def edited(*edits: tuple[str, str]) -> str:
    """SMALL with the first place of each old text replaced."""
    text = SMALL
    for old, new in edits:
        assert old in text, old
        text = text.replace(old, new, 1)
    return text


def messages(file: Path, text: str | bytes, known: KnownNames | None = None) -> list[str]:
    """The problems of a file with this content, without the name of the file in front."""
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(ClaimFileError) as caught:
        load(file, known=known)
    assert all(problem.startswith(f"{file}:") for problem in caught.value.problems)
    return [problem.removeprefix(f"{file}:") for problem in caught.value.problems]


def test_a_small_file_gives_its_records(file: Path) -> None:
    """Every field of every record, written out by hand."""
    file.write_text(SMALL)
    paper = load(file)

    assert paper.info() == PaperInfo(key="small2020", title="A small paper")
    assert paper.table_records()[1] == TableRecord(
        id="t2",
        label="t2",
        caption="a sweep",
        columns=(
            Column("small", "d = 1", "P@1", "one"),
            Column("large", "large", "P@1", "one"),
            Column("hours", "hours", None, None),
        ),
        rows=(
            Row(
                "d",
                "d",
                (
                    Cell(
                        "t2.d.small", "96.10", "own_run", "ours", metric="P@1", dataset="one", unit="percent"
                    ),
                    Cell("t2.d.large", "2.5", "own_run", "base", metric="P@1", dataset="one", unit="percent"),
                    Cell("t2.d.hours", "12", "own_run"),
                ),
            ),
        ),
    )
    first = paper.table_records()[0]
    assert (first.label, first.page) == ("Table 1", 4)
    assert first.rows[1].cells[1] == Cell(
        "t1.base.P@3", None, "own_run", "base", metric="P@3", dataset="one", unit="percent"
    )
    assert first.rows[2].cells[0] == Cell(
        "t1.old.P@1", "70.00", "copied", "old", "past2019", metric="P@1", dataset="one", unit="percent"
    )
    usual = Margin(0.5, "field", "usual")

    def of(claim: str, kind: str, says: str, metric: str, where: Where, **more: Any) -> ClaimRecord:
        named = {"id": f"{claim}:{metric}", "claim": claim, "kind": kind, "says": says, "metric": metric}
        return ClaimRecord(**named, where=where, dataset="one", **more)

    pair = {"cells": ("t1.ours.P@1", "t1.base.P@1"), "printed": ("76.38", "75.50")}
    other = {"cells": ("t2.d.large", "t1.ours.P@1"), "printed": ("2.5", "76.38"), "margin": usual}
    values = {
        metric: {"cells": (f"t1.ours.{metric}",), "printed": (text,), "margin": usual}
        for metric, text in [("P@1", "76.38"), ("P@3", "62.81")]
    }
    assert paper.claim_records() == (
        of("ours-wins", "order", "We win", "P@1", Where(page=3), experiments=("ours", "base"), **pair),
        *(
            of("ours-value", "value", "As printed", m, Where(section="4"), experiments=("ours",), **values[m])
            for m in values
        ),
        of(
            *("no-loss", "equivalent", "Same", "P@1"),
            Where(section="5"),
            experiments=("base", "ours"),
            **other,
        ),
    )
    assert paper.experiments["ours"].config == {"maps": 8}
    assert paper.experiments["old"].unavailable == "Nobody has the code."
    epochs = Deviation(what="epochs", paper="50", here="", why="train.py", code="51")
    seeds = Deviation(what="seeds", paper="none", here="", why="main.py", code="fixed")
    assert paper.departures_of("ours") == (epochs, seeds)
    assert paper.departures_of("base") == (seeds,)


#: The two experiments of a row in each other's place; then a second claim behind the first.
SIDES = [("small: ours, large: base", "small: base, large: ours"), ("left: t2.d.large", "left: t2.d.small")]
_LINES = [line for line in SMALL.splitlines(keepends=True) if line.startswith("  - {id: ")]


@pytest.mark.parametrize(
    ("edits", "same"),
    [
        ([("says: As printed", "says: Otherwise said")], True),
        ([(_LINES[0], ""), (_LINES[1], _LINES[1] + _LINES[0])], True),
        ([("value: 0.5, rule: field", "value: 1.0, rule: lenient")], False),
        ([("rule: field", "rule: paper_yardstick")], False),
        ([("metric: [P@1, P@3]", "metric: [P@1]")], False),
        ([("says: As printed", "says: As printed, primary: true")], False),
        ([("says: As printed", "says: As printed, deterministic: true")], False),
        (SIDES, False),
        ([(_LINES[0], "")], False),
    ],
)
def test_the_hash_covers_what_must_be_fixed_before_a_run(
    file: Path, edits: list[tuple[str, str]], same: bool
) -> None:
    file.write_text(SMALL)
    before = load(file).margins_hash
    file.write_text(edited(*edits))
    assert (load(file).margins_hash == before) == same
    assert re.fullmatch(r"[0-9a-f]{32}", before)


_BAD = "not readable as YAML"


@pytest.mark.parametrize("worse", ["t1.base", "t2.d.large"])
def test_a_printed_difference_has_the_runs_that_its_table_says(file: Path, worse: str) -> None:
    """Where both numbers are of one table; of two tables, whose runs may differ, nothing is said."""
    gap = f"{{id: by, kind: gap, better: t1.ours.P@1, worse: {worse}, says: More, where: {{page: 3}}}}"
    gap += "\n  - {id: ours-wins"
    file.write_text(edited(("    caption: two", "    runs: 3\n    caption: two"), ("{id: ours-wins", gap)))
    (claim,) = (it for it in load(file).claim_records() if it.kind == "gap")
    assert claim.runs_behind == (3 if worse == "t1.base" else 1)


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"", "1: the file is empty; start it with"),
        (b"\xef\xbb\xbfa: 1\nb: caf\xe9\n", "2: byte 0xe9 is not UTF-8; save the file as UTF-8"),
        (b"a: 1\n---\nb: 1\n", "2: a second document starts here (---); give each paper its own file"),
        (b"a: 1\nsays: this: that\n", f"2: {_BAD} (mapping values are not allowed in this context); check"),
        (b"a: " + b"[" * 100_000, "1: nested more than 20 deep"),
        (b"x" * (LIMIT_BYTES + 1), "1: is larger than 2,000,000 bytes"),
    ],
)
def test_a_file_that_is_no_yaml_of_ours_gives_one_sentence(file: Path, content: bytes, expected: str) -> None:
    (found,) = messages(file, content)
    assert found.startswith(expected)


def refusals() -> list[Any]:
    """The cases of `claim_refusals.txt`: edits of SMALL, and how the messages that they must give begin."""
    cases: list[tuple[list[tuple[str, str]], list[str]]] = []
    for line in (Path(__file__).parent / "claim_refusals.txt").read_text(encoding="utf-8").splitlines():
        mark, content = line[:2], line[2:].replace("\\n", "\n")
        if mark == "- ":
            if not cases or cases[-1][1]:
                cases.append(([], []))
            old, _, new = content.partition(" ==> ")
            cases[-1][0].append((old, new))
        elif mark == "= ":
            cases[-1][1].append(content)
    return [pytest.param(edits, expected, id=expected[0][:60]) for edits, expected in cases]


@pytest.mark.parametrize(("edits", "expected"), refusals())
def test_a_mistake_is_answered_with_line_key_and_what(
    file: Path, edits: list[tuple[str, str]], expected: list[str]
) -> None:
    """One message a mistake, and none that only follows from it; each says what to do."""
    found = messages(file, edited(*edits))
    assert [it[: len(start)] for it, start in zip(found, expected, strict=True)] == expected
    assert all("; " in it or "add" in it or "; " in start for it, start in zip(found, expected, strict=True))


def test_no_text_holds_a_character_that_a_terminal_obeys(file: Path) -> None:
    """Refused within the text with its escape; nothing of it reaches the message, also not from a key."""
    for code in (0x07, 0x1B, 0x7F, 0x9B, 0x2028, 0x202E, 0x2069):
        (found,) = messages(file, edited(("says: We win", f'says: "We\\u{code:04x}win"')))
        assert found.startswith(f"37: claims[0].says: holds {chr(code)!a}; ") and found.isprintable()
    (found,) = messages(file, edited(("paper:\n", '"a\\eb\\nc": 1\npaper:\n')))
    assert found.startswith(r"2: a\x1bb\nc: unknown key; known: format, paper,")


def test_a_message_stays_short_whatever_stands_in_the_file(file: Path) -> None:
    """A megabyte in the wrong place is not printed."""
    (found,) = messages(file, edited(('"76.38"', '"' + "x" * 1_000_000 + '"')))
    assert found.startswith("15: tables.t1.rows[0].values[0]: 'xxx") and len(found) < 700


def places(found: list[str]) -> list[list[str]]:
    return [message.split(": ")[:2] for message in found]


def test_problems_come_in_one_go_in_the_order_of_the_file(file: Path) -> None:
    """First those of entries by themselves, then those between entries, then those of the margins' rules."""
    text = edited(
        ("  title: A small paper\n", "  titel: &t A small paper\n"),
        ("large: base}", "large: bse}"),
        ("variant: b", "variant: 7"),
        ("metric: [P@1, P@3]", "metric: [P@1, P@9]"),
        ("rule: field, ", ""),
    )
    assert places(messages(file, text, KNOWN)) == [
        ["2", "paper.title"],
        ["4", "paper.titel"],
        ["32", "experiments.base.variant"],
        ["35", "margins.default.rule"],
    ]
    text = text.replace("titel: &t", "title:").replace("variant: 7", "variant: b")
    text = text.replace("value: 0.5", "value: 0.4, rule: field")
    assert places(messages(file, text, KNOWN)) == [
        ["27", "tables.t2.rows[0].experiments.large"],
        ["38", "claims[1].of"],
    ]


KNOWN = KnownNames({"xml_cnn": ("a", "b"), "theirs": None}, protocols=("p", "small"), recipes=("r",))


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (
            "model: xml_cnn",
            "model: xml_cn",
            "model: there is no model 'xml_cn'; did you mean 'xml_cnn'? Known: xml_cnn, theirs; "
            "`--models DIR` adds those of a folder",
        ),
        (
            "variant: a",
            "variant: A",
            "variant: model 'xml_cnn' has no variant 'A'; did you mean 'a'? Known: a, b",
        ),
        (
            "protocol: p",
            "protocol: smal",
            "protocol: there is no protocol 'smal'; did you mean 'small'? Known: p, small",
        ),
    ],
)
def test_an_unknown_name_is_answered_with_the_known_ones(
    file: Path, old: str, new: str, expected: str
) -> None:
    assert messages(file, edited((old, new)), KNOWN) == [f"31: experiments.ours.{expected}"]


@pytest.mark.parametrize("path", builtin_claims(), ids=lambda path: path.name)
def test_every_file_that_comes_along_is_valid(path: Path) -> None:
    """By the loader and by the schema that editors read; and it is named after its paper."""
    jsonschema = pytest.importorskip("jsonschema")
    paper = load(path)
    assert path.name == f"{paper.paper.key}.yaml"
    records = paper.claim_records()
    assert len({record.id for record in records}) == len(records)
    jsonschema.Draft202012Validator(json_schema()).validate(read(path).content)


def test_the_schema_is_one_and_refuses_what_the_loader_refuses(file: Path) -> None:
    jsonschema = pytest.importorskip("jsonschema")
    schema = json_schema()
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    file.write_text(SMALL)
    assert validator.is_valid(read(file).content)
    for old, new in [
        ('"76.38"', "76.38"),
        ("says: We", "sayz: We"),
        ("columns: [P@1, P@3]", "columns: [P@1, p@3]"),
        ("kind: order", "kind: orders"),
        ("value: 0.5", "value: 0"),
        ("format: 1", "format: 2"),
        ("says: We win", 'says: "We \\e[31mwin"'),
        ("says: We win", 'says: "We\\x0awin"'),
        ("{id: hours}", '{id: "hours\\e"}'),
    ]:
        file.write_text(edited((old, new)))
        assert not validator.is_valid(read(file).content), new


_REAL = Path(str(next(path for path in builtin_claims() if path.name == "ye2020.yaml")))
_ODD = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 10**20),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(max_size=12),
    st.sampled_from(
        ["t4.kim_words", "t4.kim_words.P@1", "t9.x", "a.b.c.d", "..", "P@1", "order", "value", "copied"]
    ),
    st.lists(st.one_of(st.integers(), st.text(max_size=4)), max_size=3),
    st.dictionaries(st.text(max_size=4), st.integers(), max_size=2),
    st.just([{}]),
    st.just({"id": {}, "kind": []}),
)


def _places(content: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    pairs: Any = content.items() if isinstance(content, dict) else ()
    if isinstance(content, list):
        pairs = enumerate(content)
    return [place for key, value in pairs for place in ((*path, key), *_places(value, (*path, key)))]


def _outcome(file: Path, text: str | bytes) -> None:
    """A valid paper whose records can be had, or messages with lines of the file: nothing else comes out."""
    file.write_bytes(text if isinstance(text, bytes) else text.encode(errors="surrogatepass"))
    try:
        paper = load(file)
    except ClaimFileError as err:
        assert err.problems
        lines = file.read_bytes().count(b"\n") + 1
        for problem in err.problems:
            match = re.fullmatch(rf"{re.escape(str(file))}:(\d+): \S.*", problem)
            assert match, problem
            assert 1 <= int(match[1]) <= lines + 1
            assert problem.isprintable()
    else:
        assert all(
            it.experiments for it in paper.claim_records() if it.kind not in ("dominance", "complexity")
        )
        paper.table_records()
        assert paper.margins_hash
        assert not any(sign < " " for text in _texts(paper.model_dump(mode="json")) for sign in text)


def _texts(content: Any) -> list[str]:
    if isinstance(content, dict):
        return [text for pair in content.items() for part in pair for text in _texts(part)]
    if isinstance(content, list):
        return [text for part in content for text in _texts(part)]
    return [content] if isinstance(content, str) else []


@settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_a_real_file_with_its_keys_changed_is_a_paper_or_clean_messages(
    tmp_path: Path, data: st.DataObject
) -> None:
    content = json.loads(json.dumps(read(_REAL).content))
    for _ in range(data.draw(st.integers(1, 4))):
        *parents, last = data.draw(st.sampled_from(_places(content)))
        holder = content
        for part in parents:
            holder = holder[part]
        what = data.draw(st.sampled_from(["delete", "rename", "replace", "swap"]))
        if what == "delete":
            del holder[last]
        elif what == "rename" and isinstance(holder, dict):
            holder[data.draw(st.sampled_from([f"{last}x", "id", "kind", "margin", "from", "", "a.b"]))] = (
                holder.pop(last)
            )
        elif what == "swap":
            other = data.draw(st.sampled_from(_places(content)))
            taken = content
            for part in other:
                taken = taken[part]
            holder[last] = json.loads(json.dumps(taken))
        else:
            holder[last] = data.draw(_ODD)
    _outcome(tmp_path / "changed.yaml", json.dumps(content, indent=1))


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_a_file_with_its_text_cut_about_is_a_paper_or_clean_messages(
    tmp_path: Path, data: st.DataObject
) -> None:
    text = SMALL
    for _ in range(data.draw(st.integers(1, 4))):
        start = data.draw(st.integers(0, len(text)))
        stop = min(len(text), start + data.draw(st.integers(0, 30)))
        text = text[:start] + data.draw(st.text(max_size=6)) + text[stop:]
    _outcome(tmp_path / "cut.yaml", text)
