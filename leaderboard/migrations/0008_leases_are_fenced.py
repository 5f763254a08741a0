"""Fencing tokens for workers' writes, and back-off: the time of the next try and the number of failures of the platform.

Work in progress during this migration has no token: it is queued again when its lease expires, as after a crash.
"""

from importlib import import_module

from django.db import migrations, models

#: SQLite copies a table to add a column, and a copy has no triggers: they are put on it again.
sealing = import_module("leaderboard.migrations.0002_seal_frozen_versions")


def columns():
    """The new columns of a job, by name."""
    return {
        "lease_token": models.UUIDField(
            blank=True,
            editable=False,
            help_text="Drawn with each claim: that of a late worker is another.",
            null=True,
        ),
        "lease_holder": models.CharField(
            blank=True,
            default="",
            editable=False,
            help_text="Host, its boot and the process of the worker.",
            max_length=200,
        ),
        "faults": models.PositiveSmallIntegerField(
            default=0, help_text="Of the platform, one after the other."
        ),
        "next_attempt_at": models.DateTimeField(
            blank=True, help_text="Not before this moment; empty: at once.", null=True
        ),
    }


class Migration(migrations.Migration):
    dependencies = [("leaderboard", "0007_slices")]
    operations = [
        migrations.RunPython(sealing.unseal, sealing.seal),
        *(
            migrations.AddField(
                model, name, field, preserve_default=name != "lease_holder"
            )
            for model in ("submission", "version", "run")
            for name, field in columns().items()
        ),
        migrations.RunPython(sealing.seal, sealing.unseal),
    ]
