"""Each way in which a run departs from the claim file is listed, once, with both sides and the reason."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

from audit.claims.load import load
from audit.record import Deviation
from audit.runner import make_plan
from audit.settings import RunSettings
from reimpl.protocol import PROTOCOLS
from tests.runner.papers import planned, write_corpus, write_paper

LIU = ("variant: kim2014, protocol: chen2022-code", "variant: liu2017-code, protocol: liu2017")
DEPARTURES = """
departures:
  - {what: pooling, paper: chunks, code: size 2, source: cnn_model.py:79, experiments: [elsewhere]}
  - {what: passes, paper: "50", code: "51", source: train.py:57}
claims:
"""


def found(
    folder: Path, experiment: str, *changes: tuple[str, str], made: bool = False, **options: Any
) -> dict[str, Deviation]:
    paper = load(write_paper(folder, *changes))
    data = None if made else write_corpus(folder / "corpus")
    chosen = RunSettings(
        device="cpu", data=data, store=folder / "cache", seeds=1, only=[experiment], **options
    )
    record = next(it for it in make_plan(paper, chosen).experiments if it.id == experiment)
    counts = Counter(it.what for it in record.deviations)
    assert max(counts.values()) == 1, counts
    return {it.what: it for it in record.deviations}


def sides(deviations: dict[str, Deviation]) -> dict[str, tuple[str, str]]:
    return {what: (it.paper, it.here) for what, it in deviations.items()}


def test_a_reduced_protocol_lists_everything_it_changes(tmp_path: Path) -> None:
    """liu2017 against small, in bf16, with random vectors, on another corpus."""
    small = PROTOCOLS["small"]
    deviations = found(tmp_path, "elsewhere", LIU, precision="bf16")
    assert sides(deviations) == {
        "data": ("Other", "corpus: train 40, test 16, labels 6"),
        "word vectors": (
            "GloVe, 300 components",
            f"random, {small.dimension} components, the same for every seed",
        ),
        "epochs": ("51", f"{small.epochs}"),
        "batch size": ("256", f"{small.batch_size}"),
        "learning rate": ("0.001", f"{small.learning_rate}"),
        "optimiser": ("lasagne adam", "adam"),
        "order of training documents": ("batches", "documents"),
        "padding": ("split", "length"),
        "words kept per document": ("500", f"{small.length}"),
        "maps": ("32", f"{small.model['maps']}"),
        "hidden": ("512", f"{small.model['hidden']}"),
        "arithmetic": ("float32 (assumed)", "bf16"),
    }
    numbers = {what: it.numbers for what, it in deviations.items() if it.numbers}
    assert numbers["learning rate"] == (0.001, small.learning_rate)
    assert numbers["word vectors"] == (300, small.dimension)
    assert {"epochs", "maps", "hidden", "batch size"} < set(numbers) and "optimiser" not in numbers
    assert deviations["epochs"].why == deviations["maps"].why == small.deviation
    assert deviations["word vectors"].why == "no vector file was given"


def test_what_a_reduced_protocol_changes_and_does_not_reduce_says_its_own_reason(tmp_path: Path) -> None:
    """Only what is smaller is "reduced so that a suite runs on a laptop"."""
    yours = (
        "protocol: chen2022, dataset: corpus,\n     recipe",
        "protocol: you2019-code, dataset: corpus,\n     recipe",
    )
    why = {what: it.why for what, it in found(tmp_path, "words", yours).items()}
    assert why["epochs"] == why["batch size"] == why["maps"] == PROTOCOLS["small"].deviation
    assert why["learning rate"] == "raised, because the reduced protocol takes fewer epochs"
    assert why["held-out documents"].startswith("as the reduced protocol")


def test_what_an_experiment_asks_for_is_no_departure_and_a_dropped_choice_is_one(tmp_path: Path) -> None:
    given = "protocol: chen2022, training: {clip: 1.0, epochs: 3}, dataset: corpus,\n     recipe"
    clipped = ("protocol: chen2022, dataset: corpus,\n     recipe", given)
    claimed = found(tmp_path, "words", clipped, protocol="claimed")
    assert set(claimed) == {"data", "word vectors"}
    yours = (clipped[0], "protocol: you2019-code, dataset: corpus,\n     recipe")
    dropped = sides(found(tmp_path, "words", yours, protocol="small"))
    assert dropped["gradient norm limit"] == ("you2019", "none")
    assert dropped["epochs before weight averaging"] == ("10", "none")
    # Where nothing is selected there is nothing to hold documents out for.
    assert "held-out documents" not in dropped and "steps between evaluations" not in dropped


def test_the_paper_s_own_data_are_no_departure(tmp_path: Path) -> None:
    write_corpus(tmp_path / "corpus")
    write_paper(tmp_path)
    plan = planned(tmp_path)
    content = plan.jobs[0].data.load().content
    known = ("content: null", f"content: ['{'0' * 64}', {content}]")
    assert "data" not in found(tmp_path, "words", known)
    assert "data" in found(tmp_path, "words")


def test_another_split_of_the_same_documents_is_told_as_such(tmp_path: Path) -> None:
    write_corpus(tmp_path / "corpus")
    write_paper(tmp_path)
    plan = planned(tmp_path)
    known = ("content: null", f"corpus: {plan.jobs[0].data.load().corpus}")
    assert found(tmp_path, "words", known)["data"].why == "the same documents in another split"
    assert found(tmp_path, "words")["data"].why == "the folder that was given"


def test_vectors_from_a_file_are_told_by_name_and_size(tmp_path: Path) -> None:
    """The folder they lie in is nobody's business."""
    vectors = tmp_path / "vectors.txt"
    vectors.write_text("topic1 0.1 0.1 0.1\n")
    deviations = found(tmp_path, "words", protocol="claimed", vectors=str(vectors))
    assert deviations["word vectors"].here == "vectors.txt, 3 components"


def test_what_the_public_code_does_otherwise_comes_with_the_experiments_it_concerns(tmp_path: Path) -> None:
    with_departures = ("\nclaims:\n", DEPARTURES)
    mine = found(tmp_path, "elsewhere", with_departures)
    assert (mine["pooling"].paper, mine["pooling"].code) == ("chunks", "size 2")
    assert mine["pooling"].here == "see the experiment's configuration"
    assert mine["passes"].why == "train.py:57"
    other = found(tmp_path, "words", with_departures)
    assert "passes" in other and "pooling" not in other
