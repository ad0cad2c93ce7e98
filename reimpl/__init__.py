"""Faithful re-implementations of the audited systems, their data and their training.

Knows nothing of `audit`: models, data and metrics can be used without the engine.
"""
