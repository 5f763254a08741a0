"""Transcripts of a model's run: its prompts and replies, one line for each row, beside the predictions.

record.py     one exchange with a model, and its line
recording.py  the channel from code that asks a model to the recorder of the run
files.py      the lines of a run: appended, compressed at its end, found by id
prompts.py    the prompt of a row, rebuilt and checked against its hash: prompts are too long to be kept
"""

from __future__ import annotations

from evaluation.adapters.transcripts.record import Exchange, Keep, Tokens, TranscriptLine, prompt_sha256

__all__ = ["Exchange", "Keep", "Tokens", "TranscriptLine", "prompt_sha256"]
