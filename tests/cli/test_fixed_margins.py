"""Tests of audit.fixed_margins: claims changed after their runs, and claims that were only added."""

from __future__ import annotations

from pathlib import Path

import pytest

from audit import cli
from audit.claims.load import load
from audit.errors import Exit
from tests.cli import record
from tests.runner.papers import write_paper
from tests.stand_ins import train_at_once

RUN = ["run", "toy.yaml", "--data", "corpus", "--jobs", "1"]
MARGIN = ("{value: 0.5, rule: field, why: usual in the field}", "{value: 1, rule: lenient, why: later}")
TEXT = ("says: words beat embeddings", "says: embeddings lose")
ADDED = (
    "claims:\n",
    "claims:\n  - {id: late, kind: order, better: t1.words, worse: t1.letters, metric: P@3,\n"
    "     says: added, where: {page: 3}}\n",
)


@pytest.fixture(autouse=True)
def judged(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Three seeds were run and judged; training takes no time."""
    words = {"words": 80.0}
    train_at_once(monkeypatch, lambda job, _: words.get(job.spec.config["sweep"], 40.0) + 0.1 * job.spec.seed)
    assert cli.main(RUN) == Exit.OK


def everything(folder: Path) -> dict[str, bytes]:
    paths = (it for part in ("audit-runs", "audit-report") for it in (folder / part).rglob("*"))
    return {str(it): it.read_bytes() for it in paths if it.is_file() and it.suffix != ".lock"}


COMMANDS = [
    [*RUN, "--seeds", "5"],
    [*RUN, "--until-settled"],
    ["judge", "toy.yaml"],
    [*RUN[:1], "toy.yaml", "--jobs", "1"],  # another corpus, the same store
]


@pytest.mark.parametrize("command", COMMANDS, ids=lambda it: " ".join(it))
def test_a_margin_that_was_changed_is_refused_before_anything_is_written(
    command: list[str], folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Told are the claim with its line, old and new, both hashes, and the lines that declare a new audit."""
    old = load(Path("toy.yaml")).margins_hash
    before = everything(folder)
    write_paper(folder, MARGIN)
    capsys.readouterr()
    assert cli.main(command) == Exit.BAD_INPUT
    said = capsys.readouterr().err
    line = next(k for k, it in enumerate(Path("toy.yaml").read_text().splitlines(), 1) if "words-value" in it)
    assert f"toy.yaml:{line}: words-value P@1 (margin 0.5 (field) -> 1 (lenient))" in said
    assert "words-win" not in said  # an order has no margin, and was not changed
    assert old in said and load(Path("toy.yaml")).margins_hash in said
    assert "Traceback" not in said
    assert everything(folder) == before


@pytest.mark.parametrize("command", COMMANDS[:3], ids=lambda it: " ".join(it))
def test_the_lines_that_it_prints_declare_a_new_audit(
    command: list[str], folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_paper(folder, MARGIN)
    assert cli.main(command) == Exit.BAD_INPUT
    (pasted,) = (it for it in capsys.readouterr().err.splitlines() if it.startswith("supersedes: "))
    path = Path("toy.yaml")
    path.write_text(f"{path.read_text()}{pasted}\n")
    assert cli.main(command) == Exit.OK
    (order,) = (it for it in record().verdicts if it.claim == "words-win:P@1")
    assert order.outcome == "reproduced"
    why = "new audit of older runs: what was changed after the runs, and why"
    assert f"{why}; changed since: words-value:P@1 (margin 0.5 (field) -> 1 (lenient))" in order.badges


def test_texts_may_be_changed_and_claims_added_which_is_marked(folder: Path) -> None:
    """The added claim was stated after the runs, and the others are what they were."""
    write_paper(folder, TEXT, ADDED)
    for command in (["judge", "toy.yaml"], RUN, ["report"]):
        assert cli.main(command) == Exit.OK
        verdicts = {it.claim: it for it in record().verdicts}
        assert "stated after the runs" in verdicts["late:P@3"].badges
        assert verdicts["words-win:P@1"].outcome == verdicts["late:P@3"].outcome == "reproduced"
        assert verdicts["words-win:P@1"].badges == ()
    page = Path("audit-report/toy2024-corpus/report.html").read_text()
    assert "stated after the runs" in page
