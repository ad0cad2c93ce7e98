"""From a claim file to an audit: `suite` runs experiments, `session` judges a store."""
