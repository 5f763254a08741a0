"""Transcripts of runs, one line per row; earlier runs stored none."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("leaderboard", "0029_conformance_seed")]
    operations = [
        migrations.AddField(
            "submission",
            "transcripts_sha256",
            models.CharField(
                blank=True,
                default="",
                help_text="What a run of this site exchanged with its model, a line a row; empty: nothing is kept.",
                max_length=64,
            ),
        ),
    ]
