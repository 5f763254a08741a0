"""The API of runs, and of what they exchanged with their models."""
