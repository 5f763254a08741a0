from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("leaderboard", "0035_guessing")]

    operations = [
        migrations.AddField(
            model_name="score",
            name="asked",
            field=models.PositiveIntegerField(
                blank=True,
                null=True,
                help_text="Of a trial: how many rows it asked, which all its figures are over. "
                "Empty: all rows of the version.",
            ),
        ),
    ]
