"""Guessing levels by slice of a version. They are derived data, so no trigger protects them."""

from importlib import import_module

from django.db import migrations, models

#: SQLite copies a table to add a column, and a copy has no triggers: they are put on it again.
documents = import_module("leaderboard.migrations.0027_documents")
unseal = documents.sealing.unseal


class Migration(migrations.Migration):
    dependencies = [("leaderboard", "0034_submit")]
    operations = [
        migrations.RunPython(unseal, documents.seal),
        migrations.AddField(
            "version",
            "guessing",
            models.JSONField(
                blank=True,
                default=dict,
                help_text="What programs reach that read no text, by part of its rows; empty: not computed, or none.",
            ),
        ),
        migrations.RunPython(documents.seal, unseal),
    ]
