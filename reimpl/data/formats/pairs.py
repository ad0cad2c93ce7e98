"""AttentionXML's raw pairs: `train_texts.txt` beside `train_labels.txt`, a document a line in both.

yourh/AttentionXML at e2bbbec: labels are parted by white space; `..._texts.txt` is tokenised already and
`..._raw_texts.txt` is the text before that.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from reimpl.data.files import File, Tree, text_lines
from reimpl.data.formats.base import Found, Options, TextSource, by_split, need_train_and_test
from reimpl.data.source import Document
from reimpl.errors import DataError

_TEXTS, _RAW, _LABELS = (rf"{{prefix}}{{split}}_{it}\.txt" for it in ("texts", "raw_texts", "labels"))


def documents(texts: File, labels: File) -> Iterator[Document]:
    """The documents, a pair of lines each; raises `DataError` when one file has more lines than the other."""
    text_rows, label_rows = text_lines(texts), text_lines(labels)
    n = 0
    for _, text in text_rows:
        row = next(label_rows, None)
        if row is None:
            rest = n + 1 + sum(1 for _ in text_rows)
            raise _unequal(texts, rest, labels, n)
        n += 1
        yield Document(tuple(row[1].split()), text)
    if next(label_rows, None) is not None:
        raise _unequal(texts, n, labels, n + 1 + sum(1 for _ in label_rows))


def _unequal(texts: File, n_texts: int, labels: File, n_labels: int) -> DataError:
    return DataError(
        f"{texts}: {n_texts:,} texts, but {n_labels:,} lines of labels in {labels.name}; "
        "they do not belong together, or one is cut off"
    )


def open_pairs(tree: Tree, options: Options) -> TextSource:
    """A folder of pairs; raises `DataError` when a file is missing or `raw` must be stated."""
    tokenised, raw, labels = (by_split(tree, it) for it in (_TEXTS, _RAW, _LABELS))
    if tokenised and raw and options.raw is None:
        both = f"{next(iter(tokenised.values())).name} and {next(iter(raw.values())).name}"
        raise DataError(f"{tree.path}: {both} are both there; state raw=False (tokenised) or raw=True")
    texts = raw if options.raw or not tokenised else tokenised
    need_train_and_test(tree, texts, "AttentionXML's raw pairs")
    for split in texts:
        if split not in labels:
            raise DataError(
                f"{tree.path}: {texts[split].name} has no {split}_labels.txt beside it; add the file"
            )
    return TextSource(
        tree.name,
        {split: partial(documents, texts[split], labels[split]) for split in texts},
        tuple(it for split in texts for it in (texts[split], labels[split])),
        f"pairs raw={texts is raw}",
        tokenised=texts is tokenised,
    )


def detect(tree: Tree) -> Found | None:
    """A file of texts beside one of labels."""
    tokenised, raw, labels = (by_split(tree, it) for it in (_TEXTS, _RAW, _LABELS))
    texts = tokenised or raw
    if not texts or not labels:
        return None
    files = {f"{split} texts": file for split, file in texts.items()}
    files |= {f"{split} labels": file for split, file in labels.items()}
    needs = ("state raw=False or raw=True: whether to read the raw texts",) if tokenised and raw else ()
    why = f"{next(iter(texts.values())).name} beside {next(iter(labels.values())).name}"
    return Found(why, files, needs)
