"""Searches for settings: what is asked, the trials that answer it, and the values that runs then use."""
