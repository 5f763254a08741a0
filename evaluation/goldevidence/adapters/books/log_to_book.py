"""`log_to_book`: a two-phase system without a model. It parses the log into a book, then answers from that
book.
"""

from __future__ import annotations

from evaluation.goldevidence.adapters.books.artifacts import book_of
from evaluation.goldevidence.adapters.ledger import LedgerAdapter
from evaluation.goldevidence.data.ledger import parse_log


class LogToBookAdapter(LedgerAdapter):
    """Builds the book that a perfect scribe would."""

    def build_artifact(self, document: str, episode_id: str, protocol: str) -> str:
        """A book whose ledger holds every UPDATE line of the log.

        Args:
            document: The episode's log.
            episode_id: The episode, for the title.
            protocol: What of a row may be read; a book is the same under each.
        """
        return book_of(parse_log(document), episode_id)


def create_adapter() -> LogToBookAdapter:
    """The adapter."""
    return LogToBookAdapter()
