"""A small claim file and a small corpus on disk."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from audit.claims.load import load
from audit.runner import Plan, make_plan
from audit.settings import RunSettings

PAPER = """\
format: 1
paper: {key: toy2024, title: A toy, authors: [A. Author], venue: Nowhere, year: 2024}
datasets:
  corpus: {name: Corpus, printed: {train: "1,000", test: "100"}, content: null}
  other: {name: Other}
tables:
  t1:
    where: {page: 3, label: Table 1}
    caption: words against embeddings
    dataset: corpus
    unit: percent
    columns: [P@1, P@3]
    rows:
      - {id: words, experiment: words, source: own_run, values: ["80.00", "60.00"]}
      - {id: letters, experiment: letters, source: own_run, values: ["40.00", "30.00"]}
  t2:
    where: {page: 4, label: Table 2}
    caption: the same again, and what cannot be run
    dataset: corpus
    unit: percent
    columns: [P@1]
    rows:
      - {id: again, experiment: again, source: own_run, values: ["81.00"]}
      - {id: lost, experiment: lost, source: own_run, values: ["50.00"]}
experiments:
  words:
    {title: Words, model: xml_cnn, variant: chen2022-kim-words, protocol: chen2022, dataset: corpus,
     recipe: study2022, vectors: "GloVe, 300 components"}
  letters:
    {title: Embeddings, model: xml_cnn, variant: chen2022-kim-embeddings, protocol: chen2022,
     dataset: corpus, recipe: study2022, vectors: "GloVe, 300 components"}
  again:
    {title: Words once more, model: xml_cnn, variant: chen2022-kim-words, protocol: chen2022,
     dataset: corpus, recipe: study2022, vectors: "GloVe, 300 components"}
  lost: {title: Lost, dataset: corpus, unavailable: its code was never published}
  elsewhere:
    {title: Elsewhere, model: xml_cnn, variant: kim2014, protocol: chen2022-code, dataset: other,
     recipe: study2022, vectors: "GloVe, 300 components"}
margins:
  default: {value: 0.5, rule: field, why: usual in the field}
claims:
  - {id: words-win, kind: order, better: t1.words, worse: t1.letters, metric: P@1,
     says: words beat embeddings, where: {page: 3}}
  - {id: words-value, kind: value, of: t1.words, metric: P@1, says: words reach 80, where: {page: 3}}
"""


def write_paper(folder: Path, *changes: tuple[str, str], name: str = "toy.yaml") -> Path:
    """The claim file with some texts replaced."""
    text = PAPER
    for old, new in changes:
        assert old in text, old
        text = text.replace(old, new)
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def planned(folder: Path, **changes: Any) -> Plan:
    """The runs of `words` of toy.yaml on the corpus beside it."""
    chosen = {"device": "cpu", "data": folder / "corpus", "store": folder / "c", "only": ["words"], **changes}
    return make_plan(load(folder / "toy.yaml"), RunSettings(**chosen))


def its_own(folder: Path) -> tuple[str, str]:
    """The change of toy.yaml that declares the corpus beside it as the paper's, with its sizes."""
    data = planned(folder).jobs[0].data.load()
    sizes = f'printed: {{train: "{data.train.size}", test: "{data.test.size}"}}'
    return 'printed: {train: "1,000", test: "100"}, content: null', f"{sizes}, content: {data.content}"


LINEAR = """\
format: 1
paper: {key: linear2024, title: A yardstick, authors: [A. Author], venue: Nowhere, year: 2024}
datasets:
  corpus: {name: Corpus, printed: {train: "40", test: "20"}}
tables:
  t1:
    where: {page: 3, label: Table 1}
    caption: two methods
    dataset: corpus
    columns: [P@1, P@3]
    rows:
      - {id: svm, experiment: svm, source: own_run, values: ["80.00", "60.00"]}
      - {id: net, experiment: net, source: own_run, values: ["70.00", "50.00"]}
experiments:
  svm:
    {title: One-vs-rest, model: linear, variant: svm, protocol: small, recipe: study2022, dataset: corpus}
  net:
    {title: A network, model: xml_cnn, variant: chen2022-kim-words, protocol: chen2022, recipe: study2022,
     dataset: corpus}
margins:
  default: {value: 0.5, rule: field, why: usual in the field}
claims:
  - {id: svm-value, kind: value, of: t1.svm, metric: [P@1, P@3], says: it reaches 80, where: {page: 3}}
  - {id: svm-wins, kind: order, better: t1.svm, worse: t1.net, metric: P@1, says: it wins, where: {page: 3}}
"""


def write_linear_paper(folder: Path) -> Path:
    path = folder / "linear.yaml"
    path.write_text(LINEAR, encoding="utf-8")
    return path


def write_columns(folder: Path, *, columns: int = 3, n: int = 60, n_train: int = 40, labels: int = 5) -> Path:
    """A data file of features and its random splits, as the Extreme Classification Repository ships them."""
    rng = np.random.default_rng(6)
    folder.mkdir(parents=True, exist_ok=True)
    lines = [f"{n} 8 {labels}"]
    for _ in range(n):
        has = sorted(rng.choice(labels, rng.integers(1, 3), replace=False).tolist())
        features = sorted({*has, *rng.integers(0, 8, 2).tolist()})
        lines.append(f"{','.join(map(str, has))} {' '.join(f'{it}:1' for it in features)}")
    (folder / "toy_data.txt").write_text("\n".join(lines) + "\n")
    drawn = np.stack([rng.permutation(n) + 1 for _ in range(columns)], axis=1)
    for name, rows in {"tr": drawn[:n_train], "tst": drawn[n_train:]}.items():
        text = "\n".join(" ".join(map(str, row)) for row in rows)
        (folder / f"toy_{name}Split.txt").write_text(text + "\n")
    return folder


def write_corpus(folder: Path, n_train: int = 40, n_test: int = 16, *, dev: int = 0, labels: int = 6) -> Path:
    """Documents of 4 to 12 words; a document of label l holds the word `topic<l>` somewhere."""
    rng = np.random.default_rng(5)
    folder.mkdir(parents=True, exist_ok=True)
    for split, n in {"train": n_train, "test": n_test, "dev": dev}.items():
        lines = []
        for _ in range(n):
            words = [f"word{i}" for i in rng.integers(0, 30, rng.integers(3, 12))]
            label = rng.integers(labels)
            words.insert(rng.integers(len(words) + 1), f"topic{label}")
            lines.append(f"label{label}\t{' '.join(words)}\n")
        if n:
            (folder / f"{split}.txt").write_text("".join(lines), encoding="utf-8")
    return folder
