"""Two-phase systems: adapters that build a book from an episode log, then answer from the book alone."""
