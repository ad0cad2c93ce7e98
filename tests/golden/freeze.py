"""What a user sees, frozen: findings, verdicts, facts of the page, corpora.

The files hold a line a finding, verdict, card or corpus: a change is one line of a diff. They say what
the program gave before the redesign, which is no proof of being right: that is for the other tests.

    python -m tests.golden.freeze            # renews; read the diff, and give its reason in the commit
"""

from __future__ import annotations

import hashlib
import html as entities
import json
import re
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import audit
from audit.record import Audit, Verdict

FOLDER = Path(__file__).parent
PAPERS = ("chen2022", "libmultilabel2026", "liu2017", "wang2019", "xun2020", "ye2020", "you2019")


# --------------------------------------------------------------------------- findings


def findings() -> Iterator[str]:
    """A line a finding of `audit check` over all papers: id, result, and the digest of all that it says."""
    from audit.checks import findings_about

    papers = [audit.load(name) for name in PAPERS]
    for it in sorted(findings_about(papers), key=lambda it: it.id):
        yield f"{it.id}  {it.result}  {_digest(asdict(it))}"


# --------------------------------------------------------------------------- verdicts

#: How far made runs lie from what the paper prints, in points; the experiment's name decides which.
_OFF = (0.0, 0.0, 0.2, 0.6, -0.6, 1.5, -4.0, 12.0)


def _rows(paper: Any, seeds: int) -> list[dict[str, Any]]:
    """Made runs of every experiment in every metric: its printed number (or one by its name) and noise."""
    printed: dict[tuple[str, str], float] = {}
    for table in paper.table_records():
        for row in table.rows:
            for column, cell in zip(table.columns, row.cells, strict=True):
                name = cell.experiment or ""
                if cell.printed and re.fullmatch(r"[0-9.]+", cell.printed):
                    printed.setdefault((name, cell.metric or column.metric or ""), float(cell.printed))
    metrics = sorted({it.metric for it in paper.claim_records() if it.metric and "@" in it.metric})
    rows = []
    for name, it in paper.single_experiments.items():
        chosen = int(hashlib.sha256(name.encode()).hexdigest(), 16)
        for metric in metrics:
            rng = np.random.default_rng(int(hashlib.sha256(f"{name} {metric}".encode()).hexdigest()[:12], 16))
            about = printed.get((name, metric), 30.0 + chosen % 40)
            for seed in range(seeds):
                value = about + _OFF[chosen % len(_OFF)] + rng.normal(0, 0.3)
                rows.append(
                    {
                        "experiment": name,
                        "dataset": paper.datasets[it.on].name,
                        "metric": metric,
                        "seed": seed,
                        "value": f"{min(99.9, max(0.1, value)):.4f}",
                    }
                )
    return rows


@cache
def audits() -> Mapping[str, Audit]:
    """Every paper judged by made runs on its own data, and with two seeds on other data."""
    found = {}
    for name in PAPERS:
        paper = audit.load(name)
        code = (
            " ".join(it for it in (paper.paper.code.url, paper.paper.code.commit) if it)
            if paper.paper.code
            else "x"
        )
        for kind, seeds, more in (
            ("own", 5, {"same_data": "made for this test", "authors_code": code}),
            ("other", 3, {}),
        ):
            rows = _rows(paper, seeds)
            if rows:
                found[f"{name} {kind}"] = audit.judge(paper, rows, by="made", unit="percent", **more)
    return found


def verdicts() -> Iterator[str]:
    """A line a verdict: how it came out, why, and its numbers to ten digits."""
    for name, found in audits().items():
        for it in found.verdicts:
            yield f"{name}  {it.claim}  {it.outcome}  {it.reason}  {_numbers(it)}"


def _numbers(it: Verdict) -> str:
    """The estimate, and the digest of every field, floats at ten digits."""
    fields = asdict(it)
    for later in ("medians", "last_n", "last_estimate"):  # the badges hold the same; of later looks
        del fields[later]
    return f"{'-' if it.estimate is None else f'{it.estimate:.10g}'}  {_digest(fields)}"


# --------------------------------------------------------------------------- page


_CARD = re.compile(r'<(?:details|p) class="card .*?(?=<(?:details|p) class="card |</section>)', re.DOTALL)
_ROW = re.compile(
    r'<(?:tr|span) class="row (\w+)" id="([^"]+)"(?: data-b="([^"]*)")?'
    r'(.*?)(?=<(?:tr|span) class="row |</tr>|</p>)',
    re.DOTALL,
)


def cards() -> Iterator[str]:
    """A line a claim and metric: link, mark, margin band, numbers; and numbers and links of its card."""
    from reports.page import html

    for name, found in audits().items():
        for card in _CARD.findall(html(found)):
            links = sorted(set(re.findall(r'href="#([^"]+)"', card)))
            own = _numbers_in(card)
            for status, anchor, band, row in _ROW.findall(card):
                numbers = _numbers_in(row)
                yield (
                    f"{name}  {anchor}  {status}  {band or '-'}  {' '.join(numbers)}  "
                    f"card: {len(own)} numbers {_digest(own)}  {len(links)} links {_digest(links)}"
                )


def _numbers_in(markup: str) -> list[str]:
    text = re.sub(r"<[^>]+>", " ", re.sub(r"<(svg|script).*?</\1>", " ", markup, flags=re.S))
    return re.findall(r"[+−-]?\d[\d,.]*", entities.unescape(text))


# --------------------------------------------------------------------------- corpora


def corpora() -> Iterator[str]:
    """A line a format: its identity; and of texts a line a preprocessing: fingerprint and arrays."""
    from reimpl import models
    from reimpl.data import prepare
    from reimpl.data.dataset import Dataset
    from reimpl.data.formats import open_corpus
    from reimpl.data.prepare import prepare as prepared
    from tests.data.made import CORPORA, TEXT_FORMATS, lay

    assert prepare.PREPARATION_VERSION == 1
    with tempfile.TemporaryDirectory() as folder:
        for name, (files, options) in CORPORA.items():
            source = open_corpus(lay(Path(folder) / name, files), options)
            if isinstance(source, Dataset):
                yield f"{name}  content {source.content[:16]}  corpus {source.corpus[:16]}"
            else:
                yield f"{name}  content {source.digest()[:16]}"
        for name in TEXT_FORMATS:
            files, options = CORPORA[name]
            for name_of_rules in models.recipes():
                source = open_corpus(Path(folder) / name, options)
                try:
                    made = prepared(
                        source,
                        preprocessing=name_of_rules,
                        length=5,
                        vectors="random:4",
                        rng=np.random.default_rng(0),
                        workers=1,
                    )
                except ValueError as err:
                    yield f"{name}  {name_of_rules}  refused: {type(err).__name__}"
                    continue
                parts = [made.labels, made.vocabulary, made.vectors.tolist()]
                yield f"{name}  {name_of_rules}  {made.fingerprint[:16]}  {_digest(parts)}"


# --------------------------------------------------------------------------- files


def _digest(value: Any) -> str:
    def plain(it: Any) -> Any:
        if isinstance(it, float):
            return f"{it:.10g}"
        if isinstance(it, Mapping):
            return {str(key): plain(held) for key, held in it.items()}
        return [plain(held) for held in it] if isinstance(it, list | tuple) else it

    text = json.dumps(plain(value), ensure_ascii=True, sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:10]


FROZEN: Mapping[str, Callable[[], Iterator[str]]] = {
    "findings": findings,
    "verdicts": verdicts,
    "cards": cards,
    "corpora": corpora,
}


def text(name: str) -> str:
    return "".join(f"{line}\n" for line in FROZEN[name]())


if __name__ == "__main__":
    for frozen in FROZEN:
        (FOLDER / f"{frozen}.txt").write_text(text(frozen))
