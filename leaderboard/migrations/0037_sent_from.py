from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("leaderboard", "0036_rows_of_trials")]

    operations = [
        migrations.AddField(
            model_name="submission",
            name="sent_from",
            field=models.CharField(
                blank=True,
                default="",
                help_text="Of an upload to a version that keeps its answers: a hash of its network that changes "
                "every day.",
                max_length=64,
            ),
        ),
    ]
