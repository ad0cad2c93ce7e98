"""Writing claim files: tables read from LaTeX, CSV, Markdown and HTML, entries, edits that keep the rest."""
