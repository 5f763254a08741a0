"""`log_to_book`: a two-phase system without a model: parses the log into a book, then answers from the book."""

from __future__ import annotations

from evaluation.goldevidence.adapters.books.artifacts import book_of
from evaluation.goldevidence.adapters.ledger import LedgerAdapter
from evaluation.goldevidence.data.ledger import parse_log


class LogToBookAdapter(LedgerAdapter):
    def build_artifact(self, document: str, episode_id: str, protocol: str) -> str:
        """Build a book whose ledger contains every UPDATE line of the log."""
        return book_of(parse_log(document), episode_id)


def create_adapter() -> LogToBookAdapter:
    return LogToBookAdapter()
