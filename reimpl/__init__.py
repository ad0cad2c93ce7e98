"""Faithful re-implementations of the audited systems, their data and training; independent of `audit`."""
