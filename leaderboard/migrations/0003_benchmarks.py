"""Create the two benchmarks of the engine's registry."""

from django.db import migrations

BENCHMARKS = [
    (
        "goldevidence",
        "goldevidencebench",
        "GoldEvidenceBench",
        "Answer from the latest authoritative update of a long, noisy log, and cite it.",
    ),
    (
        "statebench",
        "statebench",
        "StateBench",
        "Keep state, not transcripts: superseded facts never come back, authority and scope hold, budgets are kept.",
    ),
]


def add(apps, schema_editor):
    benchmark = apps.get_model("leaderboard", "Benchmark")
    for position, (suite, slug, title, summary) in enumerate(BENCHMARKS):
        benchmark.objects.get_or_create(
            suite=suite, defaults={"slug": slug, "title": title, "summary": summary, "position": position}
        )


class Migration(migrations.Migration):
    dependencies = [("leaderboard", "0002_seal_frozen_versions")]
    operations = [migrations.RunPython(add, migrations.RunPython.noop)]
