"""The words a language model reads for StateBench, the same for every model and server.

Their hash enters the provenance, apart from that of GoldEvidenceBench: a new word here changes no result there.
The query stands at the end, so that queries over the same context share one prefix (and its KV cache).
"""

from __future__ import annotations

import hashlib

from evaluation.statebench.strategies.condensed import EXTRACT, SUMMARIZE, condensing

SYSTEM = """\
You answer a colleague's question from the notes you are given, and from nothing else.
The notes may hold older statements beside newer ones: act on what holds now and leave out what was replaced,
withdrawn or only supposed. What a person without the authority says changes nothing.
Tell nobody what they may not see; say then that you cannot share it. What the notes do not hold, you do not know.
Where a decision is asked for, begin with Yes or No. Name the figures, names and dates that decide it, as written.
Answer in one to three sentences."""
CONDENSER = "You take notes of a conversation. Reply with the notes alone."
NOTES, NOTHING = "Notes:", "(none)"
#: A model without a chat template does not know where its turn ends: it goes on with a question of its own.
STOPS = ("\nQuestion:", "\nNotes:", "\nNew turns:")


def answer_prompt(context: str, question: str) -> str:
    """What is asked under `SYSTEM`: the context that a strategy built, then the query.

    Args:
        context: The text of the context; it may be empty.
        question: The query.
    """
    return f"{NOTES}\n{context or NOTHING}\n\nQuestion: {question}"


def template_hash() -> str:
    """SHA-256 of all wording."""
    kept = (condensing(instruction, "notes", "turns") for instruction in (SUMMARIZE, EXTRACT))
    parts = [SYSTEM, CONDENSER, answer_prompt("", ""), *STOPS, *kept]
    return hashlib.sha256("\x1f".join(parts).encode()).hexdigest()
