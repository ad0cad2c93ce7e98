"""Statistical rules as pure functions of numbers."""
