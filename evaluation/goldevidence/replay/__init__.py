"""An episode as a timeline, and the explanation of an answer to a question about it."""

from evaluation.goldevidence.replay.answers import answers, with_answer
from evaluation.goldevidence.replay.lanes import replay
from evaluation.goldevidence.replay.row_labels import row_labels
from evaluation.goldevidence.replay.what_happened import account

__all__ = ["account", "answers", "replay", "row_labels", "with_answer"]
