"""A score keeps the sums by unit of every rate. Scores that are there have none: a regrade adds them."""

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
