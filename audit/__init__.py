"""The audit engine: claim files, runs, verdicts. Importing it never imports torch."""

__version__ = "0.1.0"
