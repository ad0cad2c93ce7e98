"""Checks that need no run: a paper's tables tested against themselves."""
