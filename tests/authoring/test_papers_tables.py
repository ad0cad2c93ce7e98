"""Tables as papers, pages and programs write them: each is read as a person reads it, or asked about."""

from __future__ import annotations

import re
from pathlib import Path

import pandas
import pytest

from audit.authoring import places
from audit.authoring.corrections import corrections
from audit.authoring.edit import write_scaffold
from audit.authoring.propose import Proposal
from audit.authoring.reading import read, table_of
from audit.claims.load import Paper
from audit.errors import AuditError

KNOWN: dict[str, dict[str, str | None]] = {
    "eurlex_4k": {"name": "EUR-Lex", "catalogue": "eurlex-4k", "content": None},
    "wiki10_31k": {"name": "Wiki10-31K", "catalogue": "wiki10-31k", "content": None},
}


@pytest.fixture(scope="module")
def paper(tmp_path_factory: pytest.TempPathFactory) -> Paper:
    """With 3,956 labels printed for EUR-Lex."""
    made = write_scaffold(tmp_path_factory.mktemp("paper") / "toy.yaml", {"key": "toy", "title": "T"}, KNOWN)
    sized = made.datasets["eurlex_4k"].model_copy(update={"printed": {"labels": "3,956"}})
    return made.model_copy(update={"datasets": {**made.datasets, "eurlex_4k": sized}})


def read_as(paper: Paper, name: str, text: str, *maps: str, **whole: str) -> Proposal:
    words = corrections(whole, maps)
    return Proposal(table_of(name, text, words.table), paper, words)


def numbers(found: Proposal) -> list[list[str]]:
    """Row by row: `eurlex_4k P@1 75.10 ± 0.2`."""
    rows = []
    for row in found.kept_rows:
        cells = []
        for column in found.value_columns:
            cell, means = found.cells[row.number, column.number], {**row.settings, **column.settings}
            keys = [means[it] for it in ("dataset", "metric") if it in means]
            spread = ["±", cell.sd] if cell.sd else []
            cells.append(" ".join([*keys, cell.value or cell.kind, *spread]))
        rows.append(cells)
    return rows


def tabular(spec: str, *rows: str, rule_after: int = 1) -> str:
    lines = [f"{row} \\\\" for row in rows]
    lines.insert(rule_after, "\\hline")
    return "\n".join([f"\\begin{{tabular}}{{{spec}}}", *lines, "\\end{tabular}"])


# --------------------------------------------------------------------------- uncertainties in brackets


def test_in_columns_of_siunitx_brackets_count_units_of_the_last_digit(paper: Paper) -> None:
    """71.20(5) is 71.20 ± 0.05, 7.1(12) is 7.1 ± 1.2, 64(3) is 64 ± 3; elsewhere (2) may be a rank."""
    spec = "l *{2}{S[table-format=2.2(2)]} @{\\hspace{1S}}c"
    text = tabular(spec, "M & {P@1} & {P@3} & R@5", "A & 71.20(5) & \\bfseries 7.1(12) & 50.1 (2)",
                   "B & 64(3) & 60.1 & \\num{0.50(1)}")  # fmt: skip
    found = read_as(paper, "t.tex", text, dataset="eurlex_4k")
    assert numbers(found) == [
        ["P@1 71.20 ± 0.05", "P@3 7.1 ± 1.2", "R@5 unclear"],
        ["P@1 64 ± 3", "P@3 60.1", "R@5 0.50 ± 0.01"],
    ]
    units, question = found.open
    assert question.startswith("cell 1,4 (line 4): '50.1 (2)' has '2' beside the number; say --set beside=")
    assert units.startswith("column 4 ('R@5') has 0.50 beside numbers above 1")


@pytest.mark.parametrize(
    ("beside", "right"),
    [("digits", "P@1 71.20 ± 0.05"), ("mark", "P@1 71.20"), ("sd", "P@1 unclear"), ("", "P@1 unclear")],
)
def test_elsewhere_the_user_says_what_brackets_are(beside: str, right: str, paper: Paper) -> None:
    said = {"beside": beside} if beside else {}
    found = read_as(paper, "t.csv", "M,P@1\nA,71.20(5)\nB,70.1\n", dataset="eurlex_4k", **said)
    assert numbers(found) == [[right], ["P@1 70.1"]]


@pytest.mark.parametrize("cell", ["71.20\\textsuperscript{1}", "71.20 (5)", "71.20 [5]", "71.20\\tnote{5}"])
def test_a_footnote_a_reference_and_a_rank_are_no_uncertainty(cell: str, paper: Paper) -> None:
    for said in ({}, {"beside": "digits"} if "(" not in cell else {}):
        found = read_as(
            paper, "t.tex", tabular("lS", "M & {P@1}", f"A & {cell}"), dataset="eurlex_4k", **said
        )
        assert numbers(found) == [["P@1 unclear"]]


# --------------------------------------------------------------------------- names where data sets stand

UNKNOWN = {
    "a banner beside a known one": tabular(
        "lc", "M & P@1", "\\multicolumn{2}{c}{Wiki10-31K}", "A & 60.1",
        "\\multicolumn{2}{c}{Newswire}", "A & 50.1",
    ),
    "banners over the same methods": tabular(
        "lc", "M & P@1", "One &", "A & 60.1", "B & 60.2", "\\textbf{Newswire} &", "A & 50.1", "B & 50.2"
    ),
    "a banner with a size": tabular("lc", "M & P@1", "\\multicolumn{2}{c}{Newswire, $L$=4,000}", "A & 60.1"),
    "a heading": tabular("lcc", "M & EUR-Lex & Newswire", " & P@1 & P@1", "A & 60.1 & 50.1", rule_after=2),
    "headings over the same metrics": "M,Reuters P@1,Newswire P@1\nA,60.1,50.1\n",
    "one heading over all": "M,Newswire P@1,Newswire R@5\nA,60.1,50.1\n",
    "a column of one name": "| Data set | M | P@1 |\n|---|---|---|\n| Newswire | A | 60.1 |\n",
    "training documents": tabular("lc", "M & Train", " & P@1", "A & 60.1", rule_after=2),
    "another split": "M,dev P@1,test P@1\nA,60.1,50.1\n",
    "a column": "| Data | M | P@1 |\n|---|---|---|\n| EUR-Lex | A | 60.1 |\n| Newswire | A | 50.1 |\n",
    "a heading, the metric being said": "| Model | Reuters | Newswire |\n|---|--|--|\n| A | 60.1 | 50.1 |\n",
    "a lone banner": tabular("lc", "M & P@1", "A & 60.1", "\\multicolumn{2}{c}{Newswire}", "B & 60.1"),
    "a column behind the names": "| M | Test dataset | P@1 |\n|---|---|---|\n| A | Newswire | 60.1 |\n",
    "a row": "| Data | A |\n|---|---|\n| EUR-Lex | 60.1 |\n| Newswire | 50.1 |\n",
    "other sizes": "| M | EUR-Lex (3,993 labels) P@1 |\n|---|---|\n| A | 60.1 |\n",
}  # fmt: skip


@pytest.mark.parametrize("what", UNKNOWN)
def test_an_unknown_name_where_a_data_set_stands_is_asked_about_whatever_the_table_is_said_to_be_of(
    what: str, paper: Paper
) -> None:
    text = UNKNOWN[what]
    name = "t.tex" if "tabular" in text else "t.md" if "|--" in text else "t.csv"
    said = {"metric": "P@1"} if what in ("a row", "a heading, the metric being said") else {}
    (question,) = read_as(paper, name, text, dataset="eurlex_4k", **said).open
    wanted = {
        "another split": "dev",
        "training documents": "train",
        "other sizes": "3,993 labels are not the 3,956 of eurlex_4k",
    }
    assert wanted.get(what, "Newswire") in question and "--set dataset" not in question


def test_titles_of_groups_are_no_data_sets_and_counts_are_no_part_of_a_name(paper: Paper) -> None:
    rows = ("\\textit{Linear} & &", "A & 50.1 & 40.1", "\\textit{Deep} & &", "B & 60.1 & 50.1")
    text = tabular("lcc", "Method & P@1 & P@3", *rows)
    assert not read_as(paper, "t.tex", text, dataset="eurlex_4k").open
    lone = text.replace("\\textit{Linear} & & \\\\\n", "").replace("Deep", "Ensemble models")
    assert not read_as(paper, "t.tex", lone, dataset="eurlex_4k").open
    text = "M,\"EUR-Lex (N=15,449, L=3,956) P@1\",Wiki10-31K [7] P@1\nA,60.1,50.1\n"  # fmt: skip
    found = read_as(paper, "t.csv", text)
    assert numbers(found) == [["eurlex_4k P@1 60.1", "wiki10_31k P@1 50.1"]] and not found.open
    found = read_as(paper, "t.csv", "Metric,Net,Tree\nP@1,60.1,62.1\nR@5,50.1,52.1\n", dataset="eurlex_4k")
    assert not found.open


# --------------------------------------------------------------------------- what else is asked about


def test_scores_over_a_subset_of_the_labels_are_never_taken_for_those_over_all(paper: Paper) -> None:
    text = tabular("lc", "M & R@5", "All & ", "A & 60.1", "Tail labels & ", "A & 10.1")
    (question,) = read_as(paper, "t.tex", text, dataset="eurlex_4k").open
    assert "row 2" in question and "'tail' labels" in question
    found = read_as(paper, "t.csv", "M,All,Few\nA,60.1,10.1\n", dataset="eurlex_4k", metric="R@5")
    assert found.columns[2].settings["metric"] == "R@5[few]" and "metric" not in found.columns[1].settings
    (question,) = read_as(paper, "t.csv", "M,Macro P@1\nA,60.1\n", dataset="eurlex_4k").open
    assert "is of no known metric" in question


@pytest.mark.parametrize(
    "text",
    [
        "Metric,A,B,Lift\nP@1,60.1,62.1,2.0\nR@5,50.1,52.1,2.0\n",
        "M,P@1\nA,60.1\nImprovement (%),2.5\n",
        "M,P@1\nA,60.1\nB over A,+2.5\n",
        "M,P@1,Gain in P@1\nA,60.1,2.5\n",
    ],
)
def test_differences_are_never_taken_for_scores(text: str, paper: Paper) -> None:
    (question,) = read_as(paper, "t.csv", text, dataset="eurlex_4k").open
    assert "difference" in question or "of no known metric" in question


@pytest.mark.parametrize("name", ["t.csv", "t.tex"])
def test_percent_and_fraction_in_one_column_are_asked_about(name: str, paper: Paper) -> None:
    """0.61 beside 60.1 may be 61; 0.4 is far below 60.1 in either unit."""
    rows = ("M & P@1 & R@5", "A & 60.1 & 60.1", "B & 0.61 & 0.2")
    text = tabular("lcc", *rows) if name == "t.tex" else "\n".join(row.replace(" & ", ",") for row in rows)
    for said in ({}, {"unit": "percent"}):
        (question,) = read_as(paper, name, text, dataset="eurlex_4k", **said).open
        assert question == (
            "column 2 ('P@1') has 0.61 beside numbers above 1: percentages or fractions? say row 2: "
            "unit=fraction, or unit=percent"
        )
    assert not read_as(paper, name, text, "row 2: unit=percent", dataset="eurlex_4k").open
    (question,) = read_as(paper, "t.csv", "M,P@1,R@5\nA,60.1,0.50\nB,61.1,0.51\n", dataset="eurlex_4k").open
    assert question.startswith("column 3 ('R@5') has 0.50, 0.51 beside numbers above 1")
    assert question.endswith("say column 3: unit=fraction, or unit=percent")


def test_a_table_of_17_lines_asks_three_questions_each_once(paper: Paper) -> None:
    """The data set, what a column is, and what stands in brackets."""
    rows = [f"M{k} & {60 + k}.10 (0.2) & {50 + k}.10 (0.3) & {k}.5" for k in range(17)]
    asked = read_as(paper, "t.tex", tabular("lccc", "Method & P@1 & P@3 & Cost", *rows)).open
    assert asked == [
        "column 4 ('Cost') is of no known metric; say column 4: metric=P@1, or quantity=..., text, skip",
        "columns 2-3 ('P@1', 'P@3'): of no known data set; say --set dataset=ID for all, or column 2: "
        "dataset=ID (eurlex_4k, wiki10_31k)",
        "cell 1,2 (line 4): '60.10 (0.2)' has '0.2' beside the number; say --set beside=sd or beside=mark; "
        "or say cell 1,2: value=... or dash (and so cell 1,3, cell 2,2, cell 2,3, cell 3,2 and 29 more)",
    ]


# --------------------------------------------------------------------------- what pages and programs write


def test_pages_made_from_latex_and_markdown_with_formulas(paper: Paper) -> None:
    page = (
        "<table><tr><th>M<th>EUR-Lex <math alttext='P@1'><mi>P</mi><annotation>P@1</annotation></math></th>"
        "<th><math><mi>R</mi><mo>@</mo><mn>5</mn><annotation encoding='x'>R@5</annotation></math></th></tr>"
        "<tr><td>A<td><math alttext='60.1\\pm 0.2'><mn>60.1</mn></math></td><td>50.1<sup>∗</sup></td></tr>"
        "<tr><td>B</td><td><math><msup><mn>61.1</mn><mn>2</mn></msup></math></td><td>–</td></tr></table>"
    )
    found = read_as(paper, "t.html", page, "column 3: dataset=eurlex_4k")
    assert numbers(found) == [
        ["eurlex_4k P@1 60.1 ± 0.2", "eurlex_4k R@5 50.1"],
        ["eurlex_4k P@1 unclear", "eurlex_4k R@5 dash"],
    ]
    text = "| M | $P@1$ | R@5 |\n|---|---|---|\n| A | $60.1 \\pm 0.2$ | $\\mathbf{50.1}_{\\pm 1.5}$ |\n"
    found = read_as(paper, "t.md", text, dataset="eurlex_4k")
    assert numbers(found) == [["P@1 60.1 ± 0.2", "R@5 50.1 ± 1.5"]]


RUNS = pandas.DataFrame(
    {"model": ["A", "A", "B", "B"], "P@1": [60.0, 62.0, 70.0, 70.0], "R@5": [50.0, 50.0, 40.0, 41.0]}
)


@pytest.mark.parametrize("form", ["csv", "tex", "html"])
def test_means_and_standard_deviations_by_pandas_go_together(form: str, paper: Paper) -> None:
    """Of 60 and 62 the mean is 61, and the standard deviation the root of 2."""
    frame = RUNS.groupby("model").agg(["mean", "std"]).round(3)
    text = {"csv": frame.to_csv, "tex": frame.to_latex, "html": frame.to_html}[form]()
    found = read_as(paper, f"t.{form}", text, dataset="eurlex_4k")
    plain = [[re.sub(r"\.?0+(?= |$)", "", cell) for cell in row] for row in numbers(found)]
    assert plain == [["P@1 61 ± 1.414", "R@5 50 ± 0"], ["P@1 70 ± 0", "R@5 40.5 ± 0.707"]] and not found.open
    assert found.whole["spread"] == "sd" and [row.label for row in found.rows] == ["A", "B"]


def test_wide_tables_of_evaluation_programs(paper: Paper) -> None:
    text = ",run,eurlex/precision_at_1,eurlex/precision_at_1_stderr,eurlex/ndcg@5,eurlex/f1_macro\n"
    found = read_as(paper, "t.csv", f"{text}0,A,60.1,0.2,5.05e-1,NaN\n", "column 3: unit=fraction")
    assert numbers(found) == [
        ["eurlex_4k P@1 60.1 ± 0.2", "eurlex_4k nDCG@5 0.505", "eurlex_4k Macro-F1 dash"]
    ]
    assert found.whole["spread"] == "se"


def test_numbers_with_units_are_no_scores_and_are_kept_as_printed(paper: Paper) -> None:
    text = tabular(
        "lccc", "M & P@1 & \\#Params & Train time (h)", "A & \\SI{60.1}{\\percent} & 12.3M & 1.5",
        "B & 50{,}15 & 1.1B & 2.5",
    )  # fmt: skip
    found = read_as(paper, "t.tex", text, dataset="eurlex_4k")
    assert numbers(found) == [["P@1 60.1%", "text", "1.5"], ["P@1 50.15", "text", "2.5"]] and not found.open
    assert (found.columns[2].role, found.columns[3].settings["unit"]) == ("text", "h")


#: What is printed, of micro-F1 and macro-F1: 60.1 and 50.2 for A, 61.1 and a dash for B.
PRINTED = {
    "t.md": "# Scores\n\n<table><tr><th>M<th colspan=2>F1\n<tr><td><th>micro<th>macro\n<tr><td>A<td>60.1 🥇"
    "<td>50.2\n<tr><td>B<td>61.1<td>-</table>",
    "t.html": "<table><thead><tr><th>M<td colspan=2>F1<tr><td><td>micro<td>macro</thead><tr><td>A<td>60.1"
    "<td>50.2<tr><td>B<td>61.1<td>-</table>",
    "pairs.csv": "M,μ-F1 / Macro-F1\nA,60.1 / 50.2\nB,61.1 / -\nC,n/a\n",
    "blanks.csv": "M,F1 micro,F1 macro\nA,$6 0 . 1$,${ \\bf 5 0 . 2 }$\nB,61.1,-\n",
    "t.tex": tabular(
        "lccc", "M & Params & Micro-F1 & Macro-F1", "A & 110M & 60.1 & 50.2", "B & 3B & 61.1 & --",
        "\\multicolumn{4}{l}{A was run anew.}",
    ),
    "t.txt": "M      Micro-F1  Macro-F1    P@1\nA          60.1      50.2    1.5\n"
    "B          61.1         -   9.5\nC       –did not end there–     -\n",
}  # fmt: skip


@pytest.mark.parametrize("name", PRINTED)
def test_what_papers_and_read_me_files_print(name: str, paper: Paper) -> None:
    maps = ["row 3: skip", "column 4: skip"] if name == "t.txt" else []
    found = read_as(paper, name, PRINTED[name], *maps, dataset="eurlex_4k")
    rows = [[it for it in row if "F1" in it] for row in numbers(found)]
    assert rows[:2] == [["Micro-F1 60.1", "Macro-F1 50.2"], ["Micro-F1 61.1", "Macro-F1 dash"]]
    assert not found.open


def test_one_word_settles_what_is_alike_and_two_columns_of_one_metric_are_asked_about(paper: Paper) -> None:
    rows = [f"{data},G (N={n}),OOM,{n}0.1,{n}0.3" for data in ("EUR-Lex", "Wiki10-31K") for n in (4, 8)]
    text = "\n".join(["Data,M,P@1,Max R@5,Avg R@5", *rows, "EUR-Lex,H,60.1,60.2,60.3"])
    asked = read_as(paper, "t.csv", text).open
    places = ["columns 4-5 ('Max R@5', 'Avg R@5')", "cell 1,3 (line 2)"]
    assert [it.partition(":")[0] for it in asked] == places
    found = read_as(paper, "t.csv", text, "cell 1,3: dash", "columns 4: skip")
    assert not found.open and [row.id for row in found.rows][:2] == ["eur_lex_g_n_4", "eur_lex_g_n_8"]
    found = read_as(
        paper, "t.csv", "Data,Metric,A\nEUR-Lex,P@1,60.1\n,P@3,50.1\nWiki10-31K,P@1,7.1\n,P@3,4.1\n"
    )
    assert [row.settings["dataset"][:4] for row in found.rows] == ["eurl", "eurl", "wiki", "wiki"]
    found = read_as(paper, "t.csv", "P@1,Test\nA,60.1\nTrain,9.1\n", dataset="eurlex_4k", metric="P@1")
    assert "quantity" not in found.columns[1].settings and found.open[0].startswith("row 2 ('train')")


# --------------------------------------------------------------------------- columns by their places

PLACES = """\
               EUR-Lex             Wiki10-31K
Model       P@1        P@3        P@1     R@5
One [3]     60.1    50.1 ± 0.2    70.1    40.1
Two nets    61.10*     -          71.1    41.1
"""
RIGHT = [
    ["eurlex_4k P@1 60.1", "eurlex_4k P@3 50.1 ± 0.2", "wiki10_31k P@1 70.1", "wiki10_31k R@5 40.1"],
    ["eurlex_4k P@1 61.10", "eurlex_4k P@3 dash", "wiki10_31k P@1 71.1", "wiki10_31k R@5 41.1"],
]


def test_text_copied_out_of_a_pdf_is_parted_by_places(paper: Paper) -> None:
    found = read_as(paper, "t.txt", PLACES)
    assert numbers(found) == RIGHT and not found.open
    assert [row.label for row in found.rows] == ["One [3]", "Two nets"]
    (question,) = read_as(paper, "t.txt", PLACES.replace("Two nets", "in two lines\nTwo nets")).open
    assert question.startswith(
        "row 2 (line 4): 'in two lines' may be a title over the rows below it, or part"
    )
    with pytest.raises(AuditError, match="its columns cannot be recognised; separate them by two"):
        read_as(paper, "t.txt", "\n".join(" ".join(line.split()) for line in PLACES.split("\n")))


def page(folder: Path) -> Path:
    """Two tables on two pages, between lines and with other text beside them."""
    pyplot = pytest.importorskip("matplotlib.pyplot")
    from matplotlib.backends.backend_pdf import PdfPages

    path, (width, height) = folder / "t.pdf", (600, 800)
    texts = [(70, 688, "Method"), (210, 688, "EUR-Lex"), (320, 688, "Wiki10-31K [7]"), (190, 672, "P@1")]
    texts += [(235, 672, "P@3"), (290, 672, "P@1"), (350, 672, "nDCG@3"), (70, 655, "Net (ours)")]
    texts += [(190, 655, "60.10"), (235, 655, "50.2 ± 0.3"), (290, 655, "70.1"), (350, 655, "—")]
    texts += [
        (70, 640, "Two"),
        (190, 640, "61.10"),
        (235, 640, "51.2"),
        (290, 640, "71.1"),
        (350, 640, "65.0"),
    ]
    lines = [(60, 400, 700), (180, 255, 683), (270, 380, 683), (60, 400, 667), (60, 400, 630)]
    with pyplot.rc_context({"pdf.fonttype": 42, "font.size": 9}), PdfPages(path) as pages:
        for number in (1, 2):
            figure = pyplot.figure(figsize=(width / 72, height / 72))
            beside = [(60, 600, "It says 50.1 and 3."), (440, 655, "12.5")]
            for x, y, text in [*texts, *beside, (60, 715, f"Table {number}: Scores 1.5")]:
                left = "left" if x < 100 else "center"
                bold = "bold" if text == "61.10" else "normal"
                figure.text(x / width, y / height, text, ha=left, weight=bold)
            figure.text(257 / width, 643 / height, str(number), fontsize=5.5)
            for start, end, y in lines:
                ends = [start / width, end / width], [y / height, y / height]
                figure.add_artist(pyplot.Line2D(*ends, linewidth=0.6))
            pages.savefig(figure)
            pyplot.close(figure)
    return path


def test_a_pdf_is_read_by_page_and_number_and_a_small_number_behind_a_score_is_asked_about(
    paper: Paper, tmp_path: Path
) -> None:
    pytest.importorskip("pdfplumber")
    path = page(tmp_path)
    with pytest.raises(AuditError, match=r"2 tables; say --set number=N \(1 on page 1; 2 on page 2\)"):
        read(str(path), {})
    words = corrections({"page": "2", "dataset": "eurlex_4k"})
    found = Proposal(read(str(path), words.table), paper, words)
    assert numbers(found) == [
        ["eurlex_4k P@1 60.10", "eurlex_4k P@3 50.2 ± 0.3", "wiki10_31k P@1 70.1", "wiki10_31k nDCG@3 dash"],
        ["eurlex_4k P@1 61.10", "eurlex_4k P@3 unclear", "wiki10_31k P@1 71.1", "wiki10_31k nDCG@3 65.0"],
    ]
    (question,) = found.open
    assert "has '2' beside the number" in question and found.cells[2, 2].marks == ("bold",)
    source = found.table.source
    assert "Wiki10-31K" in (source.shown or "") and "12.5" not in (source.shown or "") and source.area
    picture = Path(places.picture(str(path), 2, source.area))
    assert picture.read_bytes().startswith(b"\x89PNG")
    picture.unlink()
    path.write_bytes(b"%PDF-1.4 cut off")
    with pytest.raises(AuditError, match="cannot be read as a PDF"):
        read(str(path), {})
