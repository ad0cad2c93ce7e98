"""The device and the precision that a user asks for."""

from __future__ import annotations

from audit.errors import AuditError, option


def device_of(wanted: str) -> str:
    """cpu, cuda or cuda:N. Raises `AuditError` for another word, and for a device that is not there."""
    kind, _, number = wanted.partition(":")
    if wanted not in ("auto", "cpu", "cuda") and not (kind == "cuda" and number.isdecimal()):
        raise AuditError(f"{option('device')} {wanted!r} is unknown; known are auto, cpu, cuda and cuda:N")
    if wanted == "cpu":
        return wanted
    import torch

    there = torch.cuda.device_count() if torch.cuda.is_available() else 0
    if wanted == "auto":
        return "cuda" if there else "cpu"
    if int(number or 0) >= there:
        raise AuditError(
            f"{option('device', wanted)}: torch {torch.__version__} finds {there} CUDA devices, counted "
            f"from 0; use another one or {option('device', 'cpu')}"
        )
    return wanted


def check_precision(precision: str, device: str) -> None:
    """Raises `AuditError` for one that is unknown, or that the device has not."""
    known = ("float32", "tf32", "bf16")
    if precision not in known:
        raise AuditError(f"{option('precision')} {precision!r} is unknown; known are {', '.join(known)}")
    if precision == "tf32" and device == "cpu":
        raise AuditError(f"{option('precision', 'tf32')}: a CPU has none; use float32 or bf16")
