"""Which questions a claim file's experiments put on a corpus: experiments of one question share a study."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from audit.claims.load import Paper
from audit.errors import PlanError
from audit.runner.plan import Settings, UnfitError, check_protocol, resolved, selected
from audit.runner.tuning.question import Question, question_of


def questions(
    paper: Paper,
    settings: Settings,
    *,
    only: Sequence[str] = (),
    seed: int = 0,
    epochs: int | None = None,
) -> tuple[Question, ...]:
    """One for each different question of the experiments that `only` names, in the order of the file.

    Raises `PlanError` where none of them asks for tuning or can be had on the corpus, and what `make_plan`
    raises.
    """
    check_protocol(settings.protocol)
    wanted = selected(paper, only)
    asking = {
        name: it
        for name, it in paper.single_experiments.items()
        if (wanted is None or name in wanted) and it.tuning
    }
    if not asking:
        which = "none of these experiments" if only else "no experiment"
        raise PlanError(
            f"{paper.paper.key}: {which} asks for tuning in the claim file; "
            "add tuning: NAME, as in tuning: wang2019, or run it as it is"
        )
    found: dict[str, Question] = {}
    unfit: list[str] = []
    for name, experiment in asking.items():
        try:
            it = resolved(paper, name, experiment, settings)
        except UnfitError as err:
            unfit.append(f"{name}: {err}")
            continue
        question = question_of(
            name,
            experiment,
            catalogue=it.catalogue,
            module=it.module,
            config=it.settings.config,
            used=it.settings.used,
            request=it.request,
            precision=settings.precision,
            device=settings.device,
            seed=seed,
            epochs=epochs,
        )
        same = found.get(question.spec.key, question)
        names = tuple(dict.fromkeys((*same.experiments, name)))
        found[question.spec.key] = replace(same, experiments=names, trials=max(same.trials, question.trials))
    if not found:
        raise PlanError(f"{paper.paper.key}: nothing can be tuned on this corpus ({unfit[0]})")
    return tuple(found.values())
