"""From a claim file and the user's choices to run specifications."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from audit.claims.load import Paper, load
from audit.errors import PlanError
from audit.record import DataInfo, Run
from audit.runner import Plan, make_plan
from audit.settings import RunSettings
from tests.runner.papers import write_columns, write_corpus, write_linear_paper, write_paper


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    return write_corpus(tmp_path / "corpus")


@pytest.fixture
def paper(tmp_path: Path) -> Paper:
    return load(write_paper(tmp_path))


def changed(folder: Path, *changes: tuple[str, str]) -> Paper:
    return load(write_paper(folder, *changes))


def settings(corpus: Path, **changes: Any) -> RunSettings:
    return RunSettings(
        **{"device": "cpu", "data": corpus, "store": corpus.parent / "cache", "seeds": 2, **changes}
    )


def ran(plan: Plan) -> set[str]:
    return {record.id for record in plan.experiments if record.not_run is None}


# --------------------------------------------------------------------------- protocols


@pytest.mark.parametrize(
    ("protocol", "device", "used"),
    [
        ("auto", "cpu", {"words": "small", "elsewhere": "small"}),
        ("auto", "cuda", {"words": "chen2022", "elsewhere": "chen2022-code"}),
        ("auto", "cuda:1", {"words": "chen2022", "elsewhere": "chen2022-code"}),
        ("claimed", "cpu", {"words": "chen2022", "elsewhere": "chen2022-code"}),
        ("small", "cuda", {"words": "small", "elsewhere": "small"}),
        ("liu2017", "cpu", {"words": "liu2017", "elsewhere": "liu2017"}),
    ],
)
def test_the_protocol_is_the_paper_s_on_a_gpu_small_on_a_cpu_or_the_one_that_was_asked_for(
    paper: Paper, corpus: Path, protocol: str, device: str, used: dict[str, str]
) -> None:
    plan = make_plan(paper, settings(corpus, protocol=protocol, device=device))
    records = {record.id: record for record in plan.experiments}
    assert {name: records[name].protocol for name in used} == used
    claimed = {"words": "chen2022", "elsewhere": "chen2022-code"}
    for name, its_own in claimed.items():  # any other protocol than the paper's contradicts nobody
        assert ("reduced_protocol" in (records[name].short or ())) is (used[name] != its_own)
    for job in plan.jobs:
        assert job.device == device
        assert job.spec.protocol["name"] in used.values()


def averaged(*training: str, protocol: str = "you2019-code") -> tuple[tuple[str, str], ...]:
    """Both experiments by AttentionXML's protocol, each with its own training."""
    ends = ("words, protocol: chen2022, dataset", "embeddings, protocol: chen2022,")
    return tuple(
        (end, end.replace("protocol: chen2022", f"protocol: {protocol}, training: {{{given}}}"))
        for end, given in zip(ends, training, strict=True)
    )


@pytest.mark.parametrize(
    ("protocol", "device", "words", "letters"),
    [
        ("auto", "cpu", (10, 2), (10, None)),
        ("you2019-code-small", "cuda", (10, 2), (10, None)),
        ("small", "cpu", (10, 2), (10, None)),
        ("claimed", "cpu", (10, 2), (10, None)),
        ("auto", "cuda", (10, 2), (10, None)),
        ("you2019-code", "cpu", (10, 2), (10, None)),
        ("chen2022", "cpu", (50, 10), (50, None)),
    ],
)
def test_choices_of_an_experiment_s_training_act_under_every_protocol_and_smaller_sizes_under_reduced_ones(
    tmp_path: Path, corpus: Path, protocol: str, device: str, words: Any, letters: Any
) -> None:
    """An ablation of averaging stays one on a CPU, and 10 epochs are 10."""
    write_corpus(corpus, n_train=300)
    ablation = averaged("epochs: 10, average_from: 2", "epochs: 10, average_from: null")
    plan = make_plan(
        changed(tmp_path, *ablation), settings(corpus, protocol=protocol, device=device, only=["t1"])
    )
    specs = {job.title.split()[0]: job.spec.protocol for job in plan.jobs}
    assert {n: (it["epochs"], it.get("average_from")) for n, it in specs.items()} == {
        "words": words,
        "letters": letters,
    }


# --------------------------------------------------------------------------- specifications


def test_two_experiments_of_one_configuration_are_one_job(paper: Paper, corpus: Path) -> None:
    plan = make_plan(paper, settings(corpus, seeds=1))
    assert plan.keys["words"] == plan.keys["again"]
    assert sorted(job.title for job in plan.jobs) == ["elsewhere seed 0", "letters seed 0", "words seed 0"]


def test_everything_that_decides_the_outcome_changes_the_key(
    tmp_path: Path, paper: Paper, corpus: Path
) -> None:
    def key(paper: Paper = paper, data: Path = corpus, **changes: Any) -> str:
        return make_plan(paper, settings(data, seeds=1, **changes, only=["words"])).keys["words"][0]

    variant = ("variant: chen2022-kim-words", "variant: chen2022-xmlcnn-words")
    config = ("dataset: corpus,\n     recipe", "dataset: corpus, config: {stride: 2},\n     recipe")
    keys = [
        key(),
        key(protocol="claimed"),
        key(precision="bf16"),
        key(vectors="random:7"),
        key(data=write_corpus(tmp_path / "more", n_train=41)),
        key(changed(tmp_path, variant)),
        key(changed(tmp_path, config)),
    ]
    assert len(set(keys)) == len(keys)


def test_names_and_places_do_not_change_the_key(tmp_path: Path, paper: Paper, corpus: Path) -> None:
    """The same corpus under another folder's name, another title, another device: the same run."""

    def key(paper: Paper, data: Path, **changes: Any) -> str:
        return make_plan(paper, settings(data, seeds=1, **changes, only=["words"])).keys["words"][0]

    expected = key(paper, corpus)
    assert key(paper, write_corpus(tmp_path / "elsewhere")) == expected
    assert key(changed(tmp_path, ("title: Words,", "title: Anything,")), corpus) == expected
    assert key(paper, corpus, store=tmp_path / "another-cache") == expected
    assert key(paper, corpus, device="cuda", protocol="small") == expected


def test_a_corpus_without_a_dev_part_gets_one_by_the_protocol_s_rule_and_its_data_say_so(
    paper: Paper, corpus: Path
) -> None:
    plan = make_plan(paper, settings(corpus, seeds=1, protocol="libmultilabel", only=["words"]))
    [job] = plan.jobs
    data = job.data.load()
    assert data.dev is not None and (data.train.size, data.dev.size) == (32, 8)
    assert job.spec.data == data.fingerprint != job.data.whole.load().fingerprint
    assert "hold_out" not in job.spec.protocol
    assert any(it.startswith("dev: 8 of 40 training documents held out") for it in plan.remarks)


def test_noise_is_in_the_data_of_the_experiment_that_asks_for_it_alone(tmp_path: Path, corpus: Path) -> None:
    noise = ("{title: Words,", "{noise: {kind: missing, rate: 0.5}, title: Words,")
    paper = changed(tmp_path, noise)
    plan = make_plan(paper, settings(corpus, seeds=2, only=["words", "again"]))
    data = {job.title: job.data.load() for job in plan.jobs}
    noisy, clean = data["words seed 0"], data["again seed 0"]
    assert (noisy.train.size, clean.train.size) == (32, 40)  # 20 % stay clean, for validation
    assert len(noisy.train.label_ids) < 32 and noisy.dev is not None and len(noisy.dev.label_ids) == 8
    assert {job.spec.data for job in plan.jobs} == {noisy.fingerprint, clean.fingerprint}
    assert data["words seed 1"] is noisy or data["words seed 1"].fingerprint == noisy.fingerprint
    assert sum(it.startswith("train: 50 % of the labels missing (seed 0)") for it in plan.remarks) == 1
    seeded = changed(tmp_path, (noise[0], noise[1].replace("0.5", "0.5, seed: 1")))
    other = make_plan(seeded, settings(corpus, seeds=1, only=["words"])).jobs[0].spec.data
    assert other not in {job.spec.data for job in plan.jobs}


def test_a_model_of_texts_is_not_run_on_features_and_the_plan_says_why(tmp_path: Path) -> None:
    columns = write_columns(tmp_path / "columns")
    paper = load(write_linear_paper(tmp_path))
    plan = make_plan(paper, settings(columns.with_name("columns@1"), seeds=1))
    why = {it.id: it.not_run for it in plan.experiments}
    assert why == {"svm": None, "net": "its model takes texts, and columns@1 holds features without text"}
    assert [job.title for job in plan.jobs] == ["svm seed 0"]
    only = make_plan(paper, settings(columns.with_name("columns@1"), seeds=1, only=["svm"]))
    assert {it.id: it.not_run for it in only.experiments} == why  # also of what is left out


def test_a_corpus_on_which_no_epoch_can_be_chosen_is_refused_before_a_run(tmp_path: Path) -> None:
    """nDCG@5 is not measured on two labels; what selects nothing runs on them."""
    two = settings(write_corpus(tmp_path / "two", labels=2), seeds=1, only=["t1"])
    said = (
        "protocol 'you2019-code-small' selects by 'nDCG@5', which is not measured on 'two' with its 2 "
        "labels; measured are P@1, R@1, RP@1, nDCG@1"
    )
    both = changed(tmp_path, *averaged("", "clip: null"))
    with pytest.raises(
        PlanError, match=re.escape(f"toy2024: nothing can be run on this corpus (words: {said})")
    ):
        make_plan(both, two)
    plan = make_plan(changed(tmp_path, averaged("", "")[0]), two)
    why = {it.id: it.not_run for it in plan.experiments}
    assert (why["words"], why["letters"]) == (said, None)
    assert [job.title for job in plan.jobs] == ["letters seed 0"]


# --------------------------------------------------------------------------- scope


def test_the_data_are_the_paper_s_by_content_only(tmp_path: Path, corpus: Path) -> None:
    content = make_plan(changed(tmp_path), settings(corpus, only=["words"])).jobs[0].data.load().content

    def scope(fingerprint: str, data: Path = corpus) -> str:
        paper = changed(tmp_path, ("content: null", f"content: {fingerprint}"))
        return make_plan(paper, settings(data, only=["words"])).experiments[0].scope

    assert scope("null") == "other_data"
    assert scope(content) == "same_data"
    assert scope(f"['{'0' * 64}', {content}]") == "same_data"
    assert scope(f"'{'0' * 64}'") == "other_data"
    assert scope(content, write_corpus(tmp_path / "another", n_train=41)) == "other_data"


def test_the_same_documents_split_otherwise_are_another_split(tmp_path: Path, corpus: Path) -> None:
    """By the corpus hash; the content still decides first."""
    other = tmp_path / "split" / "corpus"
    other.mkdir(parents=True)
    lines = [(corpus / f"{split}.txt").read_text().splitlines(keepends=True) for split in ("train", "test")]
    documents = [line for split in lines for line in split][::-1]
    (other / "train.txt").write_text("".join(documents[:40]))
    (other / "test.txt").write_text("".join(documents[40:]))
    here = make_plan(changed(tmp_path), settings(corpus, only=["words"])).jobs[0].data.load()

    def scope(data: Path, known: str) -> str:
        paper = changed(tmp_path, ("content: null", known))
        return make_plan(paper, settings(data, only=["words"])).experiments[0].scope

    both = f"content: {here.content}, corpus: {here.corpus}"
    assert scope(corpus, both) == "same_data"
    assert scope(other, both) == "other_split"
    assert scope(corpus, f"corpus: {here.corpus}") == "other_split"
    assert scope(other, f"content: {here.content}") == "other_data"
    assert scope(other, f"content: {here.corpus}, corpus: {here.content}") == "other_data"
    # the same split with its training documents the other way round
    turned = corpus.with_name("turned")
    shutil.copytree(corpus, turned)
    (turned / "train.txt").write_text("".join(lines[0][::-1]))
    assert scope(turned, both) == "other_split"
    assert scope(turned, f"{both}, partition: {here.partition}") == "same_data"
    assert scope(other, f"{both}, partition: {here.partition}") == "other_split"


def test_what_is_known_to_be_another_data_set_of_the_paper_is_no_stand_in(
    tmp_path: Path, corpus: Path
) -> None:
    """Nothing is run for `other` on the corpus that is `corpus`; where its content is no one's, both are."""
    here = make_plan(changed(tmp_path), settings(corpus, only=["words"])).jobs[0].data.load()
    for known in (f"content: {here.content}", f"corpus: {here.corpus}"):
        paper = changed(tmp_path, ("content: null", known))
        plan = make_plan(paper, settings(corpus))
        assert ran(plan) == {"words", "letters", "again"}
        elsewhere = next(it for it in plan.experiments if it.id == "elsewhere")
        assert elsewhere.corpus_of == "corpus"
        assert elsewhere.not_run == "the corpus is known to be Corpus, another data set of the paper"
        assert "elsewhere" not in plan.keys
        with pytest.raises(PlanError, match="the corpus is known to be Corpus"):
            make_plan(paper, settings(corpus, only=["elsewhere"]))
        both = changed(tmp_path, ("content: null", known), ("{name: Other}", f"{{name: Other, {known}}}"))
        assert "elsewhere" in ran(make_plan(both, settings(corpus)))
    assert "elsewhere" in ran(make_plan(changed(tmp_path), settings(corpus)))


# --------------------------------------------------------------------------- what is left out


@pytest.mark.parametrize(
    ("only", "left"),
    [
        ([], {"words", "letters", "again", "elsewhere"}),
        (["letters"], {"letters"}),
        (["words-win"], {"words", "letters"}),
        (["words-win:P@1"], {"words", "letters"}),
        (["t2"], {"again"}),
        (["other"], {"elsewhere"}),
        (["corpus"], {"words", "letters", "again"}),
        (["letters", "other"], {"letters", "elsewhere"}),
        (["lost"], set()),
    ],
)
def test_only_names_an_experiment_a_claim_a_table_or_a_data_set(
    paper: Paper, corpus: Path, only: list[str], left: set[str]
) -> None:
    plan = make_plan(paper, settings(corpus, only=only))
    assert ran(plan) == left
    assert {job.spec.key for job in plan.jobs} == {key for name in left for key in plan.keys[name]}
    why = {record.id: record.not_run for record in plan.experiments}
    assert why["lost"] == "its code was never published"
    assert all(why[name] == "left out by --only" for name in why if name not in {*left, "lost"})


# --------------------------------------------------------------------------- what cannot be run

KIM, PROTOCOL = "variant: kim2014", "protocol: chen2022-code"
RECIPE = "dataset: other,\n     recipe: study2022"
BAD = [
    ("model: xml_cnn, variant: kim2014", "model: xml_cn, variant: kim2014", "model 'xml_cn' is not known"),
    (KIM, "variant: kim2015", "variant 'kim2015' of 'reimpl.xml_cnn' is not known"),
    (PROTOCOL, "protocol: chen2021", "protocol 'chen2021' is not known; did you mean 'chen2022'?"),
    (RECIPE, RECIPE.replace("study2022", "study"), "recipe 'study' is unknown; did you mean 'study2022'?"),
    (KIM, f"{KIM}, config: {{maps: 2024-01-01}}", "config key 'maps': "),
]


@pytest.mark.parametrize(("old", "new", "message"), BAD)
def test_an_experiment_that_cannot_be_run_is_named_with_what_is_wrong(
    tmp_path: Path, corpus: Path, old: str, new: str, message: str
) -> None:
    with pytest.raises(PlanError, match=rf"^toy2024: experiments.elsewhere: {message}") as caught:
        make_plan(changed(tmp_path, (old, new)), settings(corpus))
    assert "\n" not in str(caught.value)


# --------------------------------------------------------------------------- the runs of the experiments


def as_run(key: str, plan: Plan) -> Run:
    spec = next(job.spec for job in plan.jobs if job.spec.key == key)
    return Run(key=key, spec=spec, status="done", data=DataInfo("toy", "f", "r", 1, 1, 1))


def test_runs_are_handed_to_all_their_experiments_in_the_order_of_seeds(paper: Paper, corpus: Path) -> None:
    plan = make_plan(paper, settings(corpus))
    runs = {key: as_run(key, plan) for key in reversed(plan.keys["words"])}
    found = plan.with_runs(runs)
    assert list(found) == list(paper.single_experiments)
    for name in ("words", "again"):
        assert [run.spec.seed for run in found[name].runs] == [0, 1]
        assert found[name].not_run is None
    assert found["letters"].not_run == "no run of it has finished"
    assert found["lost"].not_run == "its code was never published"


def test_more_clusters_than_labels_are_refused_before_a_run(tmp_path: Path) -> None:
    """On a corpus of more labels they are not: it is the corpus that decides."""
    held = "protocol: chen2022, config: {clusters: 3, base: xml_cnn, base_variant: chen2022-kim-words},"
    few = (
        "title: Words, model: xml_cnn, variant: chen2022-kim-words, protocol: chen2022,",
        f"title: Words, model: aplc, variant: code, {held}",
    )
    paper = load(write_paper(tmp_path, few))
    two = settings(write_corpus(tmp_path / "two", labels=2), seeds=1, only=["words"])
    with pytest.raises(PlanError, match=r"words: 3 clusters of 2 labels: one has none .*use fewer clusters"):
        make_plan(paper, two)
    five = settings(write_corpus(tmp_path / "five", labels=5), seeds=1, only=["words"])
    assert len(make_plan(paper, five).jobs) == 1
