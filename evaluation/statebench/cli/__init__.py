"""The commands of StateBench. `evaluation.cli` says which command takes which suite."""
