"""Tables of files as a person reads them: cells, headings, spans; a broken file is one sentence."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import strategies as st

from audit.authoring import reading
from audit.authoring.reading import read, table_of
from audit.authoring.table import UNSEEN, Cell, Run, cell_of
from audit.claims.source import read as read_yaml
from audit.errors import AuditError

TABLES = Path(__file__).parent / "tables"
FILES = sorted(path for path in TABLES.iterdir() if path.suffix != ".yaml")


def expected(path: Path) -> dict[str, Any]:
    """The right result, written by hand, beside the table."""
    right = path.with_suffix(".yaml") if path.suffix == ".tex" else path.with_suffix(path.suffix + ".yaml")
    return dict(read_yaml(right).content)


def compact(cell: Cell) -> Any:
    """As the files of results write a cell."""
    if cell.kind in ("text", "unclear"):
        return {cell.kind: cell.text}
    if cell.kind != "number":
        return None if cell.kind == "dash" else ""
    more = {"sd": cell.sd} if cell.sd else {}
    more |= {"marks": list(cell.marks)} if cell.marks else {}
    return {"value": cell.value, **more} if more else cell.value


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_a_table_is_read_as_a_person_reads_it(path: Path) -> None:
    right = expected(path)
    table = read(str(path), {key: str(value) for key, value in right.get("options", {}).items()})
    assert [list(it) for it in table.paths] == right["paths"]
    assert (len(table.heading), table.names) == (right["heads"], right["names"])
    for row, wanted in zip(table.rows, right["rows"], strict=True):
        cells = [compact(cell) for cell in row.cells[table.names :]]
        assert (list(row.names), row.line, cells) == (wanted["names"], wanted["line"], wanted["cells"])


def say(text: str, **notation: str) -> str:
    """`number 75.1 ±0.2 *`, or the kind with why it is unclear."""
    said = cell_of([Run(text)], notation)
    sd = [f"±{said.sd}"] if said.sd is not None else []
    unit = ["/".join(said.with_unit)] if said.with_unit else []
    parts = [said.kind, *([said.value] if said.value else []), *sd, *said.marks, *unit, said.why or ""]
    return " ".join(parts).strip()


CELLS = {
    "83.50": "number 83.50",
    "15,449": "number 15,449",
    "75.1 %": "number 75.1%",
    "- 0.5": "number -0.5",
    "75.1 +/- 0.2 *": "number 75.1 ±0.2 *",
    "75.10% ± 0.20%": "number 75.10% ±0.20%",
    "5,759s": "text 5,759/s",
    "1/2 h": "unclear holds two numbers; give each its own cell",
    "75.1 60.2": "unclear holds two numbers; give each its own cell",
    "75,12 ± 0,1": "unclear has a decimal comma; say --set decimal=comma, or decimal=point if it has none",
    "(75.1)": "unclear is not a plain number",
    "75.1 (0.3)": "unclear has '0.3' beside the number; say --set beside=sd or beside=mark",
    "75.1 (+0.3)": "number 75.1 +0.3",
    "75.1 (±0.3)": "number 75.1 ±0.3",
    "6.8e-1": "number 0.68",
    "75\N{ZERO WIDTH SPACE}.1": f"unclear {UNSEEN}",
    "\N{FULLWIDTH DIGIT SEVEN}5": "unclear has digits other than 0 to 9; write 0 to 9",
    **dict.fromkeys(("-", "--", "—", "\N{MINUS SIGN}", "n/a", "NA", "NaN", "/"), "dash"),
    **dict.fromkeys(("", "  ", "\N{NO-BREAK SPACE}"), "empty"),
    **dict.fromkeys(("OOM", "> 24 h", "EUR-Lex 4K", "*", "1" * 300, "3.2M", "1e5"), "text"),
}


@pytest.mark.parametrize("text", CELLS)
def test_text_is_a_number_with_what_stands_beside_it_or_says_why_not(text: str) -> None:
    assert say(text) == CELLS[text]


def test_with_decimal_commas_points_and_commas_change_places() -> None:
    assert say("75,10 ± 0,2", decimal="comma") == "number 75.10 ±0.2"
    assert say("15.449", decimal="comma") == "number 15,449"
    assert (
        say("75.1", decimal="comma").startswith("unclear") and say("75,1", decimal="point")[:7] == "unclear"
    )
    text = "M;P@1;n\nA;75,1;15.449\n"
    (row,) = table_of("t.csv", text, {"separator": "semicolon"}).rows
    assert row.cells[1].kind == "unclear"
    (row,) = table_of("t.csv", text, {"decimal": "comma"}).rows
    assert [cell.value for cell in row.cells[1:]] == ["75.1", "15,449"]


TABLE = r"\begin{tabular}{lc} M & P@1 \\ \hline A & 1.0 \\ \end{tabular}"

#: Name and content of a file, a part of the sentence.
REFUSED = [
    ("t.tex", "\n\\begin{tabular}{lc}\nA & 1 \\\\\n", "t.tex:2: \\begin{tabular} has no \\end"),
    ("t.tex", "\\begin{tabular}{lc}\nA & 1.0} \\\\\n", "t.tex:2: a brace } without an opening one"),
    ("t.tex", "\\newcommand{\\b}[1]{#1}\n\\begin{tabular}{l}\n\\b & 1", "t.tex:3: \\b lacks an arg"),
    ("t.tex", TABLE + "\n" + TABLE, "t.tex: 2 tables; say --set number=N (1 on line 1; 2 on line 2)"),
    ("t.md", "a | b\nc | d\n", "no table with a line of dashes below its heading"),
    ("t.html", "<table><tr><th>M<th>a<th>b<tr>\n<td>A<td>1</table>", "t.html:2: 2 cells under 3 columns"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "content", "sentence"), REFUSED)
def test_a_broken_file_is_refused_in_one_sentence(
    name: str, content: str, sentence: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path(name).write_text(content, encoding="utf-8")
    with pytest.raises(AuditError) as caught:
        read(name, {})
    assert sentence in str(caught.value) and "\n" not in str(caught.value)


def test_a_file_that_cannot_be_read_as_text_is_refused(tmp_path: Path) -> None:
    latin, large = tmp_path / "t.csv", tmp_path / "l.csv"
    latin.write_bytes(b"a,b\n\xff,1\n")
    with large.open("wb") as stream:
        stream.truncate(reading.MOST_BYTES + 1)
    for path, sentence in {
        latin: ":2: byte 0xff is not UTF-8",
        large: "more than 16 MB; give a file with the table alone",
        tmp_path / "none.tex": "No such file or directory; give a file with a table",
        tmp_path: "Is a directory",
    }.items():
        with pytest.raises(AuditError, match=sentence):
            read(str(path), {})


PIECES = ["&", "\\\\", "{", "}", "$", "%", "\\", "|", "\n", "\t", ";", ",", "<td>", "</table>", "<table>"]
PIECES += ["\\hline", "\\multirow{3}{*}{", "\\multicolumn{9}{c}{", "\\begin{tabular}{c}", "\\end{tabular}"]
PIECES += ["--", "±", "75.1", "\\newcommand{\\x}[2]{", "\\def\\x", "#1", "^", "_", "\u202e", "٣", "(", '"']
PIECES += ["\0", "\\textbf", "rowspan=9"]


@st.composite
def mutated(draw: st.DrawFn) -> tuple[Path, str]:
    """A table of the tests with pieces put in, taken out and doubled."""
    path = draw(st.sampled_from(FILES))
    text = path.read_text(encoding="utf-8")
    for _ in range(draw(st.integers(1, 6))):
        start = draw(st.integers(0, len(text)))
        end = min(len(text), start + draw(st.integers(0, 40)))
        new = draw(st.sampled_from([*PIECES, text[start:end] * 2]) | st.text(max_size=4))
        text = text[:start] + new + text[end:]
    return path, text
