"""A version with texts of a million tokens: the cost to freeze, run, upload, grade and browse it."""
