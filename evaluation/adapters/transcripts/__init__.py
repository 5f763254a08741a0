"""The raw material of a model's run: what it was asked and what it replied, a line a row beside the predictions.

record.py     one exchange with a model, and the line that is kept of it
recording.py  who asks a model tells the recorder of the run, if there is one
files.py      the lines of a run: written as it goes, compressed at its end, found by id
prompts.py    the prompt of a row, made anew and checked against its hash: prompts are too long to be kept
"""

from __future__ import annotations

from evaluation.adapters.transcripts.record import Exchange, Keep, Tokens, TranscriptLine, prompt_sha256

__all__ = ["Exchange", "Keep", "Tokens", "TranscriptLine", "prompt_sha256"]
