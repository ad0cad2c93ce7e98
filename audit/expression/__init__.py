"""A small language for sentences with numbers over printed cells; they are parsed and checked, never
executed."""
