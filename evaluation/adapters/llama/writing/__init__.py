"""Writing and scoring answers with one engine."""
