"""Experiments that run a command of their own: makes their runs, seed by seed, as records in the store.

STORE/commands/PAPER/EXPERIMENT/SEED.out, SEED.err    what the program wrote, of the newest try

A command in a claim file is a program: none is started unless the user allows it. The runs count by the rules
of imported ones, and contradict only where the file states that it is the authors' own code. What it leaves
under {out} is metrics of this run ({"P@1": 76.38}), a table with the columns of `audit import`, or, with
`truth`, predictions of single documents."""

from __future__ import annotations

import os
import shlex
import shutil
import signal
import subprocess
import tempfile
import threading
import time
from collections import deque
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import audit
from audit.claims.experiments import Command
from audit.claims.load import Paper
from audit.errors import AuditError, option
from audit.importing.predictions import from_predictions
from audit.importing.records import run_of
from audit.importing.results import Declared, Result, from_tables
from audit.importing.tables import read_table
from audit.judging.evidence import Provenance, counting
from audit.names import counted, seconds_of, span
from audit.record import Run, digest
from audit.storage.files import explained
from audit.storage.manifest import Ledger, keep_fixed
from audit.storage.runs import Predictions, SettledError, Store

#: Seconds between asking a process to end and ending it.
GRACE = 5.0
#: Lines of its error output that the record of a failed command quotes, and their characters.
_TAIL_LINES, _TAIL_LENGTH = 3, 300


def run_command(
    words: Sequence[str], *, cwd: Path, stdout: Path, stderr: Path, time_limit: float
) -> str | None:
    """Run a program to its end. Returns why it gave no result, or None after exit code 0. All processes that
    it started end with it. Raises `KeyboardInterrupt`, for SIGTERM too, and `OSError`."""
    failure = None
    with stdout.open("wb") as out, stderr.open("wb") as err:
        try:
            child = subprocess.Popen(
                list(words), cwd=cwd, stdin=subprocess.DEVNULL, stdout=out, stderr=err, start_new_session=True
            )
        except (OSError, ValueError) as problem:
            return f"{words[0]!r} could not be started in {cwd} ({problem})"
        main = threading.current_thread() is threading.main_thread()
        before = signal.signal(signal.SIGTERM, signal.default_int_handler) if main else None
        try:
            if code := child.wait(timeout=time_limit):
                failure = f"it ended with {f'signal {-code}' if code < 0 else f'exit code {code}'}"
        except subprocess.TimeoutExpired:
            failure = f"it was ended at its time limit of {span(time_limit)}"
        finally:
            _end_group(child)
            if main:
                signal.signal(signal.SIGTERM, before)
    return f"{failure}: {last}" if failure and (last := _last_lines(stderr)) else failure


def _last_lines(log: Path) -> str:
    with log.open(encoding="utf-8", errors="replace") as lines:
        last = deque((words for line in lines if (words := " ".join(line.split()))), maxlen=_TAIL_LINES)
    shown = "".join(sign if sign.isprintable() else "?" for sign in " / ".join(last))
    return shown if len(shown) <= _TAIL_LENGTH else f"...{shown[-_TAIL_LENGTH:]}"


def _end_group(child: subprocess.Popen[bytes]) -> None:
    """Ask the process and all that it started to stop, and kill them after a while."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        patience = time.monotonic() + GRACE
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(child.pid, number)
            while time.monotonic() < patience:
                child.poll()
                os.killpg(child.pid, 0)  # raises once the last of them has gone
                time.sleep(0.05)
            continue
        return


def result_of(paper: Paper, experiment: str, command: Command, seed: int, *, out: Path, cwd: Path) -> Result:
    """The result of one seed. Raises `AuditError` if the file is missing or ambiguous."""
    path = out / command.results
    if not path.is_file():
        there = ", ".join(sorted(path.name for path in out.iterdir())[:8]) or "nothing"
        raise AuditError(f"there is no {command.results!r} under {{out}}, only {there}; name what it writes")
    dataset = paper.datasets[paper.single_experiments[experiment].on].name
    declared = Declared(unit=command.unit, dataset=dataset, fingerprint=command.fingerprint)
    if command.truth is not None:
        of: dict[str, Any] = {"experiment": experiment, "seeds": [seed], "declared": declared}
        return from_predictions(paper, [path], truth=cwd / command.truth, **of)[0]
    frame, source = read_table(path, ("metric", "value"))
    for name, given in (("experiment", experiment), ("seed", str(seed))):
        frame[name] = frame[name].replace("", given) if name in frame else given
    results = from_tables(paper, [(frame, source)], declared)
    if [(of.experiment, of.seed) for of in results] != [(experiment, seed)]:
        runs = ", ".join(f"{of.experiment!r} seed {of.seed}" for of in results)
        raise AuditError(f"{path.name} holds {runs}, not {experiment!r} seed {seed}; write this run only")
    return results[0]


@dataclass(frozen=True)
class Commands:
    """The commands of one claim file, and the store for their runs."""

    paper: Paper
    path: Path  # The claim file: folders in it are seen from there.
    store: Path
    only: Collection[str] | None = None  # Ids of the experiments that are asked for; None for all.
    retry_failed: bool = False
    tell: Callable[[str], None] = lambda text: None

    def run(self, *, seeds: int, allowed: bool) -> bool:
        """Run every seed of every command that has no record yet; returns whether any failed. Raises
        `AuditError` if results cannot be read, or if only commands are asked for and they are not allowed."""
        experiments = self.paper.single_experiments.items()
        asked = {name: of for name, of in experiments if self.only is None or name in self.only}
        commands = {name: of.command for name, of in asked.items() if of.command is not None}
        if not commands:
            return False
        if not allowed:
            name, command = next(iter(commands.items()))
            others = f" and {len(commands) - 1} more" if len(commands) > 1 else ""
            refusal = (
                f"{self.path}: {name}{others} would start a program ({shlex.join(command.run)}), and a claim "
                "file may come from a stranger: read its commands, and add "
                f"{option('allow_commands', True)} if you trust them"
            )
            if all(experiment.model is None for experiment in asked.values()):
                raise AuditError(refusal)
            self.tell(f"left out: {refusal}")
            return False
        keep_fixed(self.store, self.paper)
        # whole rounds first, as for our own runs
        failed = sum(self._settle(*of, seed) for seed in range(seeds) for of in commands.items())
        if failed:
            where = f"{self.store / 'commands' / self.paper.paper.key} has their output"
            runs = counted(failed, "run")
            self.tell(f"{runs} by commands failed; {where}, --retry-failed runs them again")
        return failed > 0

    def _settle(self, name: str, command: Command, seed: int) -> bool:
        """Run this seed unless it has a record; returns whether it failed."""
        store, key = Store(self.store), self.paper.paper.key
        idle = {"time_limit", "authors_code", "same_data"}  # they do not decide the outcome
        mark = digest(command.model_dump(mode="json", exclude=idle))
        with store.claim(digest(["command", key, name, seed]), wait=0) as claim:
            if not claim.held:
                self.tell(f"{name} seed {seed}: another process is running it")
                return False
            imported = counting((run for run in store.runs(problems=[]) if run.imported), key)
            before = imported.get((name, seed), [])
            if not all(Provenance.of(run).command for run in before):
                raise AuditError(
                    f"{self.store}: {name!r}, seed {seed}, was imported from a file, and the claim file has "
                    f"a command for it; leave it out with {option('only')}, or take another {option('store')}"
                )
            done = [run for run in before if Provenance.of(run).command == mark]
            if any(run.status == "done" or not self.retry_failed for run in done):
                return False
            run, predictions = self._run(name, command, seed, before, mark)
            with suppress(SettledError):  # another process was faster, with the same results
                store.put(run, predictions=predictions, retry=self.retry_failed)
            Ledger(self.store, key).note_settled([run.spec])
        scores = "  ".join(f"{metric} {value:.2f}" for metric, value in run.metrics.items())
        self.tell(f"{name} seed {seed}: {scores or f'failed ({run.reason})'}  ({span(run.seconds)})")
        return run.status == "failed"

    def _run(
        self, name: str, command: Command, seed: int, before: Sequence[Run], mark: str
    ) -> tuple[Run, Predictions | None]:
        logs = self.store / "commands" / self.paper.paper.key / name
        with explained(logs):
            logs.mkdir(parents=True, exist_ok=True)
        dataset = self.paper.datasets[self.paper.single_experiments[name].on].name
        result = Result(name, seed, dataset, command.fingerprint, {}, (), command.unit or "percent")
        started, clock = datetime.now(UTC), time.monotonic()
        with tempfile.TemporaryDirectory(prefix="audit-out-") as folder:
            out = Path(folder).resolve()
            cwd = out if command.cwd is None else (self.path.parent / command.cwd).resolve()
            failure = run_command(
                [word.format(seed=seed, out=out) for word in command.run],
                cwd=cwd,
                stdout=logs / f"{seed}.out",
                stderr=logs / f"{seed}.err",
                time_limit=seconds_of(command.time_limit, option="time_limit"),
            )
            seconds = time.monotonic() - clock
            if failure is None:
                try:
                    result = result_of(self.paper, name, command, seed, out=out, cwd=cwd)
                except AuditError as err:  # it may have taken hours: what it wrote is kept to be looked at
                    left = logs / f"{seed}.left"
                    shutil.rmtree(left, ignore_errors=True)
                    shutil.copytree(out, left)
                    kept = f"the run ended but was not recorded; its files are in {left}"
                    raise AuditError(f"{name} seed {seed}: {err}; {kept}") from err
                failure = "the command says so in its results" if result.failed else None
        declared = Declared(
            by=shlex.join(command.run),
            authors_code=command.authors_code or "",
            same_data=command.same_data or "",
        )
        run = replace(
            run_of(result, (seed,), self.paper, declared, before, command=mark),
            status="done" if failure is None else "failed",
            reason=failure,
            seconds=round(seconds, 3),
            notes=(f"output: {logs / str(seed)}.out and .err", *result.notes),
            versions={"xmtc-audit": audit.__version__},
            started=started.isoformat(timespec="seconds"),
            finished=datetime.now(UTC).isoformat(timespec="seconds"),
        )
        return run, result.predictions if failure is None else None
