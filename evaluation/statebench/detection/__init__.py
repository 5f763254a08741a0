"""Detection of supersession from language. See `rules` for what counts, `detector` for the interface."""
