"""Make a new key for signing scores; earlier public keys stay published."""

from __future__ import annotations

from typing import Any

from leaderboard.management.base import SiteCommand
from leaderboard.submissions import receipts


class Command(SiteCommand):
    help = "Make a new key that signs scores from now on, and sign scores that have no receipt yet."

    def handle(self, *args: Any, **options: Any) -> None:
        key = receipts.rotate()
        self.stdout.write(
            f"Key {key.keyid} signs scores from now on. /.well-known/receipt-keys.json lists all keys."
        )
