"""Tracks and lists of words that the released packages accept.

Source: `statebench/schema/timeline.py` and `state.py` of statebench 1.0.2 and 2.0.0 on PyPI (MIT). The schemas differ
only in tracks, kinds of forbidden phrases and the ground truth of applicability.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from evaluation.core.errors import UnknownNameError

DOMAINS = ("procurement", "sales", "project", "hr", "support")
DIFFICULTIES = ("easy", "medium", "hard", "adversarial")
DETECTION_MODES = ("explicit", "implicit", "mixed")
CUE_DIFFICULTIES = ("obvious", "subtle", "adversarial")
SPEAKERS = ("user", "assistant")
LAYERS = ("persistent_facts", "working_set", "environment")
SOURCE_TYPES = ("user", "system", "tool", "external", "policy")
AUTHORITIES = ("policy", "executive", "manager", "peer", "subordinate", "system", "unverified")
SCOPES = ("global", "project", "task", "session", "hypothetical", "draft")
CONSTRAINT_TYPES = ("hard", "soft", "preference")
ITEM_TYPES = ("objective", "artifact", "question", "pending_action", "context")
DECISION_TYPES = ("binary", "categorical", "freeform")
SEVERITIES = ("low", "medium", "high", "critical")
CATEGORIES = (
    "resurrection",
    "hallucination",
    "scope_leak",
    "authority_violation",
    "stale_reasoning",
    "constraint_violation",
    "privacy_leak",
)
MENTION_KINDS = ("superseded", "restricted", "fabricated", "other")
WEIGHTS = ("decision", "must_mention", "must_not_mention", "provenance", "detection")

_TRACKS_1 = (
    "supersession",
    "commitment_durability",
    "interruption_resumption",
    "scope_permission",
    "environmental_freshness",
    "hallucination_resistance",
    "scope_leak",
    "causality",
    "repair_propagation",
    "brutal_realistic",
    "supersession_detection",
    "authority_hierarchy",
    "enterprise_privacy",
)
#: Track added by 2.0 -> corresponding track of 1.0. Pairs of counterfactuals (`cf_…`) are mapped by the one respect in
#: which the two differ.
NEAREST_IN_1: Mapping[str, str] = {
    "supersession_maintain": "commitment_durability",
    "authority_conflict": "authority_hierarchy",
    "authority_maintain": "authority_hierarchy",
    "dependency_chain": "repair_propagation",
    "cf_access_control": "scope_permission",
    "cf_scope_binding": "scope_leak",
    "cf_actor_isolation": "enterprise_privacy",
    "cf_temporal_validity": "environmental_freshness",
    "cf_supersession": "supersession",
    "cf_commitment_status": "commitment_durability",
    "cf_dependency_validity": "repair_propagation",
    "applicability": "causality",
}
#: Stands in for unknown or withheld tracks. Its forbidden phrases have no kind of failure, so that the judge of 2.0
#: counts them as ours does for an unknown track.
ANY_TRACK = "interruption_resumption"


@dataclass(frozen=True, slots=True)
class Release:
    """A released package. `kinds`: ground truths have kinds of forbidden phrases, and applicability."""

    name: str
    package: str
    tracks: frozenset[str]
    nearest: Mapping[str, str]
    kinds: bool

    def track(self, track: str) -> str:
        """Return the track if the release knows it, else the nearest track of the release."""
        return track if track in self.tracks else self.nearest.get(track, ANY_TRACK)


RELEASES: dict[str, Release] = {
    "1.0": Release("1.0", "statebench 1.0.2", frozenset(_TRACKS_1), NEAREST_IN_1, kinds=False),
    "2.0": Release("2.0", "statebench 2.0.0", frozenset((*_TRACKS_1, *NEAREST_IN_1)), {}, kinds=True),
}


def get_release(name: str) -> Release:
    if name not in RELEASES:
        raise UnknownNameError("release", name, RELEASES)
    return RELEASES[name]
