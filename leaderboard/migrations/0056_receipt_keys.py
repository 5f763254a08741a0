"""Keys that sign scores, and the signed receipts."""

import django.db.models.deletion
import django.utils.timezone
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('leaderboard', '0055_notices'),
    ]

    operations = [
        migrations.CreateModel(
            name='SigningKey',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('public', models.CharField(help_text='32 bytes, hexadecimal.', max_length=64, unique=True)),
                ('private', models.CharField(help_text='32 bytes, hexadecimal.', max_length=64)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now)),
            ],
            options={
                'ordering': ['-created_at', '-pk'],
            },
        ),
        migrations.CreateModel(
            name='Receipt',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('envelope', models.JSONField(help_text='DSSE.')),
                ('signed_at', models.DateTimeField(auto_now=True)),
                ('score', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='receipt', to='leaderboard.score')),
            ],
        ),
    ]
