"""Commands of GoldEvidenceBench. `evaluation.cli` says which command takes which suite."""
