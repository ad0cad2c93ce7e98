"""A small language for sentences about printed numbers; they are parsed and checked, never executed."""
