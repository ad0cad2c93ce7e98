"""`audit work`: makes the runs of a plan on any machine that sees the store; `audit status` shows them."""

from __future__ import annotations

import time
from pathlib import Path

from audit.cli.app import app, command, say, say_on_stderr
from audit.errors import Exit
from audit.names import counted, span


@command(app, "work")
def work_command(*, store: Path = Path("audit-runs"), jobs: str | None = None) -> int:
    """Make the open runs of all plans in a store, on any machine."""
    from audit.pipeline.work import standings, work_off
    from audit.runner.progress import new_console

    code = work_off(store, jobs, new_console())
    if code == Exit.INTERRUPTED:
        return code
    left = sum(len(of.running) + len(of.begun) + len(of.waiting) for of in standings(store))
    others = f"{counted(left, 'run')} left, in progress elsewhere (`audit status --store {store}`)"
    say_on_stderr(f"{store}: {others if left else 'all runs are made'}")
    return code


@command(app, "status")
def status_command(*, store: Path = Path("audit-runs")) -> int:
    """Show which runs of a store are done, running or waiting."""
    from audit.pipeline.work import standings

    for standing in standings(store):
        states = ("done", "running", "begun", "waiting", "failed")
        parts = {state: len(getattr(standing, state)) for state in states}
        total = counted(sum(parts.values()), "run")
        shown = ", ".join(f"{n} {what}" for what, n in parts.items() if n)
        say(f"{standing.report}: {total}: {shown}", fold=True)
        for pulse in standing.running:
            since = span(max(1.0, time.time() - pulse.began))
            silent = time.time() - pulse.seen
            heard = f", last heard of {span(silent)} ago" if silent > 30 else ""
            where = f"on {pulse.host} (process {pulse.pid})"
            say(f"  {pulse.title}: {100 * pulse.share:.0f}% done, after {since} {where}{heard}", fold=True)
        for title in standing.begun:
            say(f"  {title}: begun; it continues from the last checkpoint")
        for title, reason in standing.failed.items():
            say(f"  {title}: failed: {reason}")
    return Exit.OK
