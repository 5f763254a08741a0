"""A process works only on a database that fits its code."""

from __future__ import annotations

import pytest
from django.db.migrations.recorder import MigrationRecorder

from leaderboard.jobs import code

pytestmark = pytest.mark.django_db
APPLIED = MigrationRecorder.Migration.objects.filter(app="leaderboard")


def test_code_and_database_of_one_release_fit() -> None:
    assert code.mismatch() == ""


def test_code_that_lacks_a_migration_of_the_database_is_older() -> None:
    APPLIED.create(app="leaderboard", name="9999_of_the_next_release")
    assert code.mismatch() == (
        "The code is older than the database, which has 9999_of_the_next_release. "
        "Restart this process with the new code."
    )


def test_a_database_without_a_migration_of_the_code_is_to_be_migrated() -> None:
    APPLIED.filter(name="0047_submission_news").delete()
    assert code.mismatch() == "The database lacks migration 0047_submission_news. Run `manage.py migrate`."


def test_migrations_of_other_packages_are_theirs() -> None:
    APPLIED.create(app="some_package", name="0001_initial")
    assert code.mismatch() == ""
