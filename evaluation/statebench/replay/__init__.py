"""Replays a timeline up to a query, shows contexts at that time, and explains verdicts."""

from evaluation.statebench.replay.lanes import replay
from evaluation.statebench.replay.what_happened import account, answers, contexts, row_labels, with_answer

__all__ = ["account", "answers", "contexts", "replay", "row_labels", "with_answer"]
