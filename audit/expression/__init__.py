"""A small language for sentences with numbers in them, over printed cells: read and checked, never run."""
