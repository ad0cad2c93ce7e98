"""Resolves an experiment of a claim file on a corpus: model, settings and data, before any tuning."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, TypeVar

from audit.claims.experiments import Experiment
from audit.claims.load import Paper
from audit.errors import (
    AuditError,
    PlanError,
    SettingsError,
    StoreError,
    corpus_questions,
    in_data,
    in_run,
    option,
)
from audit.json_errors import RecordError
from audit.names import known_names
from audit.record import Deviation, Json
from audit.runner.engines import resources_of
from audit.runner.models import with_way_out
from audit.settings import AUTO, CorpusSettings, RunSettings, TrainingSettings
from audit.storage.files import explained, read_sealed, write_sealed
from audit.study import STUDY_FORMAT, SearchRange, Study, StudySpec
from reimpl.errors import ConfigError, DataError, Spelling

if TYPE_CHECKING:
    from reimpl.data.dataset import Dataset
    from reimpl.data.formats import Options
    from reimpl.data.numbering import TextSource
    from reimpl.data.splits import LabelNoise
    from reimpl.protocol import Protocol, TuningProtocol

#: `TrainingSettings` or `RunSettings`.
Chosen = TypeVar("Chosen", bound=TrainingSettings)


def options_of(chosen: CorpusSettings, *, spelling: Spelling = in_data) -> Options:
    """The options for reading the corpus; raises `AuditError` for an empty name or separator."""
    from reimpl.data.formats import Options

    with corpus_questions(spelling):
        return Options(
            base=chosen.base,  # type: ignore[arg-type]
            data=chosen.data_file.resolve() if chosen.data_file else None,
            text=tuple(chosen.text_field) or None,
            labels=chosen.labels_field,
            separator=chosen.separator,
            ids=chosen.ids or None,
            raw=chosen.raw,
        )


def checked(chosen: Chosen) -> Chosen:
    """The settings with the kind of device, cpu, cuda or cuda:N; the worker chooses which one. Raises
    `AuditError` for settings that do not go together."""
    from reimpl.data.formats import split_name
    from reimpl.protocol import PROTOCOLS

    if isinstance(chosen, RunSettings) and chosen.tuned_on:
        if chosen.untuned:
            both = f"{option('untuned', True)} and {option('tuned_on', chosen.tuned_on)}"
            raise AuditError(f"{both} exclude each other; give one")
        if not split_name(chosen.tuned_on)[0].exists():
            how = "name the corpus of `audit tune --data`"
            raise AuditError(f"{option('tuned_on', chosen.tuned_on)}: no such folder; {how}")
    device = _device_of(chosen)
    if chosen.precision not in ("float32", "tf32", "bf16"):
        known = "known are float32, tf32, bf16"
        raise AuditError(f"{option('precision')} {chosen.precision!r} is unknown; {known}")
    if chosen.precision == "tf32" and device == "cpu":
        raise AuditError(f"{option('precision', 'tf32')}: a CPU does not support it; use float32 or bf16")
    if chosen.protocol not in (protocols := [AUTO, CLAIMED, *PROTOCOLS]):
        offered = known_names(chosen.protocol, protocols)
        raise PlanError(f"{option('protocol')} {chosen.protocol!r} is unknown; {offered}")
    options = options_of(chosen, spelling=in_run)
    if chosen.data is None:
        if given := [*options.stated, *(["format"] if chosen.format else [])]:
            raise AuditError(f"{in_run(given[0], '')}: says how {option('data')} is read; give that too")
        if chosen.vectors:
            vectors = option("vectors", chosen.vectors)
            raise AuditError(f"{vectors}: synthetic words have no vectors; give {option('data')} too")
    return replace(chosen, device=device)


def _device_of(chosen: TrainingSettings) -> str:
    wanted, resources = chosen.device, resources_of(chosen.resources)
    kind, _, number = wanted.partition(":")
    if wanted not in ("auto", "cpu", "cuda") and not (kind == "cuda" and number.isdecimal()):
        raise AuditError(f"{option('device')} {wanted!r} is unknown; known are auto, cpu, cuda and cuda:N")
    if kind == "cpu" and resources.gpus:
        raise AuditError(f"{option('resources', chosen.resources)}: {option('device', 'cpu')} uses no GPU")
    # this machine says nothing about those that do the work
    if chosen.on != "local" or getattr(chosen, "submit", False):
        return wanted if wanted != "auto" else "cuda" if resources.gpus else "cpu"
    if wanted == "cpu":
        return wanted
    import torch

    there = torch.cuda.device_count() if torch.cuda.is_available() else 0
    if wanted == "auto":
        return "cuda" if there else "cpu"
    if int(number or 0) >= there:
        raise AuditError(
            f"{option('device', wanted)}: torch {torch.__version__} finds {there} CUDA devices, counted "
            f"from 0; use another one or {option('device', 'cpu')}, or run elsewhere with "
            f"{option('on', 'ray')}, {option('on', 'slurm')} or {option('submit', True)}"
        )
    return wanted


@dataclass(frozen=True)
class DataRequest:
    """How to get a prepared data set, in this process or another."""

    folder: Path | None
    recipe: str
    length: int
    vectors: str
    dimension: int
    cache: Path
    hold_out: str | None = None  # Rule by which a dev part is held out where the corpus brings none.
    options: Options | None = None
    format: str | None = None
    noise: LabelNoise | None = None  # In the training labels.

    def load(self) -> Dataset:
        """The data set, kept in this process for the next run. Raises `reimpl.errors.DataError`."""
        return _load(self)

    def fingerprint(self) -> str:
        """The fingerprint of `load`'s data set, without making noise. Raises `reimpl.errors.DataError`."""
        from reimpl.data.splits import fingerprint_with

        clean = replace(self, noise=None).load()
        return clean.fingerprint if self.noise is None else fingerprint_with(clean, self.noise)

    @property
    def whole(self) -> DataRequest:
        """The same corpus without changes, by which it is recognised."""
        return replace(self, hold_out=None, noise=None)


@lru_cache(maxsize=2)
def _load(request: DataRequest) -> Dataset:
    from reimpl.data.splits import find_rule, hold_out, with_noise

    if request.whole == request:
        return _prepared(request)
    data = request.whole.load()
    if request.hold_out is not None and data.dev is None:
        data = hold_out(data, find_rule(request.hold_out))
    return data if request.noise is None else with_noise(data, request.noise)


@lru_cache(maxsize=2)
def _prepared(request: DataRequest) -> Dataset:
    from reimpl.data.dataset import Dataset
    from reimpl.data.formats import open_corpus
    from reimpl.data.synthetic import synthetic

    if request.folder is None:
        return synthetic(length=request.length, dimension=request.dimension)
    corpus = open_corpus(request.folder, request.options, format=request.format)
    if isinstance(corpus, Dataset):
        return corpus
    how = {"recipe": request.recipe, "vectors": request.vectors}
    return prepared(corpus, length=request.length, cache=request.cache, **how)


def prepared(corpus: TextSource, *, recipe: str, length: int, vectors: str, cache: Path) -> Dataset:
    """As `load_or_prepare`, with a bar on a terminal while texts are read and word vectors converted."""
    from audit.runner.progress import bytes_bar
    from reimpl.data.prepare import load_or_prepare
    from reimpl.data.vectors import parse_source

    with bytes_bar(f"preparing {corpus.name}") as show:

        def convert(what: str, done: int, total: int) -> None:
            show(done, total or None, f"word vectors, {what}")

        source = parse_source(vectors, progress=convert)
        how: dict[str, Any] = {"preprocessing": recipe, "length": length, "vectors": source}
        return load_or_prepare(corpus, **how, cache=cache, progress=show)


#: Beside `auto`, the protocol name of the command line that stands for a rule.
CLAIMED = "claimed"
_RECIPE = "study2022"
_ALONE = {"texts": "texts without features", "features": "features without text"}


class UnfitError(Exception):
    """The experiment cannot be run on this corpus, which is known to be another `dataset` of the paper, or
    this machine is `lacking` something; other experiments may run."""

    def __init__(self, why: str, *, dataset: str = "", lacking: bool = False) -> None:
        super().__init__(why)
        self.dataset, self.lacking = dataset, lacking


@dataclass(frozen=True)
class Resolved:
    """An experiment resolved on this corpus: settings as claimed and as used, and its data."""

    module: ModuleType
    config: Any
    used: Protocol
    claimed_config: Any
    claimed: Protocol
    request: DataRequest
    whole: Dataset  # The corpus as it comes.
    catalogue: str | None  # Name by which other papers know the data set that the experiment is about.
    study: Study | None = None  # The search whose best values stand in all four settings.
    tuning: tuple[Deviation, ...] = ()  # How the tuning departs from the paper's.
    untuned: bool = False  # Whether the paper tunes, and here nothing was tuned, or in fewer trials.


def resolved(paper: Paper, name: str, experiment: Experiment, settings: TrainingSettings) -> Resolved:
    """Raises `PlanError`, `UnfitError` for a corpus that does not fit, and `reimpl.errors.DataError`."""
    from reimpl.batching import word_weights
    from reimpl.data.dataset import has_words
    from reimpl.data.preprocessing import find_preprocessing
    from reimpl.data.splits import LabelNoise
    from reimpl.data.vectors import is_vector_file
    from reimpl.models import find_config, find_model, reduced_config
    from reimpl.protocol import on_a_cpu, protocol, with_choices, with_training

    try:
        module = find_model(experiment.model or "")
        claimed_config = find_config(module, experiment.variant, experiment.config)
        stated = protocol(experiment.protocol or "small")
        claimed = used = with_training(stated, experiment.training)
        chosen = settings.protocol
        if chosen == AUTO:
            chosen = CLAIMED if settings.device.startswith("cuda") else on_a_cpu(stated.name)
        if chosen not in (CLAIMED, stated.name):
            used = with_choices(protocol(chosen), claimed, experiment.training)
        find_preprocessing(experiment.recipe or _RECIPE)  # also where the made corpus needs none
        config = reduced_config(module, claimed_config, used.model) if used.model else claimed_config
    except ConfigError as err:
        why = with_way_out(err, experiment.model or "", experiment.config)
        raise SettingsError(f"{paper.paper.key}: experiments.{name}: {why}") from err
    # Pretrained weights, packages: what a model says it needs and does not find.
    if hasattr(module, "missing") and (lack := module.missing(config)) is not None:
        raise UnfitError(f"not available on this machine: {lack}", lacking=True)
    vectors, noise = settings.vectors or f"random:{used.dimension}", experiment.noise
    # Paths are absolute, since a process keeps the data that they name: the working folder may change.
    vectors = str(Path(vectors).resolve()) if is_vector_file(Path(vectors)) else vectors
    request = DataRequest(
        folder=settings.data.resolve() if settings.data else None,
        recipe=experiment.recipe or _RECIPE,
        length=used.length,
        vectors=vectors,
        dimension=used.dimension,
        cache=(settings.store / "data").resolve(),
        hold_out=used.hold_out,
        noise=LabelNoise(noise.kind, noise.rate, noise.seed) if noise else None,
        options=options_of(settings, spelling=in_run),
        format=settings.format,
    )
    whole = request.whole.load()
    holds = {"texts": has_words(whole), "features": whole.train.features is not None}
    there = [what for what, is_there in holds.items() if is_there]
    takes = getattr(module, "TAKES", ("texts",))
    if not set(takes) & set(there):
        raise UnfitError(f"its model takes {' or '.join(takes)}, and {whole.name} holds {_ALONE[there[0]]}")
    if hasattr(config, "sizes"):  # none of its label clusters may be empty
        with as_unfit():
            config.sizes(whole.n_labels)
    if getattr(config, "weights", None) == "tfidf":  # and none are weighed twice
        with as_unfit():
            word_weights(whole, "tfidf", normalise=False, texts=getattr(config, "input", "") == "text")
    catalogue = paper.datasets[experiment.on].catalogue
    return Resolved(module, config, used, claimed_config, claimed, request, whole, catalogue)


@contextmanager
def as_unfit() -> Iterator[None]:
    """Reports now what a run would report about its corpus or settings at its start."""
    try:
        yield
    except (ConfigError, DataError) as err:
        raise UnfitError(str(err)) from err


def check_selection(experiment: Resolved) -> None:
    """Reports now what a run would at its start; a model's own training matters only if it selects epochs."""
    from reimpl.training import check_selection as check

    module, data = experiment.module, experiment.whole
    own = getattr(module, "chooses_epoch", None)
    with as_unfit():
        if own(experiment.config, data.n_labels) if own else not hasattr(module, "train"):
            check(experiment.used, data)


def selected(paper: Paper, only: Sequence[str]) -> set[str] | None:
    """Ids of the experiments that `only` names, directly or by a claim, table or data set; None for all."""
    if not only:
        return None
    claims, experiments = paper.claim_records(), paper.single_experiments
    known = [
        *paper.experiments,
        *experiments,
        *(of.id for of in paper.claims),
        *paper.tables,
        *paper.datasets,
    ]
    ids: set[str] = set()
    for name in only:
        if name not in known and not any(name == claim.id for claim in claims):
            raise PlanError(
                f"{paper.paper.key}: {option('only')} {name!r} is not an experiment, claim, table or data set"
                f"; {known_names(name, known)}"
            )
        ids |= {id for id, of in experiments.items() if name in (id, of.on, id.removesuffix(f"-{of.on}"))}
        ids |= {id for claim in claims if name in (claim.claim, claim.id) for id in claim.experiments}
        rows = [row for table in paper.table_records() if table.id == name for row in table.rows]
        ids |= {cell.experiment for row in rows for cell in row.cells if cell.experiment}
    return ids


def study_path(store: Path, key: str) -> Path:
    """The record of a finished study; the search works in the folder of the same name."""
    return store / "studies" / f"{key}.json"


def put_study(store: Path, study: Study) -> Study:
    """Write the record, replacing an earlier one with fewer trials; returns it with its seal."""
    path = study_path(store, study.key)
    with explained(path):
        write_sealed(path, study)
    return get_study(path)


def get_study(path: Path) -> Study:
    """The study of that record. Raises `StoreError` for a file that has changed since it was written."""
    try:
        study: Study | None = read_sealed(path, Study, STUDY_FORMAT)
        if study is None or not path.stem == study.key == study.spec.key:
            raise RecordError(f"holds the study {study.key if study else None!r}")
    except RecordError as err:
        how = "restore it, or move it away and `audit tune` writes it again"
        raise StoreError(f"{path}: not a valid study ({err}); {how}") from err
    return study


@dataclass(frozen=True)
class Question:
    """A study to be made: everything that determines it, and how a process gets its data."""

    spec: StudySpec
    data: DataRequest  # With the rule by which documents are held out.
    device: str
    experiments: tuple[str, ...]
    protocol: str  # Name of the tuning protocol.
    trials: int  # That the protocol asks for.
    notes: tuple[str, ...] = ()


def questions(paper: Paper, settings: TrainingSettings) -> tuple[Question, ...]:
    """One question for all experiments that share a study. Raises `PlanError` if none can be tuned here."""
    wanted = selected(paper, settings.only)
    experiments = paper.single_experiments.items()
    asking = {name: of for name, of in experiments if of.tuning and (wanted is None or name in wanted)}
    if not asking:
        which = "none of these experiments" if settings.only else "no experiment"
        raise PlanError(f"{paper.paper.key}: {which} asks for tuning in the claim file; add tuning: NAME")
    by_key: dict[str, Question] = {}
    unfit: list[str] = []
    for name, experiment in asking.items():
        try:
            plain = resolved(paper, name, experiment, settings)
        except UnfitError as err:
            unfit.append(f"{name}: {err}")
            continue
        question = question_of(name, experiment, plain, settings)
        same = by_key.get(question.spec.key, question)
        names, trials = dict.fromkeys((*same.experiments, name)), max(same.trials, question.trials)
        by_key[question.spec.key] = replace(same, experiments=tuple(names), trials=trials)
    if not by_key:
        raise PlanError(f"{paper.paper.key}: nothing can be tuned on this corpus ({unfit[0]})")
    return tuple(by_key.values())


def question_of(name: str, experiment: Experiment, plain: Resolved, settings: TrainingSettings) -> Question:
    """The search that `tuning` asks for. Raises `PlanError` if there is nothing to search; `DataError`."""
    from reimpl.protocol import as_dict, as_json, space_of

    module, used, model = plain.module, plain.used, experiment.model or ""
    try:
        protocol = tuning_of(experiment)
        space = space_of(
            protocol,
            model,
            as_dict(plain.config),
            set_config=experiment.config,
            set_training=experiment.training,
            sizes=getattr(module, "SMALL", used.model) if used.model else {},
        )
    except ConfigError as err:
        raise PlanError(f"experiments.{name}: {err}") from err
    metric = protocol.metric_on.get(plain.catalogue or "", protocol.metric)
    best = protocol.score == "best"
    training = replace(  # scored each epoch on the documents held out
        used,
        epochs=protocol.epochs or used.epochs,
        select="best_on_dev" if best else "last",
        select_metric=metric,
        select_above=None,
        keep_from=None,
        patience=protocol.patience if best else None,
        evaluate="every_epoch",
        evaluate_every=None,
        hold_out=None,
    )
    request = replace(plain.request, hold_out=protocol.hold_out)
    tuned = {(of.target, of.key) for of in space}
    config, fixed = as_json(as_dict(plain.config)), as_json(training.as_dict())
    spec = StudySpec(
        model=model,
        config={key: value for key, value in config.items() if ("config", key) not in tuned},
        training={key: value for key, value in fixed.items() if ("training", key) not in tuned},
        space=tuple(
            SearchRange(of.name, choices=of.choices)
            if of.choices
            else SearchRange(of.name, float(of.low or 0), float(of.high or 0), of.log)
            for of in space
        ),
        data=request.load().fingerprint,
        metric=metric,
        sampler=protocol.sampler,
        pruner=protocol.pruner,
        precision=settings.precision,
        revision=getattr(module, "REVISION", 1),
    )
    notes = list(protocol.ours)  # what of the search is not the paper's
    if used.deviation:
        sizes = f"the reduced protocol {used.name} ({used.deviation})"
        notes.append(f"trials run at the sizes of {sizes}; these sizes are not tuned")
    return Question(spec, request, settings.device, (name,), protocol.name, protocol.trials, tuple(notes))


def tuning_of(experiment: Experiment) -> TuningProtocol:
    """The protocol that the experiment names, with its overrides. Raises `ConfigError`."""
    from reimpl.protocol import tuning

    assert experiment.tuning is not None
    return tuning(experiment.tuning.model_dump(exclude_none=True))


class UntunedError(Exception):
    """No study in the store answers the experiment's question."""


def tuned(name: str, experiment: Experiment, plain: Resolved, settings: RunSettings) -> Resolved:
    """The experiment with the best values of its study, if it asks for one: in all four settings (tuned
    values are no departure). Raises `UntunedError` if there is no such study, `PlanError` for an empty
    search."""
    if experiment.tuning is None:
        return plain
    protocol, store = tuning_of(experiment), settings.store
    if settings.untuned:
        what = "not tuned: the settings of the claim file"
        return replace(plain, tuning=(Deviation("tuning", protocol.source, what, "--untuned"),), untuned=True)
    if not any((store / "studies").glob("*.json")):  # most stores: do not hold out documents in vain
        raise UntunedError(name)
    folder = settings.tuned_on.resolve() if settings.tuned_on else plain.request.folder
    asked = replace(plain, request=replace(plain.request, folder=folder))
    path = study_path(store, question_of(name, experiment, asked, settings).spec.key)
    study = get_study(path) if path.exists() else None
    if study is None or study.best is None:
        raise UntunedError(name)
    departures = list(study.notes)
    if (trials := len(study.trials)) < protocol.trials:
        departures.insert(0, f"{trials} trials instead of {protocol.trials}")
    if folder is not None and folder != plain.request.folder:
        warning = f"tuned on {folder.name}: its training documents may include test documents of this corpus"
        departures.insert(0, warning)
    here = f"{study.summary}; study {study.key}"
    why = "; ".join(departures) or "as in the paper"
    tuning, fewer = Deviation("tuning", protocol.source, here, why), trials < protocol.trials
    return with_values(replace(plain, study=study, tuning=(tuning,), untuned=fewer))


def with_values(plain: Resolved, own: Collection[str] = ()) -> Resolved:
    """The settings with the study's best values, except `own`, as `config.margin`. Raises `ConfigError`."""
    from reimpl.models import find_config
    from reimpl.protocol import as_dict, with_training

    if plain.study is None or plain.study.best is None:
        return plain
    tuned = plain.study.best.values
    config, training = by_target({name: value for name, value in tuned.items() if name not in own})
    both = (plain.config, plain.claimed_config)
    used, claimed = (find_config(plain.module, None, {**as_dict(of), **config}) for of in both)
    return replace(
        plain,
        config=used,
        used=with_training(plain.used, training),
        claimed_config=claimed,
        claimed=with_training(plain.claimed, training),
    )


def by_target(values: Mapping[str, Json]) -> tuple[dict[str, Json], dict[str, Json]]:
    """A trial's values, separated into configuration and training."""
    parts: dict[str, dict[str, Json]] = {"config": {}, "training": {}}
    for name, value in values.items():
        target, _, key = name.partition(".")
        parts[target][key] = value
    return parts["config"], parts["training"]
