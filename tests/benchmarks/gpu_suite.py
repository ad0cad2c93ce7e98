"""What one GPU does with the models at full size, in about ten minutes; leaves records and one table in
--out.

    python tests/benchmarks/gpu_suite.py --data DIR [--device cuda] [--epochs 3] [--steps 120] [--out
    gpu-suite]

DIR is a corpus of EUR-Lex's size with texts. In turn: the six rows of Table 4 of Chen et al. 2022 with one
seed and few epochs, one at a time and four at a time; one seed run twice; float32, tf32 and bf16 against
each other; single steps of AttentionXML, CorNet, BERT-XML's neighbour MeSHProbeNet, APLC-XLNet and Rank-AE
with peak memory and the number of times that the host waits; LibMultiLabel's XML-CNN beside ours, where it
is installed. With `--device cpu --steps 12 --epochs 1` and a small corpus the same script is tried without a
GPU."""

from __future__ import annotations

import argparse
import importlib.util
import sys
import time
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import torch

from audit.claims.load import claim_paths, load
from audit.errors import PlanError
from audit.runner import make_plan
from audit.runner.engines import engine_of, resources_of
from audit.runner.execute import Means, execute, train_job
from audit.runner.plan import Job
from audit.runner.progress import Screen, new_console
from audit.runner.resolve import checked
from audit.settings import RunSettings
from audit.storage.runs import Store
from reimpl.machine import is_out_of_memory, peak_memory, reset_peak_memory
from reimpl.training import Interrupted, Watch

#: Paper and experiment of the models whose steps are measured.
STEPPED = [
    ("chen2022", "xml_words_eq6"),
    ("you2019", "attention_xml_1-eurlex"),
    ("xun2020", "cornet_xml_cnn-eurlex"),
    ("xun2020", "mesh_probenet-eurlex"),
    ("ye2020", "aplc_xlnet-eurlex"),
    ("wang2019", "rank_ae-eurlex"),
]
#: Steps before the clock starts.
WARM = 0.25


class Suite:
    def __init__(self, options: argparse.Namespace) -> None:
        self.options, self.device = options, torch.device(options.device)
        self.rows: list[Sequence[str]] = []
        self.store = options.out / "runs"

    def jobs(self, paper: str, only: str, precision: str = "float32", *, whole: bool = False) -> list[Job]:
        """One job an experiment, with the claimed protocol; in few epochs, but for a `whole` one."""
        options = self.options
        settings = RunSettings(
            data=options.data,
            only=only,
            seeds=1,
            precision=precision,
            device=options.device,
            protocol=options.protocol,
            vectors=options.vectors,
            untuned=True,
            store=self.store,
        )
        plan = make_plan(load(claim_paths([paper])[0]), checked(settings))
        if not plan.jobs:
            raise PlanError("; ".join([*plan.idle, *(it.not_run or "" for it in plan.experiments[:1])]))
        if whole:
            return list(plan.jobs)
        few = {"epochs": options.epochs, "evaluate": "end", "select": "last"}
        found = [replace(job.spec, protocol={**job.spec.protocol, **few}) for job in plan.jobs]
        return [replace(job, spec=spec) for job, spec in zip(plan.jobs, found, strict=True)]

    def carry_out(self, jobs: Sequence[Job], store: Path, at_once: int) -> tuple[float, list[Any]]:
        """Wall-clock seconds and the records."""
        began = time.perf_counter()
        with Screen(len(jobs), new_console(), workers=at_once) as screen:
            engine = engine_of("local", at_once, resources_of(None))
            outcome = execute(jobs, Means(Store(store)), screen, engine)
        return time.perf_counter() - began, [outcome.runs[job.spec.key] for job in jobs]

    def add(self, what: str, *cells: object) -> None:
        self.rows.append([what, *map(str, cells)])
        print(" | ".join(self.rows[-1]), flush=True)

    # ----------------------------------------------------------------------------------------------- parts

    def table_4(self) -> None:
        jobs = self.jobs("chen2022", "t4")
        alone, runs = self.carry_out(jobs, self.store, 1)
        for job, run in zip(jobs, runs, strict=True):
            memory = f"{(run.peak_memory_bytes or 0) / 2**30:.2f} GiB"
            scores = f"P@1 {run.metrics.get('P@1', float('nan')):.2f}"
            self.add(f"Table 4 {job.title}", f"{run.seconds:.1f} s", memory, scores, run.reason or run.device)
        together, _ = self.carry_out(jobs, self.options.out / "four", 4)
        self.add("Table 4, one at a time / four at a time", f"{alone:.1f} s / {together:.1f} s")

    def twice(self) -> None:
        """Whether a seed gives the same bits again."""
        job = self.jobs("chen2022", "xml_words_eq6")
        _, (first,) = self.carry_out(job, self.store, 1)
        _, (second,) = self.carry_out(job, self.options.out / "again", 1)
        again = Store(self.options.out / "again")
        arrays = [Store(self.store).predictions(first.key), again.predictions(second.key)]
        ids, scores = ([np.asarray((array or {})[name]) for array in arrays] for name in ("ids", "scores"))
        apart = float(np.abs(scores[0] - scores[1]).max())
        same = np.array_equal(ids[0], ids[1]) and apart == 0
        other = f"scores up to {apart:.2g} apart, {np.mean(ids[0] != ids[1]):.2%} of ids"
        said = "the same bits" if same else other
        self.add("one seed run twice", said, f"P@1 {first.metrics['P@1']:.2f} / {second.metrics['P@1']:.2f}")

    def precisions(self) -> None:
        for precision in ("float32", "tf32", "bf16") if self.device.type == "cuda" else ("float32", "bf16"):
            jobs = self.jobs("chen2022", "xml_words_eq6", precision)
            _, (run,) = self.carry_out(jobs, self.store, 1)
            milliseconds, memory, waits = self.steps(jobs[0])
            self.add(f"XML-CNN in {precision}", f"P@1 {run.metrics['P@1']:.2f}", milliseconds, memory, waits)

    def models(self) -> None:
        for paper, experiment in STEPPED:
            for precision in ("float32", "bf16"):
                try:
                    (job,) = self.jobs(paper, experiment, precision, whole=True)
                    self.add(f"{experiment} in {precision}", *self.steps(job))
                except Exception as err:  # what one model lacks does not end the others
                    self.add(f"{experiment} in {precision}", f"{type(err).__name__}: {err}"[:160])

    def steps(self, job: Job) -> tuple[str, str, str]:
        """Of a step: milliseconds, the peak of memory, and how often the host waits for the device."""
        asked, began, count, warm = 0, 0.0, self.options.steps, int(self.options.steps * WARM)
        seen: list[Any] = []

        def stop() -> bool:
            nonlocal asked, began
            asked += 1
            if asked == warm:
                self.synchronise()
                seen.clear()
                began = time.perf_counter()
            if asked > count:
                self.synchronise()
                began = time.perf_counter() - began
            return asked > count

        reset_peak_memory(self.device)
        with self.waits(seen):
            try:
                train_job(job, job.data.load(), None, Watch(stop=stop))
                raise RuntimeError(f"the training is over after {asked} steps; give fewer --steps")
            except Interrupted:
                pass
        memory = f"{(peak_memory(self.device) or 0) / 2**30:.2f} GiB"
        return (
            f"{1000 * began / (count - warm):.2f} ms a step",
            memory,
            f"{len(seen) / (count - warm):.2f} waits",
        )

    def synchronise(self) -> None:
        if self.device.type == "cuda":
            torch.cuda.synchronize()

    @contextmanager
    def waits(self, seen: list[Any]) -> Iterator[None]:
        """Synchronising calls that CUDA tells of go into the list; the two looks of the clock are no such."""
        if self.device.type != "cuda":
            yield
            return
        with warnings.catch_warnings():
            warnings.simplefilter("always")
            warnings.showwarning = lambda message, *_, **__: seen.append(message)  # type: ignore[assignment]
            torch.cuda.set_sync_debug_mode("warn")
            try:
                yield
            finally:
                torch.cuda.set_sync_debug_mode("default")

    def beside(self) -> None:
        """A step of LibMultiLabel's XML-CNN, made as it makes it, on batches like ours."""
        if importlib.util.find_spec("libmultilabel") is None:
            self.add("LibMultiLabel's XML-CNN", "not installed")
            return
        networks = importlib.import_module("libmultilabel.nn.networks")
        (job,) = self.jobs("chen2022", "xml_words_eq6")
        data, config, protocol = job.data.load(), job.spec.config, job.spec.protocol
        network = networks.XMLCNN(
            torch.from_numpy(np.asarray(data.vectors)),
            data.n_labels,
            filter_sizes=list(config["windows"]),
            num_filter_per_size=config["maps"],
            hidden_dim=config["hidden"],
            num_pool=config["pools"],
        ).to(self.device)
        optimiser = torch.optim.Adam(network.parameters())
        size, length = protocol["batch_size"], protocol["length"]
        text = torch.randint(1, len(data.vectors), (size, length), device=self.device)
        target = (torch.rand(size, data.n_labels, device=self.device) < 5 / data.n_labels).float()
        count = self.options.steps
        for step in range(count):
            if step == int(count * WARM):
                self.synchronise()
                began = time.perf_counter()
            optimiser.zero_grad()
            logits = network({"text": text})["logits"]
            torch.nn.functional.binary_cross_entropy_with_logits(logits, target).backward()
            optimiser.step()
        self.synchronise()
        each = 1000 * (time.perf_counter() - began) / (count - int(count * WARM))
        self.add("LibMultiLabel's XML-CNN, words of full length", f"{each:.2f} ms a step")


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--vectors", default="random:300")
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--protocol", default="claimed")
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--steps", type=int, default=120)
    parser.add_argument("--out", type=Path, default=Path("gpu-suite"))
    options = parser.parse_args()
    suite = Suite(options)
    began = time.perf_counter()
    for part in (suite.models, suite.precisions, suite.beside, suite.twice, suite.table_4):
        try:
            part()
        except Exception as err:  # the other parts are worth their minutes
            short = " (out of memory)" if is_out_of_memory(err) else ""
            suite.add(part.__name__, f"failed{short}: {type(err).__name__}: {err}"[:200])
    name = torch.cuda.get_device_name() if suite.device.type == "cuda" else "cpu"
    suite.add("in all", f"{time.perf_counter() - began:.0f} s", name, f"torch {torch.__version__}")
    options.out.mkdir(parents=True, exist_ok=True)
    (options.out / "table.md").write_text("".join(f"| {' | '.join(row)} |\n" for row in suite.rows))
    return 0


if __name__ == "__main__":
    sys.exit(main())
