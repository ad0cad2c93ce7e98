"""One printed number over three split columns, for the tests of the page."""

from __future__ import annotations

from audit.record import SplitNoise

NOISE = SplitNoise(
    experiment="kim_words",
    metric="P@1",
    columns=(0, 1, 3),
    values=(66.0, 68.0, 70.0),
    attempts=4,
    column=0,
    seeds=(0, 1),
    seed_values=(66.0, 66.5),
    mean=68.0,
    sd_columns=2.0,
    sd_seeds=0.25,
    sd_split=1.98,
    pi95_column=(58.06, 77.94),
    ci95_columns=(67.0, 69.0),
    pi95_mean=(66.59, 69.41),
    printed="75.83",
)
