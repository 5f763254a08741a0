"""Transcripts of a model's run: its prompts and replies, one line for each row, beside the predictions."""

from __future__ import annotations

from evaluation.adapters.transcripts.record import Exchange, Keep, Tokens, TranscriptLine, prompt_sha256

__all__ = ["Exchange", "Keep", "Tokens", "TranscriptLine", "prompt_sha256"]
