"""One YAML file a paper, data only."""
