"""Two-phase systems: they build a book from an episode log, then answer from the book alone."""
