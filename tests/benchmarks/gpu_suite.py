"""Table 4 of the study at full size on a GPU, and one benchmark row on its own data; run by name.

    python tests/benchmarks/gpu_suite.py eurlex --data DIR [--jobs 3] [--vectors random:300]
    python tests/benchmarks/gpu_suite.py eurlex57k --data DIR [--jobs 3] [--vectors FILE]

`eurlex`: the six rows of Table 4 with three seeds each (length 500, 128 maps, 50 epochs) on a corpus of
EUR-Lex's size. `eurlex57k`: LibMultiLabel's Kim-CNN on EURLEX57K. Prints the card, the wall time and each
run's seconds, and leaves records and report in --out.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from pathlib import Path

SUITES = {
    "eurlex": ["chen2022", "--only", "t4"],
    "tables": ["chen2022", "--only", "t4", "--only", "t5"],
    "eurlex57k": ["libmultilabel2026"],
}
SHOWN = ("P@1", "P@3", "P@5", "RP@5", "nDCG@5")

SHOWN = ("P@1", "P@3", "P@5", "RP@5", "nDCG@5")


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("suite", choices=SUITES)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--vectors", default="random:300")
    parser.add_argument("--seeds", default="3")
    parser.add_argument("--jobs", default="3")
    parser.add_argument("--precision", default="tf32")
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--protocol", default="claimed")
    parser.add_argument("--out", type=Path, default=Path("gpu-suite"))
    options = parser.parse_args()
    store, report = options.out / "runs", options.out / "report"
    command = [sys.executable, "-m", "audit", "run", *SUITES[options.suite], "--data", str(options.data)]
    for name in ("vectors", "seeds", "jobs", "precision", "device", "protocol"):
        command += [f"--{name}", getattr(options, name)]
    began = time.perf_counter()
    code = subprocess.run([*command, "--store", str(store), "--out", str(report)], check=False).returncode
    wall = time.perf_counter() - began
    records = [json.loads(path.read_text()) for path in sorted(store.glob("*.json"))]
    for run in sorted(records, key=lambda run: (run["spec"]["variant"], run["spec"]["seed"])):
        name, memory = run["spec"]["variant"], (run["peak_memory_bytes"] or 0) / 2**30
        scores = "  ".join(f"{metric} {run['metrics'].get(metric, float('nan')):.2f}" for metric in SHOWN)
        print(
            f"{name:28} seed {run['spec']['seed']}  {run['status']}  {run['seconds']:7.1f} s  "
            f"{memory:5.2f} GiB  {len(run['curve'])} epochs  {scores}  {run['reason'] or ''}"
        )
    device = records[0]["device"] if records else "no run"
    print(
        f"{options.suite}: {len(records)} runs, {wall:.0f} s, {options.jobs} jobs, {device}; exit code {code}"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
