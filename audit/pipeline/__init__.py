"""The one way from a claim file to an audit: plan -> run -> judge what the store holds.

`session` judges a store; `suite` runs a paper's experiments into it; `estimates` says what that costs;
`until_settled` and `columns` are the two other ways to run.
"""
