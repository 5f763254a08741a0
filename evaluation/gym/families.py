"""The families of tasks: question types and text forms, and which of them are held out.

A learner is trained on `TRAINING` and evaluated on `HELD_OUT`: state modes, protocols, kinds of questions and tracks
that it has not seen. Selection is held out by state mode, so that a learner cannot know the values. Tracks are held out
if their timelines repeat a frozen version almost word for word, whatever the seed (docs/gym.md).
"""

from __future__ import annotations

from typing import NamedTuple

from evaluation.core.errors import UnknownNameError

GOLDEVIDENCE, STATEBENCH = "goldevidence", "statebench"
SELECT, BOOK, LOG, DEEP, TRACK, SCENE = "select", "book", "log", "deep", "track", "scene"


class Family(NamedTuple):
    suite: str
    form: str  # text shown: a few lines, a book, a log, a log of many-line questions, a conversation
    what: str  # state mode, family of the suite, or track
    held_out: bool = False


def _names(suite: str, form: str, names: str, held_out: str = "", prefix: str = "") -> dict[str, Family]:
    return {
        f"{prefix}{name}": Family(suite, form, name, name in held_out.split())
        for name in [*names.split(), *held_out.split()]
    }


FAMILIES: dict[str, Family] = {
    **_names(GOLDEVIDENCE, SELECT, "kv kv_commentary counter", "set relational", "select_"),
    **_names(GOLDEVIDENCE, BOOK, "kv kv_commentary counter", "set relational", "book_"),
    **_names(GOLDEVIDENCE, LOG, "kv kv_commentary", "counter relational", "log_"),
    **_names(GOLDEVIDENCE, DEEP, "aggregate nth meaning", "chain authority"),
    **_names(
        STATEBENCH,
        TRACK,
        "supersession supersession_detection supersession_maintain repair_propagation interruption_resumption "
        "causality brutal_realistic",
        "environmental_freshness commitment_durability scope_permission scope_leak authority_hierarchy "
        "enterprise_privacy hallucination_resistance dependency_chain",
    ),
}
FAMILIES |= _names(
    STATEBENCH,
    SCENE,
    "supersession supersession_detection scope_leak task_scopes environmental_freshness commitment_durability "
    "interruption_resumption hallucination_resistance causality expiry",
    "authority_hierarchy repair_propagation dependency_chain delegation brutal_realistic",
    "scene_",
)
TRAINING = tuple(name for name, family in FAMILIES.items() if not family.held_out)
HELD_OUT = tuple(name for name, family in FAMILIES.items() if family.held_out)


def get_family(name: str) -> Family:
    if name not in FAMILIES:
        raise UnknownNameError("family", name, FAMILIES)
    return FAMILIES[name]
