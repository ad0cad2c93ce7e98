"""Experiments that bring a command of their own: its runs, seed by seed, as records in the store.

    STORE/commands/PAPER/EXPERIMENT/SEED.out, SEED.err    what the program wrote, of the newest try

A claim file may come from anybody, and a command in it is a program: none is started unless the user allows
it. The runs are no runs of ours. They count by the rules of imported ones (`audit.judging.imported`), are
marked as made here by a command, and contradict only where the file states that it is the authors' own code.
What a command leaves under {out} is read by `audit.importing`:

    {"P@1": 76.38, "P@3": 62.81}          metrics of this run, as one JSON object
    metric,value                          a table (CSV, JSON, JSON lines), columns as in `audit import`
    {"document": "d1", "labels": [...]}   with `truth`: predictions of single documents, scored here
"""

from __future__ import annotations

import os
import shlex
import shutil
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import audit
from audit.claims.source import is_visible
from audit.errors import AuditError, option
from audit.importing.predictions import from_predictions
from audit.importing.records import run_of
from audit.importing.result import Declared, Result, Source
from audit.importing.results import from_tables
from audit.importing.table import frame_of, parsed, read_table, read_text
from audit.judging.imported import Provenance, counting
from audit.names import counted, seconds_of, span
from audit.record import Run, digest
from audit.storage.files import explained
from audit.storage.manifest import note_settled
from audit.storage.runs import Predictions, Store

if TYPE_CHECKING:
    from pandas import DataFrame

    from audit.claims.experiments import Command
    from audit.claims.load import Paper


#: Seconds between asking a process to end and ending it.
GRACE = 5.0
_TAIL_LINES, _TAIL_LENGTH, _TAIL_BYTES = 3, 300, 4096


@dataclass(frozen=True)
class Ended:
    seconds: float
    failure: str | None
    """Why it came to nothing, in one sentence; None where it ended with exit code 0."""


def run_command(words: Sequence[str], *, cwd: Path, stdout: Path, stderr: Path, time_limit: float) -> Ended:
    """Run it to its end. Whatever it started ends with it, also on an interrupt, which goes on to the caller.

    Raises `KeyboardInterrupt`, for SIGTERM too, and `OSError` where the two files cannot be written.
    """
    began = time.monotonic()
    with stdout.open("wb") as out, stderr.open("wb") as err:
        try:
            child = subprocess.Popen(
                list(words), cwd=cwd, stdin=subprocess.DEVNULL, stdout=out, stderr=err, start_new_session=True
            )
        except (OSError, ValueError) as problem:
            why = os.strerror(problem.errno) if isinstance(problem, OSError) and problem.errno else problem
            return Ended(0.0, f"{words[0]!r} could not be started in {cwd} ({why})")
        failure = None
        try:
            with _as_interrupt():
                code = child.wait(timeout=time_limit)
        except subprocess.TimeoutExpired:
            failure = f"it was ended at its time limit of {span(time_limit)}"
        finally:
            _end_group(child)
    if failure is None and code != 0:
        failure = f"it ended with {f'signal {-code}' if code < 0 else f'exit code {code}'}"
    if failure is not None and (said := tail(stderr)):
        failure = f"{failure}: {said}"
    return Ended(time.monotonic() - began, failure)


def tail(path: Path) -> str:
    """The last lines of a log, on one line that can be shown."""
    with path.open("rb") as stream:
        stream.seek(max(0, path.stat().st_size - _TAIL_BYTES))
        text = stream.read().decode("utf-8", "replace")
    lines = [" ".join(line.split()) for line in text.splitlines() if line.strip()]
    said = " / ".join(lines[-_TAIL_LINES:])
    shown = "".join(it if is_visible(it) else "?" for it in said)
    return shown if len(shown) <= _TAIL_LENGTH else f"...{shown[-_TAIL_LENGTH:]}"


def _end_group(child: subprocess.Popen[bytes]) -> None:
    """The process and all that it started: asked first, and ended after a while."""
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


@contextmanager
def _as_interrupt() -> Iterator[None]:
    """SIGTERM ends the command as Ctrl-C does; else its processes would be left behind."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def handle(number: int, frame: Any) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, handle)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def result_of(paper: Paper, experiment: str, command: Command, seed: int, *, out: Path, cwd: Path) -> Result:
    """Of one seed. Raises `AuditError` where the file is not there, or not to be read in one way only."""
    path = out / command.results
    if not path.is_file():
        there = ", ".join(sorted(it.name for it in out.iterdir())[:8]) or "nothing"
        raise AuditError(f"there is no {command.results!r} under {{out}}, only {there}; name what it writes")
    dataset = paper.datasets[paper.single_experiments[experiment].on].name
    declared = Declared(unit=command.unit, dataset=dataset, fingerprint=command.fingerprint)
    if command.truth is not None:
        (found,) = from_predictions(
            paper,
            [path],
            truth=cwd / command.truth,
            experiment=experiment,
            seeds=[seed],
            declared=declared,
        )
        return found
    frame, source = _table(path)
    for name, given in (("experiment", experiment), ("seed", str(seed))):
        frame[name] = frame[name].replace("", given) if name in frame else given
    results = from_tables(paper, [(frame, source)], declared)
    if [(it.experiment, it.seed) for it in results] != [(experiment, seed)]:
        named = ", ".join(f"{it.experiment!r} seed {it.seed}" for it in results)
        raise AuditError(
            f"{path.name} is of {named}, not of {experiment!r} seed {seed}; write this run alone"
        )
    return results[0]


def _table(path: Path) -> tuple[DataFrame, Source]:
    """A table, or one JSON object of metrics and their values."""
    if path.suffix.casefold() == ".json":
        content, source = read_text(path)
        if content.lstrip()[:1] == "{":
            values = parsed(path, content).items()
            rows = [(f"{path.name}: {name}", {"metric": name, "value": value}) for name, value in values]
            return frame_of(rows, ("metric", "value"), path.name), source
    return read_table(path, ("metric", "value"))


Tell = Callable[[str], None]


@dataclass
class Commands:
    """The commands of one claim file, and the store that takes their runs."""

    paper: Paper
    path: Path
    """The claim file: folders in it are seen from there."""
    store: Path
    only: frozenset[str] | None = None
    """Ids of the experiments that are asked for; None for all."""
    retry_failed: bool = False
    tell: Tell = lambda said: None
    failed: int = field(default=0, init=False)
    """Runs that came to nothing in this call."""

    def __post_init__(self) -> None:
        asked = {
            name: it
            for name, it in self.paper.single_experiments.items()
            if self.only is None or name in self.only
        }
        #: Experiment -> its command, of those that are asked for.
        self.there = {name: it.command for name, it in asked.items() if it.command is not None}
        self.beside_models = any(it.model is not None for it in asked.values())

    def refusal(self) -> str:
        """What to do where they are not allowed."""
        name, command = next(iter(self.there.items()))
        others = f" and {len(self.there) - 1} more" if len(self.there) > 1 else ""
        return (
            f"{self.path}: {name}{others} would start a program ({shlex.join(command.run)}), and a claim "
            "file may come from a stranger: read its commands, and add "
            f"{option('allow_commands', True)} if you trust them"
        )

    def carry_out(self, seeds: int) -> None:
        """Every seed of every command that has no record yet; what comes to nothing is a failed record.

        Raises `AuditError` where results cannot be read, and `KeyboardInterrupt` once the program is ended.
        """
        for seed in range(seeds):  # whole rounds first, as for our own runs
            for name, command in self.there.items():
                self._settle(name, command, seed)

    def _settle(self, name: str, command: Command, seed: int) -> None:
        store = Store(self.store)
        key = digest(["command", self.paper.paper.key, name, seed])
        with store.claim(key, wait=0) as claim:
            if not claim.held:
                self.tell(f"{name} seed {seed}: another process is at work on it")
                return
            before = self._before(store, name, seed)
            done = [run for run in before if Provenance.of(run).command == _digest(command)]
            if any(run.status == "done" or not self.retry_failed for run in done):
                return
            run, predictions = self._run(name, command, seed, before)
            store.put(run, predictions=predictions, retry=self.retry_failed)
            note_settled(self.store, self.paper.paper.key, [run.spec])
        self.failed += run.status == "failed"
        shown = "  ".join(f"{metric} {value:.2f}" for metric, value in run.metrics.items())
        self.tell(f"{name} seed {seed}: {shown or f'failed ({run.reason})'}  ({span(run.seconds)})")

    def _before(self, store: Store, name: str, seed: int) -> list[Run]:
        """The records of that seed that count. Raises `AuditError` for one that was imported from a file."""
        held = counting((run for run in store.runs(problems=[]) if run.imported), self.paper.paper.key)
        found = held.get((name, seed), [])
        for run in found:
            if not Provenance.of(run).command:
                raise AuditError(
                    f"{self.store}: {name!r}, seed {seed}, was imported from a file, and the claim file has "
                    "a command for it; leave it out with "
                    f"{option('only')}, or take another {option('store')}"
                )
        return found

    def _run(
        self, name: str, command: Command, seed: int, before: Sequence[Run]
    ) -> tuple[Run, Predictions | None]:
        logs = self.store / "commands" / self.paper.paper.key / name
        with explained(logs):
            logs.mkdir(parents=True, exist_ok=True)
        started, note = _now(), f"output: {logs / str(seed)}.out and .err"
        dataset = self.paper.datasets[self.paper.single_experiments[name].on].name
        result = Result(name, seed, dataset, command.fingerprint, {}, (), command.unit or "percent")
        with tempfile.TemporaryDirectory(prefix="audit-out-") as folder:
            out = Path(folder).resolve()
            cwd = out if command.cwd is None else (self.path.parent / command.cwd).resolve()
            ended = run_command(
                [word.format(seed=seed, out=out) for word in command.run],
                cwd=cwd,
                stdout=logs / f"{seed}.out",
                stderr=logs / f"{seed}.err",
                time_limit=seconds_of(command.time_limit, option="time_limit"),
            )
            failure = ended.failure
            if failure is None:
                result = self._result(name, command, seed, out, cwd, logs)
                failure = "the command says so in its results" if result.failed else None
        declared = Declared(
            by=shlex.join(command.run),
            authors_code=command.authors_code or "",
            same_data=command.same_data or "",
        )
        run = replace(
            run_of(result, (seed,), self.paper, declared, before, command=_digest(command)),
            status="done" if failure is None else "failed",
            reason=failure,
            seconds=round(ended.seconds, 3),
            notes=(note, *result.notes),
            versions={"xmtc-audit": audit.__version__},
            started=started,
            finished=_now(),
        )
        return run, result.predictions if failure is None else None

    def _result(self, name: str, command: Command, seed: int, out: Path, cwd: Path, logs: Path) -> Result:
        """What cannot be read is kept to be looked at, since it may have taken hours."""
        try:
            return result_of(self.paper, name, command, seed, out=out, cwd=cwd)
        except AuditError as err:
            kept = logs / f"{seed}.left"
            shutil.rmtree(kept, ignore_errors=True)
            shutil.copytree(out, kept)
            raise AuditError(
                f"{name} seed {seed}: {err}; the run is over and not recorded, and what it wrote is in {kept}"
            ) from err


def run_commands(commands: Commands, *, seeds: int, allowed: bool) -> bool:
    """Whether runs failed. Where commands are not allowed they are left out, and that is told.

    Raises `AuditError` where nothing else is asked for either, and what `Commands.carry_out` raises.
    """
    from audit.storage.margins import keep_fixed

    if not commands.there:
        return False
    if not allowed:
        refusal = AuditError(commands.refusal())
        if not commands.beside_models:
            raise refusal
        commands.tell(f"left out: {refusal}")
        return False
    keep_fixed(commands.store, commands.paper)
    commands.carry_out(seeds)
    if commands.failed:
        runs = counted(commands.failed, "run")
        where = commands.store / "commands" / commands.paper.paper.key
        commands.tell(f"{runs} by commands failed; {where} has their output, --retry-failed runs them again")
    return commands.failed > 0


def _digest(command: Command) -> str:
    """Of what decides the outcome; how long it may take does not, nor what is stated about it."""
    idle = {"time_limit", "authors_code", "same_data"}
    return digest(command.model_dump(mode="json", exclude=idle))


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
