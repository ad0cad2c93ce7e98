"""The one way from a claim file to an audit: plan -> run -> judge what the store holds.

`session` judges a store; `suite` runs a paper's experiments into it, `until_settled` look by look.
"""
