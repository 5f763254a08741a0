"""States of rows. A run is paused when too many rows have no answer."""

from django.db import migrations, models

STATUSES = [
    ("queued", "Queued"),
    ("running", "Running"),
    ("paused", "Paused"),
    ("finished", "Finished"),
    ("cancelled", "Cancelled"),
    ("failed", "Failed"),
]


class Migration(migrations.Migration):
    dependencies = [("leaderboard", "0013_check_slot")]
    operations = [
        migrations.AlterField(
            "run", "status", models.CharField(choices=STATUSES, default="queued", max_length=10)
        ),
        migrations.AddField(
            "run",
            "row_states",
            models.JSONField(
                blank=True,
                default=dict,
                help_text="How many rows are answered, and why the others are not.",
            ),
        ),
        migrations.AddField(
            "run",
            "go_on",
            models.BooleanField(
                default=False,
                help_text="Do not pause, however many rows hold no answer: they count as wrong.",
            ),
        ),
        migrations.AddField(
            "submission",
            "row_states",
            models.JSONField(
                default=dict,
                help_text="How many lines hold an answer, and why the others hold none; empty: not counted.",
            ),
        ),
    ]
