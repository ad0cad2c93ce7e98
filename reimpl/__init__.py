"""Faithful re-implementations of the audited systems, their data and their training; knows nothing of
`audit`."""
