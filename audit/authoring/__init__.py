"""Writing claim files: tables read from LaTeX, CSV, Markdown and HTML, scaffolds, edits that keep the rest.

`edit.ClaimFile` is how any command changes a claim file; `reading.read` turns a file into `raw.RawTable`s.
Nothing here imports torch or scipy.
"""
