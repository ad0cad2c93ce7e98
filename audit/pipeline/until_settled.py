"""`audit run --until-settled`: seeds look by look where a claim is open, at levels declared beforehand."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from audit.errors import AuditError
from audit.judging.looks import with_look
from audit.judging.plan import Outlook, outlooks
from audit.kinds import KINDS
from audit.names import counted, span
from audit.pipeline.suite import Suite
from audit.record import Audit, Look
from audit.runner import Job, Plan
from audit.stats.power import FUTILE

DEFAULT_LOOKS = (3, 5, 8, 12, 20)
_clock = time.monotonic


def looks_of(text: str) -> tuple[int, ...]:
    """The looks of `3,5,8`. Raises `AuditError`."""
    parts = [part.strip() for part in text.split(",")]
    if all(part.isascii() and part.isdecimal() and len(part) < 5 for part in parts):
        looks = tuple(int(part) for part in parts)
        if list(looks) == sorted(set(looks)) and looks[0] >= 2 and looks[-1] <= 1000:
            return looks
    raise AuditError(f"--looks {text!r}: write growing numbers of seeds from 2 to 1000, as in 3,5,8")


def declared(wanted: tuple[int, ...] | None, taken: Sequence[Look]) -> dict[int, float]:
    """Number of seeds -> level, of the looks to go by: a new one, which shares what earlier looks left, or
    the one that was begun. Raises `AuditError` for other looks than those that were begun."""
    old = max((look.declared for look in taken), key=len, default=())
    if old and wanted not in (None, old):
        raise AuditError(
            f"--looks {_listed(wanted or ())}: looks were declared as {_listed(old)}, which share all of the "
            "level; go on with those"
        )
    looks = old or wanted or DEFAULT_LOOKS
    before = [*taken, Look(looks[-1], 0.0, looks)]
    return {n: with_look(before, n, looks).level for n in looks}


def _listed(looks: Sequence[int]) -> str:
    return ",".join(map(str, looks))


@dataclass
class UntilSettled:
    """The looks one after another; what an earlier command did is read from its records."""

    suite: Suite
    wanted: tuple[int, ...] | None  # Looks that the user asks for; None: those that were begun, or the usual.
    seconds: float | None  # Wall-clock time of the whole command; None for no limit.
    publish: Callable[[Audit], object]  # Gets the audit as each look leaves it.
    began: float = field(default_factory=lambda: _clock())
    audit: Audit | None = field(default=None, init=False)  # As the last look left it.
    jobs: dict[str, Job] = field(default_factory=dict, init=False)  # All that belong to the looks taken.
    why: str = field(default="no claim is open that seeds can settle", init=False)  # Why it ended.
    interrupted: bool = field(default=False, init=False)
    nothing_to_run: bool = field(default=False, init=False)

    def run(self) -> UntilSettled:
        """Look by look, until nothing is open that seeds could settle, or the looks, time or hope end."""
        suite, first = self.suite, self.suite.plan(seeds=1)
        self.schedule = declared(self.wanted, suite.looks(first))
        self.runnable = frozenset(record.id for record in first.experiments if record.not_run is None)
        if idle := suite.nothing_to_run(first):
            suite.say(idle)
            if not suite.has_evidence(first):
                self.nothing_to_run = True
                return self
        looks, wanted = tuple(self.schedule), self._worth_running(first)
        if wanted:
            suite.announce(suite.plan(seeds=looks[0], only=sorted(wanted)))
            suite.say(f"looks at {_listed(looks)} seeds, which share the level")
        suite.fidelity(first, request="")
        for number, seeds in enumerate(looks, start=1):
            plan = suite.plan(seeds=seeds, only=sorted(wanted)) if wanted else None
            if plan is None or not self._in_time(plan, seeds):
                break
            if not suite.carry_out(plan.jobs):
                self.interrupted = True
                break
            worth_more = self._outcome(number, seeds, self._look(plan, seeds))
            wanted = frozenset(name for claim in worth_more for name in claim.seeds_now) & self.runnable
        return self

    def _look(self, plan: Plan, seeds: int) -> list[Outlook]:
        """Judge, put it on record, and say what is open: claims that seeds can settle, and we may run."""
        runs = self.suite.arms(plan)
        look = Look(seeds, self.schedule[seeds], tuple(self.schedule), runs)
        self.suite.session.ledger(self.suite.paper).take(look, runs)
        self.jobs |= {job.spec.key: job for job in plan.jobs}
        self.audit = self.suite.judge(self.suite.looks(plan))
        self.publish(self.audit)
        return [
            claim
            for claim in outlooks(self.audit, alpha=self.schedule[max(self.schedule)])
            if claim.by_seeds and self.runnable.issuperset(claim.seeds_now)
        ]

    def _outcome(self, number: int, seeds: int, claims: Sequence[Outlook]) -> list[Outlook]:
        """The claims for which the next look is worth its time; `why` is kept for where there is none."""
        last, level = max(self.schedule), self.schedule[seeds]
        further = claims if seeds < last else []
        worth_more = [claim for claim in further if (power := claim.chance(last)) is None or power >= FUTILE]
        futile = len(further) - len(worth_more)
        hopeless = f", {futile} of them with less than 20 % power at {last} seeds" if futile else ""
        self.suite.say(
            f"look {number} of {len(self.schedule)}, {seeds} seeds, level {100.0 * level:.3g} %: "
            f"{counted(len(claims), 'claim')} open that seeds may settle{hopeless}"
        )
        self.why = f"that was the last look, at {last} seeds"
        if not claims:
            self.why = "everything that seeds can settle is settled"
        elif futile and not worth_more:
            self.why = f"futile: no open claim has 20 % power at {last} seeds"
        return worth_more

    def _in_time(self, plan: Plan, seeds: int) -> bool:
        """Whether the look fits into the time that is left; `why` says by how much it does not."""
        if self.seconds is None:
            return True
        missing = [job for job in plan.jobs if self.suite.is_open(job)]
        needed = self.suite.seconds_of_runs([plan], missing)
        if needed is None:  # one run is the price of knowing
            if not self.suite.carry_out(missing[:1]):
                raise KeyboardInterrupt
            return self._in_time(plan, seeds)
        left = self.seconds - (_clock() - self.began)
        if not missing or needed <= left:
            return True
        runs = f"about {span(needed)} for {counted(len(missing), 'run')}"
        self.why = f"budget: the look at {seeds} seeds needs {runs}, and {span(left)} are left"
        return False

    def _worth_running(self, plan: Plan) -> frozenset[str]:
        """Experiments behind claims that seeds can settle: all arms can be run, and on data that count."""
        elsewhere = {record.id for record in plan.experiments if record.scope != "same_data"}
        return frozenset(
            name
            for claim in self.suite.paper.claim_records()
            if KINDS[claim.kind].by_runs
            and self.runnable.issuperset(claim.experiments)
            and not (KINDS[claim.kind].of_one_printed and elsewhere & set(claim.experiments))
            for name in claim.experiments
        )
