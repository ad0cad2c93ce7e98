"""What the tables suggest, against tables small enough to see it: nothing more, and nothing twice."""

from __future__ import annotations

from pathlib import Path

import pytest

from audit.authoring.suggesting import Suggestion, suggestions
from audit.claims import links
from audit.claims import source as claim_source
from audit.claims.load import Paper, builtin_claims, load

HEAD = """\
format: 1
paper: {key: toy, title: A paper}
datasets: {eurlex: {name: EUR-Lex}, wiki: {name: Wiki10}, all: {name: Average}}
margins: {default: {value: 0.5, rule: field, why: usual}}
experiments:
%s
tables:
%s
"""


def paper(tmp_path: Path, tables: str, *names: str, claims: str = "") -> Paper:
    experiments = "\n".join(
        f"  {it}: {{title: {it}, datasets: [eurlex, wiki], method: {it}, unavailable: toy}}" for it in names
    )
    path = tmp_path / "toy.yaml"
    path.write_text(HEAD % (experiments or "  {}", tables) + claims)
    return load(path)


def table(rows: str, columns: str = "[P@1, P@3]", more: str = "dataset: eurlex") -> str:
    return f"""\
  t1:
    where: {{label: Table 1, page: 4}}
    caption: scores
    source: own_run
    {more}
    columns: {columns}
    rows:
{rows}"""


def row(label: str, values: str, experiment: str = "") -> str:
    id = "".join(it if it.isalnum() else "_" for it in label)
    id = f'"{id}"'
    of = f", experiment: {experiment}" if experiment else ""
    return f'      - {{id: {id}, label: "{label}", values: [{values}]{of}}}\n'


def keys(it: Suggestion) -> dict[str, object]:
    return {key: of for key, of in it.content.items() if key not in ("id", "says", "where")}


def test_the_best_of_a_column_is_among_all_that_have_a_number_there(tmp_path: Path) -> None:
    rows = row("Alpha", '"70.1", "60.1"', "a") + row("Beta", '"71.0", null', "b")
    rows += row("Gamma", '"69.9", "62"', "c") + row("Delta", '"50", "40"', "d")
    held = paper(tmp_path, table(rows), "a", "b", "c", "d")
    first, second = suggestions(held)
    everyone = ["t1.Alpha", "t1.Beta", "t1.Gamma", "t1.Delta"]
    assert keys(first) == {"kind": "optimum", "best": "t1.Beta", "among": everyone, "metric": ["P@1"]}
    everyone.remove("t1.Beta")
    assert keys(second) == {"kind": "optimum", "best": "t1.Gamma", "among": everyone, "metric": ["P@3"]}
    assert first.says == "Beta is the best of 4 in P@1 on EUR-Lex"
    assert first.content["says"] == f"suggested from Table 1; replace by the paper's sentence: {first.says}"
    assert first.content["where"] == {"label": "Table 1", "page": 4}
    assert first.why == "prints the highest P@1 of 4"


@pytest.mark.parametrize(("sd", "best"), [("0.4", ["t1.Beta"]), ("0.5", [])])
def test_a_lead_within_the_printed_spreads_makes_no_best(tmp_path: Path, sd: str, best: list[str]) -> None:
    """71.0 - 0.5 is above 70.0 + 0.4, and not above 70.0 + 0.5."""
    rows = row("Alpha", f'{{printed: "70.0", sd: "{sd}"}}', "a") + row(
        "Beta", '{printed: "71.0", sd: "0.5"}', "b"
    )
    held = table(rows + row("Gamma", '{printed: "60.0", sd: "9.0"}', "c"), "[P@1]")
    found = suggestions(paper(tmp_path, held, "a", "b", "c"))
    assert [it.content["best"] for it in found] == best


def test_an_ablation_is_held_against_the_full_model_in_the_direction_that_is_printed(tmp_path: Path) -> None:
    rows = row("Ours", '"80.1", "70.0"', "a") + row("w/o attention", '"79.0", "70.5"', "b")
    held = paper(tmp_path, table(rows + row("w/o pooling", '"78.0", "69.0"', "c")), "a", "b", "c")
    orders = [keys(it) for it in suggestions(held) if it.kind == "order"]
    assert orders == [
        {"kind": "order", "better": "t1.Ours", "worse": "t1.w_o_pooling", "metric": ["P@1", "P@3"]},
        {"kind": "order", "better": "t1.Ours", "worse": "t1.w_o_attention", "metric": ["P@1"]},
        {"kind": "order", "better": "t1.w_o_attention", "worse": "t1.Ours", "metric": ["P@3"]},
    ]


def test_a_papers_own_method_comes_first_then_its_parts_then_others(tmp_path: Path) -> None:
    rows = [("Beta, small", "71"), ("Beta, large", "72"), ("Ours", "75"), ("Ours w/o pooling", "73")]
    tables = [
        table("".join(row(label, f'"{value}"') for label, value in [*rows, ("Beta", best)]), "[P@1]")
        for best in ("74", "76")
    ]
    for text, first in zip(tables, ("optimum", "order"), strict=True):
        found = [(it.kind, it.says.partition(" is ")[0]) for it in suggestions(paper(tmp_path, text))]
        assert found[0] == (first, "Ours") and ("optimum", "Ours" if first == "optimum" else "Beta") in found


@pytest.mark.parametrize("path", builtin_claims(), ids=lambda path: path.stem)
def test_every_suggestion_for_a_built_in_paper_is_one_that_the_loader_takes(path: Path) -> None:
    found = suggestions(load(path))
    content = claim_source.read(path).content
    content["claims"] = [*content.get("claims", []), *(dict(it.content) for it in found if not it.needs)]
    paper = Paper.model_validate(content)
    assert found and not links.problems(paper)
    assert not {it.id for it in suggestions(paper)} & {it.id for it in found if not it.needs}
