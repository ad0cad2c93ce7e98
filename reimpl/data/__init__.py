"""Text corpora: reading, tokenising, vocabularies, word vectors, and a synthetic corpus."""
