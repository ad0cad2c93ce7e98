"""Models of a made package, for docs/audit-a-paper.md."""
