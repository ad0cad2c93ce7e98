"""The commands: what they print, what they return, and what they say about input that cannot be used."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from errno import ENAMETOOLONG
from pathlib import Path
from typing import Any

import pytest

import reimpl.fidelity
import reimpl.models
from audit import cli
from audit.claims.load import json_schema
from audit.errors import Exit
from audit.runner import execute
from audit.storage import files
from audit.storage.runs import Store
from reimpl.fidelity import Check
from reimpl.training import Result
from tests.cli import python, record, told
from tests.importing.rows import write_rows
from tests.importing.test_predictions import LISTS, TRUTH, write
from tests.runner.jobs import content
from tests.runner.papers import its_own, write_corpus, write_paper
from tests.stand_ins import train_at_once

CORES = os.cpu_count()
CHECK = reimpl.fidelity.check


@pytest.fixture
def trained(monkeypatch: pytest.MonkeyPatch) -> None:
    """Words reach 80 and embeddings 40, with little spread over the seeds."""
    means = {"words": 80.0, "embeddings": 40.0}
    train_at_once(monkeypatch, lambda job, _: means[job.spec.config["sweep"]] + 0.1 * job.spec.seed)


RUN = ("run", "toy.yaml", "--data", "corpus", "--jobs", "1")
SWAPPED = ("better: t1.words, worse: t1.letters", "better: t1.letters, worse: t1.words")


# --------------------------------------------------------------------------- starting


def test_help_comes_without_what_is_slow_to_load() -> None:
    script = "import sys; from audit.cli import main; main(['--help']); "
    script += "sys.exit(', '.join({'torch', 'scipy', 'pandas'} & {*sys.modules}) or 0)"
    began = time.perf_counter()
    helped = python("-c", script)
    seconds = time.perf_counter() - began
    print(f"audit --help took {seconds:.2f} s")  # aim: 0.7 s on a quiet machine
    assert helped.returncode == 0, helped.stderr
    for command in ("run", "report", "plan", "check", "validate", "list", "data"):
        assert re.search(rf"^  {command} ", helped.stdout, re.MULTILINE)
    assert "70 a fault of this tool, 130 interrupted" in " ".join(helped.stdout.split())


# --------------------------------------------------------------------------- audit run: exit codes


@pytest.mark.usefixtures("trained")
def test_nothing_contradicted_is_0_and_a_report(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main([*RUN, "--seeds", "3"]) == Exit.OK == 0
    captured = capsys.readouterr()
    assert "2 judgements: 1 reproduced, 0 contradicted" in captured.out
    assert "audit-report/toy2024-corpus/report.html" in captured.out
    assert captured.err.splitlines()[0] == (
        "toy2024: 3 configurations, 3 seeds, 9 runs on corpus; protocol small; cpu, float32, 1 process"
    )
    assert "[9/9] elsewhere seed 2: P@1 80.20  P@3 40.10  (1 s)" in captured.err
    audited = record()
    assert [verdict.outcome for verdict in audited.verdicts] == ["reproduced", "inconclusive"]
    assert audited.verdicts[0].estimate == pytest.approx(40)
    assert audited.verdicts[1].reason == "other_data"
    assert audited.command == "audit run toy.yaml --data corpus --jobs 1 --seeds 3"
    assert Path("audit-report/toy2024-corpus/report.html").read_text().startswith("<!DOCTYPE html>")


@pytest.mark.usefixtures("trained")
def test_a_report_names_all_commands_whose_runs_it_shows() -> None:
    """A later command for one experiment does not make the others; one that asks for all stands alone."""
    cli.main([*RUN, "--seeds", "1"])
    cli.main([*RUN, "--seeds", "1", "--only", "words"])
    whole = "audit run toy.yaml --data corpus --jobs 1 --seeds 1"
    assert record().command == f"{whole} && {whole} --only words"
    cli.main([*RUN, "--seeds", "1"])
    assert record().command == whole


@pytest.mark.usefixtures("trained")
def test_something_contradicted_is_1(folder: Path) -> None:
    write_paper(folder, SWAPPED, its_own(folder))
    assert cli.main([*RUN, "--protocol", "claimed", "--seeds", "3"]) == Exit.CONTRADICTED == 1
    assert record().verdicts[0].outcome == "contradicted"
    assert cli.main(["report"]) == Exit.CONTRADICTED


@pytest.mark.usefixtures("trained")
def test_a_model_that_did_not_pass_its_gate_contradicts_nobody(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(reimpl.fidelity, "check", lambda model: (Check(model, "sizes", False, "1 for 2"),))
    write_paper(folder, SWAPPED)
    assert cli.main([*RUN, "--seeds", "3"]) == Exit.OK
    assert record().verdicts[0].outcome == "inconclusive"
    assert "fidelity: xml_cnn: sizes: 1 for 2" in told(capsys)


def test_failed_runs_are_3_and_stay_3_until_they_are_retried(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(job: Any, *_: Any) -> Result:
        return Result({}, (), 1.0, None, 9, reason="the loss became nan in epoch 2 of 3")

    with monkeypatch.context() as patch:
        patch.setattr(execute, "train_job", fail)
        assert cli.main([*RUN, "--seeds", "1", "--only", "letters"]) == Exit.RUNS_FAILED == 3
    said = "1 of 1 run failed (the loss became nan in epoch 2 of 3); --retry-failed runs it again"
    assert said in told(capsys)
    assert cli.main([*RUN, "--seeds", "1", "--only", "letters"]) == Exit.RUNS_FAILED
    assert said in told(capsys)  # also where nothing was run
    assert cli.main([*RUN, "--seeds", "1", "--only", "letters", "--retry-failed"]) == Exit.OK


def test_an_interrupt_is_130_and_the_same_command_goes_on(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    train, calls = execute.train_job, iter(range(9))

    def interrupted(*arguments: Any) -> Result:
        if next(calls) == 1:
            os.kill(os.getpid(), signal.SIGINT)
        return train(*arguments)

    monkeypatch.setattr(execute, "train_job", interrupted)
    assert cli.main([*RUN, "--seeds", "1"]) == Exit.INTERRUPTED == 130
    assert told(capsys).splitlines()[-1] == "audit: interrupted; the same command continues from there"
    assert len(list(Store(Path("audit-runs")).runs())) == 1
    assert not list(Path("audit-report").glob("*/audit.json"))  # judging may take long; nothing was looked at
    assert cli.main([*RUN, "--seeds", "1"]) == Exit.OK
    assert "[1/3]" not in told(capsys)


# --------------------------------------------------------------------------- audit run: the rest


def test_a_real_run_trains_scores_and_judges(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main([*RUN, "--seeds", "2", "--only", "words-win"]) == Exit.OK
    audited = record()
    runs = {it.id: it.runs for it in audited.experiments}
    assert [len(runs[name]) for name in ("words", "letters", "elsewhere")] == [2, 2, 0]
    assert all(run.status == "done" and 0 <= run.metrics["P@1"] <= 100 for run in runs["words"])
    assert "Elsewhere: left out by --only." in audited.not_checked
    assert "Lost: its code was never published." in audited.not_checked
    for run in runs["words"]:
        predictions = Store(Path("audit-runs")).predictions(run.key)
        assert predictions is not None and predictions["ids"].shape == (16, 6)


@pytest.mark.usefixtures("trained")
def test_a_full_disk_under_the_report_is_one_sentence_and_the_runs_are_kept(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    kept = files.write

    def full(path: Path, content: bytes) -> None:
        if "audit-report" in path.parts:
            raise OSError(28, "No space left on device")
        kept(path, content)

    with monkeypatch.context() as patch:
        patch.setattr("audit.storage.files.write", full)
        assert cli.main(RUN) == Exit.BAD_INPUT
    assert told(capsys).splitlines()[-1] == (
        "audit: audit-report/toy2024-corpus: No space left on device; "
        "free some space there or choose another folder"
    )
    assert cli.main(RUN) == Exit.OK
    assert "[1/9]" not in told(capsys)


# --------------------------------------------------------------------------- bad input


#: Arguments, and what is said; each of these is one line and nothing is run.
BAD: list[tuple[list[str], str]] = [
    ([*RUN, "--device", "gpu"], "--device 'gpu' is unknown; known are auto, cpu, cuda and cuda:N"),
    ([*RUN, "--device", "cuda:99"], r"--device cuda:99: torch .* finds \d+ CUDA devices.*--device cpu"),
    ([*RUN, "--precision", "fp16"], "--precision 'fp16' is unknown; known are float32, tf32, bf16"),
    ([*RUN, "--precision", "tf32", "--device", "cpu"], "--precision tf32: a CPU does not support it"),
    ([*RUN, "--protocol", "smal"], "--protocol 'smal' is unknown; did you mean 'small'"),
    ([*RUN, "--only", "nothing"], "toy2024: --only 'nothing' is not an experiment, claim, table or data set"),
    ([*RUN, "--vectors", "nowhere.txt"], "nowhere.txt"),
    ([*RUN, "--vectors", "random:0"], "random:0': no such file"),
    (["run", "toy.yaml", "--vectors", "glove"], "--vectors glove: synthetic words have no vectors"),
    (["run", "toy.yaml", "--data", "nowhere"], "nowhere: no such file or folder"),
    (["run", "toy.yaml", "--data", "toy.yaml"], "toy.yaml"),
    (["run", "toy.yaml", "--data", "."], "no known format"),
    ([*RUN, "--store", "toy.yaml"], "toy.yaml.*: .*; a file stands where a folder is needed"),
    ([*RUN, "--out", "toy.yaml"], "toy.yaml.*: .*; a file stands where a folder is needed"),
    (["run", "toys"], "'toys' is neither a file nor a built-in paper; known: chen2022"),
    (["run", "nowhere.yaml"], "nowhere.yaml"),
    (["run", "toy.yaml", "toy.yaml"], "'toy2024' is the key of two claim files"),
    (["report"], "audit-report: no audit.json there; `audit run` makes one"),
    (["report", "nowhere.json"], "nowhere.json: No such file or directory; give an audit.json, or make"),
    (["report", "corpus"], "corpus is a folder; give the audit.json in it"),
    (["list", "models", "chen"], "no paper or list 'chen'; did you mean 'chen2022'"),
    (["data", "describe", "nowhere"], "nowhere: no such file or folder"),
]


@pytest.mark.parametrize(
    ("arguments", "message"), BAD, ids=lambda it: " ".join(it) if isinstance(it, list) else ""
)
def test_what_cannot_be_used_is_one_clear_line(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(execute, "train_job", lambda *_: pytest.fail("something was trained"))
    assert cli.main(arguments) == Exit.BAD_INPUT == 2
    lines = told(capsys).splitlines()
    lines = [line for line in lines if not re.match(r"toy2024: \d+ experiments|  ", line)]
    assert len(lines) == 1, lines
    assert re.search(message, lines[0])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([*RUN, "--seeds", "0"], "invalid value for '--seeds': Input should be greater than or equal to 1"),
        ([*RUN, "--sedes", "3"], "no such option: --sedes .*; `audit run --help` shows what there is"),
        (["rnu"], "no such command 'rnu'. Did you mean 'run'\\?; `audit --help` shows what there is"),
    ],
)
def test_a_misused_option_is_told_on_one_line(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(arguments) == Exit.BAD_INPUT
    assert re.search(f"^audit: {message}", told(capsys), re.DOTALL)


@pytest.mark.parametrize("fault", [ZeroDivisionError(), SystemExit(0)])
def test_a_fault_of_the_tool_is_no_verdict(
    fault: BaseException, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Python's own exit code for it would be 1: contradicted."""

    def fail(*_: Any) -> Any:
        raise fault

    monkeypatch.setattr("audit.checks.all_findings", fail)
    assert cli.main(["check", "toy.yaml"]) == Exit.FAULT == 70
    assert type(fault).__name__ in capsys.readouterr().err
    lacking = (MemoryError(), "there is too little"), (OSError(ENAMETOOLONG, ""), "the name of a file")
    for fault, said in lacking:  # noqa: B007
        assert cli.main(["check", "toy.yaml"]) == Exit.BAD_INPUT
        assert capsys.readouterr().err.startswith(f"audit: {said}")


#: Mistakes of entries by themselves, and between entries: what is planted, and what shows its line.
ALONE = (
    (('"40.00", "30.00"', '40.0, "30.00"'), '40.0, "30.00"'),
    (("variant: kim2014,", "varaint: kim2014,"), "varaint"),
    (("rule: field", "rule: usual"), "rule: usual"),
)
BETWEEN = (
    (("experiment: again,", "experiment: agian,"), "agian"),
    (("worse: t1.letters", "worse: t9.letters"), "t9"),
)


@pytest.mark.parametrize("command", [["validate"], ["run"]])
@pytest.mark.parametrize("mistakes", [ALONE, BETWEEN])
def test_mistakes_in_a_claim_file_are_a_line_each_and_2(
    folder: Path, command: list[str], mistakes: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    write_paper(folder, *(planted for planted, _ in mistakes))
    text = (folder / "toy.yaml").read_text()
    assert cli.main([*command, "toy.yaml"]) == Exit.BAD_INPUT
    lines = told(capsys).splitlines()
    expected = {text[: text.index(place)].count("\n") + 1 for _, place in mistakes}
    numbers = [int(re.match(r"toy\.yaml:(\d+): \S+: .", line)[1]) for line in lines]  # type: ignore[index]
    assert expected <= set(numbers)
    assert numbers == sorted(numbers)
    assert len(lines) - len(expected) <= 1  # the misspelt key is also missing


# --------------------------------------------------------------------------- audit report

NO_TORCH = """
import sys

class Forbidden:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in ("torch", "optuna", "ray"):
            raise ImportError(f"{name} is forbidden here")

sys.meta_path.insert(0, Forbidden())
from audit.cli import main
sys.exit(main(sys.argv[1:]))
"""


@pytest.mark.usefixtures("trained")
def test_what_reads_and_reports_needs_no_torch(folder: Path) -> None:
    cli.main([*RUN, "--seeds", "3"])
    page = Path("audit-report/toy2024-corpus/report.html")
    before = page.read_bytes()
    page.unlink()
    text = (folder / "toy.yaml").read_text()  # of what is run here `validate` builds the configuration
    bare = re.sub(r'model: .*?components"', "unavailable: toy, dataset: corpus", text, flags=re.DOTALL)
    (folder / "bare.yaml").write_text(bare)
    write_rows(folder / "r.csv")
    write(folder / "truth.jsonl", TRUTH, scored=False)
    write(folder / "p.jsonl", LISTS, scored=True)
    into = "--paper toy.yaml --store other"
    scored = "--truth truth.jsonl --experiment lost --dataset corpus --seed 0"
    for command in (
        *("report", "check toy.yaml", "validate bare.yaml", "list", "data describe corpus"),
        *("plan", "plan toy.yaml --json", f"import r.csv {into}", f"import p.jsonl {into} {scored}"),
        "judge toy.yaml --store other",
    ):
        done = python("-c", NO_TORCH, *command.split())
        said = [line for line in done.stderr.splitlines() if not line.startswith("First look")]
        assert (done.returncode, said) == (0, []), command
    assert page.read_bytes() == before
    assert python("-c", NO_TORCH, *RUN, "--seeds", "4").returncode != 0  # the hook does forbid


@pytest.fixture
def audit_json() -> Path:
    cli.main([*RUN, "--only", "lost"])  # nothing to run
    return Path("audit-report/toy2024-corpus/audit.json")


BROKEN: dict[str, tuple[Callable[[str], str], str]] = {
    "cut": (lambda text: text[: len(text) // 2], r"not an audit record \(it ends too early\); `audit judge`"),
    "another file": (lambda text: '{"name": "package"}', "paper: this key is missing"),
    "a wrong type": (lambda text: text.replace('"verdicts": [', '"verdicts": [3, '), r"verdicts\.0: "),
    "a newer format": (
        lambda text: text.replace('"format_version": 1,\n "seal"', '"format_version": 99,\n "seal"'),
        "a newer version of this tool wrote it",
    ),
}


@pytest.mark.parametrize("how", BROKEN)
def test_a_file_that_is_no_audit_is_told_in_one_sentence(
    how: str, audit_json: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    change, message = BROKEN[how]
    audit_json.write_text(change(audit_json.read_text()))
    capsys.readouterr()
    assert cli.main(["report"]) == Exit.BAD_INPUT
    lines = told(capsys).splitlines()
    assert len(lines) == 1
    assert lines[0].startswith(f"audit: {audit_json}: ")
    assert re.search(message, lines[0])


@pytest.mark.usefixtures("trained")
@pytest.mark.parametrize(
    "place",
    [
        ("command",),
        ("findings", 0, "arithmetic"),
        ("fidelity", 0, "detail"),
        ("experiments", 0, "deviations", 0, "here"),
        ("experiments", 0, "runs", 0, "device"),
        ("experiments", 0, "runs", 0, "metrics", "P@3"),
        ("verdicts", 0, "reason"),
    ],
    ids=str,
)
def test_report_refuses_a_record_of_which_anything_was_changed(
    place: tuple[str | int, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    """Also where its seal was taken away."""
    cli.main([*RUN, "--seeds", "3"])
    path = Path("audit-report/toy2024-corpus/audit.json")
    edited = at = json.loads(path.read_text())
    for step in place[:-1]:
        at = at[step]
    at[place[-1]] = at[place[-1]] + 0.5 if place[-1] == "P@3" else "otherwise"
    for seal in (edited["seal"], ""):
        path.write_text(json.dumps(edited | {"seal": seal}))
        capsys.readouterr()
        assert cli.main(["report"]) == Exit.BAD_INPUT
        assert told(capsys).startswith(
            f"audit: {path}: not an audit record (it was changed after this tool wrote it); `audit judge`"
        )


@pytest.mark.usefixtures("trained")
def test_a_lost_record_decides_nothing_until_it_is_run_again(capsys: pytest.CaptureFixture[str]) -> None:
    """Nor does asking for fewer seeds than were on record."""
    cli.main([*RUN, "--seeds", "5"])
    before = {it.claim: it.outcome for it in record().verdicts}
    assert before["words-win:P@1"] == "reproduced"
    words = next(it for it in record().experiments if it.id == "words")
    for run in words.runs:
        if run.spec.seed in (0, 3):
            Path(f"audit-runs/{run.key}.json").unlink()
    capsys.readouterr()
    for command in (["judge", "toy.yaml"], [*RUN, "--seeds", "2"]):
        again = command[0] == "run"
        assert cli.main(command) == Exit.OK
        lost = "1 of 5 runs is gone (seed 3)" if again else "2 of 5 runs are gone (seeds 0, 3)"
        assert f"words: {lost}: run again" in told(capsys)
        verdict = next(it for it in record().verdicts if it.claim == "words-win:P@1")
        assert (verdict.outcome, verdict.reason) == ("inconclusive", "runs_gone")
        assert f"words: {lost}: run again" in verdict.badges
        assert cli.main(["report"]) == Exit.OK
    cli.main([*RUN, "--seeds", "5"])
    assert {it.claim: it.outcome for it in record().verdicts} == before
    assert "gone" not in told(capsys)


@pytest.mark.usefixtures("trained")
def test_a_lost_record_of_plans_and_looks_is_told_by_every_command(
    capsys: pytest.CaptureFixture[str],
) -> None:
    cli.main([*RUN, "--seeds", "3"])
    Path("audit-runs/manifests/toy2024.json").unlink()
    capsys.readouterr()
    for command in ([*RUN, "--seeds", "4"], ["judge", "toy.yaml"]):
        assert cli.main(command) == Exit.BAD_INPUT
        assert "manifests/toy2024.json: missing, but there are 9 runs of toy2024; it records" in told(capsys)


@pytest.mark.usefixtures("trained")
@pytest.mark.parametrize(
    ("then", "told_of"),
    [
        ({"model": "a", "training": "b"}, "3 runs by other code than today's (training)"),
        ({}, "3 runs whose code is not recorded"),
    ],
)
def test_runs_by_other_code_are_told_and_run_again_when_asked(
    then: dict[str, str], told_of: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    command = [*RUN, "--only", "letters"]
    monkeypatch.setattr(reimpl.models, "sources_of", lambda names: then)
    cli.main(command)
    monkeypatch.setattr(reimpl.models, "sources_of", lambda names: {"model": "a", "training": "c"})
    seals = {run.seal for run in Store(Path("audit-runs")).runs()}
    capsys.readouterr()
    for again in (command, ["judge", "toy.yaml"]):
        assert cli.main(again) == Exit.OK
        assert f"{told_of}: --rerun-changed" in told(capsys)
        verdicts = [it for it in record().verdicts if (40.0, 40.1, 40.2) in it.values]
        assert verdicts and all(f"{told_of}: --rerun-changed" in it.badges for it in verdicts)
    assert {run.seal for run in Store(Path("audit-runs")).runs()} == seals
    assert cli.main([*command, "--rerun-changed"]) == Exit.OK
    assert "--rerun-changed" not in told(capsys)
    after = list(Store(Path("audit-runs")).runs())
    assert [run.sources for run in after] == [{"model": "a", "training": "c"}] * 3
    assert not seals & {run.seal for run in after}
    cli.main(["judge", "toy.yaml"])
    assert "other code" not in told(capsys)


# --------------------------------------------------------------------------- other commands


def test_the_schema_is_printed_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["schema"]) == Exit.OK
    assert json.loads(capsys.readouterr().out) == json_schema()


def test_check_is_0_for_sound_tables_and_1_for_an_impossible_row(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["check", "toy.yaml"]) == Exit.OK
    counts = "0 inconsistent, 3 consistent, 1 untestable"
    printed = " ".join(capsys.readouterr().out.split())  # however wide the screen is
    assert f"toy2024: 6 printed cells in 2 tables; {counts}; no check could test Table 2 " in printed
    write_paper(folder, ('"80.00", "60.00"', '"80.00", "20.00"'))  # 3 x 20 - 80 = -20
    assert cli.main(["check", "toy.yaml"]) == Exit.CONTRADICTED
    printed = capsys.readouterr().out
    assert "toy2024:bounds:t1.words.P@1" in printed and "3 x 20.00 - 1 x 80.00 = -20" in printed
    assert printed.index("●●●●●") < printed.index("possible explanations: a misprint")
    assert "toy2024: 6 printed cells in 2 tables; 1 inconsistent" in printed


# --------------------------------------------------------------------------- the other end of the pipe


@pytest.mark.skipif(sys.platform == "win32", reason="needs a shell that closes streams")
@pytest.mark.parametrize(
    ("words", "code"),
    [("list >&-", 0), ("check toy.yaml --json | head -0", 0), ("check nowhere.yaml >&- 2>&-", 2)],
)
def test_a_closed_stream_is_no_verdict(words: str, code: int) -> None:
    script = f"set -o pipefail; '{sys.executable}' -m audit {words}; exit ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, timeout=120, check=False)
    assert (done.returncode, done.stderr) == (code, "")


@pytest.mark.parametrize("where", ["train", "_fidelity"])
def test_whoever_ends_the_process_within_a_run_fails_that_run(
    where: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """`sys.exit(0)` in a model or in its fidelity check is no green audit without a report."""

    def end(*_: Any) -> Any:
        sys.exit(0)

    if where == "train":
        monkeypatch.setattr(execute, "train_job", end)
    else:
        monkeypatch.setattr(reimpl.fidelity, "check", CHECK)
        monkeypatch.setattr(reimpl.fidelity, "_collect", lambda model: (("sizes", end),))
    code = cli.main([*RUN, "--seeds", "1", "--only", "letters"])
    report = record()
    if where == "train":
        assert code == Exit.RUNS_FAILED
        assert "SystemExit: 0" in told(capsys)
    else:
        assert code == Exit.OK
        assert [it.detail for it in report.fidelity] == ["stopped by SystemExit: 0"]
        assert not any(it.passed for it in report.fidelity)


# --------------------------------------------------------------------------- Ctrl-C, for real


def children(pid: int) -> list[str]:
    """Of all its threads."""
    return " ".join(it.read_text() for it in Path(f"/proc/{pid}/task").glob("*/children")).split()


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
def test_ctrl_c_in_the_middle_of_a_suite_is_130_and_the_same_command_goes_on(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """To the process group, as a terminal does, while workers may still be starting; then to the parent
    alone, as `kill -INT` does. The records are those of an undisturbed run, bit for bit."""
    write_corpus(folder / "corpus", 200)
    arguments = ["run", "toy.yaml", "--data", "corpus", "--only", "words-win", "--seeds", "1", "--jobs", "2"]
    store = Store(folder / "audit-runs")

    def interrupted(send: Callable[[int, int], None], at_work: Callable[[int], bool]) -> None:
        process = subprocess.Popen(
            [sys.executable, "-m", "audit", *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        began = time.monotonic()
        while not at_work(process.pid) and time.monotonic() - began < 60:
            time.sleep(0.02)
        send(process.pid, signal.SIGINT)
        out, err = process.communicate(timeout=60)
        assert process.returncode == 130, (out, err)
        assert "Traceback" not in err
        assert err.splitlines()[-1] == "audit: interrupted; the same command continues from there"

    # One run has begun; the other worker may still be starting.
    interrupted(os.killpg, lambda pid: bool(list(store.root.glob("checkpoints/*"))))
    # Both workers and the process that watches over their shared memory are there.
    interrupted(os.kill, lambda pid: len(children(pid)) >= 3)
    # Here: one process, with as many threads as each of two workers had.
    threads = max(1, (CORES or 1) // 2)
    monkeypatch.setattr(os, "cpu_count", lambda: threads)
    assert cli.main([*arguments[:-1], "1"]) in (Exit.OK, Exit.CONTRADICTED)
    assert cli.main([*arguments[:-1], "1", "--store", "undisturbed"]) in (Exit.OK, Exit.CONTRADICTED)
    keys = [run.key for run in store.runs()]
    assert len(keys) == 2
    for key in keys:
        assert content(store, key) == content(Store(folder / "undisturbed"), key)


@pytest.mark.usefixtures("trained")
def test_the_same_command_with_nothing_to_do_needs_no_torch(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It says the same; and what is changed since, in the claim file or the corpus, is planned anew."""
    command = [*RUN, "--seeds", "3"]
    assert cli.main(command) == Exit.OK
    first = record()
    capsys.readouterr()
    script = f"import sys; from audit.cli import main; main({command}); sys.exit('torch' in sys.modules)"
    again = python("-c", script)
    assert again.returncode == 0, again.stderr
    assert "toy2024: all 9 runs are on record" in again.stderr
    assert record() == first
    corpus = folder / "corpus" / "train.txt"
    corpus.write_text(corpus.read_text() + corpus.read_text().splitlines()[0] + "\n")
    assert cli.main(command) == Exit.OK
    assert "3 seeds, 9 runs on corpus" in told(capsys)


def test_settings_that_cannot_be_are_all_told_with_their_lines(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The first of each experiment; it is not told once more of each choice of a reading."""
    sound = 'recipe: study2022, vectors: "GloVe, 300 components"}\n  letters'
    wrong = "training: {epochs: ten, batch_size: many}, config: {maps: big}, readings: [pace]}\n  letters"
    choices = "{a: {}, b: {training: {epochs: no one}}}"
    open_ = f"readings:\n  limit: one_at_a_time\n  open:\n    pace: {{why: not stated, choices: {choices}}}\n"
    write_paper(
        folder,
        (sound, f'recipe: study2022, vectors: "GloVe",\n     {wrong}'),
        ("claims:\n", f"{open_}claims:\n"),
    )
    lines = (folder / "toy.yaml").read_text().splitlines()
    at = 1 + next(i for i, line in enumerate(lines) if "epochs: ten" in line)
    choice = 1 + next(i for i, line in enumerate(lines) if "no one" in line)
    assert cli.main(list(RUN)) == Exit.BAD_INPUT
    number = "Input should be a valid integer"
    said = told(capsys).splitlines()
    assert f"toy.yaml:{at}: experiments.words.training.epochs: cannot be 'ten': {number}" in said
    assert any(it.startswith(f"toy.yaml:{at}: experiments.words.config.maps: ") for it in said)
    there = f"toy.yaml:{choice}: readings.open.pace.choices.b.training.epochs: cannot be 'no one': {number}"
    assert there in said and len(said) == 3
