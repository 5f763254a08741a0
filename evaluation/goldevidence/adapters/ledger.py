"""`ledger`: replays the authoritative lines it is shown and answers by rule: the highest score under every protocol."""

from __future__ import annotations

from evaluation.adapters.base import Output
from evaluation.goldevidence.adapters.rules import answer, state_of
from evaluation.goldevidence.adapters.shown import shown
from evaluation.goldevidence.records import EpisodeRow


class LedgerAdapter:
    def predict(self, row: EpisodeRow, *, protocol: str) -> Output:
        return answer(row, state_of(shown(row, protocol).entries))


def create_adapter() -> LedgerAdapter:
    return LedgerAdapter()
