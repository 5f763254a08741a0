"""Model cards of systems, checks of model files and of trained weights, and a queue for runs on model servers."""

import django.core.validators
import django.db.models.deletion
import django.utils.timezone
import leaderboard.submissions.models.card
from django.db import migrations, models


def queue_of_servers(apps, editor):
    """Move unfinished runs on model servers to the queue for servers."""
    runs = apps.get_model("leaderboard", "Run").objects
    runs.filter(executor="adapter:openai_compatible").exclude(status="finished").update(queue="servers")


class Migration(migrations.Migration):

    dependencies = [
        ('leaderboard', '0030_transcripts'),
    ]

    operations = [
        migrations.AddField(
            model_name='modelfile',
            name='kind',
            field=models.CharField(default='gguf', help_text='gguf, or what the weights were trained as.', max_length=20),
        ),
        migrations.AddField(
            model_name='run',
            name='queue',
            field=models.CharField(choices=[('models', "this machine's models"), ('servers', 'model servers')], default='models', editable=False, help_text='Models of this machine run one at a time; what waits for a server does not hold them up.', max_length=10),
        ),
        migrations.AddField(
            model_name='system',
            name='base_model',
            field=models.CharField(blank=True, help_text='The model that was tuned or merged further.', max_length=120, verbose_name='derived from'),
        ),
        migrations.AddField(
            model_name='system',
            name='card_sources',
            field=models.JSONField(blank=True, default=dict, editable=False, help_text='Field of the card -> file or person; a field of an older release has no entry.'),
        ),
        migrations.AddField(
            model_name='system',
            name='context',
            field=models.PositiveIntegerField(blank=True, help_text='Tokens that the model reads at most.', null=True, validators=[django.core.validators.MinValueValidator(1)]),
        ),
        migrations.AddField(
            model_name='system',
            name='developer',
            field=models.CharField(blank=True, help_text='Who trained the model.', max_length=100),
        ),
        migrations.AddField(
            model_name='system',
            name='hub_id',
            field=models.CharField(blank=True, help_text='On the Hugging Face Hub, for example HuggingFaceTB/SmolLM2-135M-Instruct.', max_length=120, validators=[django.core.validators.RegexValidator('\\A[\\w.-]+(/[\\w.-]+)?\\Z', 'Write it as owner/name, such as HuggingFaceTB/SmolLM2-135M-Instruct.')], verbose_name='Hub id'),
        ),
        migrations.AddField(
            model_name='system',
            name='hub_revision',
            field=models.CharField(blank=True, help_text='The commit, tag or branch there.', max_length=100, validators=[django.core.validators.RegexValidator('\\A[\\w./-]+\\Z', 'A revision is a commit, a tag or a branch, without spaces.')], verbose_name='Hub revision'),
        ),
        migrations.AddField(
            model_name='system',
            name='licence',
            field=models.CharField(blank=True, help_text='Its SPDX name, such as Apache-2.0, or what it is called.', max_length=60),
        ),
        migrations.AddField(
            model_name='system',
            name='licence_url',
            field=models.URLField(blank=True, help_text='Where the licence can be read.', verbose_name='licence text'),
        ),
        migrations.AddField(
            model_name='system',
            name='price_in',
            field=models.FloatField(blank=True, help_text='US dollars for a million tokens read.', null=True, validators=[django.core.validators.MinValueValidator(0)], verbose_name='price of input'),
        ),
        migrations.AddField(
            model_name='system',
            name='price_out',
            field=models.FloatField(blank=True, help_text='US dollars for a million tokens written.', null=True, validators=[django.core.validators.MinValueValidator(0)], verbose_name='price of output'),
        ),
        migrations.AddField(
            model_name='system',
            name='released',
            field=models.DateField(blank=True, help_text='The day it could first be used.', null=True, validators=[leaderboard.submissions.models.card.not_in_the_future]),
        ),
        migrations.AddField(
            model_name='system',
            name='weights',
            field=models.CharField(blank=True, choices=[('', 'Not known'), ('open', 'Open'), ('conditions', 'Open, with conditions'), ('closed', 'Closed')], help_text='With conditions: a licence that limits who may use them, or for what.', max_length=10),
        ),
        migrations.CreateModel(
            name='ModelCheck',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('lease_until', models.DateTimeField(blank=True, null=True)),
                ('lease_token', models.UUIDField(blank=True, editable=False, help_text='New with every claim, so that a worker that lost its lease can write nothing.', null=True)),
                ('lease_holder', models.CharField(blank=True, editable=False, help_text='The worker: its host, the boot of that host, its process.', max_length=200)),
                ('attempts', models.PositiveSmallIntegerField(default=0)),
                ('faults', models.PositiveSmallIntegerField(default=0, help_text='Consecutive faults of this site; they count no attempt.')),
                ('next_attempt_at', models.DateTimeField(blank=True, help_text='When it may be tried again; empty: at once.', null=True)),
                ('progress_done', models.PositiveIntegerField(default=0)),
                ('progress_total', models.PositiveIntegerField(default=0)),
                ('error', models.TextField(blank=True)),
                ('status', models.CharField(choices=[('queued', 'Waiting for a worker'), ('running', 'Being checked'), ('passed', 'Passed'), ('suspicious', 'Suspicious'), ('failed', 'Failed')], default='queued', max_length=10)),
                ('result', models.JSONField(blank=True, default=dict, help_text="What the engine's smoke test reports.")),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now, help_text='When it was asked for.')),
                ('finished_at', models.DateTimeField(blank=True, null=True)),
                ('model_file', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='check_made', to='leaderboard.modelfile')),
            ],
            options={
                'abstract': False,
            },
        ),
        migrations.RunPython(queue_of_servers, migrations.RunPython.noop),
    ]
