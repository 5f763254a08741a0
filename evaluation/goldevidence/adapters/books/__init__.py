"""Systems of two phases: they build a book from an episode log first, and answer from it."""
