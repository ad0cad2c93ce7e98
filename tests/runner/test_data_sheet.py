"""Each statistic of a corpus beside the printed one, by the rules by which differences are told."""

from __future__ import annotations

from pathlib import Path

from audit.record import DataSheet, DataStatistic
from audit.runner.plan import statistics
from reimpl.data.catalogue import Observed
from tests.runner.papers import planned, write_corpus, write_paper


def test_each_statistic_printed_and_here() -> None:
    """5.14 labels a training document and 5.10 a document of all: 5.1 is one of them, 5.30 neither."""
    counts = {"train": (15449.0,), "labels": (3956.0,), "labels_per_document": (5.14, 5.10)}
    observed = Observed("", "", counts)
    printed = {"train": "15,539", "features": "5,000", "labels_per_document": "5.30"}
    assert statistics(printed, observed) == (
        DataStatistic("training documents", "15,539", "15,449", True),
        DataStatistic("labels", None, "3,956", False),
        DataStatistic("features", "5,000", None, False),
        DataStatistic("labels per document", "5.30", "5.14", True),
    )
    [mean] = statistics(
        {"labels_per_document": "5.1"}, Observed("", "", {"labels_per_document": (5.14, 5.1)})
    )
    assert (mean.here, mean.differs) == ("5.1", False)
    # 249.7 in training and 311.6 in all: what agrees is shown
    means = Observed("", "", {"documents_per_label": (249.7, 311.6)})
    assert [it.here for it in statistics({"documents_per_label": "312"}, means)] == ["312"]


def sheet(record: DataSheet | None) -> dict[str, tuple[str | None, str | None, bool]]:
    assert record is not None
    return {it.name: (it.printed, it.here, it.differs) for it in record.statistics}


def test_an_experiment_knows_the_corpus_that_it_is_planned_on(tmp_path: Path) -> None:
    """40 training documents of one label each, 16 of test, 6 labels; words as the recipe parts them."""
    corpus = write_corpus(tmp_path / "corpus")
    write_paper(tmp_path)
    plan = planned(tmp_path)
    [record] = [it for it in plan.experiments if it.id == "words"]
    data = plan.jobs[0].data.load()
    assert record.data is not None
    for part in ("content", "partition", "corpus"):
        assert getattr(record.data, part) == getattr(data, part)
    assert record.data.recognised == "no entry of the catalogue"
    found = sheet(record.data)
    assert found["training documents"][1] == "40"
    assert found["labels"][1] == "6"
    assert found["labels per document"] == (None, "1.00", False)
    words = [len(line.split("\t")[1].split()) for line in (corpus / "train.txt").read_text().splitlines()]
    assert found["words per training document"][1] == f"{sum(words) / len(words):.2f}"


def test_a_declared_content_of_other_sizes_is_told_and_contradicts_nobody(tmp_path: Path) -> None:
    """40 and 16 documents beside a printed 43,410 and 4,341; a slip of some documents is told alone."""
    write_corpus(tmp_path / "corpus")
    write_paper(tmp_path)
    content = planned(tmp_path, protocol="claimed").jobs[0].data.load().content
    found = {}
    for train, test in (("43,410", "4,341"), ("41", "16"), ("40", "16"), ("about 40", "16")):
        said = f'printed: {{train: "{train}", test: "{test}"}}, content: {content}'
        write_paper(tmp_path, ('printed: {train: "1,000", test: "100"}, content: null', said))
        record = planned(tmp_path, protocol="claimed").experiments[0]
        assert record.scope == "same_data" and record.data is not None
        found[train] = record.data.sizes_apart, record.short
    assert found["43,410"] == (
        ("printed 43,410 training documents, here 40", "printed 4,341 test documents, here 16"),
        ("stand_in",),
    )
    assert found["41"] == (("printed 41 training documents, here 40",), ())
    assert found["40"] == found["about 40"] == ((), ())
