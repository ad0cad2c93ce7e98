"""The study with the same hostile text wherever a claim file, a corpus or a run record may bring one in."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import strategies as st

from audit.record import Audit, Run, TableRecord
from tests.reports import sample

HOSTILE = (
    '<script>alert("1")</script></title></svg></style><img src=x onerror=alert(1)>',
    "\"'><!-- --><![CDATA[ {{ 7*7 }}{% raw %} &lt; &amp; %s {0} {margin}",
    '=HYPERLINK("http://x","y")\nand\r\na third\ttab',
    "\u202eright to left\u202c and \u200fmark\u200b ]]> \x00\x07\x1b[31m\ud800",
    r"\input{/etc/passwd} $x_1^2$ {unbalanced } } % - [x](http://x) ![](y) **b** `c` | ~~s~~ # h",
    "x" * 10_000,
    "",
)
#: Any text at all, halves of surrogate pairs among it.
TEXTS = st.text(st.characters(), max_size=60) | st.sampled_from(HOSTILE)


def study_saying(text: str) -> Audit:
    """`text` as title, author, claim, method, table, row, data set, reason, command and finding."""
    audit = sample.study()
    return replace(
        audit,
        paper=replace(audit.paper, title=text, authors=(text, "B. Author"), venue=text, code_commit=text),
        claims=tuple(replace(it, says=text, dataset=text) for it in audit.claims),
        experiments=tuple(
            replace(it, title=text, protocol=text, runs=tuple(_run(run, text) for run in it.runs))
            for it in audit.experiments
        ),
        tables=tuple(_table(it, text) for it in audit.tables),
        verdicts=tuple(replace(it, badges=(text,)) for it in audit.verdicts),
        findings=tuple(
            replace(it, arithmetic=text, alternatives=(text,), where=text, note=text) for it in audit.findings
        ),
        command=text,
        tool_version=text,
        created=text,
    )


def _run(run: Run, text: str) -> Run:
    return replace(run, data=replace(run.data, name=text, recipe=text), reason=run.reason and text)


def _table(table: TableRecord, text: str) -> TableRecord:
    rows = tuple(replace(row, label=text) for row in table.rows)
    columns = tuple(replace(it, label=text) for it in table.columns)
    return replace(table, label=text, caption=text, rows=rows, columns=columns)
