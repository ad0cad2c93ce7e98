"""`audit run --until-settled`: seeds look by look where a claim is open, at levels declared beforehand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from audit.claim_names import counted
from audit.cli.app import verdict_code
from audit.cli.cost import is_open, seconds_of_runs
from audit.cli.idle import nothing_to_run, on_record
from audit.cli.looks import Budget, declared, listed
from audit.cli.report import write_files, write_report
from audit.cli.suite import Suite
from audit.durations import span
from audit.exit_codes import Exit
from audit.record import Audit, Look
from audit.stats.decision import Decision
from audit.stats.sequential import Schedule, step

if TYPE_CHECKING:
    from audit.planning import Outlook
    from audit.record import FidelityCheck
    from audit.runner import Job, Plan


def run_until_settled(suite: Suite, wanted: tuple[int, ...] | None, budget: Budget) -> Exit:
    """Look by look, until nothing is open that seeds could settle, or the looks, the budget or hope end."""
    first = suite.plan(seeds=1)
    if said := nothing_to_run(suite, first):
        suite.say(said)
        if not on_record(suite, first):
            return Exit.BAD_INPUT
    plan_of = declared(wanted, suite.looks(first))
    walk = _Walk(suite, plan_of, budget, _asked(first))
    return walk.go(first)


@dataclass
class _Walk:
    """The looks one after another; what an earlier command did is read from its records."""

    suite: Suite
    schedule: Schedule
    budget: Budget
    asked: frozenset[str]
    """Experiments that the user lets run."""
    audit: Audit | None = None
    """As the last look left it."""
    jobs: dict[str, Job] = field(default_factory=dict)
    """All that belong to the looks taken."""

    def go(self, first: Plan) -> Exit:
        open_experiments = _worth_running(self.suite, first)
        why = "no claim is open that seeds can settle"
        if open_experiments:
            self.suite.announce(self.suite.plan(seeds=self.schedule.looks[0], only=sorted(open_experiments)))
            self.suite.say(f"looks at {listed(self.schedule.looks)} seeds, which share the level")
        checks = self.suite.fidelity(first)
        for number, seeds in enumerate(self.schedule.looks, start=1):
            if not open_experiments:
                break
            plan = self.suite.plan(seeds=seeds, only=sorted(open_experiments))
            if over := self._over_budget(plan, seeds):
                why = over
                break
            if self.suite.carry_out(plan.jobs).interrupted:
                return Exit.INTERRUPTED
            outlooks = self._look(plan, checks, seeds)
            going_on, why = self._state(number, seeds, outlooks)
            open_experiments = frozenset(name for it in going_on for name in it.seeds_now) & self.asked
        return self._end(why)

    # ----------------------------------------------------------------- one look

    def _look(self, plan: Plan, checks: Sequence[FidelityCheck], seeds: int) -> list[Outlook]:
        """Judge, put it on record, and say what is open: claims that seeds can settle, and we may run."""
        from audit.planning import outlooks

        level = self.schedule.level(seeds)
        assert level is not None
        look = Look(seeds, level, self.schedule.looks)
        self.suite.ledger.take(look, self.suite.seen(plan))
        looks = self.suite.looks(plan)
        self.jobs |= {job.spec.key: job for job in plan.jobs}
        self.audit = self.suite.judge(plan, checks, looks)
        write_files(self.audit, self.suite.folder)
        found = outlooks(self.audit, alpha=self.schedule.levels[-1])
        return [
            it
            for it in found
            if it.by_seeds and self.asked.issuperset(it.seeds_now) and _is_meant(it.claim, self.suite)
        ]

    def _state(self, number: int, seeds: int, outlooks: Sequence[Outlook]) -> tuple[list[Outlook], str]:
        """The claims for which the next look is worth its time, and why there is none if there is none."""
        last = self.schedule.looks[-1]
        steps: Mapping[str, str] = {
            it.claim: step(
                self.schedule,
                seeds=seeds,
                decision=Decision("inconclusive", it.reason),
                power_at_last_look=it.chance(last),
            )
            for it in outlooks
        }
        going_on = [it for it in outlooks if steps[it.claim] == "go_on"]
        futile = sum(it == "futile" for it in steps.values())
        level = f"{100.0 * (self.schedule.level(seeds) or 0.0):.3g} %"
        self.suite.say(
            f"look {number} of {len(self.schedule.looks)}, {seeds} seeds, level {level}: "
            f"{counted(len(outlooks), 'claim')} open that seeds may settle"
            + (f", {futile} of them with less than 20 % power at {last} seeds" if futile else "")
        )
        if not outlooks:
            return [], "everything that seeds can settle is settled"
        if futile and not going_on:
            return [], f"futile: no open claim has 20 % power at {last} seeds"
        return going_on, f"that was the last look, at {last} seeds"

    # ----------------------------------------------------------------- time

    def _over_budget(self, plan: Plan, seeds: int) -> str | None:
        """Why the look does not fit into the time that is left, or None."""
        if self.budget.seconds is None:
            return None
        missing = [job for job in plan.jobs if is_open(self.suite, job)]
        needed = seconds_of_runs(self.suite, [plan], missing)
        if needed is None:  # one run is the price of knowing
            if self.suite.carry_out(missing[:1]).interrupted:
                raise KeyboardInterrupt
            missing = [job for job in plan.jobs if is_open(self.suite, job)]
            needed = seconds_of_runs(self.suite, [plan], missing)
        if not missing or needed is None or needed <= self.budget.left:
            return None
        return (
            f"budget: the look at {seeds} seeds needs about {span(needed)} for "
            f"{counted(len(missing), 'run')}, and {span(self.budget.left)} are left"
        )

    # ----------------------------------------------------------------- the end

    def _end(self, why: str) -> Exit:
        if self.audit is None:
            self.suite.say(f"stopped before the first look: {why}; nothing is judged")
            return Exit.OK
        from audit.label_strata import with_predictions

        self.audit = self.suite.with_splits(with_predictions(self.audit, self.suite.records))
        write_report(self.audit, self.suite.folder, self.suite.also)
        self.suite.say_of_looks(self.audit)
        taken = sum(look.seeds in self.schedule.looks for look in self.audit.looks)
        self.suite.say(f"stopped after {taken} of {len(self.schedule.looks)} looks: {why}")
        return Exit.RUNS_FAILED if self.suite.failures(list(self.jobs.values())) else verdict_code(self.audit)


def _asked(plan: Plan) -> frozenset[str]:
    return frozenset(it.id for it in plan.experiments if it.not_run is None)


def _is_meant(claim: str, suite: Suite) -> bool:
    """Whether `--only` leaves the claim in: where it names claims alone, only these keep the looks going.

    Others that rest on the same experiments are judged with them.
    """
    claims = {name for it in suite.paper.claim_records() for name in (it.id, it.claim)}
    named = set(suite.only)
    if not named or not named <= claims - set(suite.paper.single_experiments):
        return True
    return claim in named or claim.partition(":")[0] in named


def _worth_running(suite: Suite, plan: Plan) -> frozenset[str]:
    """Experiments behind claims that seeds can settle: all arms can be run, and on data that count."""
    from audit.judging import JUDGES

    asked, records = _asked(plan), {it.id: it for it in plan.experiments}
    found: set[str] = set()
    for claim in (it for it in suite.paper.claim_records() if _is_meant(it.id, suite)):
        names = set(claim.experiments)
        elsewhere = claim.kind == "value" and any(
            records[name].scope != "same_data" for name in names if name in records
        )
        if claim.kind in JUDGES and names and names <= asked and not elsewhere:
            found |= names
    return frozenset(found)
