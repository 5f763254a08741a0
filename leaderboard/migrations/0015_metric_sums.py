"""Scores store the sums per unit of every rate. Existing scores have none until they are regraded."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("leaderboard", "0014_row_states")]
    operations = [
        migrations.AddField(
            "score",
            "metric_sums",
            models.BinaryField(
                default=bytes,
                help_text="The sums by unit of every rate, see `score_sums`; empty: an older grading.",
            ),
        ),
    ]
