"""A version of texts with a million tokens: what it takes to freeze, run, upload, grade and browse it."""
