"""`audit validate` and `audit add experiment` build configurations as a run does, and say where they fail."""

from __future__ import annotations

from pathlib import Path

import pytest

from audit import cli
from audit.errors import Exit
from tests.runner.papers import write_paper

#: Of the experiment `again` of the toy paper.
AGAIN = "model: xml_cnn, variant: chen2022-kim-words, protocol: chen2022,\n     dataset: corpus"
KIM = "base: xml_cnn, base_variant: kim2014"
NETWORKS = "one can be put on attention_xml, bert_xml, bow_cnn, cornet, mesh_probenet, rank_ae, xml_cnn"


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def written(folder: Path, model: str, config: str) -> int:
    """The toy paper with that experiment; number of the line on which `config` stands."""
    variant = "chen2022-kim-words" if model == "xml_cnn" else "code"
    text = f"model: {model}, variant: {variant}, protocol: chen2022, dataset: corpus,\n"
    again = f"{{title: Again, {text}     config: {{{config}}}"
    path = write_paper(folder, (f"{{title: Words once more, {AGAIN}", again))
    return next(n for n, it in enumerate(path.read_text().splitlines(), 1) if it.startswith("     config:"))


@pytest.mark.parametrize(
    ("model", "config", "key", "why"),
    [
        ("cornet", f"{KIM}, block: 2", ".block", "config key 'block' is not known to 'reimpl.cornet'"),
        ("cornet", f"{KIM}, base_config: {{maps: 0}}", ".base_config.maps", "base 'xml_cnn': maps must be"),
        ("cornet", "blocks: 2", ".base", "config key 'base' is missing: name the model"),
        ("cornet", "base: kim", ".base", f"config key 'base': model 'kim' is not known; {NETWORKS}\n"),
        ("cornet", "base: linear", ".base", f"'linear' is not a single network with `build`; {NETWORKS}"),
        ("cornet", "base: attention_xml, base_config: {trees: 3}", ".base_config.trees", "trees 3 do"),
        ("attention_xml", "trees: three", ".trees", "Input should be a valid integer, not 'three'"),
        ("attention_xml", "fully_connected: [a]", ".fully_connected[0]", "not 'a'"),
    ],
)
def test_what_a_run_would_refuse_is_told_with_line_and_key(
    here: Path, model: str, config: str, key: str, why: str, capsys: pytest.CaptureFixture[str]
) -> None:
    line = written(here, model, config)
    assert cli.main(["validate", "toy.yaml"]) == Exit.BAD_INPUT
    told = capsys.readouterr().err
    assert told.startswith(f"toy.yaml:{line}: experiments.again.config{key}: ")
    assert why in told
    assert told.count("\n") == 1


@pytest.mark.parametrize(
    "config",
    [KIM, f"{KIM}, blocks: 0, base_config: {{maps: 3}}", "base: cornet, base_config: {base: xml_cnn}"],
)
def test_what_can_be_run_is_valid(here: Path, config: str, capsys: pytest.CaptureFixture[str]) -> None:
    written(here, "cornet", config)
    assert cli.main(["validate", "toy.yaml"]) == Exit.OK, capsys.readouterr().err


READINGS = """\
readings:
  limit: full
  open: {size: {why: not stated, choices: {usual: {}, large: {config: {map: 9}}}}}
margins:
"""


def test_a_choice_of_a_reading_is_built_too(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Once, of however many experiments it is a choice."""
    named = (AGAIN, f"readings: [size], {AGAIN}"), ("variant: kim2014", "readings: [size], variant: kim2014")
    write_paper(here, *named, ("margins:\n", READINGS))
    assert cli.main(["validate", "toy.yaml"]) == Exit.BAD_INPUT
    told = capsys.readouterr().err
    assert "readings.open.size.choices.large.config.map: config key 'map' is not known" in told
    assert told.count("\n") == 1


def test_what_is_added_is_built_before_it_is_written(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write_paper(here)
    before = path.read_bytes()
    how = ["--title", "N", "--dataset", "corpus", "--model", "cornet"]
    for given in ("variant=code", "protocol=small", "recipe=study2022", "config={base: kim}"):
        how += ["--set", given]
    assert cli.main(["add", "experiment", "n", "--paper", "toy.yaml", *how]) == Exit.BAD_INPUT
    assert "experiments.n.config.base: config key 'base': model 'kim' is not known" in capsys.readouterr().err
    assert path.read_bytes() == before
