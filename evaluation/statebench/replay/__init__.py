"""A timeline as a query sees it, what contexts hold when it asks, and what came of a response."""

from evaluation.statebench.replay.answers import answers, with_answer
from evaluation.statebench.replay.lanes import replay
from evaluation.statebench.replay.what_happened import account, contexts, row_labels

__all__ = ["account", "answers", "contexts", "replay", "row_labels", "with_answer"]
