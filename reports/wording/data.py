"""Sentences about the data that runs were made on: what was counted while they were prepared."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from audit.record import Scope
from reports import digits
from reports.wording.words import SCOPE_WORDS

#: Name in `DataInfo.counts`, after the split -> what it counts; shares as percent.
OF_SPLIT: Mapping[str, str] = {
    "documents": "documents",
    "unlabelled_dropped": "without labels, dropped",
    "unlabelled_kept": "without labels, kept",
    "empty_texts": "texts without words",
    "empty_documents": "with neither labels nor features",
    "duplicate_labels": "repeated labels, counted once",
    "repeated_labels": "repeated labels, counted once",
    "zero_values": "features of value 0, left out",
    "mean_words": "words a document, before any cut",
    "mean_features": "features a document",
    "truncated_share": "documents cut",
    "unknown_word_share": "words that the vocabulary lacks",
    "unknown_label_share": "labels that training lacks",
}
#: Names in `DataInfo.counts` of the whole corpus.
OF_ALL: Mapping[str, str] = {
    "vocabulary": "words of the vocabulary",
    "vectors.words_found_share": "of these with a word vector",
    "vectors.text_found_share": "of the training text with a word vector",
    "labels.not_in_train": "labels without a training document",
    "labels.test_not_in_train": "labels of test documents without a training document",
    "rows_not_used": "rows in neither train nor test",
    "split.column": "split column, from 0",
}
#: Documents are shown anyway, and of the rest what never happened is left out.
ALWAYS = ("documents",)


def counted(name: str, value: float) -> str:
    """A count, a mean or a share.

    >>> counted("train.truncated_share", 0.4321), counted("train.documents", 15449.0)
    ('43.2%', '15,449')
    """
    if name.endswith("_share"):
        return f"{digits.points(100 * value, decimals=1)}%"
    if ".mean_" in name:
        return digits.points(value, decimals=1)
    return digits.count(round(value))


def comparison(
    dataset: str, scope: Scope, statistics: Sequence[tuple[str | None, str | None, str, bool]]
) -> str:
    """Of (printed, here, noun, differs): what differs, or that nothing does.

    >>> comparison("EUR-Lex", "other_data", [("5.30", "5.14", "labels a document", True)])
    'EUR-Lex (stand-in data): printed 5.30 labels a document, here 5.14.'
    """
    said = [
        f"printed {printed} {noun}, here {here}" for printed, here, noun, differs in statistics if differs
    ]
    if not said:
        printed = any(it[0] is not None and it[1] is not None for it in statistics)
        said = [
            "all that is printed and counted agrees" if printed else "nothing is printed that was counted"
        ]
    return f"{dataset} ({SCOPE_WORDS[scope]}): {'; '.join(said)}."
