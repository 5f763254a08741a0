"""Transcripts of a run, beside its predictions: a line for each row, with the model's reply and the prompt's hash."""

from __future__ import annotations

from evaluation.adapters.transcripts.record import Exchange, Keep, Tokens, TranscriptLine, prompt_sha256

__all__ = ["Exchange", "Keep", "Tokens", "TranscriptLine", "prompt_sha256"]
