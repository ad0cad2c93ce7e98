"""What other packages offer is used by name in claim files, and cannot break what is here."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from audit import cli
from audit.record import audit_from_json
from reimpl import models
from reimpl.errors import ConfigError
from tests.runner.papers import write_corpus, write_paper

ENTRIES = """\
[xmtc_audit.models]
toy_bow = toyxmtc.toy_bow
"""


def install(folder: Path, entries: str, files: Mapping[str, str], name: str = "toyxmtc") -> Path:
    """A package as pip leaves it: its files, and beside them its metadata with the entry points."""
    package, info = folder / name, folder / f"{name}-0.3.dist-info"
    package.mkdir(parents=True)
    info.mkdir()
    (package / "__init__.py").touch()
    for file, text in files.items():
        (package / file).write_text(text)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 0.3\n")
    (info / "entry_points.txt").write_text(entries)
    return folder


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """The toy package, its model as `audit add model` writes it."""
    found = install(tmp_path / "site", ENTRIES, {})
    assert cli.main(["add", "model", "toy_bow", "--to", str(found / "toyxmtc")]) == 0
    return found


def refresh() -> None:
    models._points.cache_clear()


@pytest.fixture
def installed(site: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(site)
    refresh()
    yield site
    for name in [it for it in sys.modules if it.split(".")[0] in ("toyxmtc", "other")]:
        del sys.modules[name]
    monkeypatch.undo()
    refresh()


def command(site: Path, folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join([str(site), str(Path(__file__).parents[2])])
    return subprocess.run(
        [sys.executable, "-m", "audit", *words],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": path, "OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
    )


def write_their_paper(folder: Path) -> None:
    """The order is claimed of the toy model."""
    write_paper(
        folder,
        (
            "title: Words, model: xml_cnn, variant: chen2022-kim-words, protocol: chen2022,",
            "title: Words, model: toy_bow, variant: code, protocol: small,",
        ),
    )


def test_a_package_adds_a_model_that_a_claim_file_names(site: Path, tmp_path: Path) -> None:
    """In processes of their own, workers among them, with nothing changed here."""
    write_their_paper(tmp_path)
    write_corpus(tmp_path / "corpus")
    assert command(site, tmp_path, "validate", "toy.yaml").returncode == 0
    ran = command(
        site, tmp_path, "run", "toy.yaml", "--data", "corpus", "--seeds", "3",
        "--only", "words-win", "--jobs", "2",
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    assert "fidelity: toy_bow: outputs of the public code: not compared" in ran.stderr
    found = audit_from_json((tmp_path / "audit-report/toy2024-corpus/audit.json").read_text())
    verdict = found.verdicts[0]
    assert verdict.claim == "words-win:P@1" and verdict.n == (3, 3)
    (words, *_) = (it for it in found.experiments if it.id == "words")
    for run in words.runs:
        assert run.versions["model toy_bow"] == "toyxmtc 0.3 (toyxmtc.toy_bow)"
    without = command(tmp_path / "nothing", tmp_path, "validate", "toy.yaml")
    assert without.returncode == 2
    assert "there is no model 'toy_bow'" in without.stderr


def test_a_broken_package_is_named_in_one_sentence_and_the_rest_works(site: Path, tmp_path: Path) -> None:
    entries, source = "[xmtc_audit.models]\nbroken = other.broken\n", "import nothing_of_this_name"
    install(tmp_path / "broken", entries, {"broken.py": source}, name="other")
    both = Path(os.pathsep.join([str(site), str(tmp_path / "broken")]))
    assert "toy_bow" in command(both, tmp_path, "list", "model", "toy_bow").stdout
    shown = command(both, tmp_path, "list", "model", "broken")
    assert shown.returncode == 2 and shown.stderr.splitlines() == [
        "audit: model 'broken': 'other.broken' cannot be imported (ModuleNotFoundError: No module named "
        "'nothing_of_this_name'); install other 0.3 anew"
    ]


def test_a_name_that_two_packages_offer_is_refused_naming_both(
    installed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = install(
        tmp_path / "more",
        "[xmtc_audit.models]\ntoy_bow = other.m\nxml_cnn = other.m\n",
        {"m.py": ""},
        name="other",
    )
    monkeypatch.syspath_prepend(other)
    refresh()
    twice = "is offered by other 0.3 (other.m{0}) and toyxmtc 0.3 ({1}); uninstall one of them"
    with pytest.raises(ConfigError) as caught:
        from reimpl.models import find_model

        find_model("toy_bow")
    assert str(caught.value) == f"model 'toy_bow' {twice.format('', 'toyxmtc.toy_bow')}"
    from reimpl import xml_cnn
    from reimpl.models import sources_of_models

    assert find_model("xml_cnn") is xml_cnn
    assert sources_of_models()["(xml_cnn)"] == (
        "model 'xml_cnn' of other 0.3 (other.m) has the name of one of ours, which is used"
    )


# --------------------------------------------------------------------------- audit add model


def test_a_new_model_never_takes_a_place(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    package = tmp_path / "top" / "sub"
    package.mkdir(parents=True)
    for folder in (package, package.parent):
        (folder / "__init__.py").touch()
    assert cli.main(["add", "model", "mine", "--to", str(package)]) == 0
    assert '    mine = "top.sub.mine"' in capsys.readouterr().out.splitlines()
    before = {path: path.read_bytes() for path in package.iterdir()}
    assert cli.main(["add", "model", "mine", "--to", str(package)]) == 2
    assert "mine.py: the file exists and is not overwritten" in capsys.readouterr().err
    assert {path: path.read_bytes() for path in package.iterdir()} == before


def test_a_template_contradicts_nobody(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its gate stays shut until its check against the public code is filled in."""
    from reimpl.fidelity import check

    cli.main(["add", "model", "mine", "--to", str(tmp_path)])
    monkeypatch.setenv("XMTC_AUDIT_MODELS", str(tmp_path))
    found = {it.name: it.passed for it in check("mine")}
    assert found == {"scores of two documents by hand": True, "outputs of the public code": False}
