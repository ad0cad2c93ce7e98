"""Results of others' runs, read from their files, checked as a whole, and kept in the store as runs."""
