"""The data section, and how the settings of tuned experiments were found."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from audit.record import DataInfo, DataSheet, ExperimentRecord, Scope, Study, Trial
from reports import digits
from reports.lookup import Lookup
from reports.text import View, listed, plural
from reports.words import SCOPE_WORDS, heading, untold

#: Name in `DataInfo.counts`, after the split -> what it counts; shares as percent.
OF_SPLIT: Mapping[str, str] = {
    "documents": "documents",
    "unlabelled_dropped": "without labels, dropped",
    "unlabelled_kept": "without labels, kept",
    "empty_texts": "texts without words",
    "empty_documents": "with neither labels nor features",
    "duplicate_labels": "repeated labels, counted once",
    "repeated_labels": "repeated labels, counted once",
    "zero_values": "features of value 0, left out",
    "mean_words": "words a document, before any cut",
    "mean_features": "features a document",
    "truncated_share": "documents cut",
    "unknown_word_share": "words that the vocabulary lacks",
    "unknown_label_share": "labels that training lacks",
}
#: Names in `DataInfo.counts` of the whole corpus.
OF_ALL: Mapping[str, str] = {
    "vocabulary": "words of the vocabulary",
    "vectors.words_found_share": "of these with a word vector",
    "vectors.text_found_share": "of the training text with a word vector",
    "labels.not_in_train": "labels without a training document",
    "labels.test_not_in_train": "labels of test documents without a training document",
    "rows_not_used": "rows in neither train nor test",
    "split.column": "split column, from 0",
}
#: Documents are shown anyway, and of the rest what never happened is left out.
ALWAYS = ("documents",)


def counted(name: str, value: float) -> str:
    """A count, a mean or a share.

    >>> counted("train.truncated_share", 0.4321), counted("train.documents", 15449.0)
    ('43.2%', '15,449')
    """
    if name.endswith("_share"):
        return f"{digits.points(100 * value, decimals=1)}%"
    if ".mean_" in name:
        return digits.points(value, decimals=1)
    return digits.count(round(value))


def compared(
    dataset: str, scope: Scope, statistics: Sequence[tuple[str | None, str | None, str, bool]]
) -> str:
    """Of (printed, here, noun, differs): what differs, or that nothing does.

    >>> compared("EUR-Lex", "other_data", [("5.30", "5.14", "labels a document", True)])
    'EUR-Lex (stand-in data): printed 5.30 labels a document, here 5.14.'
    """
    said = [
        f"printed {printed} {noun}, here {here}" for printed, here, noun, differs in statistics if differs
    ]
    if not said:
        printed = any(it[0] is not None and it[1] is not None for it in statistics)
        said = [
            "all that is printed and counted agrees" if printed else "nothing is printed that was counted"
        ]
    return f"{dataset} ({SCOPE_WORDS[scope]}): {'; '.join(said)}."


_SPLITS = ("train", "test", "dev")


def data_blocks(found: Lookup) -> tuple[View, ...]:
    """In the order of the experiments that were run on them here."""
    held: dict[tuple[str, ...], list[tuple[ExperimentRecord, DataSheet]]] = {}
    for it in found.audit.experiments:
        if it.data is not None and any(not run.imported for run in it.runs):
            key = (it.data.content, it.data.partition, it.data.corpus, it.data.recognised)
            held.setdefault(key, []).append((it, it.data))
    return tuple(_data_block(pairs) for pairs in held.values())


def _data_block(pairs: list[tuple[ExperimentRecord, DataSheet]]) -> View:
    sheet, infos = pairs[0][1], _infos([experiment for experiment, _ in pairs])
    sheets = {(it.dataset or experiment.dataset, experiment.scope): it for experiment, it in pairs}
    return View(
        corpus=listed(list(dict.fromkeys(info.name for info, _ in infos.values()))),
        recognised=sheet.recognised,
        hashes=tuple(_hashes(sheet)),
        datasets=tuple(sheets),
        comparisons=tuple(
            compared(name, scope, [(it.printed, it.here, it.name, it.differs) for it in mine.statistics])
            for (name, scope), mine in sheets.items()
        ),
        statistics=tuple(_statistics(list(sheets.values()))),
        preparations=tuple(_preparation(info, number) for info, number in infos.values()),
    )


def _statistics(sheets: list[DataSheet]) -> Iterator[View]:
    """`here` with the most places that any data set prints."""
    of = [{it.name: it for it in sheet.statistics} for sheet in sheets]
    for name in dict.fromkeys(name for mine in of for name in mine):
        held = [mine.get(name) for mine in of]
        here = max((it.here or "" for it in held if it), key=len)
        cells = (
            View(text=(it and it.printed) or digits.ABSENT, differs=bool(it and it.differs)) for it in held
        )
        yield View(name=name, here=here or digits.ABSENT, printed=tuple(cells))


def _infos(experiments: list[ExperimentRecord]) -> dict[str, tuple[DataInfo, int]]:
    """Fingerprint -> prepared data, with how many experiments ran on them."""
    found: dict[str, tuple[DataInfo, int]] = {}
    for experiment in experiments:
        for info in {run.data.fingerprint: run.data for run in experiment.runs if not run.imported}.values():
            number = found[info.fingerprint][1] if info.fingerprint in found else 0
            found[info.fingerprint] = (info, number + 1)
    return found


def _hashes(sheet: DataSheet) -> Iterator[tuple[str, str]]:
    for name, value in (
        ("content, in this order", sheet.content),
        ("in any order", sheet.partition),
        ("in any order and split", sheet.corpus),
    ):
        if value:
            yield name, value


def _preparation(info: DataInfo, experiments: int) -> View:
    counts, made = info.counts, plural(experiments, "experiment")
    splits = tuple(it for it in _SPLITS if any(name.startswith(f"{it}.") for name in counts))
    return View(
        title=f"Recipe “{info.recipe}”, {made}, fingerprint {info.fingerprint[:12]}",
        splits=splits,
        rows=tuple(_rows(counts, splits)),
        facts=tuple((noun, counted(name, counts[name])) for name, noun in OF_ALL.items() if name in counts),
        notes=info.notes,
    )


def _rows(counts: Mapping[str, float], splits: tuple[str, ...]) -> Iterator[View]:
    """What was counted; a rule that never acted has no row."""
    for what, noun in OF_SPLIT.items():
        held = {split: counts[f"{split}.{what}"] for split in splits if f"{split}.{what}" in counts}
        if held and (any(held.values()) or what in ALWAYS):
            values = (
                counted(f"{split}.{what}", held[split]) if split in held else digits.ABSENT
                for split in splits
            )
            yield View(name=noun, values=tuple(values))


_PRUNERS = {
    "none": "no trial was ended early",
    "median": "trials below the median of the others at the same epoch were ended early",
    "halving": "trials were ended early by successive halving",
}
_SAMPLERS = {"random": "drawn at random", "tpe": "proposed by TPE, which learns from the trials before"}


def study_facts(study: Study) -> tuple[str, ...]:
    """What was sought, on which documents, by which means, and where the record is."""
    spec = study.spec
    ranges = "; ".join(f"{it.name.partition('.')[2].replace('_', ' ')} {it}" for it in spec.space)
    limit = f" (no trial begun after {digits.duration(study.timeout)})" if study.timeout else ""
    return (
        f"Sought: {ranges}.",
        f"Held out: {study.validation.removeprefix('dev: ').rstrip('.')}.",
        f"Budget: {study.counted} of {plural(study.wanted, 'trial')}, {digits.duration(study.seconds)} of "
        f"training{limit}; {_SAMPLERS[spec.sampler]}, seed {spec.seed}; {_PRUNERS[spec.pruner]}.",
        f"Record: studies/{study.key}.json in the folder of the runs.",
    )


def study_views(found: Lookup) -> tuple[View, ...]:
    """Each study once, under the experiments that use its values, in their order."""
    users: dict[str, list[str]] = {}
    studies: dict[str, Study] = {}
    for experiment in found.audit.experiments:
        if experiment.study is not None and experiment.runs:
            studies.setdefault(experiment.study.key, experiment.study)
            users.setdefault(experiment.study.key, []).append(found.title(experiment.id))
    return tuple(_view(study, users[key]) for key, study in studies.items())


def _view(study: Study, titles: list[str]) -> View:
    names = tuple(it.name for it in study.spec.space)
    best = study.best
    return View(
        experiments=heading(titles),
        names=untold(titles),
        summary=study.summary,
        facts=study_facts(study),
        settings=tuple(name.partition(".")[2].replace("_", " ") for name in names),
        metric=study.spec.metric,
        rows=tuple(_trial_row(it, names, it is best) for it in study.trials),
    )


def _trial_row(trial: Trial, names: tuple[str, ...], best: bool) -> View:
    return View(
        number=str(trial.number),
        outcome=trial.state if not trial.reason else f"{trial.state}: {trial.reason}",
        values=tuple(trial.shown(name) for name in names),
        score=digits.points(trial.score) if trial.score is not None else digits.ABSENT,
        epochs=f"{trial.epochs:.0f}" if trial.epochs else digits.ABSENT,
        seconds=digits.duration(trial.seconds),
        best=best,
    )
