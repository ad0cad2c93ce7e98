"""Fidelity gate: does a re-implementation compute what the public code and the papers say it should? No
verdict may contradict a paper unless the model behind it passed. The checks of `reimpl/foo.py` are the
numbers of the public code in `reimpl/reference/stored/foo/`, or those of `checks()` in its module: pairs of
name and test, which returns a sentence or raises. A model without checks does not pass. Second
implementations are tests: `tests/fidelity/`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial

import torch
from torch import Tensor

from reimpl.models import find_model, known_models
from reimpl.optim import OPTIMISERS, with_sparse_gradients
from reimpl.reference.networks import SUBJECTS, Case, Subject, Tensors
from reimpl.reference.numbers import (
    Array,
    MismatchError,
    Test,
    arrays,
    close,
    close_after_step,
    has_stored,
    manifest,
)

__all__ = ["Array", "Check", "MismatchError", "Test", "arrays", "check", "close", "close_after_step"]
__all__ += ["manifest"]


@dataclass(frozen=True)
class Check:
    """What one check of one model came to."""

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
        if has_stored(model):
            for of in (model, "aplc") if model == "aplc_xlnet" else (model,):  # its clusters, too
                stored = manifest(of)
                shared = {key: stored[key] for key in ("tolerance", "not_compared") if key in stored}
                cases = ({**shared, **case} for case in stored["cases"])
                tests += [(case["case"], partial(_compare, of, case)) for case in cases]
        elif model in known_models() and hasattr(module := find_model(model), "checks"):
            tests += module.checks()
    except (Exception, SystemExit) as err:
        return f"the fidelity checks of {model!r} cannot be read: {_sentence(err)}"
    return tests or f"no fidelity checks: there are no numbers of {model!r} in reimpl.reference"


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
# results and `grad.LOSS.*` under `f64.` (where there are none, gradients in float32). Everything else is read
# from the manifest, and `reimpl.reference.networks` says how a network is built, called and named.


def _compare(model: str, case: Case) -> str:
    subject = SUBJECTS[model]
    stored = subject.layout(arrays(model, case["file"]))
    results = {
        name
        for name in stored
        if not name.startswith(("weight.", "state.", "input."))
        and not name.endswith(tuple(case.get("not_compared", ())))
    }
    with_gradients = {name.rsplit(".", 1)[0] for name in results if "grad." in name}
    gaps: dict[str, float] = {}
    for dtype, tolerance in case["tolerance"].items():
        run = _Run(subject, case, stored, getattr(torch, dtype))
        for name, value in run.results().items():
            key = f"f64.{name}" if dtype == "float64" else name
            if key in results:
                gaps[key] = close(key, value.detach().numpy(), stored[key], tolerance=tolerance)
            elif name.startswith("grad.") and key.rsplit(".", 1)[0] in with_gradients and value.any():
                raise MismatchError(f"{key}: a gradient, where the public code has none")
    for loss in {name.split(".")[1] for name in results if name.startswith("step.")}:
        gaps |= _step(_Run(subject, case, stored, torch.float32), loss)
    if gaps.keys() != results:
        raise MismatchError(f"nothing of ours answers to {', '.join(sorted(results ^ gaps.keys()))}")
    return (
        f"{len(gaps)} stored results of {case['source']['repository']} {case['source']['commit'][:7]} agree, "
        f"the farthest within {max(gaps.values()):.0e}"
    )


def _step(run: _Run, loss: str) -> dict[str, float]:
    optimiser = run.case["optimiser"]
    if optimiser == "dense_sparse_adam":
        with_sparse_gradients(run.network)
    decay = run.case.get("weight_decay", 0.0)
    step = OPTIMISERS[optimiser](run.network.parameters(), lr=1e-3, weight_decay=decay)
    run.forward()[1][loss].backward()  # type: ignore[no-untyped-call]
    step.step()
    gaps = {}
    for name, weight in run.parameters(lambda parameter: parameter.detach()).items():
        key, gradient = f"step.{loss}.{name}", f"grad.{loss}.{name}"
        if key in run.stored:
            gaps[key] = close_after_step(
                key,
                weight.numpy(),
                run.stored[key],
                before=run.stored[f"weight.{name}"],
                gradient=run.stored.get(f"f64.{gradient}", run.stored.get(gradient)),  # type: ignore[arg-type]
                decay=decay,
            )
    return gaps


class _Run:
    """The network of a case in one number format, with its stored weights and input."""

    def __init__(self, subject: Subject, case: Case, stored: Mapping[str, Array], dtype: torch.dtype) -> None:
        self.subject, self.case, self.stored = subject, case, stored
        parts: dict[str, dict[str, Tensor]] = {"weight": {}, "input": {}, "state": {}}
        for key, array in stored.items():
            part, _, name = key.partition(".")
            if part in parts and not name.endswith("_tracked"):
                parts[part][name] = torch.from_numpy(array)
        self.inputs = parts["input"]
        self.network = subject.build(case, parts["weight"], self.inputs)
        self._fill(self.network.named_parameters(), parts["weight"])
        if parts["state"]:
            self._fill(self._running(), parts["state"])
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
        tensors |= {f"after_forward.{n}": value.clone() for n, value in self._named(self._running()).items()}
        for loss, value in values.items():
            self.network.zero_grad()
            for tensor in self.inputs.values():
                tensor.grad = None
            value.backward(retain_graph=True)  # type: ignore[no-untyped-call]
            tensors[f"loss.{loss}"] = value
            tensors |= {f"grad.{loss}.{n}": g.clone() for n, g in self.parameters(_gradient).items()}
            given = {n: tensor.grad for n, tensor in self.inputs.items() if tensor.grad is not None}
            tensors |= {f"grad.{loss}.input.{name}": gradient for name, gradient in given.items()}
        return tensors

    def parameters(self, part: Callable[[Tensor], Tensor]) -> dict[str, Tensor]:
        """A tensor of each parameter (itself, its gradient), under the stored names and in their layout."""
        return self._named((name, part(parameter)) for name, parameter in self.network.named_parameters())

    def _place(self, name: str) -> tuple[str, str]:
        """The stored name of a parameter of ours, and `+` (lower rows), `.T` (transposed) or nothing."""
        stored = self.subject.rename(self.network, name)
        plain = stored.removesuffix("+").removesuffix(".T")
        return plain, stored.removeprefix(plain)

    def _named(self, ours: Iterable[tuple[str, Tensor]]) -> dict[str, Tensor]:
        """Tensors of ours under the stored names and in their layout."""
        named: dict[str, Tensor] = {}
        placed = sorted(((*self._place(name), tensor) for name, tensor in ours), key=lambda place: place[:2])
        for name, mark, tensor in placed:
            if mark == "+":
                named[name] = torch.cat((named[name], tensor))
            elif name in named:
                raise MismatchError(f"two parameters of ours answer to {name}")
            else:
                named[name] = tensor.t() if mark == ".T" else tensor
        return named

    def _running(self) -> list[tuple[str, Tensor]]:
        ends = ("running_mean", "running_var")
        return [(name, value) for name, value in self.network.named_buffers() if name.endswith(ends)]

    def _fill(self, ours: Iterable[tuple[str, Tensor]], stored: Tensors) -> None:
        """Copies stored arrays into tensors of the same names; raises `MismatchError` for any difference."""
        ours = list(ours)
        shapes = {name: tuple(tensor.shape) for name, tensor in self._named(ours).items()}
        if others := ", ".join(sorted(shapes.keys() ^ stored.keys())):
            raise MismatchError(f"the network and the public code's do not have the same weights: {others}")
        for name, shape in shapes.items():
            if shape != tuple(stored[name].shape):
                raise MismatchError(f"{name} has shape {shape}, not {tuple(stored[name].shape)}")
        for name, tensor in ours:
            place, mark = self._place(name)
            array = stored[place].t() if mark == ".T" else stored[place]
            tensor.detach().copy_(array[-len(tensor) :] if mark == "+" else array[: len(tensor)])


def _gradient(parameter: Tensor) -> Tensor:
    return torch.zeros_like(parameter) if parameter.grad is None else parameter.grad.to_dense()
