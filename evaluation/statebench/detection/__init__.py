"""Detection of supersession from language: `rules` defines it, `detector` is the interface."""
