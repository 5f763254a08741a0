"""How far systems hold as texts grow: curves, effective lengths and maps of a version with rungs of lengths."""
