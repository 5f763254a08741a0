"""The API of runs, benches and transcripts."""
