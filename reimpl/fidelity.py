"""Fidelity gate: does a re-implementation compute what the public code and the papers say it should? No
verdict may contradict a paper unless the model behind it passed. The checks of `reimpl/foo.py` are the
numbers of the public code in `reimpl/reference/stored/foo/`, or those of `checks()` in its module: pairs of
name and test, which returns a sentence or raises. A model without checks does not pass. Second
implementations are tests: `tests/fidelity/`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

import torch
from torch import Tensor

from reimpl.models import find_model, known_models
from reimpl.optim import OPTIMISERS, with_sparse_gradients
from reimpl.reference.networks import SUBJECTS, Case, Subject, Tensors
from reimpl.reference.numbers import Array, MismatchError, Test, arrays, close, close_after_step, manifest

__all__ = ["Array", "Check", "MismatchError", "Test", "arrays", "check", "close", "close_after_step"]
__all__ += ["manifest"]


@dataclass(frozen=True)
class Check:
    model: str
    name: str
    passed: bool
    detail: str  # One sentence: what was compared and how close it came, or where it departs


def check(model: str) -> tuple[Check, ...]:
    """All fidelity checks of `reimpl/<model>.py`, never empty; the model is faithful if all passed. Never
    raises for a faulty model; torch's random state and number of threads stay as they were."""
    tests = _collect(model)
    if isinstance(tests, str):
        return (Check(model, "fidelity checks", False, tests),)
    threads = torch.get_num_threads()
    torch.set_num_threads(1)  # the arrays are small: more threads only wait for each other
    try:
        # devices=[]: the checks run on the CPU; forking the state of a GPU would only wake it up.
        with torch.random.fork_rng(devices=[]), torch.enable_grad():
            return tuple(_run(model, name, test) for name, test in tests)
    finally:
        torch.set_num_threads(threads)


def _collect(model: str) -> list[tuple[str, Test]] | str:
    tests: list[tuple[str, Test]] = []
    try:
        if model in SUBJECTS:
            for of in (model, "aplc") if model == "aplc_xlnet" else (model,):  # its clusters, too
                stored = manifest(of)
                cases = ({**stored, **case} for case in stored["cases"])
                tests += [(case["case"], partial(_compare, of, case)) for case in cases]
        elif model in known_models() and hasattr(module := find_model(model), "checks"):
            tests += module.checks()
    except (Exception, SystemExit) as err:
        return f"the fidelity checks of {model!r} cannot be read: {_sentence(err)}"
    return tests or "there are none: no results of the original are stored, so runs cannot contradict a claim"


def _run(model: str, name: str, test: Test) -> Check:
    try:
        return Check(model, name, True, test())
    except MismatchError as err:
        return Check(model, name, False, str(err))
    except (Exception, SystemExit) as err:
        # Wrong shapes end here, as when weights do not fit; one broken check must not hide the others.
        return Check(model, name, False, f"stopped by {_sentence(err)}")


def _sentence(err: BaseException) -> str:
    return f"{type(err).__name__}: " + " ".join(str(err).split())


# ------------------------------------------------------------ stored results of public code, for any model
# A case is an entry of `manifest.json` in the folder of a model and an .npz file beside it, with arrays
# `weight.*`, `state.*` (running values), `input.*`; in float32 `output.*`, `loss.*`, `after_forward.*`
# (running values) and `step.LOSS.*` (weights after one step of the optimiser at 1e-3); in float64 the same
# results and `grad.LOSS.*` under `f64.` (where there are none, gradients in float32). The arrays of weights
# were renamed and laid out as our parameters are. Everything else is read from the manifest, and
# `reimpl.reference.networks` says how a network is built and called.


def _compare(model: str, case: Case) -> str:
    subject = SUBJECTS[model]
    stored = arrays(model, case["file"])
    results = {name for name in stored if not name.startswith(("weight.", "state.", "input."))}
    gaps: dict[str, float] = {}
    for dtype, tolerance in case["tolerance"].items():
        run = _Run(subject, case, stored, getattr(torch, dtype))
        prefix = "f64." if dtype == "float64" else ""
        with_gradients = any(name.startswith(f"{prefix}grad.") for name in results)
        for name, value in run.results().items():
            key = prefix + name
            if key in results:
                gaps[key] = close(key, value.detach().numpy(), stored[key], tolerance=tolerance)
            elif name.startswith("grad.") and with_gradients and value.any():
                raise MismatchError(f"{key}: a gradient, where the public code has none")
    for loss in {name.split(".")[1] for name in results if name.startswith("step.")}:
        gaps |= _step(_Run(subject, case, stored, torch.float32), loss)
    if gaps.keys() != results:
        raise MismatchError(f"we have no counterpart of {', '.join(sorted(results ^ gaps.keys()))}")
    source = f"{case['source']['repository']} {case['source']['commit'][:7]}"
    return f"{len(gaps)} stored results of {source} agree within {max(gaps.values()):.0e}"


def _step(run: _Run, loss: str) -> dict[str, float]:
    optimiser = run.case["optimiser"]
    if optimiser == "dense_sparse_adam":
        with_sparse_gradients(run.network)
    decay = run.case.get("weight_decay", 0.0)
    step = OPTIMISERS[optimiser](run.network.parameters(), lr=1e-3, weight_decay=decay)
    run.forward()[1][loss].backward()  # type: ignore[no-untyped-call]
    step.step()
    gaps = {}
    for name, weight in run.network.named_parameters():
        key, gradient = f"step.{loss}.{name}", f"grad.{loss}.{name}"
        if key in run.stored:
            gaps[key] = close_after_step(
                key,
                weight.detach().numpy(),
                run.stored[key],
                before=run.stored[f"weight.{name}"],
                gradient=run.stored.get(f"f64.{gradient}", run.stored.get(gradient)),  # type: ignore[arg-type]
                decay=decay,
            )
    return gaps


class _Run:
    def __init__(self, subject: Subject, case: Case, stored: Mapping[str, Array], dtype: torch.dtype) -> None:
        self.subject, self.case, self.stored = subject, case, stored
        weights, state, self.inputs = (
            {key.removeprefix(part): torch.from_numpy(stored[key]) for key in stored if key.startswith(part)}
            for part in ("weight.", "state.", "input.")
        )
        self.network = subject.build(case, weights, self.inputs)
        # Strict but for buffers: raises for any difference in the names and shapes of the weights.
        held = self.network.state_dict()  # with the buffers that last
        buffers = {name: value for name, value in self.network.named_buffers() if name in held}
        self.network.load_state_dict({**buffers, **weights, **state})
        self.network.to(dtype).train(case.get("mode") == "train")
        for name, value in self.inputs.items():
            if any(result.endswith(f".input.{name}") for result in stored):
                self.inputs[name] = value.to(dtype).requires_grad_()

    def forward(self) -> tuple[Tensors, Tensors]:
        outputs = self.subject.outputs(self.network, self.inputs, self.case)
        return outputs, self.subject.losses(self.network, outputs, self.inputs, self.case)

    def results(self) -> dict[str, Tensor]:
        """All but the steps, under the names of the stored arrays of float32."""
        outputs, values = self.forward()
        tensors = {f"output.{name}": value for name, value in outputs.items()}
        tensors |= {f"after_forward.{n}": value.clone() for n, value in self.network.named_buffers()}
        for loss, value in values.items():
            self.network.zero_grad()
            for tensor in self.inputs.values():
                tensor.grad = None
            value.backward(retain_graph=True)  # type: ignore[no-untyped-call]
            tensors[f"loss.{loss}"] = value
            given = {f"input.{n}": tensor for n, tensor in self.inputs.items() if tensor.requires_grad}
            for name, tensor in (given | dict(self.network.named_parameters())).items():
                gradient = torch.zeros_like(tensor) if tensor.grad is None else tensor.grad.to_dense()
                tensors[f"grad.{loss}.{name}"] = gradient.clone()
        return tensors
