"""`audit tune`: the settings of a paper's experiments, sought as the paper sought them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from audit.claims.papers import check_keys, papers_of
from audit.cli.app import app, command, say
from audit.errors import Exit, corpus_questions, in_tune
from audit.names import seconds_of, span
from audit.record import Trial, shown
from audit.settings import TrainingSettings
from audit.storage.files import check_can_be_written

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress

    from audit.runner.tuned import Question


@command(app, "tune")
def tune_command(
    claims: list[str],
    *,
    settings: TrainingSettings,
    trials: int | None = None,
    epochs: int | None = None,
    timeout: str | None = None,
    seed: int = 0,
) -> int:
    """Seek the settings of experiments that a claim file marks with `tuning`, on documents held out.

    The test documents are not looked at. `audit run` uses the best values afterwards. Every finished trial is
    kept: the same command goes on where it was, and --trials 80 after --trials 40 adds 40.
    Exit codes: 0 done, 2 bad input, 3 no trial gave a score, 130 interrupted.
    """
    from audit.pipeline.suite import runner_settings, threads_of
    from audit.runner.progress import new_console, run_bars
    from audit.runner.search import Budget, carry_on
    from audit.runner.tuned import questions, study_path

    papers = papers_of(claims)
    check_keys(papers)
    runner = runner_settings(settings)
    check_can_be_written(settings.store)
    seconds = None
    if timeout is not None:  # a bare number is minutes
        minutes = timeout.isascii() and timeout.isdecimal()
        seconds = seconds_of(f"{timeout}m" if minutes else timeout, option="--timeout")
    with corpus_questions(in_tune):
        asked = [
            question
            for paper in papers
            for question in questions(paper, runner, only=settings.only, seed=seed, epochs=epochs)
        ]
    jobs = settings.jobs or 1
    threads = threads_of(jobs) if runner.device == "cpu" else None
    worst = Exit.OK
    for question in asked:
        budget = Budget(settings.store, trials or question.trials, jobs, threads, seconds)
        console = new_console()
        with run_bars(console) as bars:
            screen = Screen(question, budget.trials, console, bars)
            screen.announce(budget.workers, runner.device)
            study = carry_on(question, budget, screen)
        if study is None:
            return Exit.INTERRUPTED
        made = [trial.seconds for trial in study.trials if trial.state in ("done", "pruned")]
        each = f", {sum(made) / len(made):.1f} s a trial" if made else ""
        kept = f"study: {study_path(settings.store, study.key)}"
        say(f"{study.summary}\n{span(study.seconds)} in all{each}; {kept}")
        if study.best is None:
            reasons = dict.fromkeys(trial.reason or "" for trial in study.trials)
            say(f"no trial gave a score ({'; '.join(list(reasons)[:2])})")
            worst = Exit.RUNS_FAILED
    return worst


class Screen:
    """Listens to a search: a bar on a terminal, a line a trial everywhere."""

    def __init__(self, question: Question, trials: int, console: Console, bar: Progress) -> None:
        self.question, self.trials, self.console, self.bar = question, trials, console, bar
        self.over, self.best = 0, ""
        self.task = bar.add_task(question.experiments[0], total=float(trials), state="")

    def announce(self, workers: int, device: str) -> None:
        """What is about to be sought, on what."""
        question, spec = self.question, self.question.spec
        first, *others = question.experiments
        names = first + (f" and {len(others)} alike" if others else "")
        ended = "" if spec.pruner == "none" else f", ended early by {spec.pruner}"
        self._say(
            f"{names}: {question.protocol}, {self.trials} trials of up to {question.epochs} epochs, "
            f"{spec.sampler}{ended}; {spec.metric} on documents held out; {device}, {workers} at a time"
        )
        for setting in spec.space:
            self._say(f"  {setting.name.partition('.')[2]}: {setting}")

    def progress(self, shares: Mapping[int, float]) -> None:
        self.bar.update(self.task, completed=self.over + sum(shares.values()), state=self.best)

    def ended(self, trial: Trial, over: int, best: Trial | None) -> None:
        metric = self.question.spec.metric
        self.over = over
        if best is not None:
            self.best = f"best {metric} {best.score:.2f}"
        what = f"{metric} {trial.score:.2f}" if trial.state == "done" else f"{trial.state}: {trial.reason}"
        if trial.state == "interrupted":
            what = "interrupted; its values are tried again by the next command"
        after = f", {trial.epochs:.0f} epochs" if trial.epochs else ""
        so_far = f"  {self.best}" if best is not None else ""
        values = f"({shown(trial.values)}; {trial.seconds:.0f} s{after})"
        self._say(f"[{over}/{self.trials}] trial {trial.number}: {what}  {values}{so_far}")
        self.progress({})

    def _say(self, text: str) -> None:
        self.console.out(text, highlight=False)
