"""The four layers and their rules."""

from __future__ import annotations

import pytest

from evaluation.statebench.facts.authority import Level
from evaluation.statebench.facts.layers import Environment, IdentityRole, Source, WorkingSetItem


def test_the_identity_is_set_once():
    identity = IdentityRole("Robin", authority="Manager")
    with pytest.raises(AttributeError):
        identity.authority = "CEO"  # type: ignore[misc]


def test_a_policy_stays_a_policy_whatever_role_typed_it_in():
    assert Source("policy", "peer").level is Level.POLICY
    assert Source("user", "peer", identity="CFO").level is Level.POLICY


def test_the_freshest_environment_value_wins():
    environment = Environment()
    assert environment.update("alert", "old", "2026-01-02")
    assert environment.update("alert", "new", "2026-01-03")
    assert not environment.update("alert", "late", "2026-01-01")
    assert environment.values == {"alert": "new"}
    assert environment.dead == ["old"]


def test_a_working_set_item_expires():
    item = WorkingSetItem("note", "call back", "2026-01-01T09:00", expires_at="2026-01-01T10:00")
    assert item.is_live("2026-01-01T09:59")
    assert not item.is_live("2026-01-01T10:00")
