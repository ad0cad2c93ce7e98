"""Turns experiments and seeds into run records; the only part that imports `reimpl`, when it needs it."""

from audit.runner.plan import Job, Plan, make_plan

__all__ = ["Job", "Plan", "make_plan"]
