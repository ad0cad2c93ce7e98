"""Turns experiments and seeds into run records. The only part of the engine that imports `reimpl`, and only
when needed."""

from audit.runner.plan import Job, Plan, make_plan

__all__ = ["Job", "Plan", "make_plan"]
