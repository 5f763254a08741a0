"""What the tracks are called, and which situation each is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from evaluation.core.plugin.examples import Term

#: Track -> the situation, for readers.
SITUATIONS = {
    "supersession": "A fact is replaced, once or several times, after it was repeated loudly.",
    "supersession_detection": "A change is only said: nothing but the words tells that the recorded value is dead.",
    "supersession_maintain": "Something is said about a fact that does not make it invalid.",
    "environmental_freshness": "A signal from outside replaces an older one.",
    "repair_propagation": "A base value is corrected, and what was derived from it needs a review.",
    "commitment_durability": "A preference changes, and the commitment beside it stays.",
    "scope_permission": "A restricted fact lies beside a public one, and the reader is not cleared for it.",
    "scope_leak": "Hypothetical and drafted values must never become facts.",
    "authority_hierarchy": "A lower authority writes over a higher one, and does not prevail.",
    "enterprise_privacy": "A reader of one company asks for the data of another.",
    "interruption_resumption": "A digression has to be forgotten, and the task resumed.",
    "hallucination_resistance": "What nobody said must not be invented.",
    "causality": "A constraint decides the answer.",
    "dependency_chain": "Values are derived in two steps from a base that changes.",
    "brutal_realistic": "A long thread of several people, with three changes and three questions.",
}


def split_term(settings: Mapping[str, Any], name: str) -> Term:
    """What a track is called, and which situation it is.

    Args:
        settings: Those of the version.
        name: Of the track; an imported version may have others.
    """
    return Term(name.replace("_", " ").capitalize(), SITUATIONS.get(name, ""))
