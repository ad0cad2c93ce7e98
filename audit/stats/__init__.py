"""Statistical rules as pure functions of numbers; the tests of claims are made of them in `audit.kinds`.

From the bottom up: `printed` (what the paper prints), `sample` (t distribution, mean, SD, moderated
variances, errors of differences), `decision` (p-values to outcomes, bands of margins, steps), `families`
(many tests together, several looks), `power` (how many seeds would settle it). Shown beside verdicts, never
deciding one: `documents`. Nothing here knows of runs, claims or files.
"""
