"""Experiments that bring a command of their own: run only with leave, and recorded like others' runs."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import audit
from audit import cli
from audit.claims.load import load
from audit.errors import ClaimFileError, Exit
from audit.judging.evidence import Provenance
from audit.record import Audit, audit_from_json
from audit.storage.runs import Store
from tests.importing.test_predictions import LISTS, TRUTH, write
from tests.runner.papers import write_paper

MODEL = {
    name: f"    {{title: {title}, model: xml_cnn, variant: chen2022-kim-{variant}, protocol: chen2022,"
    + (" dataset: corpus,\n     recipe" if name == "words" else "\n     dataset: corpus, recipe")
    + ': study2022, vectors: "GloVe, 300 components"}'
    for name, title, variant in (("words", "Words", "words"), ("letters", "Embeddings", "embeddings"))
}
TRAIN = """\
import json, sys
from pathlib import Path
level, seed, out = float(sys.argv[1]), int(sys.argv[2]), Path(sys.argv[3])
print("training", seed)
Path("calls.txt").open("a").write(f"{level} {seed}\\n")
(out / "metrics.json").write_text(json.dumps({"P@1": level + seed / 10, "P@3": 30.0}))
"""


def experiment(title: str, level: float, **more: object) -> str:
    keys = {
        "run": [sys.executable, "train.py", str(level), "{seed}", "{out}"],
        "results": "metrics.json",
        "cwd": ".",
        **more,
    }
    return json.dumps({"title": title, "dataset": "corpus", "command": keys})


def write_claims(folder: Path, **more: object) -> Path:
    return write_paper(
        folder,
        (MODEL["words"], f"    {experiment('Words', 80.0, **more)}"),
        (MODEL["letters"], f"    {experiment('Letters', 40.0, **more)}"),
    )


RUN = ("run", "toy.yaml", "--only", "words-win", "--device", "cpu", "--seeds", "3")
ALLOWED = (*RUN, "--allow-commands")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "train.py").write_text(TRAIN)
    write_claims(tmp_path)
    return tmp_path


def calls() -> int:
    path = Path("calls.txt")
    return len(path.read_text().splitlines()) if path.exists() else 0


def judged() -> Audit:
    return audit_from_json(Path("audit-report/toy2024/audit.json").read_text())


# --------------------------------------------------------------------------- leave is asked for


def test_nothing_is_started_without_leave_and_why_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(RUN) == Exit.BAD_INPUT
    said = capsys.readouterr().err
    assert said.startswith("audit: toy.yaml: words and 1 more would start a program (")
    assert "a claim file may come from a stranger" in said and "add --allow-commands" in said
    with pytest.raises(audit.AuditError, match="add allow_commands=True if you trust them"):
        audit.run("toy.yaml", only=["words-win"], device="cpu")
    assert calls() == 0 and not Path("audit-runs").exists()


# --------------------------------------------------------------------------- runs


def test_its_runs_are_judged_as_no_runs_of_ours(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(ALLOWED) == Exit.OK
    assert calls() == 6
    verdict = judged().verdicts[0]
    assert (verdict.outcome, verdict.n) == ("reproduced", (3, 3))
    assert verdict.values == ((80.0, 80.1, 80.2), (40.0, 40.1, 40.2))
    assert "run here by the claim file's command, not by our code" in verdict.badges
    assert not any("imported" in it or "older" in it for it in verdict.badges)
    runs = list(Store(Path("audit-runs")).runs())
    assert all(run.imported and run.seconds > 0 and run.started for run in runs)
    assert {Provenance.of(run).by for run in runs if run.metrics["P@1"] > 50} == {
        f"{sys.executable} train.py 80.0 '{{seed}}' '{{out}}'"
    }
    assert Path("audit-runs/commands/toy2024/words/2.out").read_text() == "training 2\n"
    said = capsys.readouterr().err
    assert "words seed 0: P@1 80.00  P@3 30.00" in said


def test_only_the_authors_own_code_contradicts(folder: Path) -> None:
    for code, outcome in ((None, "inconclusive"), ("github.com/x@1", "contradicted")):
        stated = {"authors_code": code, "same_data": "theirs"} if code else {}
        write_paper(
            folder,
            (MODEL["words"], f"    {experiment('Words', 40.0, **stated)}"),
            (MODEL["letters"], f"    {experiment('Letters', 80.0, **stated)}"),
        )
        store = f"runs-{outcome}"
        cli.main([*ALLOWED, "--store", store])
        assert judged().verdicts[0].outcome == outcome


def test_predictions_are_scored_by_us(folder: Path) -> None:
    write(folder / "truth.jsonl", TRUTH, scored=False)
    write(folder / "given.jsonl", LISTS, scored=True)
    (folder / "train.py").write_text(
        "import shutil, sys; shutil.copy('given.jsonl', sys.argv[3] + '/preds.jsonl')"
    )
    write_claims(folder, results="preds.jsonl", truth="truth.jsonl")
    assert cli.main([*ALLOWED[:-2], "1", "--allow-commands"]) == Exit.OK
    run = next(Store(Path("audit-runs")).runs())
    assert run.metrics and run.predictions and run.data.n_test == len(TRUTH)


# --------------------------------------------------------------------------- what goes amiss


def failing(folder: Path, source: str) -> None:
    (folder / "train.py").write_text(source)


@pytest.mark.parametrize(
    ("source", "why"),
    [
        ("import sys; print('a'); print('one\\ntwo\\nCUDA out of \\x1b[31mmemory', file=sys.stderr); exit(3)",
         "it ended with exit code 3: one / two / CUDA out of ?[31mmemory"),
        ("import os; os.kill(os.getpid(), 9)", "it ended with signal 9"),
        ("import sys; sys.exit(1)", "it ended with exit code 1"),
    ],
)  # fmt: skip
def test_a_command_that_fails_is_a_failed_run_with_its_last_lines(
    source: str, why: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    failing(folder, source)
    assert cli.main(ALLOWED) == Exit.RUNS_FAILED
    assert {run.reason for run in Store(Path("audit-runs")).runs()} == {why}
    assert f"words seed 0: failed ({why})" in capsys.readouterr().err
    assert judged().verdicts[0].attempts == (3, 3)
    failing(folder, TRAIN)
    assert cli.main(ALLOWED) == Exit.OK and calls() == 0  # a failed seed stays
    assert cli.main([*ALLOWED, "--retry-failed"]) == Exit.OK and calls() == 6
    assert judged().verdicts[0].n == (3, 3)


def test_the_time_limit_ends_all_that_the_command_started(folder: Path) -> None:
    """Also a grandchild that does not listen."""
    failing(
        folder,
        "import subprocess, sys, time\n"
        "child = subprocess.Popen([sys.executable, '-c', "
        "'import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(600)'])\n"
        "open('pid.txt', 'w').write(str(child.pid))\n"
        "time.sleep(600)\n",
    )
    write_claims(folder, time_limit="2s")
    from audit.runner import commands as commanded

    before, commanded.GRACE = commanded.GRACE, 0.5
    try:
        assert cli.main([*ALLOWED[:-2], "1", "--allow-commands", "--only", "words"]) == Exit.RUNS_FAILED
    finally:
        commanded.GRACE = before
    run = next(Store(Path("audit-runs")).runs())
    assert run.reason == "it was ended at its time limit of 2 s"
    assert _gone(int(Path("pid.txt").read_text()))


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_ends_the_command_and_records_nothing(folder: Path, number: int) -> None:
    failing(
        folder, "import os, time\nopen('pid.txt', 'w').write(str(os.getpid()))\nos.sync()\ntime.sleep(600)\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-m", "audit", *ALLOWED],
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
        stderr=subprocess.PIPE,
        text=True,
    )
    for _ in range(600):
        if Path("pid.txt").exists() and Path("pid.txt").read_text():
            break
        time.sleep(0.1)
    process.send_signal(number)
    assert process.wait(timeout=60) == Exit.INTERRUPTED
    assert process.stderr is not None
    assert "interrupted; the same command continues from there" in process.stderr.read()
    process.stderr.close()
    assert _gone(int(Path("pid.txt").read_text()))
    assert not list(Path("audit-runs").glob("*.json"))


def _gone(pid: int) -> bool:
    for _ in range(100):
        try:
            os.kill(pid, 0)
            state = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
            if state == "Z":  # ended, and nobody has asked for its exit code
                return True
        except (ProcessLookupError, FileNotFoundError):
            return True
        time.sleep(0.05)
    return False


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("", "there is no 'metrics.json' under {out}, only nothing"),
        ("out.write_text('{')", "metrics.json: it ends too early"),
        ("out.write_text('{\"P@1\": 0.8}')", "is P@1 0.8 a percentage or a fraction?"),
        ("out.write_text('{\"Q@1\": 80}')", "no column 'metric', 'value', only 'q@1'"),
        ("out.write_text('{\"P@1\": [80]}')", "is not a number; write it plainly"),
        ("out.write_text('[{\"metric\": \"P@1\", \"value\": 80, \"seed\": 7}]')", "'words' seed 7, not"),
    ],
)  # fmt: skip
def test_results_that_cannot_be_read_end_it_and_are_kept(
    written: str, said: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    failing(folder, f"import sys, pathlib; out = pathlib.Path(sys.argv[3]) / 'metrics.json'; {written}")
    assert cli.main(ALLOWED) == Exit.BAD_INPUT
    shown = capsys.readouterr().err
    assert said in shown and "words seed 0: " in shown
    assert "its files are in audit-runs/commands/toy2024/words/0.left" in shown
    assert not list(Path("audit-runs").glob("*.json"))
    assert Path("audit-runs/commands/toy2024/words/0.left").is_dir()


# --------------------------------------------------------------------------- what the claim file may say


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"run": ["python", "{sed}", "{out}"]}, "'{sed}' has {sed}, and placeholders are {seed} and {out}"),
        ({"run": ["python", "{out}"]}, "has no {seed}, so every run would be the same"),
        ({"run": ["python", "{seed}{", "{out}"]}, "has a single brace; write {{ or }} for one"),
        ({"results": "../metrics.json"}, "'../metrics.json' is not a file under {out}"),
        ({"time_limit": "long"}, "'long' is not a time span"),
        ({"shell": True}, "shell"),
    ],
)
def test_a_command_that_cannot_be_meant_is_refused_with_its_line(
    changes: dict[str, object], said: str, folder: Path
) -> None:
    write_claims(folder, **changes)
    with pytest.raises(ClaimFileError) as caught:
        load(folder / "toy.yaml")
    assert said in str(caught.value)
    first, second = str(caught.value).splitlines()
    assert first.startswith(f"{folder / 'toy.yaml'}:27: experiments.words.command")
    assert second.startswith(f"{folder / 'toy.yaml'}:29: experiments.letters.command")


def test_imported_seeds_are_not_run_over(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "r.csv").write_text("experiment,dataset,metric,seed,value\nwords,corpus,P@1,0,80.1\n")
    cli.main(["import", "r.csv", "--paper", "toy.yaml"])
    assert cli.main(ALLOWED) == Exit.BAD_INPUT
    assert "'words', seed 0, was imported from a file" in capsys.readouterr().err
    assert calls() == 0
