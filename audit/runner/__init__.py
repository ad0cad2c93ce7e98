"""Experiments x seeds -> run records. The only part of the engine that reaches into `reimpl`, and lazily."""

from audit.runner.plan import Job, Plan, make_plan

__all__ = ["Job", "Plan", "make_plan"]
