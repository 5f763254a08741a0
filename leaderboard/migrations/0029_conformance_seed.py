"""Seed of the generated timelines that judged a conformance report. Older reports were judged by vectors alone."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("leaderboard", "0028_lengths")]
    operations = [
        migrations.AddField(
            "conformancereport",
            "seed",
            models.BigIntegerField(
                blank=True,
                null=True,
                help_text="Of the timelines that were generated; empty where none were.",
            ),
        ),
        migrations.AddField(
            "conformancereport",
            "timelines",
            models.PositiveIntegerField(default=0, help_text="How many were generated from the seed."),
        ),
    ]
