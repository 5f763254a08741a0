"""A deterministic system: filter and retrieve lines, select one of them, and answer with its value.

row -> ledger lines -> authority filter -> k candidates -> selector -> answer
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from evaluation.core.files.remembered import remembered
from evaluation.goldevidence.conditions.rows import shown_entries
from evaluation.goldevidence.data.ledger import Entry, parse_book, parse_log
from evaluation.goldevidence.protocols import protocol_of
from evaluation.goldevidence.records import CanonicalPrediction, EpisodeRow
from evaluation.goldevidence.retrieval import LATEST, Pool, candidates
from evaluation.goldevidence.selectors import Selector
from evaluation.goldevidence.selectors.rules import answer, authority_filter

_KEY = re.compile(r"tag\.\d{2,}")


@dataclass(frozen=True, slots=True)
class Pipeline:
    """A system that answers with the value of one line, which it selects from candidates or retrieved lines.

    With `gate`, lines without authority are removed before retrieval; if no line is left the system abstains. With
    `same_key`, retrieved lines of keys other than the question's are removed, because lexical retrievers return such
    lines. With `selector_only`, predictions cite the selected line but give no value.
    """

    selector: Selector
    retriever: str = "key"
    k: int = 8
    wrong_type: str = "none"
    ties: str = LATEST
    gate: bool = False
    same_key: bool = False
    selector_only: bool = False

    def predict(self, row: EpisodeRow, *, protocol: str = "closed_book") -> CanonicalPrediction:
        """Answer a row. The value is null if no line is selected, and for `reports`, which needs several lines.

        Only the answers to `reports` have no `shown_uids`.
        """
        op = (row.get("meta") or {}).get("derived_op")
        if op == "reports":
            return {"id": row["id"], "value": None, "support_ids": [], "selected_uid": None}
        key = _key_of(row)
        shown = self._shown(row, key, protocol)
        uids = list(dict.fromkeys(entry.uid for entry in shown))
        of_key = [entry for entry in shown if entry.key == key] if self.same_key else shown
        line = self.selector(of_key, row["question"], key)
        if line is None:
            return {
                "id": row["id"],
                "value": None,
                "support_ids": [],
                "selected_uid": None,
                "shown_uids": uids,
            }
        return {
            "id": row["id"],
            "value": None if self.selector_only else answer(line, op),
            "support_ids": [line.uid],
            "selected_uid": line.uid,
            "shown_uids": uids,
        }

    def provenance(self) -> dict[str, object]:
        """Metadata and SHA-256 of the embedding model. Empty without an embedding model."""
        if self.retriever != "dense":
            return {}
        from evaluation.goldevidence.retrieval.dense import embedding_model

        return {"embedding_model": embedding_model()}

    def reads(self, row: EpisodeRow) -> int:
        """Number of words in the question and in the lines shown to the selector."""
        own = protocol_of(row)
        lines = self._shown(row, _key_of(row), own.reads if own else "closed_book")
        return len(row["question"].split()) + sum(len(entry.line().split()) for entry in lines)

    def _shown(self, row: EpisodeRow, key: str, protocol: str) -> Sequence[Entry]:
        if row.get("candidates") is not None:
            shown = shown_entries(row)
            return authority_filter(shown) if self.gate else shown
        return candidates(
            _ledger(row["document"] if protocol == "open_book" else row["book"], protocol, self.gate),
            row["question"],
            key,
            k=self.k,
            retriever=self.retriever,
            wrong_type=self.wrong_type,
            ties=self.ties,
        )


def _key_of(row: EpisodeRow) -> str:
    return str((row.get("meta") or {}).get("key") or next(iter(_KEY.findall(row["question"])), ""))


@remembered(512)  # rows of an episode need not follow each other
def _ledger(text: str, protocol: str, gate: bool) -> Pool:
    entries = parse_log(text) if protocol == "open_book" else parse_book(text)
    return Pool(authority_filter(entries) if gate else entries)
