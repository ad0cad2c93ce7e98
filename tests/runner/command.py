"""A command in a process of its own: carries out the toy jobs on a store and says what it did.

    python command.py ROOT STORE SEEDS WORKERS EPOCHS

prints one JSON object: the seeds that had to be waited for, those that have a record at the end, and whether
the command was interrupted; ROOT/trained gets a line for each run that was begun.
"""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path

sys.path.append(str(Path(__file__).parents[2]))

from audit.storage.runs import Store
from tests.runner.jobs import Counted, Heard, carry_out_all, make_jobs


def main(root: str, store: str, seeds: str, workers: str, epochs: str) -> None:
    jobs = make_jobs(Path(root), int(seeds), epochs=int(epochs))
    heard = Heard()
    log = Path(root) / "trained"
    jobs = [replace(job, data=Counted(**vars(job.data), log=log)) for job in jobs]
    print("ready", flush=True)
    how = {"workers": int(workers), "threads": 1, "checkpoint_every": 0.0}
    outcome = carry_out_all(jobs, Store(Path(store)), heard, **how)
    answer = {
        "waited": sorted(heard.waited),
        "records": sorted(run.spec.seed for run in outcome.runs.values()),
        "interrupted": outcome.interrupted,
    }
    print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
