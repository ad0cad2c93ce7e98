"""Statistical rules as pure functions of numbers.

Reads from the bottom up: `student` (t distribution), `sample` (mean, SD), `printed` (the paper's number);
then one module per kind of claim (`value`, `order`, `equivalence`), each giving a `Decidable` (`decision`),
and `multiplicity` for all claims of a paper together. Nothing here knows of runs, claims or files.
"""
