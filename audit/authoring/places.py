"""Tables whose columns are found by position: on the page of a PDF, or in text copied from one.

In a PDF a table is what stands between lines of one width across it (booktabs, hline); short lines below a
title say which columns it is over. Without them a title over several columns is taken as such where it
stands in their middle; what is left without a title is asked about."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from statistics import median
from tempfile import NamedTemporaryFile
from typing import Any

from audit.authoring.table import LOWERED, RAISED, Piece, Run, Source, check_size
from audit.errors import AuditError

#: A paper has fewer, and each takes about a second.
MOST_PAGES = 100
_NUMBER = re.compile(r"[-+(±\N{MINUS SIGN}]*(?:[0-9]+(?:[.,][0-9]+)*|\.[0-9]+)(?:e-?[0-9]+)?[%)]*[*†‡§¶∗]*")
_DASH = re.compile(r"[-–—−]{1,3}|n/?a|nan", re.IGNORECASE)
_CAPTION = re.compile(r"(?:table|tab\.|figure|fig\.)\s*[0-9A-Z]", re.IGNORECASE)
_BOLD = re.compile(r"bold|cmbx|[-,]b(?:d|old)?$|medi$|black|heavy", re.IGNORECASE)


@dataclass(frozen=True)
class Word:
    """Characters with their position: columns of a text, or points on a page."""

    run: Run
    start: float
    end: float

    @property
    def middle(self) -> float:
        return (self.start + self.end) / 2


Words = Sequence[Word]
_TITLE_OR_NAME = "may be a title over the rows below it, or part of a name; skip it, and label these rows"


Spans = list[tuple[float, float]]


def of_text(name: str, text: str) -> list[Source]:
    """One table, whose columns are at least two blanks apart."""
    lines = [(k, line.expandtabs()) for k, line in enumerate(text.split("\n"), 1) if line.strip()]
    found = [re.finditer(r"\S+", line) for _, line in lines]
    words = [[Word(Run(it[0]), it.start(), it.end()) for it in line] for line in found]
    body = [k for k, line in enumerate(words) if _is_body(line)]
    if not body or not all("  " in lines[k][1].strip() for k in body):
        say = "separate them by two or more blanks, one row per line"
        raise AuditError(f"{name}: its columns cannot be recognised; {say}")
    rows = _placed(words, body, 1.5, {})
    pieces = [tuple(replace(it, line=k) for it in row) for row, (k, _) in zip(rows, lines, strict=True)]
    return [Source(tuple(pieces), lines[0][0], body[0] or None, least_heads=True)]


def _is_body(line: Words) -> bool:
    """Whether a line ends with a number or a dash, and has a number with decimals."""
    texts = [word.run.text for word in line if _NUMBER.fullmatch(word.run.text)]
    return bool(line) and _is_value(line[-1]) and any("." in text or "," in text for text in texts)


def _placed(
    lines: Sequence[Words],
    body: Sequence[int],
    gap: float,
    under: Mapping[int, Spans],
    ruled: Sequence[int] = (),
) -> list[list[Piece]]:
    """The cells of each line; `under`: where the short rules below a line of the heading begin and end.
    `ruled`: lines beside a rule across the table. A line without numbers is a title there."""
    words = [word for k in body for word in lines[k]]
    numbers = _spans([word for word in words if _is_value(word)], gap)
    wide = [word for word in words if len(_under(word, numbers)) > 1]  # –not run–
    columns = _spans([word for word in words if word not in wide], gap)
    rows = []
    for k, line in enumerate(lines):
        cells: list[list[Word]] = [[] for _ in columns]
        across = [1] * len(columns)
        if k in body:
            for word in line:
                over = _under(word, columns) if word in wide else []
                cells[at := (over or [_nearest(word.middle, columns)])[0]].append(word)
                across[at] = max(across[at], len(over))
        elif k > body[0]:
            cells[0] = list(line)
        else:
            for part, over in _titles(line, columns, gap, under.get(k, [])):
                cells[over[0]] += part
                across[over[0]] = len(over)
        starts = [j for j in range(len(columns)) if not any(j - i < across[i] for i in range(j))]
        rows.append([_piece(cells[j], across[j]) for j in starts])
        if k > body[0] and k not in body and k not in ruled and line[0].start <= columns[0][1]:
            rows[-1][0] = replace(rows[-1][0], why=_TITLE_OR_NAME)
    return rows


def _is_value(word: Word) -> bool:
    return bool(_NUMBER.fullmatch(word.run.text) or _DASH.fullmatch(word.run.text))


def _spans(words: Words, gap: float) -> Spans:
    """Where words are nearer to one another than the gap between columns."""
    spans: Spans = []
    for start, end in sorted((word.start, word.end) for word in words):
        if spans and start - spans[-1][1] < gap:
            spans[-1] = spans[-1][0], max(end, spans[-1][1])
        else:
            spans.append((start, end))
    return spans


def _under(word: Word, columns: Spans) -> list[int]:
    return [k for k, (start, end) in enumerate(columns) if word.start < end and start < word.end]


def _nearest(place: float, columns: Spans) -> int:
    return min(range(len(columns)), key=lambda k: max(columns[k][0] - place, place - columns[k][1]))


def _titles(line: Words, columns: Spans, gap: float, under: Spans) -> Iterator[tuple[list[Word], list[int]]]:
    """The titles of a line of the heading, each with the columns that it is over. Those of a rule below it;
    of what is left, those nearest to it, if it stands in their middle; or one."""
    parts: list[list[Word]] = []
    for word in line:
        if parts and word.start - max(it.end for it in parts[-1]) < gap:
            parts[-1].append(word)
        else:
            parts.append([word])
    at = [(part[0].start + max(it.end for it in part)) / 2 for part in parts]
    middles = [sum(column) / 2 for column in columns]
    under = [it for it in under if sum(it[0] < own < it[1] for own in at) == 1]  # else it is of the table
    spans = [next((span for span in under if span[0] < own < span[1]), (0.0, 0.0)) for own in at]
    ruled = [[k for k, own in enumerate(middles) if start < own < end] for start, end in spans]
    free = [k for k in range(1, len(columns)) if not any(k in over for over in ruled)]
    wide = [n for n, own in enumerate(at) if own > columns[0][1] and not ruled[n]]
    nearest = {k: min(wide, key=lambda n: abs(at[n] - middles[k]), default=-1) for k in free}
    for n, part in enumerate(parts):
        group = [k for k in free if nearest[k] == n]
        if group:
            start, end = columns[group[0]][0], columns[group[-1]][1]
            group = group if abs((start + end) / 2 - at[n]) < (end - start) / len(group) / 2 else []
        yield part, ruled[n] or group or [_nearest(at[n], columns)]


def _piece(words: Words, across: int = 1) -> Piece:
    runs: list[Run] = []
    for k, word in enumerate(words):
        close = k and word.start - words[k - 1].end < 0.5
        runs += [*([] if close or not k else [Run(" ")]), word.run]
    unnamed = any("(cid:" in run.text for run in runs)
    why = "contains a character that the PDF does not name" if unnamed else None
    return Piece(tuple(runs) or (Run(""),), 0, across, why=why)


# --------------------------------------------------------------------------- PDF


def of_pdf(name: str, content: bytes, page: int | None) -> list[Source]:
    """The tables of all pages, or of one; their line is the page. Raises `AuditError` for other files."""
    try:
        import pdfplumber
    except ImportError as err:
        raise AuditError(f"{name}: reading a PDF needs pdfplumber; install the extra [pdf]") from err
    found: list[Source] = []
    try:
        with pdfplumber.open(io.BytesIO(content)) as pdf:
            pages = list(enumerate(pdf.pages[:MOST_PAGES], 1))
            for number, one in pages if page is None or page > len(pages) else [pages[page - 1]]:
                found += _of_page(name, number, one)
                one.close()
    except AuditError:
        raise
    except Exception as err:  # what a broken file makes of the parser is of many kinds
        what = f"{type(err).__name__}: {err}".rstrip(": ")
        raise AuditError(f"{name}: it cannot be read as a PDF ({what}); give the table as text") from err
    return found


def picture(name: str, page: int, area: tuple[float, ...]) -> str:
    """A picture of that area of the page, for a person to look at."""
    import pdfplumber

    with NamedTemporaryFile(prefix="audit-", suffix=".png", delete=False) as to, pdfplumber.open(name) as pdf:
        pdf.pages[page - 1].crop(area).to_image(resolution=150).save(to.name)
    return to.name


Rule = tuple[float, float, float]  # From, to, and how far from the top of the page.


def _of_page(name: str, number: int, page: Any) -> Iterator[Source]:
    rules = _rules(page)
    while rules:
        start, end, first = rules[0]
        same = [rule for rule in rules if abs(rule[0] - start) < 3 and abs(rule[1] - end) < 3]
        last = same[-1][2]
        short = [rule for rule in rules if start - 3 < rule[0] and rule[1] < end + 3]
        rowspans = [it for it in short if min(it[0] - start, end - it[1]) < 3 and first < it[2] < last]
        rules = [rule for rule in rules if rule not in same and rule not in rowspans]
        lines, size = _lines(page, start, end, first, last)
        captions = [top for top, line in lines if _CAPTION.match(" ".join(word.run.text for word in line))]
        parts = [[first]]
        for (_, _, over), (_, _, below) in pairwise(same):  # a caption stands between two tables
            parts += [[]] if any(over < top < below for top in captions) else []
            parts[-1].append(below)
        for tops in parts:
            own = [(top, line) for top, line in lines if tops[0] < top < tops[-1]]
            body = [k for k, (_, line) in enumerate(own) if _is_body(line)]
            if len(tops) < 2 or not body:
                continue
            check_size(name, number, sum(len(line) for _, line in own))
            heads = sum(top < tops[1] for top, _ in own)
            ends = [*(top for top, _ in own[1:]), tops[-1]]
            titles = range(min(heads, len(own)))
            under = {k: [it[:2] for it in short if own[k][0] < it[2] < ends[k]] for k in titles}
            inner = [k for k, (top, _) in enumerate(own) if any(abs(top - it) < size for it in tops[1:-1])]
            rows = _placed([line for _, line in own], body, 0.45 * size, under, inner)
            pieces = [tuple(replace(piece, line=k) for piece in row) for k, row in enumerate(rows, 1)]
            area = _area(page, start, end, tops[0], tops[-1])
            text = area.extract_text(layout=True, x_density=size * 0.45, y_density=size / 2)
            shown = "\n".join(line.rstrip() for line in text.split("\n") if line.strip())
            top_rows = heads if 0 < heads < len(own) else None
            yield Source(tuple(pieces), number, top_rows, least_heads=True, shown=shown, area=area.bbox)


def _area(page: Any, start: float, end: float, top: float, bottom: float) -> Any:
    """The part of a page between rules, as far as it is on the page."""
    left, above, right, below = page.bbox
    return page.crop((max(start - 2, left), max(top - 1, above), min(end + 2, right), min(bottom + 1, below)))


def _rules(page: Any) -> list[Rule]:
    """Lines across the page from top to bottom, those that touch as one."""
    rules: list[Rule] = []
    edges = [it for it in page.edges if it["orientation"] == "h"]
    for edge in sorted(edges, key=lambda edge: (round(edge["top"]), edge["x0"])):
        start, end, top = edge["x0"], edge["x1"], edge["top"]
        for k, (left, right, other) in enumerate(rules[-20:], max(len(rules) - 20, 0)):
            if abs(top - other) < 2 and start < right + 1.5 and left < end + 1.5:
                rules[k] = min(start, left), max(end, right), other
                break
        else:
            rules.append((start, end, top))
    return sorted((rule for rule in rules if rule[1] - rule[0] > 12), key=lambda rule: rule[2])


def _lines(
    page: Any, start: float, end: float, top: float, bottom: float
) -> tuple[list[tuple[float, Words]], float]:
    """The lines of an area with the middle of each, and the size of most letters."""
    area, extra = _area(page, start, end, top, bottom), ["size", "fontname"]
    words = area.extract_words(x_tolerance_ratio=0.15, extra_attrs=extra)
    if not words:
        return [], 10.0
    size = median(word["size"] for word in words)
    lines: list[tuple[float, list[Word]]] = []
    for small in (False, True):  # letters above or below the line go to the nearest one
        chosen = [word for word in words if (word["size"] < 0.8 * size) is small]
        for word in sorted(chosen, key=lambda word: word["top"] + word["bottom"]):
            middle = (word["top"] + word["bottom"]) / 2
            near = min(lines, key=lambda line: abs(line[0] - middle), default=None)
            if near is None or abs(near[0] - middle) > (0.8 if small else 0.45) * size:
                lines.append(near := (middle, []))
            raised = {RAISED if middle < near[0] else LOWERED} if small and near[1] else set()
            bold = {"bold"} if _BOLD.search(word["fontname"]) else set()
            run = Run(word["text"], frozenset(raised | bold))
            near[1].append(Word(run, word["x0"], word["x1"]))
    ordered = [(middle, sorted(line, key=lambda it: it.start)) for middle, line in lines]
    return sorted(ordered, key=lambda line: line[0]), size
