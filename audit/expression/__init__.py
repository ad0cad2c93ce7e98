"""A small language for sentences with numbers in them, over printed cells: read and checked, never run.

`interval` is exact arithmetic, `functions` the table of functions and relations, `grammar` reads a text to a
tree, `meaning` evaluates the tree and shows it with its numbers.
"""
