"""Plans the runs: resolves the experiments of a claim file to run specifications and their deviations."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from audit.claims.experiments import Experiment, SpecifiedExperiment, in_words
from audit.claims.load import Paper
from audit.claims.schema import Dataset as Described
from audit.errors import PlanError
from audit.names import counted, first_of
from audit.record import (
    BY_COMMAND,
    GONE,
    LEFT_OUT,
    NOT_TUNED,
    DataSheet,
    DataStatistic,
    Deviation,
    ExperimentRecord,
    Run,
    RunSpec,
)
from audit.runner.resolve import (
    DataRequest,
    Resolved,
    UnfitError,
    UntunedError,
    as_unfit,
    check_selection,
    resolved,
    selected,
    tuned,
    with_values,
)
from audit.settings import RunSettings

if TYPE_CHECKING:
    from reimpl.data.catalogue import Observed
    from reimpl.data.dataset import Dataset
    from reimpl.protocol import Protocol


@dataclass(frozen=True)
class Job:
    """One planned run: its specification, its data, and its name on the screen."""

    spec: RunSpec
    data: DataRequest
    title: str
    device: str
    margins: Mapping[str, str]
    sources: Mapping[str, str] = field(default_factory=dict)  # Digests of the code when it is planned.


@dataclass(frozen=True)
class Plan:
    """All experiments of a claim file, with the run keys of those that can be run."""

    experiments: tuple[ExperimentRecord, ...]  # Without their runs.
    keys: Mapping[str, tuple[str, ...]]  # Experiment id -> run key per seed, in the order of the seeds.
    jobs: tuple[Job, ...]  # Each run once, seeds in the outer loop: an interrupted suite has whole rounds.
    remarks: tuple[str, ...] = ()  # What preparing the data came upon, one sentence each.
    idle: tuple[str, ...] = ()  # What was asked for and is not run here, and why, one sentence each.
    settings: RunSettings = field(default_factory=RunSettings)

    def summary(self, paper: str, seeds: int, workers: int) -> str:
        """One line for the screen: what will be run, on what."""
        settings = self.settings
        others = sum(bool(record.reading) for record in self.asked)
        different = len({self.keys.get(record.id, record.id) for record in self.asked})
        parts = [
            counted(different - others, "configuration")  # which experiments may share
            + (f" and {counted(others, 'other reading')} of them" if others else ""),
            counted(seeds, "seed"),
            f"{counted(len(self.jobs), 'run')} on "
            f"{settings.data.resolve().name if settings.data else 'a synthetic corpus'}",
        ]
        protocols = ", ".join(dict.fromkeys(record.protocol for record in self.asked)) or "none"
        here = f"{workers} process{'es' * (workers != 1)}" if settings.on == "local" else f"on {settings.on}"
        where = "not run here" if settings.submit else here
        machine = f"{settings.device}, {settings.precision}, {where}"
        return f"{paper}: {', '.join(parts)}; protocol {protocols}; {machine}"

    @property
    def asked(self) -> list[ExperimentRecord]:
        """Experiments to be run, and their other specifications."""
        open_ones = [record for record in self.experiments if record.not_run is None]
        plain = {record.id for record in open_ones if not record.reading}
        return [record for record in open_ones if plain & {record.id, record.reading_of}]

    def with_runs(
        self, runs: Mapping[str, Run], lost: Mapping[str, tuple[int, ...]] | None = None
    ) -> dict[str, ExperimentRecord]:
        """The experiments with those of their runs that exist; `lost` as in `audit.storage.manifest`."""
        records = {}
        for experiment in self.experiments:
            keys = self.keys.get(experiment.id, ())
            mine = tuple(runs[key] for key in keys if key in runs)
            gone = (lost or {}).get(keys[0], ()) if keys else ()
            if experiment.reading and not (mine or gone):
                continue  # how many were declared is on record elsewhere
            why_none = None if mine else GONE if gone else experiment.not_run or "no run of it has finished"
            records[experiment.id] = replace(experiment, runs=mine, gone=gone, not_run=why_none)
        return records


def make_plan(paper: Paper, settings: RunSettings, *, known: Collection[str] = ()) -> Plan:
    """Resolve every experiment of the claim file. Other specifications of what the paper leaves open are
    resolved where `settings.readings` asks for them, and those of `known` in any case: runs of theirs that
    are there already count. Raises `PlanError` for an unknown name in `only`, model, variant, protocol or
    recipe, and where the corpus fits no model; `reimpl.errors.DataError` for unreadable data."""
    wanted = selected(paper, settings.only)
    records, jobs = list[ExperimentRecord](), list[Job]()
    keys = dict[str, tuple[str, ...]]()
    left_out, untuned, unfit = dict[str, list[str]](), list[str](), ""
    idle, remarks = dict[str, None](), dict[str, None]()
    others = dict(paper.specified_experiments)
    if not settings.readings:
        others = {name: of for name, of in others.items() if name in known}
    every = {**paper.single_experiments, **{name: of.experiment for name, of in others.items()}}
    for name, experiment in every.items():
        specified = others.get(name)
        base = specified.base if specified else name
        asked = (wanted is None or base in wanted) and (specified is None or settings.readings)
        if specified is not None and (base not in keys or not (asked or name in known)):
            continue  # its experiment already names the problem
        if why := experiment.never_run or (experiment.command and BY_COMMAND):
            records.append(replace(paper.without_runs(name, why), unavailable=not experiment.command))
            continue
        try:
            record, specs, data = _resolve(paper, name, experiment, settings, specified)
            with as_unfit():  # the data with what the experiment does to them
                notes = data.load().notes if asked else ()
        except (UntunedError, UnfitError, PlanError) as err:
            if asked and isinstance(err, PlanError):
                raise
            merely = LEFT_OUT if isinstance(err, PlanError) else NOT_TUNED
            why = str(err) if isinstance(err, UnfitError) else merely
            corpus_of = err.dataset if isinstance(err, UnfitError) else ""
            record = paper.without_runs(name, why, unavailable=isinstance(err, UnfitError))
            records.append(replace(record, corpus_of=corpus_of))
            if not asked:
                continue
            if isinstance(err, UntunedError):
                untuned.append(name)
            else:
                left_out.setdefault(why, []).append(name)
                unfit = unfit or ("" if getattr(err, "lacking", False) else f"{name}: {err}")
            continue
        if specified is not None and specs[0].key == keys[base][0]:
            idle[
                f"{base}: {in_words(specified.specification)} makes no difference to the default reading in "
                f"protocol {record.protocol}, and is not run; --protocol claimed may"
            ] = None
            continue
        keys[name] = tuple(spec.key for spec in specs)
        records.append(record if asked else replace(record, not_run=LEFT_OUT))
        if asked:
            remarks |= dict.fromkeys(notes)
            shared = settings.device, {paper.paper.key: paper.margins_hash}, record.sources
            jobs += [Job(spec, data, f"{name} seed {spec.seed}", *shared) for spec in specs]
    if untuned:
        options: list[tuple[str, object]] = [("--only", name) for name in settings.only]
        options += [("--data", settings.tuned_on or settings.data), ("--data-file", settings.data_file)]
        chosen = (f"{name} {value}" for name, value in options if value)
        tune = " ".join((f"audit tune {paper.paper.key}", *chosen))
        are = "is" if len(untuned) == 1 else "are"
        where = settings.tuned_on.resolve().name if settings.tuned_on else "this corpus"
        said = (
            f"{paper.paper.key}: {first_of(untuned)} {are} not tuned on {where}; `{tune}` finds the "
            "settings, --tuned-on DIR uses those of another corpus, and --untuned goes without"
        )
        remarks[said] = None
        if not jobs:
            raise PlanError(said)
    if unfit and not jobs:
        raise PlanError(f"{paper.paper.key}: nothing can be run on this corpus ({unfit})")
    idle |= dict.fromkeys(f"{first_of(names)}: left out here: {why}" for why, names in left_out.items())
    once: dict[str, Job] = {}
    for job in sorted(jobs, key=lambda job: job.spec.seed):
        once.setdefault(job.spec.key, job)
    return Plan(tuple(records), keys, tuple(once.values()), tuple(remarks), tuple(idle), settings)


def _resolve(
    paper: Paper,
    name: str,
    experiment: Experiment,
    settings: RunSettings,
    specified: SpecifiedExperiment | None,
) -> tuple[ExperimentRecord, list[RunSpec], DataRequest]:
    """The experiment's record, a specification per seed (only one if all seeds agree), and its data."""
    from reimpl.data.catalogue import far_apart, scope_of
    from reimpl.models import sources_of
    from reimpl.protocol import as_dict, as_json

    chosen = resolved(paper, name, experiment, settings)
    module, request, whole = chosen.module, chosen.request, chosen.whole
    printed = paper.datasets[experiment.on]
    identity = {name: getattr(whole, name) for name in ("content", "partition", "corpus")}
    if another := paper.known_as(experiment.on, **identity):
        raise UnfitError(paper.of_another(another), dataset=another)
    described = specified.base if specified else name
    if specified is None:
        chosen = tuned(name, experiment, chosen, settings)
    else:  # a specification takes over what was tuned for its experiment, but for what it sets itself
        base = paper.single_experiments[described]
        best = tuned(described, base, resolved(paper, described, base, settings), settings)
        chosen = replace(chosen, study=best.study, tuning=best.tuning, untuned=best.untuned)
        chosen = with_values(chosen, specified.sets)
    check_selection(chosen)
    same = bool(getattr(module, "DETERMINISTIC", False))
    # A hold-out is part of the data that a run is given, and so of their fingerprint.
    plain = {key: value for key, value in chosen.used.as_dict().items() if key != "hold_out"}
    with as_unfit():
        fingerprint = request.fingerprint()
    specs = [
        RunSpec(
            model=experiment.model or "",
            variant=experiment.variant or "",
            config=as_json(as_dict(chosen.config)),
            protocol=as_json(plain),
            data=fingerprint,
            seed=seed,
            precision=settings.precision,
            revision=getattr(module, "REVISION", 1),
            study=chosen.study.key if chosen.study else "",
        )
        for seed in range(1 if same else settings.seeds)
    ]
    reduced = (chosen.used, chosen.config) != (chosen.claimed, chosen.claimed_config)
    short = {  # in what the runs fall short of the paper's, so that they may not speak against it
        "stand_in": far_apart(printed.printed, _known(whole)[0]),  # whatever the content is declared to be
        "reduced_protocol": reduced or experiment.vocabulary == "reduced",  # its words are not public
        "untuned": chosen.untuned,
    }
    record = ExperimentRecord(
        id=name,
        title=experiment.title,
        model=experiment.model or "",
        variant=experiment.variant or "",
        dataset=experiment.on,
        protocol=chosen.used.name,
        config=specs[0].config,
        scope=scope_of(
            *(whole.content, whole.corpus, whole.partition),
            same=printed.content or (),
            corpora=printed.corpus or (),
            partitions=printed.partition or (),
        ),
        deviations=(*chosen.tuning, *deviations(paper, described, chosen, settings.precision)),
        study=chosen.study,
        reading_of=described if specified else "",
        reading=dict(specified.specification) if specified else {},
        data=sheet_of(printed, whole),
        deterministic=same,
        short=tuple(code for code, holds in short.items() if holds),
    )
    return replace(record, sources=sources_of(record.models)), specs, request


_SIZES = ("train", "test", "labels")
_COUNTED = ("train", "test", "dev", "labels", "features")


def sheet_of(described: Described, data: Dataset) -> DataSheet:
    """Compares the data with a data set of a claim file."""
    from reimpl.data.catalogue import differences

    observed, recognised = _known(data)
    sizes = {name: described.printed[name] for name in _SIZES if name in described.printed}
    return DataSheet(
        dataset=described.name,
        recognised=recognised,
        content=data.content,
        partition=data.partition,
        corpus=data.corpus,
        statistics=statistics(described.printed, observed),
        sizes_apart=differences(sizes, observed),
    )


def statistics(printed: Mapping[str, str], observed: Observed) -> tuple[DataStatistic, ...]:
    """All sizes that are printed or counted, by the rules of `catalogue.differences`: with the printed number
    of places, in the way of counting that agrees if one does."""
    from reimpl.data.catalogue import NOUNS, differences

    every = []
    for name, noun in NOUNS.items():
        text, counts = printed.get(name), observed.statistics.get(name, ())
        if text is None and not counts:
            continue
        agreeing = [
            count
            for count in counts
            if text and not differences({name: text}, replace(observed, statistics={name: (count,)}))
        ]
        places = 0 if name in _COUNTED else 2 if text is None else len(text.partition(".")[2])
        here = f"{(agreeing or counts)[0]:,.{places}f}" if counts else None
        every.append(DataStatistic(noun, text, here, bool(text and counts and not agreeing)))
    return tuple(every)


@lru_cache(maxsize=2)
def _known(data: Dataset) -> tuple[Observed, str]:
    """Facts about the data and the matching catalogue entry, computed once for all experiments on them:
    features of a corpus without texts; words a document, as the recipe splits them, before any cut."""
    from reimpl.data.catalogue import catalogue, observed_of, recognise
    from reimpl.data.dataset import has_words

    observed, more = observed_of(data), dict[str, tuple[float, ...]]()
    means = {split: data.counts.get(f"{split}.mean_words") for split in data.splits}
    sizes = {split: data.counts.get(f"{split}.documents", 0.0) for split in data.splits}
    train, test = means["train"], means["test"]
    if not has_words(data) and data.train.features is not None:
        more = {"features": (float(data.train.features.shape[1]),)}
    elif train is not None and test is not None:
        total = sum(sizes[split] * (mean or 0.0) for split, mean in means.items())
        more = {
            "words_per_document": (train, total / sum(sizes.values())),
            "words_per_document_train": (train,),
            "words_per_document_test": (test,),
        }
    observed = replace(observed, statistics={**observed.statistics, **more})
    return observed, recognise(observed, catalogue()).sentence


_PLAIN = ("epochs", "learning_rate", "optimiser", "padding", "patience", "weight_decay")
_WORDS = {
    **{key: key.replace("_", " ") for key in _PLAIN},
    "batch_size": "batch size",
    "shuffle": "order of training documents",
    "length": "words kept per document",
    "select": "reported epoch",
    "select_metric": "metric that chooses the epoch",
    "clip": "gradient norm limit",
    "hold_out": "held-out documents",
    "evaluate_every": "steps between evaluations",
    "average_from": "epochs before weight averaging",
    "keep_from": "epochs before the best weights are kept",
    "select_above": "minimum score of the first evaluation",
    "part_rates": "learning rates of network parts",
    "schedule": "learning rate schedule",
    "warm_up": "warm-up steps",
}
_BY_COMMAND = "chosen on the command line"


def deviations(paper: Paper, experiment: str, resolved: Resolved, precision: str) -> tuple[Deviation, ...]:
    """All departures of a run of `experiment` from the claim file, those of the public code at the end."""
    from reimpl.protocol import AMOUNTS

    claimed, used, data = resolved.claimed, resolved.used, resolved.whole

    def of_training(key: str, theirs: Any, ours: Any) -> str:
        if used.deviation is None:
            return _BY_COMMAND
        if key in AMOUNTS:  # a reduction has a reason of its own
            return used.deviation
        if key == "learning_rate" and ours < theirs:
            return "lowered by the reduced protocol"
        if key == "learning_rate" and used.epochs < claimed.epochs:
            return "raised, because the reduced protocol takes fewer epochs"
        return f"as the reduced protocol {used.name} has it"

    def of_config(_: str, theirs: Any, ours: Any) -> str:
        """A reduction: a smaller size, or a list with some smaller and no larger entry."""
        if used.deviation is None:
            return _BY_COMMAND
        lists = isinstance(theirs, list | tuple) and isinstance(ours, list | tuple)
        pairs = [_numbers(*pair) for pair in (zip(theirs, ours, strict=False) if lists else [(theirs, ours)])]
        shorter = not lists or len(ours) <= len(theirs)
        if pairs and shorter and all(pair is not None and pair[1] <= pair[0] for pair in pairs):
            return used.deviation
        return "as the model has it under a reduced protocol"

    idle = set[str]()  # what does nothing: where nothing is selected, no metric selects
    if "last" in (claimed.select, used.select):
        idle |= {"select_metric", "keep_from", "select_above"}
    if {claimed.select, used.select} != {"best_on_dev"} or data.dev is not None:
        idle.add("hold_out")
    if {claimed.evaluate, used.evaluate} != {"every_steps"}:
        idle.add("evaluate_every")
    words = {key: word for key, word in _WORDS.items() if key not in idle}
    config, claimed_config = _flat(asdict(resolved.config)), _flat(asdict(resolved.claimed_config))
    departures = [
        *_of_data(paper, experiment, claimed, data, resolved.request),
        *_of_values(asdict(claimed), asdict(used), of_training, words),
        *_of_values(claimed_config, config, of_config, {key: key.replace("_", " ") for key in config}),
    ]
    if precision != "float32":
        departures.append(Deviation("arithmetic", "float32 (assumed)", precision, _BY_COMMAND))
    if not data.padding_trainable and data.preprocessing == "liu2017":
        departures.append(Deviation("padding row", "trainable", "frozen", "recipe"))
    see = "see the experiment's configuration"
    own = [replace(of, here=see, as_set=True) for of in paper.departures_of(experiment)]
    return (*departures, *own)


def _of_data(
    paper: Paper, experiment: str, claimed: Protocol, data: Dataset, request: DataRequest
) -> Iterator[Deviation]:
    from reimpl.data.catalogue import differences, observed_of

    wanted = paper.single_experiments[experiment]
    printed = paper.datasets[wanted.on]
    known = data.content in (printed.content or ())
    if not known and data.partition and data.partition in (printed.partition or ()):
        here = "the same documents in the same splits, in another order"
        yield Deviation("order of the documents", "as on record", here, "the folder that was given")
    elif not known:
        stand_in = "a stand-in corpus" if request.folder is None else "the folder that was given"
        if printed.corpus and data.corpus in printed.corpus:
            stand_in = "the same documents in another split"
        sizes = ", ".join(f"{key} {value}" for key, value in printed.printed.items())
        here = f"{data.name}: train {data.train.size:,}, test {data.test.size:,}, labels {data.n_labels:,}"
        means = {key: text for key, text in printed.printed.items() if key.endswith(("_document", "_label"))}
        here += "".join(f"; {of}" for of in differences(means, observed_of(data)))  # sizes are listed anyway
        yield Deviation("data", f"{printed.name} ({sizes})" if sizes else printed.name, here, stand_in)
    if wanted.vectors:
        size = f"{data.dimension} components"
        vectors, why = f"{Path(request.vectors).name}, {size}", "the file that was given"
        if request.folder is None:
            vectors, why = f"made, {size}, the same for every seed", "synthetic words have no trained vectors"
        elif request.vectors.startswith("random"):
            vectors, why = f"random, {size}, the same for every seed", "no vector file was given"
        numbers = float(claimed.dimension), float(data.dimension)
        yield Deviation("word vectors", wanted.vectors, vectors, why, numbers=numbers)
    if wanted.vocabulary == "reduced":
        yield Deviation(
            "vocabulary",
            "only words that the benchmark's bag-of-words features know",
            "all words of the training set",
            "the list of those words is not public",
        )


def _of_values(
    paper: dict[str, Any], here: dict[str, Any], why: Callable[[str, Any, Any], str], words: dict[str, str]
) -> Iterator[Deviation]:
    for key, value in here.items():
        if paper[key] != value and key in words:
            reason, numbers = why(key, paper[key], value), _numbers(paper[key], value)
            theirs, ours = ("none" if of is None else str(of).replace("_", " ") for of in (paper[key], value))
            yield Deviation(words[key], theirs, ours, reason, numbers=numbers)


def _numbers(paper: Any, here: Any) -> tuple[float, float] | None:
    """Both values, if each is a number."""
    if all(isinstance(value, int | float) and not isinstance(value, bool) for value in (paper, here)):
        return float(paper), float(here)
    return None


def _flat(values: Mapping[str, Any]) -> dict[str, Any]:
    """Settings of a model inside another, key by key: `base_config` {maps: 16} is base maps."""
    flat: dict[str, Any] = {}
    for key, value in values.items():
        if isinstance(value, Mapping):
            flat |= {f"{key.removesuffix('_config')}_{inner}": of for inner, of in value.items()}
        else:
            flat[key] = value
    return flat
