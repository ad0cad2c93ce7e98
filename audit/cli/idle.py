"""What is said where nothing was run: an empty report must not look as if all had been tried."""

from __future__ import annotations

from typing import TYPE_CHECKING

from audit.claim_names import counted

if TYPE_CHECKING:
    from audit.cli.suite import Suite
    from audit.runner import Plan


def nothing_to_run(suite: Suite, plan: Plan) -> str:
    """Why the plan holds no run, in a sentence; empty where it holds some."""
    if plan.jobs:
        return ""
    from audit.manifest import BY_COMMAND
    from audit.runner.plan import LEFT_OUT

    idle = [it for it in plan.experiments if it.not_run and it.not_run != LEFT_OUT]
    named = f" by --only {', '.join(suite.only)}" if suite.only else ""
    key = suite.paper.paper.key
    if suite.only:
        from audit.runner.plan import selected

        wanted = selected(suite.paper, suite.only) or set()
        idle = [it for it in idle if it.id in wanted]
    if any(it.not_run == BY_COMMAND for it in idle):
        return ""  # what became of these is told where they are run
    if not idle:
        return f"{key}: nothing was run: no experiment is selected{named}; `audit list {key}` shows all"
    reasons = list(dict.fromkeys(it.not_run.rstrip(".") for it in idle if it.not_run))
    more = f", and {len(reasons) - 1} other reasons" if len(reasons) > 1 else ""
    return (
        f"{key}: nothing was run: {counted(len(idle), 'experiment')} selected{named}, and none can be run "
        f"here ({idle[0].id}: {reasons[0]}{more}); `audit list {key}` shows which can, and `audit check "
        f"{key}` needs no run"
    )


def on_record(suite: Suite, plan: Plan) -> bool:
    """Whether there is anything to judge by: runs of an earlier command, or others' results."""
    keys = {key for keys in plan.keys.values() for key in keys}
    return bool(suite.imported) or any(suite.records.get(key) is not None for key in keys)
