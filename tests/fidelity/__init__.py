"""Models against second implementations: in numpy, by hand, by the papers' formulas."""
