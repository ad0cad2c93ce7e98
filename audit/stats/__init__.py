"""Statistical rules as pure functions of numbers.

Reads from the bottom up: `student` (t distribution), `sample` (mean, SD), `printed` and `spread` (what the
paper prints), `margin` (how far off is the same); then the tests, each giving a `Decidable` (`decision`):

    one printed number    `value`, `gap`, by the rules of `target`
    two arms              `order`, `equivalence`, `cost`, `convergence`, by `difference`
    several arms          `ranking`, `trend`, `optimum`, `dominance`, by `conjunction`
    a curve               `growth`

`multiplicity` takes all claims of a paper together, `sequential` all looks at one claim; `power` and
`planning` say how many seeds would settle it. Shown beside verdicts, never deciding one: `mcnemar`,
`bootstrap` and `share`. Nothing here knows of runs, claims or files.
"""
