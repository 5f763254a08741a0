"""A source value for results that came with this site's code. Rules that choose a log line become references."""

from importlib import import_module

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('leaderboard', '0031_model_cards'),
    ]

    operations = [
        migrations.AlterField(
            model_name='submission',
            name='provenance',
            field=models.JSONField(default=dict, help_text='How it was made, where a run of this site or of its makers made it.'),
        ),
        migrations.AlterField(
            model_name='submission',
            name='source',
            field=models.CharField(choices=[('browser', 'Browser'), ('api', 'API'), ('cli', 'Command line'), ('run', 'Run by this site'), ('mean', 'Mean of repeats'), ('shipped', 'Shipped')], default='browser', max_length=10),
        ),
        migrations.AlterField(
            model_name='submission',
            name='transcripts_sha256',
            field=models.CharField(blank=True, default='', help_text='What a run exchanged with its model, a line a row; empty: nothing is kept.', max_length=64),
        ),
        migrations.RunPython(
            import_module("leaderboard.migrations.0022_references").mark_references, migrations.RunPython.noop
        ),
    ]
