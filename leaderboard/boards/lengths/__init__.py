"""Results by text length: curves, effective lengths, and maps, of versions whose texts have several lengths."""
