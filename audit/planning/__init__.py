"""What it takes to settle the open claims of an audit: seeds, and their time by the run records."""

from audit.planning.outlook import NOT_YET, Outlook, outlooks
from audit.planning.run_time import RunTime, RunTimes
from audit.planning.settling import cost, settling
from audit.planning.wording import sentence

__all__ = ["NOT_YET", "Outlook", "RunTime", "RunTimes", "cost", "outlooks", "sentence", "settling"]
