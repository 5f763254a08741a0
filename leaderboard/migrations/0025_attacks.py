"""Sealed scores of the shortcut baselines, and the licence of a version's rows."""

from importlib import import_module
from typing import Any

from django.db import migrations, models

#: SQLite copies a table to add a column, and a copy has no triggers: they are put on it again, with the new column.
sealing = import_module("leaderboard.migrations.0002_seal_frozen_versions")
SEALED = (*sealing.SEALED, "attacks")


def seal(apps: Any, schema_editor: Any) -> None:
    """Extend the triggers of 0002: they refuse changes of `attacks` too."""
    before, sealing.SEALED = sealing.SEALED, SEALED
    try:
        sealing.seal(apps, schema_editor)
    finally:
        sealing.SEALED = before


class Migration(migrations.Migration):
    dependencies = [("leaderboard", "0024_counts_and_pages")]
    operations = [
        migrations.RunPython(sealing.unseal, sealing.seal),
        migrations.AddField(
            "version",
            "attacks",
            models.JSONField(
                blank=True, default=dict, help_text="What programs reach in it that understand nothing."
            ),
        ),
        migrations.AddField(
            "version",
            "licence",
            models.CharField(
                blank=True,
                default="MIT",
                help_text="Of its rows: an SPDX identifier, or what their source says.",
                max_length=100,
            ),
        ),
        migrations.RunPython(seal, sealing.unseal),
    ]
