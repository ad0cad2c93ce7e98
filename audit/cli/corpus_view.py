"""Corpora and the catalogue as lines of text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from reimpl.data.catalogue import Catalogue, Entry, Sizes
    from reimpl.data.describe import StrataSizes

_SIZES = ("train", "test", "dev", "labels")


def catalogue_lines(catalogue: Catalogue) -> Iterator[str]:
    """A line for each version of each entry: key, sizes, by whom."""
    row = "{:18} {:>10} {:>8} {:>10}  {}".format
    yield row("entry", "train", "test", "labels", "printed by")
    for key, entry in catalogue.entries.items():
        lines = [(_counts(it), _by(it)) for it in entry.versions] or [(("-", "-", "-"), "nothing on record")]
        for number, (sizes, by) in enumerate(lines):
            yield row("" if number else key, *sizes, by).rstrip()


def _counts(version: Sizes) -> tuple[str, str, str]:
    return version.train or "-", version.test or "-", version.labels or "-"


def _by(version: Sizes) -> str:
    return ", ".join(getattr(version, "by", ("as read here",)))


def entry_lines(key: str, entry: Entry, catalogue: Catalogue) -> Iterator[str]:
    """All that the catalogue knows of one entry."""
    yield f"{key}: {entry.name}"
    yield f"  {entry.about}"
    places = [catalogue.places[it] for it in entry.places]
    yield from _field("formats", ", ".join(entry.formats) or "none of ours")
    yield from _field("licence", entry.licence)
    yield from _field("from", "; ".join(f"{it.name} ({it.url})" if it.url else it.name for it in places))
    yield from _field("by hand", entry.by_hand or "")
    if entry.split_columns:
        yield from _field("splits", f"{entry.split_columns} in columns; give --column")
    for cut in entry.truncation:
        yield from _field("cut to", f"{cut.length} {cut.unit} ({', '.join(cut.by)})")
    if entry.propensity:
        A, B = entry.propensity.A, entry.propensity.B
        yield from _field("PSP", f"A {A}, B {B} ({entry.propensity.source})")
    for version in entry.published:
        note = f"; {version.note}" if version.note else ""
        yield from _field("printed", f"{_in_words(version.printed)} ({', '.join(version.by)}{note})")
    for known in entry.known:
        sizes = f"{_in_words(known.sizes.printed)}; " if known.sizes else ""
        yield from _field("content", f"{sizes}{known.what}")
        yield from _field("", known.content)


def _field(name: str, value: str) -> Iterator[str]:
    if value:
        yield f"  {name:8} {value}"


def _in_words(printed: Mapping[str, str]) -> str:
    from reimpl.data.identity import NOUNS

    return ", ".join(f"{value} {NOUNS[name]}" for name, value in printed.items())


def statistics_lines(figures: Mapping[str, Any]) -> Iterator[str]:
    """The table of the papers: sizes, mean labels and documents a label, mean words."""
    from reimpl.data.identity import NOUNS

    for name, noun in NOUNS.items():
        readings = figures["statistics"].get(name)
        if readings:
            shown = f"{readings[0]:,.0f}" if name in (*_SIZES, "features") else f"{readings[0]:,.2f}"
            over_all = f"  ({readings[1]:,.2f} over all splits)" if len(readings) > 1 else ""
            yield f"{noun:38} {shown}{over_all}"


def doubt_lines(corpus: object, figures: Mapping[str, Any]) -> Iterator[str]:
    """Notes where rows are not used, and where the labels were likely not read as they are meant."""
    unused = getattr(corpus, "counts", {}).get("rows_not_used", 0)
    if unused:
        rows = "1 row of the data stands" if unused == 1 else f"{unused:,} rows of the data stand"
        yield f"note: {rows} in neither train nor test"
    train = figures["splits"]["train"]
    given = round(train["labels_a_document"] * train["documents"])
    if 2 * train["labels_like_lists"] >= given > 0:
        yield (
            f"note: {train['labels_like_lists']:,} of {given:,} training labels hold a comma; what parts "
            "labels is a blank: if commas are meant to part them, replace them by blanks"
        )


def overlap_lines(figures: Mapping[str, Any]) -> Iterator[str]:
    """Notes where test has something in common with train that it should not have, or lacks."""
    unit = "features" if "features" in figures else "text"
    test = figures["splits"]["test"]["documents"]
    if met := figures["test_texts_in_train"]:
        yield f"note: {met:,} of {test:,} test documents stand in train too, by their {unit}"
    if new := figures["test_labels_not_in_train"]:
        yield f"note: {new:,} label{'s' * (new > 1)} of test in no training document, so never to be learnt"


def figure_lines(figures: Mapping[str, Any]) -> Iterator[str]:
    """Every other figure, a line each, and both plots."""
    from reimpl.data.describe import bars

    special = ("statistics", "label_frequencies", "lengths")
    plain = {name: value for name, value in figures.items() if name not in special}
    for name, value in _flat(plain):
        yield f"{name:38} {value:,.2f}" if isinstance(value, float) else f"{name:38} {value}"
    unit = "features" if "features" in figures else "words"
    for title, name in (
        ("labels by training documents", "label_frequencies"),
        (f"documents by {unit}", "lengths"),
    ):
        if figures[name]:
            yield from ("", title, *bars(figures[name]))


def strata_lines(sizes: Sequence[StrataSizes]) -> Iterator[str]:
    """A table for each way to group the labels: documents that have some of them, share of all positives.

    Documents with labels of two groups stand in both.
    """
    for it in sizes:
        splits = list(it.strata[0].documents)
        heads = [f"{split} {what}" for split in splits for what in ("documents", "positives")]
        yield from ("", f"labels {it.rule}")
        yield "".join([f"  {'':8}{'labels':>9}", *(f"{head:>17}" for head in heads)])
        for stratum in it.strata:
            cells = [
                cell
                for split in splits
                for cell in (f"{stratum.documents[split]:,}", f"{stratum.share[split]:.1f} %")
            ]
            yield "".join([f"  {stratum.name:8}{stratum.labels:>9,}", *(f"{cell:>17}" for cell in cells)])


def _flat(figures: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """`splits: {train: {documents: 3}}` becomes `train documents`."""
    for name, value in figures.items():
        words = f"{prefix}{name.replace('_', ' ')}"
        if isinstance(value, Mapping):
            yield from _flat(value, "" if name == "splits" else f"{words} ")
        else:
            yield words, value
