"""Files that are no table, or a broken one: one sentence with the place, and no traceback."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from audit.authoring import reading
from audit.authoring.cells import MOST_CELLS, Notation
from audit.authoring.reading import DecimalCommaError, Options, read, table_of
from audit.errors import AuditError
from tests.authoring.test_tables import FILES

TABLE = r"\begin{tabular}{lc} M & P@1 \\ \hline A & 1.0 \\ \end{tabular}"

REFUSED = {
    "an environment that is not closed": (
        "t.tex",
        "\n\\begin{tabular}{lc}\nA & 1 \\\\\n",
        r"t\.tex:2: \\begin\{tabular\} has no \\end\{tabular\}; close it",
    ),
    "an environment that is closed by another": (
        "t.tex",
        "\\begin{tabular}{lc}\nA & 1 \\\\\n\\end{table}",
        r"t\.tex:3: \\end\{table\} within \\begin\{tabular\} of line 1; close the inner one first",
    ),
    "an end without a begin": ("t.tex", "x\n\\end{tabular}", r"t\.tex:2: \\end\{tabular\} has no \\begin"),
    "a brace that is not closed": (
        "t.tex",
        "\\begin{tabular}{lc}\nA & \\textbf{1.0 \\\\\nB & 2 \\\\\n\\end{tabular}",
        r"t\.tex:3: & stands within the brace \{ of line 2; close it before",
    ),
    "a brace too many": (
        "t.tex",
        "\\begin{tabular}{lc}\nA & 1.0} \\\\\n\\end{tabular}",
        r"t\.tex:2: a brace \} closes what none opened",
    ),
    "columns that are not closed": (
        "t.tex",
        "\\begin{tabular}{lc\nA & 1 \\\\",
        r"t\.tex:1: the brace \{ is not",
    ),
    "a span of no number": (
        "t.tex",
        "\\begin{tabular}{lc}\n\\multicolumn{x}{c}{A} \\\\\\end{tabular}",
        r"t\.tex:2: \\multicolumn over 'x'; give a whole number up to 500",
    ),
    "a macro without its argument": (
        "t.tex",
        "\\newcommand{\\b}[1]{#1}\n\\begin{tabular}{l}\n\\b & 1 \\\\\n\\end{tabular}",
        r"t\.tex:3: \\b lacks an argument; complete it",
    ),
    "a macro that calls itself": (
        "t.tex",
        "\\def\\a{x\\a}\n\\begin{tabular}{l}\n\\a \\\\\n\\end{tabular}",
        r"t\.tex:3: the macro \\a does not come to an end; write out what it stands for",
    ),
    "macros that double eighty times": (
        "t.tex",
        "".join(f"\\def\\{chr(97 + k)}{{\\{chr(98 + k)}\\{chr(98 + k)}}}\n" for k in range(24))
        + "\\def\\y{xx}\n\\begin{tabular}{l}\n\\a \\\\\n\\end{tabular}",
        r"t\.tex:27: the macro \\\w does not come to an end",
    ),
    "no table in LaTeX": (
        "t.tex",
        "\\input{tables}",
        r"no tabular, tabularx or longtable; \\input is not foll",
    ),
    "no table in Markdown": ("t.md", "a | b\nc | d\n", "no table with a line of dashes below its heading"),
    "no table in HTML": ("t.html", "<p>1</p>", "no <table>"),
    "an empty file": ("t.csv", "\n\n", r"t\.csv: it is empty; give a table with a heading and rows"),
    "a row of CSV that is too short": (
        "t.csv",
        "M,a,b,c\nA,1.5,2.5,3.5\nB,1.5,2.5\n",
        r"t\.csv:3: row 2 has 3 cells and the heading 4, with a comma between; give each row as many",
    ),
    "a cell of CSV that is too long": (
        "t.csv",
        "M,a\n" + "x" * 200_000 + ",1.5\n",
        r"t\.csv:2: no CSV: a cell has more than 131,072 characters; correct that line",
    ),
    "a CSV without a separator": ("t.csv", "a b c\n1 2 3\n", "no character parts all rows alike; say --sep"),
    "one decimal comma": (
        "t.tsv",
        "M\tP@1\nA\t−1,5\n",
        "the cell '−1,5' has a decimal comma, or two numbers; say --decimal comma, or --decimal point",
    ),
    "several tables": (
        "t.tex",
        TABLE + "\n" + TABLE,
        r"t\.tex: 2 tables; say --table N \(1 on line 1; 2 on line 2\)",
    ),
    "a row that is too short": (
        "t.tex",
        "\\begin{tabular}{lcc}\nM & a & b \\\\\n\\hline\nA & 1.0 & 2.0 \\\\\nB & 3.0 \\\\\n\\end{tabular}",
        r"t\.tex:5: 2 cells under 3 columns; write one for each",
    ),
    "a row that is too long": (
        "t.md",
        "M | a\n--- | ---\nA | 1 | 2\n",
        r"t\.md:3: 3 cells under 2 columns; write one for each",
    ),
    "a short row of HTML": (
        "t.html",
        "<table><tr><th>M<th>a<th>b<tr>\n<td>A<td>1</table>",
        r"t\.html:2: 2 cells under 3 columns",
    ),
    "quotes that do not pair up": (
        "t.csv",
        'a,b\n"c,1\n',
        r"t\.csv:2: no CSV: its quotes do not pair up; corr",
    ),
    "no heading": ("t.csv", "A,1.5\nB,2.5\n", "the table has no heading; say --heads"),
    "nothing but a heading": ("t.csv", "Method,P@1\n", "the table has no rows below its heading"),
    "no numbers": ("t.csv", "Method,Kind\nA,x\n", "no column holds numbers; is this a table of results"),
    "decimal commas": ("t.tsv", "M\tP@1\nA\t75,1\nB\t76,2\n", "2 cells such as '75,1' have decimal commas"),
    "an unknown form": ("t.txt", "a b c", "of which form it is cannot be told; say --format latex|csv|tsv"),
    "two readings of a separator": (
        "t.csv",
        "a,b;c\n1,2;3\n",
        "comma and semicolon part all rows alike; say",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_a_broken_file_is_refused_in_one_sentence(
    case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name, content, sentence = REFUSED[case]
    monkeypatch.chdir(tmp_path)
    Path(name).write_text(content, encoding="utf-8")
    with pytest.raises(AuditError, match=sentence) as caught:
        read(name, Options())
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"\x89PNG\r\n\x1a\n\0\0", "no text, it has null characters"),
        (b"a,b\n\xff,1\n", r":2: byte 0xff is not UTF-8"),
    ],
)
def test_a_file_that_is_no_text_is_refused(content: bytes, sentence: str, tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(content)
    with pytest.raises(AuditError, match=sentence):
        read(str(path), Options())
    with pytest.raises(AuditError, match="No such file or directory; give a file with a table"):
        read(str(tmp_path / "none.tex"), Options())
    with pytest.raises(AuditError, match="Is a directory"):
        read(str(tmp_path), Options())


def test_a_file_that_is_too_large_is_refused_unread(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    with path.open("wb") as stream:
        stream.truncate(reading.MOST_BYTES + 1)
    with pytest.raises(AuditError, match="more than 16 MB; give a file with the table alone"):
        read(str(path), Options())


@pytest.mark.parametrize(
    "begin",
    [
        *(
            "\\begin{tabu} to \\linewidth {lc}",
            "\\begin{tabular*}{5cm}[t]{lc}",
            "\\begin{tabularx}{5cm}{l X}",
        ),
        *(
            "\\begin{NiceTabular}{lc}[hvlines]",
            "\\begin{longtable}[c]{lc}",
            "\\begin{tabular}[t]{@{}l>{$}c<{$}@{}}",
        ),
    ],
)
def test_the_columns_of_an_environment_are_no_text_of_its_first_cell(begin: str) -> None:
    name = begin.partition("{")[2].partition("}")[0]
    rule = "\\cmidrule(l{2pt}r{2pt}){1-2}\\midrule[1pt]"
    text = f"{begin}\n\\toprule\nM & P@1 \\\\[2pt] {rule} A & 1.5$_{{(0.1)}}$ \\\\* \\hline\n\\end{{{name}}}"
    table = table_of("t.tex", text, Options(notation=Notation(beside="sd")))
    assert table.paths == (("M",), ("P@1",)) and table.rows[0].names == ("A",)
    assert (table.rows[0].cells[1].value, table.rows[0].cells[1].sd) == ("1.5", "0.1")


def test_what_a_preamble_defines_is_no_table() -> None:
    preamble = (
        "\\makeatletter\\def\\@x#1{y}\\makeatother\n"
        "\\newenvironment{mine}[1][x]{\\begin{tabular}{lc}}{\\end{tabular}}\n"
        "\\newcommand*\\tab{\\begin{tabular}{l}z\\end{tabular}}\n\\def\\until#1.{#1}\n"
        "\\begin{comment}" + TABLE + "\\end{comment}\n%" + TABLE + "\n"
    )
    table = table_of("t.tex", preamble + TABLE, Options())
    assert (table.line, len(table.rows)) == (7, 1)


def in_latex(rows: int) -> str:
    row = r"Some method & 75.10 & \textbf{60.20} & 50.30 \\" + "\n"
    return r"\begin{tabular}{lccc}" + "\nM & P@1 & P@3 & P@5 \\\\ \\hline\n" + row * rows + r"\end{tabular}"


@pytest.mark.parametrize("rows", [20_000, pytest.param(200_000, marks=pytest.mark.slow)])
def test_a_table_of_megabytes_is_answered_with_the_limit_on_cells(rows: int) -> None:
    """In LaTeX, the form that takes longest: 1 MB, and 10 MB."""
    with pytest.raises(AuditError, match=f"t.tex:1: more than {MOST_CELLS:,} cells; give the table in parts"):
        table_of("t.tex", in_latex(rows), Options())


def test_braces_ten_thousand_deep_are_read() -> None:
    deep = "{" * 10_000 + "1.5" + "}" * 10_000
    text = "\\begin{tabular}{lc}\nM & P@1 \\\\ \\hline\nA & " + deep + " \\\\\n\\end{tabular}"
    assert table_of("t.tex", text, Options()).rows[0].cells[1].value == "1.5"


def test_decimal_commas_are_read_once_the_user_says_so() -> None:
    text = "M;P@1;n\nA;75,1;15.449\n"
    with pytest.raises(DecimalCommaError):
        table_of("t.csv", text, Options(separator="semicolon"))
    comma = table_of("t.csv", text, Options(notation=Notation("comma")))
    assert [cell.value for cell in comma.values()] == ["75.1", "15,449"]
    point = table_of("t.csv", text, Options(separator="semicolon", notation=Notation("point")))
    assert [cell.kind for cell in point.values()] == ["unclear", "number"]


def test_blanks_and_minus_signs_of_unicode_are_those_of_the_number() -> None:
    text = "M;a;b;c\nA;\u22120.5;\u00a075.1\u00a0%;1\u202f234\n"
    (row,) = table_of("t.csv", text, Options()).rows
    assert [cell.value for cell in row.cells[1:]] == ["\u22120.5", "75.1%", "1,234"]
    assert [cell.respelled for cell in row.cells[1:]] == [False, False, True]


# --------------------------------------------------------------------------- mutated files

PIECES = [
    "&",
    "\\\\",
    "{",
    "}",
    "$",
    "%",
    "\\",
    "|",
    "\n",
    "\t",
    ";",
    ",",
    "<td>",
    "</table>",
    "<table>",
    "\\hline",
]
PIECES += [
    "\\multirow{3}{*}{",
    "\\multicolumn{9}{c}{",
    "\\begin{tabular}{c}",
    "\\end{tabular}",
    "--",
    "±",
    "75.1",
]
PIECES += [
    "\\newcommand{\\x}[2]{",
    "\\def\\x",
    "#1",
    "^",
    "_",
    "\u202e",
    "٣",
    "(",
    '"',
    "\0",
    "\\textbf",
    "rowspan=9",
]


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


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(mutated(), st.sampled_from([None, "comma", "point"]), st.sampled_from([None, "sd", "mark"]))
def test_a_mutated_file_is_read_or_refused_in_one_sentence(
    case: tuple[Path, str], decimal: str | None, beside: str | None
) -> None:
    path, text = case
    try:
        table = table_of(path.name, text, Options(number=1, notation=Notation(decimal, beside)))  # type: ignore[arg-type]
    except AuditError as err:
        assert "\n" not in str(err) or "\n" in text
        return
    assert all(len(row.cells) == table.width for row in table.rows)
    for cell in table.values():
        assert (cell.value is not None) == (cell.kind == "number")
        assert cell.kind != "unclear" or cell.why


WORD = st.text("abcxyz", min_size=1, max_size=4)
NUMBER = st.decimals(0, 100, places=2).map(str)
CELL = st.one_of(
    NUMBER, NUMBER.map(lambda it: f"{it} ± 0.1"), st.just("-"), st.just(""), WORD, st.just("1 / 2")
)
GRID = st.integers(2, 5).flatmap(
    lambda width: st.lists(st.lists(CELL, min_size=width, max_size=width), min_size=1, max_size=6)
)


def written(form: str, rows: list[list[str]]) -> str:
    if form == "latex":
        body = " \\\\\n".join(" & ".join(row) for row in rows[1:])
        return (
            f"\\begin{{tabular}}{{l}}\n{' & '.join(rows[0])} \\\\\n\\midrule\n{body} \\\\\n\\end{{tabular}}"
        )
    if form == "markdown":
        lines = [f"| {' | '.join(row)} |" for row in rows]
        return "\n".join([lines[0], "|" + "---|" * len(rows[0]), *lines[1:]])
    if form == "html":
        body = "".join(f"<tr>{''.join(f'<td>{it}</td>' for it in row)}</tr>" for row in rows[1:])
        return f"<table><tr>{''.join(f'<th>{it}</th>' for it in rows[0])}</tr>{body}</table>"
    return "\n".join("\t".join(row) for row in rows)


@settings(max_examples=150, deadline=None)
@given(GRID, st.sampled_from(["latex", "markdown", "html", "tsv"]))
def test_every_cell_of_the_file_is_in_the_result(grid: list[list[str]], form: str) -> None:
    """In the cells of the table or among the names of its rows: each text as often as the file has it."""
    head = ["Name", *(f"H{k}" for k in range(1, len(grid[0])))]
    rows = [["r" + str(k), *row[1:]] for k, row in enumerate(grid)]
    rows[0][1] = "50.5"
    table = table_of("t." + form, written(form, [head, *rows]), Options(form=form, heads=1))
    assert [[it.text for it in row] for row in table.heading] == [head]
    kept = [[cell.text for cell in row.cells] for row in table.rows]
    sections = {name for row in table.rows for name in row.names}
    missing = [row for row in rows if row not in kept]
    assert all(not any(row[1:]) and row[0] in sections for row in missing)
