"""Results by text length: curves, effective lengths and maps of a version with rungs of lengths."""
