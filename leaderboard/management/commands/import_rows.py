"""Import a published data set as a frozen version, with progress on the terminal."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError
from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn

from evaluation.core.errors import BenchmarkError
from evaluation.core.terminal.wording import number_of
from leaderboard.benchmarks import freezing, importing
from leaderboard.benchmarks.models import Preset, Version
from leaderboard.management.base import SiteCommand


class Command(SiteCommand):
    help = "Import rows with gold (JSON lines, gzip or not): import_rows <benchmark>/<preset> dev.jsonl"

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("preset", help="<benchmark>/<preset> for showing and grading the rows")
        parser.add_argument("file", type=Path, help="the file of the published data set")
        parser.add_argument("--slug", default="", help="name in URLs; default: the preset's name")
        parser.add_argument("--title", default="", help="title of the version; default: the preset's title")

    def handle(self, *args: Any, preset: str, file: Path, slug: str, title: str, **options: Any) -> None:
        chosen = _preset(preset)
        try:
            version = importing.start(chosen, file, slug=slug, title=title, wake_worker=False)
        except OSError as error:
            raise CommandError(f"{file} cannot be read: {error.strerror}.") from error
        except (importing.ImportRefusedError, BenchmarkError, freezing.FreezeError) as error:
            raise CommandError(f"Nothing was imported. {error}") from error
        try:
            self.freeze(version)
        except KeyboardInterrupt:
            version.refresh_from_db()
            freezing.forget(version)
            raise CommandError("Stopped. Nothing was imported.") from None

    def freeze(self, version: Version) -> None:
        """Read and freeze the rows, showing the progress. If the file is refused, delete the version."""
        columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeElapsedColumn())
        terminal: Any = self.stdout  # unwrapped below: Django's wrapper adds line ends
        with Progress(*columns, console=Console(file=terminal._out)) as bar:
            task = bar.add_task("Reading and freezing", total=None)
            done = freezing.freeze(
                version.pk, on_progress=lambda done, total: bar.update(task, completed=done, total=total)
            )
        version.refresh_from_db()
        if not done:
            freezing.forget(version)
            raise CommandError(f"Nothing was imported. {version.error}")
        self.stdout.write(
            f"{number_of(version.row_count, 'row')} in {number_of(version.unit_count, 'unit')}, {version.sha256}\n"
            f"{version.get_absolute_url()}"
        )


def _preset(address: str) -> Preset:
    benchmark, _, name = address.partition("/")
    preset = Preset.objects.select_related("benchmark").filter(benchmark__slug=benchmark, name=name).first()
    if preset is None:
        known = ", ".join(f"{p.benchmark.slug}/{p.name}" for p in Preset.objects.select_related("benchmark"))
        hint = f"Known: {known}." if known else "There are no presets yet: run seed_presets."
        raise CommandError(f"There is no preset {address!r}. {hint}")
    return preset
