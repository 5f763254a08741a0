"""Uploads queued for a worker, attempts to freeze a version, and the time of the last hash check."""

from importlib import import_module

from django.db import migrations, models
from django.utils import timezone

#: SQLite copies a table to add a column, and a copy has no triggers: they are put on it again.
sealing = import_module("leaderboard.migrations.0002_seal_frozen_versions")


class Migration(migrations.Migration):
    dependencies = [("leaderboard", "0005_conformance")]
    operations = [
        migrations.RunPython(sealing.unseal, sealing.seal),
        migrations.AddField(
            "version",
            "upload",
            models.CharField(
                blank=True,
                help_text="Where the file of an import waits until its rows are frozen.",
                max_length=100,
                default="",
            ),
            preserve_default=False,
        ),
        migrations.AddField("version", "attempts", models.PositiveSmallIntegerField(default=0)),
        migrations.AddField(
            "version",
            "queued_at",
            models.DateTimeField(default=timezone.now, help_text="Since when it waits to be frozen."),
        ),
        migrations.AddField(
            "version",
            "verified_at",
            models.DateTimeField(blank=True, help_text="When its hashes were last recomputed.", null=True),
        ),
        migrations.AddField(
            "version",
            "damage",
            models.TextField(blank=True, help_text="What that found, where they did not match.", default=""),
            preserve_default=False,
        ),
        migrations.RunPython(sealing.seal, sealing.unseal),
    ]
