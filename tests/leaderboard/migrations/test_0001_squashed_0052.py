"""The squashed migration gives the same as its originals. Its triggers and groups: every other test relies on them."""

from __future__ import annotations

from django.db.migrations.autodetector import MigrationAutodetector
from django.db.migrations.loader import MigrationLoader

APP, LAST = "leaderboard", "0052_approval_and_retention"


def test_a_new_database_gets_the_models_that_an_old_one_was_taken_to() -> None:
    squashed = MigrationLoader(None)
    originals = MigrationLoader(None, replace_migrations=False)
    (step,) = (key for key in squashed.graph.nodes if key[0] == APP and "squashed" in key[1])
    assert (APP, LAST) not in squashed.graph.nodes
    new, old = squashed.project_state(step), originals.project_state((APP, LAST))
    assert MigrationAutodetector(old, new)._detect_changes() == {}
    assert MigrationAutodetector(new, old)._detect_changes() == {}
