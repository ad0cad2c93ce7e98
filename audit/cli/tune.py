"""`audit tune`: the settings of a paper's experiments, sought as the paper sought them."""

from __future__ import annotations

from audit.claims.papers import check_keys, papers_of
from audit.cli.app import app, command, say
from audit.errors import Exit, corpus_questions, in_run
from audit.names import seconds_of, span
from audit.settings import TrainingSettings
from audit.storage.files import check_can_be_written


@command(app, "tune")
def tune_command(
    claims: list[str], *, settings: TrainingSettings, trials: int | None = None, timeout: str | None = None
) -> int:
    """Seek the settings of experiments that a claim file marks with `tuning`, on documents held out.

    The test documents are not looked at. `audit run` uses the best values afterwards. Every finished trial is
    kept: the same command goes on where it was, and --trials 80 after --trials 40 adds 40.
    Exit codes: 0 done, 2 bad input, 3 no trial gave a score, 130 interrupted.
    """
    from audit.pipeline.suite import threads_of
    from audit.runner.progress import new_console
    from audit.runner.resolve import checked, questions, study_path
    from audit.runner.search import carry_on

    papers = papers_of(claims)
    check_keys(papers)
    settings = checked(settings)
    check_can_be_written(settings.store)
    seconds = None
    if timeout is not None:  # a bare number is minutes
        minutes = timeout.isascii() and timeout.isdecimal()
        seconds = seconds_of(f"{timeout}m" if minutes else timeout, option="--timeout")
    with corpus_questions(in_run):
        asked = [question for paper in papers for question in questions(paper, settings)]
    jobs, worst = settings.jobs or 1, Exit.OK
    for question in asked:
        study = carry_on(
            question,
            settings.store,
            new_console(),
            trials=trials or question.trials,
            workers=jobs,
            threads=threads_of(jobs) if settings.device == "cpu" else None,
            timeout=seconds,
        )
        if study is None:
            return Exit.INTERRUPTED
        kept = f"study: {study_path(settings.store, study.key)}"
        say(f"{study.summary}\n{span(study.seconds)} in all; {kept}")
        if study.best is None:
            reasons = dict.fromkeys(trial.reason or "" for trial in study.trials)
            say(f"no trial gave a score ({'; '.join(list(reasons)[:2])})")
            worst = Exit.RUNS_FAILED
    return worst
