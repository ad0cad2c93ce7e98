"""Results of others' runs, read from their files, checked as a whole, and kept in the store as runs."""

from audit.importing.predictions import from_predictions
from audit.importing.records import Kept, keep
from audit.importing.result import Declared, Result, Source
from audit.importing.results import from_results, from_rows

__all__ = ["Declared", "Kept", "Result", "Source", "from_predictions", "from_results", "from_rows", "keep"]
