"""The version of the statistics that computed a score's intervals. Existing scores have bootstrap intervals: version 1."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("leaderboard", "0020_help_texts")]
    operations = [
        migrations.AddField(
            "score",
            "statistics",
            models.PositiveSmallIntegerField(
                default=1,
                help_text="The version of the statistics that made the intervals; 1 was the bootstrap.",
            ),
        ),
    ]
