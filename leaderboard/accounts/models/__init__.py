"""Tokens, and the names that accounts hold and held."""

from leaderboard.accounts.models.account import FormerName, NameClaim, ServiceAccount
from leaderboard.accounts.models.token import ApiToken

__all__ = ["ApiToken", "FormerName", "NameClaim", "ServiceAccount"]
