"""A file of the texts that several rows share, sealed with the version."""

from importlib import import_module
from typing import Any

from django.db import migrations, models

#: SQLite copies a table to add a column, and a copy has no triggers: they are put on it again, with the new columns.
attacks = import_module("leaderboard.migrations.0025_attacks")
sealing = attacks.sealing
SEALED = (*attacks.SEALED, "documents_sha256", "documents_bytes", "document_count")


def seal(apps: Any, schema_editor: Any) -> None:
    """Extend the triggers of 0025: they refuse changes of the documents too."""
    before, sealing.SEALED = sealing.SEALED, SEALED
    try:
        sealing.seal(apps, schema_editor)
    finally:
        sealing.SEALED = before


class Migration(migrations.Migration):
    dependencies = [("leaderboard", "0026_twins")]
    operations = [
        migrations.RunPython(sealing.unseal, attacks.seal),
        migrations.AddField(
            "version",
            "documents_sha256",
            models.CharField(
                blank=True,
                default="",
                help_text="Of the texts that its rows name; empty where the rows hold them.",
                max_length=64,
            ),
        ),
        migrations.AddField("version", "documents_bytes", models.PositiveBigIntegerField(default=0)),
        migrations.AddField("version", "document_count", models.PositiveIntegerField(default=0)),
        migrations.RunPython(seal, sealing.unseal),
    ]
