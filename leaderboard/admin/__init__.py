"""The maintainer's desk: write presets, freeze them into versions, import, watch, retire. One module a desk drawer."""

from leaderboard.admin import accounts, attention, presets, versions, work

__all__ = ["accounts", "attention", "presets", "versions", "work"]
