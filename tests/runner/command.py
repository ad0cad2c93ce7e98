"""A command in a process of its own: carries out the toy jobs on a store and says what it did.

    python command.py ROOT STORE SEEDS WORKERS EPOCHS

prints one JSON object: the seeds that were trained here, those that had to be waited for, those that have a
record at the end, and whether the command was interrupted.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[2]))

from audit.runner.execute import execute
from audit.storage.runs import Store
from tests.runner.jobs import Heard, make_jobs


def main(root: str, store: str, seeds: str, workers: str, epochs: str) -> None:
    jobs = make_jobs(Path(root), int(seeds), epochs=int(epochs))
    heard = Heard()
    print("ready", flush=True)
    outcome = execute(jobs, Store(Path(store)), heard, workers=int(workers), threads=1, checkpoint_every=0.0)
    trained = sorted({seed for seed, _ in heard.steps})
    answer = {
        "trained": trained,
        "waited": sorted(heard.waited),
        "records": sorted(run.spec.seed for run in outcome.runs.values()),
        "interrupted": outcome.interrupted,
    }
    print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
