"""Numbers that public code of the audited systems computes, one package a model: see `reimpl.fidelity`."""
