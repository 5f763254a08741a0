"""Per-unit results of a score for every slice of the rows, so that a board can be ranked by a slice.

Older scores have no such results: boards show "not reported" for them until they are regraded.
"""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("leaderboard", "0006_imports_and_verification")]
    operations = [
        migrations.AddField(
            "score",
            "cells",
            models.JSONField(
                default=list,
                help_text="The parts of the rows that are ranked apart.",
            ),
        ),
        migrations.AddField(
            "score",
            "cell_scores",
            models.BinaryField(
                default=bytes,
                help_text="The same pairs for each of the cells, compressed; empty: not reported.",
            ),
        ),
    ]
