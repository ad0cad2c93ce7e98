"""One trial: a training on what is left of the training documents, scored on those held out.

The test documents are not given to it: those held out stand in their place.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from audit.record import RunSpec
from audit.runner import carry_out
from audit.runner.data_request import DataRequest
from audit.runner.plan import Job
from audit.runner.tuning.question import Question, by_target
from audit.runner.tuning.search import Outcome, TrialPruned, TrialStopped
from audit.runner.versions import ChangedError, told
from audit.study import Json, StudySpec

if TYPE_CHECKING:
    from reimpl.data.dataset import Dataset
    from reimpl.training import Watch

#: Trial, share of its epochs that is done.
Progress = Callable[[int, float], None]


def without_test(request: DataRequest) -> Dataset:
    """The data with the documents held out in the place of the test ones: there is no way to those."""
    data = request.load()
    assert data.dev is not None
    return replace(data, test=data.dev)


def settings_of(spec: StudySpec, values: Mapping[str, Json]) -> RunSpec:
    """The run that a trial with these values is."""
    config, training = by_target(values)
    return RunSpec(
        model=spec.model,
        variant="",
        config={**spec.config, **config},
        protocol={**spec.training, **training},
        data=spec.data,
        seed=spec.seed,
        precision=spec.precision,
        revision=spec.revision,
        code=spec.code,
    )


@dataclass(frozen=True)
class Training:
    """The objective of a question: to be called for each trial, in this process."""

    question: Question
    threads: int | None = None
    stop: Callable[[], bool] = lambda: False
    progress: Progress = lambda number, share: None

    def __call__(
        self, number: int, values: Mapping[str, Json], report: Callable[[float, float], None]
    ) -> Outcome:
        """The score, in percent; what goes amiss in a trial is its outcome, and the search goes on."""
        from reimpl.errors import ReimplError
        from reimpl.training import Interrupted

        question = self.question
        data = without_test(question.data)
        job = Job(settings_of(question.spec, values), question.data, "", question.device, {})
        try:
            result = carry_out._train(job, data, self.threads, self._watch(number, report))
        except Interrupted as err:
            raise TrialStopped from err
        except (TrialPruned, ChangedError):
            raise
        except ReimplError as err:
            return Outcome(reason=str(err))
        except (Exception, SystemExit) as err:  # a fault of one trial must not end the others
            return Outcome(reason=told(err, job.spec))
        if result.failed:
            return Outcome(reason=result.reason)
        score = result.metrics.get(question.spec.metric)
        return Outcome(score, None if score is not None else f"nothing measured its {question.spec.metric}")

    def _watch(self, number: int, report: Callable[[float, float], None]) -> Watch:
        from reimpl.training import Watch

        metric = self.question.spec.metric

        def evaluated(row: Mapping[str, float]) -> None:
            if metric in row:
                report(row["epoch"], row[metric])

        def progress(done: int, total: int, loss: float | None) -> None:
            self.progress(number, done / max(1, total))

        return Watch(progress, self.stop, evaluated=evaluated)
