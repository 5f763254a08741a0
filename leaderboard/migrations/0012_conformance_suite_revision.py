"""The revision of the conformance suite that judged a report. Existing reports get revision 1."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("leaderboard", "0011_permissions")]
    operations = [
        migrations.AddField(
            "conformancereport",
            "suite_revision",
            models.PositiveIntegerField(
                default=1,
                help_text="Of the vectors and checks that judged it. Reports of before it was told have 1.",
            ),
        ),
    ]
