"""Experiments that bring a command of their own: its runs, seed by seed, as records in the store.

    STORE/commands/PAPER/EXPERIMENT/SEED.out, SEED.err    what the program wrote, of the newest try

A claim file may come from anybody, and a command in it is a program: none is started unless the user allows
it. The runs are no runs of ours. They count by the rules of imported ones (`audit.imported`), are marked as
made here by a command, and contradict only where the file states that it is the authors' own code.
"""

from __future__ import annotations

import shlex
import shutil
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import audit
from audit.claim_names import counted
from audit.command_process import run_command
from audit.command_results import result_of
from audit.command_words import filled
from audit.durations import seconds_of, span
from audit.errors import AuditError
from audit.files import explained
from audit.imported import Provenance, counting
from audit.manifest import note_settled
from audit.record import DataInfo, Run, digest
from audit.store import Predictions, Store

if TYPE_CHECKING:
    from audit.claim import Paper
    from audit.claim_model import Command
    from audit.importing import Result

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

    @property
    def there(self) -> Mapping[str, Command]:
        """Experiment -> its command, of those that are asked for."""
        experiments = self.paper.single_experiments
        return {
            name: it.command
            for name, it in experiments.items()
            if it.command is not None and (self.only is None or name in self.only)
        }

    @property
    def beside_models(self) -> bool:
        """Whether an experiment is asked for that has a model."""
        return any(
            it.model is not None and (self.only is None or name in self.only)
            for name, it in self.paper.single_experiments.items()
        )

    def refusal(self) -> str | None:
        """What to do where commands are there and not allowed; None where there are none."""
        if not self.there:
            return None
        name, command = next(iter(self.there.items()))
        others = f" and {len(self.there) - 1} more" if len(self.there) > 1 else ""
        return (
            f"{self.path}: {name}{others} would start a program ({shlex.join(command.run)}), and a claim "
            "file may come from a stranger: read its commands, and add --allow-commands if you trust them"
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
            if any(self._stands(run, command) for run in before):
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
                    "a command for it; leave it out with --only, or take another --store"
                )
        return found

    def _stands(self, run: Run, command: Command) -> bool:
        """Whether it needs no further run: of this very command, and done, or failed and to be left so."""
        same = Provenance.of(run).command == _digest(command)
        return same and (run.status == "done" or not self.retry_failed)

    def _run(
        self, name: str, command: Command, seed: int, before: Sequence[Run]
    ) -> tuple[Run, Predictions | None]:
        logs = self.store / "commands" / self.paper.paper.key / name
        with explained(logs):
            logs.mkdir(parents=True, exist_ok=True)
        started, note = _now(), f"output: {logs / str(seed)}.out and .err"
        with tempfile.TemporaryDirectory(prefix="audit-out-") as folder:
            out = Path(folder).resolve()
            cwd = out if command.cwd is None else (self.path.parent / command.cwd).resolve()
            ended = run_command(
                filled(command.run, seed=seed, out=str(out)),
                cwd=cwd,
                stdout=logs / f"{seed}.out",
                stderr=logs / f"{seed}.err",
                time_limit=seconds_of(command.time_limit, option="time_limit"),
            )
            result, failure = None, ended.failure
            if failure is None:
                result = self._result(name, command, seed, out, cwd, logs)
                failure = "the command says so in its results" if result.failed else None
        run = self._record(name, command, seed, before, result)
        run = replace(
            run,
            status="done" if failure is None else "failed",
            reason=failure,
            seconds=round(ended.seconds, 3),
            notes=(note, *(result.notes if result else ())),
            started=started,
            finished=_now(),
        )
        return run, result.predictions if result and failure is None else None

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

    def _record(
        self, name: str, command: Command, seed: int, before: Sequence[Run], result: Result | None
    ) -> Run:
        paper = self.paper.paper.key
        spec = Provenance(
            paper=paper,
            experiment=name,
            files=tuple((it.file, it.sha256) for it in result.sources) if result else (),
            by=shlex.join(command.run),
            authors_code=command.authors_code or "",
            same_data=command.same_data or "",
            unit=command.unit or "percent",
            seeds=(seed,),
            replaces=tuple(run.key for run in before),
            command=_digest(command),
        ).spec(seed=seed, fingerprint=command.fingerprint)
        dataset = self.paper.datasets[self.paper.single_experiments[name].on].name
        # Whoever runs it again has seen the numbers before: the margins stay those of the first look at them.
        first_look = before[0].margins if before else {}
        return Run(
            key=spec.key,
            spec=spec,
            status="done",
            data=DataInfo(
                dataset, spec.data, "the command's own", 0, result.n_test if result else 0, n_labels=0
            ),
            metrics=dict(result.metrics) if result else {},
            device="not recorded",
            versions={"xmtc-audit": audit.__version__},
            margins={paper: self.paper.margins_hash, **first_look},
        )


def run_commands(commands: Commands, *, seeds: int, allowed: bool) -> bool:
    """Whether runs failed. Where commands are not allowed they are left out, and that is told.

    Raises `AuditError` where nothing else is asked for either, and what `Commands.carry_out` raises.
    """
    from audit.fixed_margins import keep_fixed

    refusal = commands.refusal()
    if refusal is None:
        return False
    if not allowed:
        if not commands.beside_models:
            raise AuditError(refusal)
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
