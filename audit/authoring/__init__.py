"""Writing claim files: tables read from LaTeX, CSV, Markdown and HTML, entries, edits that keep the rest.

`reading.read` turns a file into a `table.Table`, `propose.Proposal` says what its parts are, and
`edit.ClaimFile` is how any command changes a claim file. Nothing here imports torch or scipy.
"""
