"""Results by text length, for versions whose texts have several lengths: curves, effective lengths and heat maps."""
