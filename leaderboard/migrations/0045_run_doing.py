from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("leaderboard", "0044_one_per_model")]

    operations = [
        migrations.AddField(
            model_name="run",
            name="doing",
            field=models.CharField(
                blank=True, default="", editable=False, help_text="At what its worker is now.", max_length=100
            ),
        ),
    ]
