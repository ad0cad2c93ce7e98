"""Baselines that a library trains: against the formulas of their papers, and the library called by hand."""

from __future__ import annotations

import importlib
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import sparse
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import normalize
from sklearn.svm import LinearSVC

from audit.claims.load import papers_of
from reimpl.data.dataset import Dataset, Split
from reimpl.models import find_config, find_model, sources_of
from reimpl.training import Interrupted, Result, Watch
from tests.toys import same, toy_data, toy_protocol

LIBRARIES = {"omikuji": "parabel", "napkinxc": "plt", "fasttext": "default"}


def train(model: str, data: Dataset, config: Any = None, *, seed: int = 1, **keys: Any) -> Result:
    """By `config`, or the model's variant of above with some keys changed."""
    pytest.importorskip(model, reason=f"without {model}: pip install '.[baselines]'")
    module = find_model(model)
    config = config or find_config(module, LIBRARIES[model], keys)
    result: Result = module.train(config, data, toy_protocol(length=5), seed=seed)
    return result


def featured(n: int = 200, n_labels: int = 9, d: int = 12) -> Dataset:
    """Documents of features; each label is likelier where one of them is high."""
    rng = np.random.default_rng(3)

    def part(n: int) -> Split:
        X = rng.random((n, d)) * (rng.random((n, d)) < 0.6)
        has = X[:, :n_labels] + rng.normal(0, 0.2, (n, n_labels)) > 0.5
        split = Split.from_lists([[]] * n, [np.flatnonzero(row).tolist() for row in has])
        return replace(split, features=sparse.csr_matrix(X, dtype=np.float32))

    return toy_data(train=part(n), test=part(60), labels=tuple(map(str, range(n_labels))))


def whole(result: Result, n_labels: int) -> Any:
    """(N, L) scores; 0 for labels that are in no list."""
    assert result.top_ids is not None and result.top_scores is not None
    scores = np.zeros((len(result.top_ids), n_labels + 1))
    np.put_along_axis(scores, result.top_ids.astype(np.int64), result.top_scores.astype(np.float64), axis=1)
    return scores[:, :n_labels]


def margins(data: Dataset, solver: Any, Y: Any = None, *, among: Any = slice(None)) -> Any:
    """(N, L) of the test documents, by one classifier a column of Y on rows of unit length."""
    X, X_test = (normalize(split.features) for split in (data.train, data.test))
    Y = data.train.labels(data.n_labels).toarray() if Y is None else Y
    columns = [solver.fit(X[among], column[among]).decision_function(X_test) for column in Y.T]
    return np.stack(columns, axis=1)


# ------------------------------------------------------------ trees of one level, by their formulas


def test_a_tree_of_one_node_scores_as_parabel_states_it() -> None:
    """exp(-max(0, 1 - margin)^2) of a squared-hinge SVM with C = 1 a label (Prabhu et al. 2018). The library
    stops its solver early, so single scores are a few hundredths away."""
    data = featured()
    margin = margins(data, LinearSVC(C=1.0, random_state=0, tol=1e-6, max_iter=100_000))
    expected = np.exp(-(np.maximum(0, 1 - margin) ** 2))
    found = whole(train("omikuji", data, trees=1, prune=0.0), data.n_labels)
    assert np.abs(found - expected).mean() < 0.02


def test_a_probabilistic_tree_of_one_node_gives_the_probabilities_of_logistic_regressions() -> None:
    """P(any label) times P(a label | any), C = 10 each (Jasinska et al. 2016, Eq. 2)."""
    data = featured()
    logistic = LogisticRegression(C=10.0, tol=1e-8, max_iter=10_000, solver="liblinear")
    some = np.diff(data.train.label_offsets) > 0
    both = [margins(data, logistic, some[:, None]), margins(data, logistic, among=some)]
    expected = np.prod([1 / (1 + np.exp(-margin)) for margin in np.broadcast_arrays(*both)], axis=0)
    found = whole(train("napkinxc", data, prune=0.0, ways=9), data.n_labels)
    assert np.abs(found - expected).mean() < 0.005 and 0 < some.sum() < len(some)


@pytest.mark.parametrize("model", ["omikuji", "napkinxc"])
def test_small_weights_become_zero(model: str) -> None:
    """So does every score's dependence on the document, where all weights are small."""
    data = featured()
    scores = whole(train(model, data, prune=1000.0), data.n_labels)
    assert np.ptp(scores, axis=0) == pytest.approx(0, abs=1e-6)


@pytest.mark.parametrize("model", ["omikuji", "napkinxc"])
def test_deep_trees_find_the_labels_too(model: str) -> None:
    data = featured(600)
    chance = 100 * len(data.test.label_ids) / (data.test.size * data.n_labels)
    assert train(model, data, cluster_size=2).metrics["P@1"] > chance + 20


# --------------------------------------------------------------------------- what the library is given


@pytest.mark.parametrize(
    ("variant", "expected"), [("parabel", (3, 2, True, 20, 100)), ("bonsai", (3, 100, False, 3, 100))]
)
def test_omikuji_is_given_the_settings_and_the_documents(
    variant: str, expected: tuple[Any, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rows of unit length: (3, 4) is (0.6, 0.8); a document without labels begins with a blank."""
    omikuji = pytest.importorskip("omikuji", reason="without omikuji: pip install '.[baselines]'")
    split = replace(
        Split.from_lists([[], []], [[0, 2], []]), features=sparse.csr_matrix([[3, 4], [0, 2]], dtype="f4")
    )
    seen: list[Any] = []

    def stop(path: str, keys: Any, **_: Any) -> None:
        seen.extend((Path(path).read_text(), keys))
        raise Interrupted

    monkeypatch.setattr(omikuji.Model, "train_on_data", stop)
    module = find_model("omikuji")
    with pytest.raises(Interrupted):
        module.train(module.VARIANTS[variant], toy_data(train=split), toy_protocol(), seed=0)
    lines, keys = [line.split(" ") for line in seen[0].splitlines()], seen[1]
    assert lines[0] == ["2", "2", "6"] and [line[0] for line in lines[1:]] == ["0,2", ""]
    values = [[float(pair.partition(":")[2]) for pair in line[1:]] for line in lines[1:]]
    assert values == [pytest.approx([0.6, 0.8]), [1.0]]
    found = (keys.n_trees, keys.cluster_k, keys.cluster_balanced, keys.max_depth, keys.min_branch_size)
    assert found == expected
    assert (keys.linear_c, keys.linear_loss_type) == (1.0, omikuji.LossType.HINGE.value)


@pytest.mark.parametrize(
    ("variant", "loss", "rate"), [("default", "softmax", 0.1), ("one-vs-all", "ova", 0.5)]
)
def test_fasttext_is_the_program_called_by_hand(variant: str, loss: str, rate: float, tmp_path: Path) -> None:
    """On the words themselves, of which the protocol keeps five; the same seed gives the same bits."""
    fasttext = pytest.importorskip("fasttext", reason="without fasttext: pip install '.[baselines]'")
    data = toy_data(n_train=200, n_test=40)
    config = find_config(find_model("fasttext"), variant, {"epochs": 30})
    found = train("fasttext", data, config)

    def words(split: Split) -> list[str]:
        documents = np.split(split.tokens, split.offsets[1:-1])
        return [" ".join(data.vocabulary[word] for word in of[:5]) for of in documents]

    labels = np.split(data.train.label_ids, data.train.label_offsets[1:-1])
    lines = zip(words(data.train), labels, strict=True)
    path = tmp_path / "train.txt"
    path.write_text("".join(f"{' '.join(f'__label__{it}' for it in of)} {text}\n" for text, of in lines))
    model = fasttext.train_supervised(str(path), lr=rate, loss=loss, epoch=30, seed=1, thread=1, verbose=0)
    for row, text in enumerate(words(data.test)):
        theirs = {
            int(of.removeprefix("__label__")): score
            for of, score in zip(*model.predict(text, k=6), strict=True)
        }
        assert found.top_ids is not None and found.top_scores is not None
        assert dict(zip(found.top_ids[row], found.top_scores[row], strict=True)) == pytest.approx(
            theirs, abs=1e-6
        )
    assert same(found, train("fasttext", data, config))
    assert not same(found, train("fasttext", data, config, seed=2))


# --------------------------------------------------------------------------- what is told


def test_a_rate_at_which_fasttext_has_no_numbers_left_ends_the_run_with_what_to_do() -> None:
    reason = train("fasttext", toy_data(), loss="ova", learning_rate=1e30, epochs=200).reason
    assert reason is not None and "Encountered NaN" in reason and "lower learning_rate" in reason


@pytest.mark.parametrize("model", ["omikuji", "napkinxc"])
def test_a_run_says_where_its_seed_does_not_decide_it(model: str) -> None:
    notes = train(model, featured(), trees=1).notes
    assert any("seed" in note for note in notes)


@pytest.mark.parametrize("model", LIBRARIES)
def test_a_library_that_is_missing_is_named_with_what_to_do(
    model: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = find_model(model)
    libraries = importlib.import_module("reimpl.baselines.libraries")
    monkeypatch.setattr(libraries, "find_spec", lambda name: None)
    assert module.missing(module.VARIANTS[LIBRARIES[model]]) == (
        f"needs {model} of the extra baselines, which is not installed: pip install '.[baselines]'"
    )


@pytest.mark.parametrize("model", LIBRARIES)
def test_a_run_that_is_to_stop_does_not_begin_and_what_the_library_prints_is_dropped(
    model: str, capfd: pytest.CaptureFixture[str]
) -> None:
    data = toy_data()
    train(model, data)
    assert capfd.readouterr() == ("", "")
    with pytest.raises(Interrupted):
        module = find_model(model)
        module.train(
            module.VARIANTS[LIBRARIES[model]], data, toy_protocol(), seed=0, watch=Watch(stop=lambda: True)
        )


def test_the_source_files_that_decide_a_run_are_those_of_the_baseline_too() -> None:
    assert len({sources_of((model,))["model"] for model in LIBRARIES}) == 3


def test_what_departs_from_a_papers_own_program_is_not_said_of_its_baselines() -> None:
    """AttentionXML's code initialises from word vectors, and Parabel has none."""
    (paper,) = papers_of(["you2019"])
    said = {it: [of.what for of in paper.departures_of(f"{it}-eurlex")] for it in ("parabel", "xml_cnn")}
    assert said["parabel"] == ["Features of the linear baselines", "Program of Parabel and Bonsai"]
    assert "Word vectors" in said["xml_cnn"]
