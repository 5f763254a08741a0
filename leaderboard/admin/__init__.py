"""The site's admin pages, registered by importing this package."""

from leaderboard.accounts import admin as accounts
from leaderboard.admin import incidents_page, work
from leaderboard.benchmarks.admin import presets, versions

__all__ = ["accounts", "incidents_page", "presets", "versions", "work"]
