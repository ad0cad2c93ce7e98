"""Audit records to one HTML page and its siblings. Knows only `audit.record`."""
