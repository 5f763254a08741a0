"""Settings of versions, and the presets of this package."""

from __future__ import annotations

from evaluation.goldevidence.presets.named import ABOUT, PRESETS, get_preset
from evaluation.goldevidence.presets.settings import Settings

__all__ = ["ABOUT", "PRESETS", "Settings", "get_preset"]
