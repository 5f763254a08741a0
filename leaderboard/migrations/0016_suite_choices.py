"""The choices of suites come from the engine's registry, so that an installed suite needs no migration."""

from django.db import migrations, models

import leaderboard.benchmarks.models.benchmark


class Migration(migrations.Migration):
    dependencies = [("leaderboard", "0015_metric_sums")]
    operations = [
        migrations.AlterField(
            "benchmark",
            "suite",
            models.CharField(
                choices=leaderboard.benchmarks.models.benchmark.suite_choices, max_length=40, unique=True
            ),
        ),
    ]
