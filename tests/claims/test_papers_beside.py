"""What goes into the record of a paper beside its claims."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from audit.checks import sheets_beside
from audit.claims.load import load
from audit.judging.assemble import assemble
from audit.record import AuthorResponse, Untranscribed, audit_from_json, to_json
from tests.runner.papers import write_paper


def test_the_record_holds_what_was_held_beside_it(tmp_path: Path) -> None:
    path = write_paper(tmp_path)
    text = path.read_text()
    said = 'author_response: {asked: "2026-03-01", answered: "2026-03-09", answer: We agree., effect: none}\n'
    missing = "missing: [{label: Figure 2, why: drawn without numbers}]\n"
    path.write_text(text.replace("datasets:\n", f"{said}{missing}datasets:\n", 1))
    held = load(path)
    others = sheets_beside(held)
    found = assemble(held, {}, fidelity=(), command="", others=others)
    assert found.author_response == AuthorResponse("2026-03-01", "2026-03-09", "We agree.", "none")
    assert found.missing == (Untranscribed("Figure 2", "drawn without numbers"),)
    assert set(found.papers_beside) == {it.paper.key for it in others} != set()
    assert replace(audit_from_json(to_json(found)), seal="") == found
    assert assemble(held, {}, fidelity=(), command="").papers_beside == ()
