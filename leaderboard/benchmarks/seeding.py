"""Initial content of a site: the engine's presets, and for the demo an admin and frozen versions."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib.auth import get_user_model
from django.core.management.base import CommandError

from evaluation.core.suite import usable
from leaderboard.accounts import services as accounts
from leaderboard.benchmarks import freezing
from leaderboard.benchmarks.models import Benchmark, Preset, Version
from leaderboard.benchmarks.sealing import twins


def benchmarks() -> None:
    """Add a benchmark for each suite that has none, such as a newly installed plugin."""
    for name, suite in usable().items():
        text = {"title": suite.title, "summary": suite.display.summary, "slug": name.replace("_", "-")}
        Benchmark.objects.get_or_create(suite=name, defaults=text | {"position": Benchmark.objects.count()})


def presets(*suites: str) -> int:
    """Add the missing presets of these suites (default: all suites). Returns the number of added presets."""
    benchmarks()
    added = 0
    for benchmark in Benchmark.objects.filter(suite__in=suites or usable()):
        for name, preset in benchmark.engine.presets().items():
            _, created = Preset.objects.get_or_create(
                benchmark=benchmark,
                name=name.replace("_", "-"),
                defaults={
                    "title": name.replace("_", " ").capitalize(),
                    "description": preset.about,
                    "settings": dict(preset.settings),
                },
            )
            added += created
    return added


def site_user() -> Any:
    """The account of the site's own runs, for commands. Raises CommandError."""
    try:
        return accounts.site_account()
    except accounts.NameTakenError as error:
        raise CommandError(str(error)) from error


def demo_versions() -> list[tuple[str, str]]:
    """List the demo's versions as (suite, preset). The front page shows the first of them."""
    suites = usable()
    return [
        (name, preset.replace("_", "-"))
        for name in Benchmark.objects.filter(suite__in=suites).values_list("suite", flat=True)
        for preset in suites[name].display.demo
    ]


def demo_sealed() -> list[tuple[str, str]]:
    """List the demo's sealed versions, on which uploads are ranked, as (suite, preset)."""
    return [
        (name, suite.display.demo_sealed.replace("_", "-"))
        for name, suite in usable().items()
        if suite.display.demo_sealed
    ]


def demo_admin() -> tuple[str, str]:
    """Name and password of the demo's admin account, created if missing. The password is stored in the data folder."""
    path = Path(settings.DATA_DIR) / "demo-password"
    if not path.exists():
        path.touch(mode=0o600)
        path.write_text(secrets.token_urlsafe(9))
    password = path.read_text()
    user, created = get_user_model().objects.get_or_create(
        username="admin", defaults={"is_staff": True, "is_superuser": True, "email": "admin@localhost"}
    )
    if created:
        user.set_password(password)
        user.save()
    return user.get_username(), password


def frozen(suite: str, preset: str, *, tell: Callable[[str], None]) -> Version:
    """Find the oldest frozen version of a preset. If there is none, freeze one. Raises freezing.FreezeError."""
    chosen_preset = Preset.objects.select_related("benchmark").get(benchmark__suite=suite, name=preset)
    version = (
        chosen_preset.versions.filter(status__in=Version.FINAL).order_by("pk").first()
    )  # the oldest: later ones are no part of the demo
    if version is not None:
        return version
    version = chosen_preset.versions.first() or freezing.start(
        preset=chosen_preset, open_demo=True, wake_worker=False
    )
    _finish(version, tell)
    return version


def sealed(suite: str, preset: str, *, tell: Callable[[str], None]) -> Version:
    """Find the version `<preset>-sealed`; if missing, freeze it with random seeds. Raises freezing.FreezeError."""
    chosen_preset = Preset.objects.select_related("benchmark").get(benchmark__suite=suite, name=preset)
    slug = f"{preset}-sealed"
    version = Version.objects.filter(benchmark=chosen_preset.benchmark, slug=slug).first()
    if version is not None and version.is_final:
        return version
    if version is None:
        title = f"{chosen_preset.title}, sealed"
        version = freezing.start(preset=chosen_preset, slug=slug, title=title, wake_worker=False)
    _finish(version, tell)
    return version


def twin_of(version: Version, *, tell: Callable[[str], None]) -> Version | None:
    """The version's public twin, frozen if missing; None if it cannot have a twin. Raises freezing.FreezeError."""
    twin = Version.objects.filter(twin_of=version).first()
    if twin is not None and twin.is_final:
        return twin
    if twin is None:
        if not version.is_open or twins.why_none(version):
            return None
        twin = twins.make(version, wake_worker=False)
    _finish(twin, tell)
    return twin


def _finish(version: Version, tell: Callable[[str], None]) -> None:
    """Freeze an unfinished or failed version. If another process is freezing it, wait for that process."""
    if version.status == Version.Status.FAILED:
        freezing.retry(version)
    tell(f"  freezing {version.title} …")
    last_reason = ""
    while not freezing.freeze(version.pk):
        version.refresh_from_db()
        if version.is_final:
            return
        if version.status == Version.Status.FAILED:
            raise freezing.FreezeError(version.error)
        held = (
            f"waiting for another process to freeze it; at most {settings.LEASE_SECONDS} s if it was killed …"
        )
        if (why := version.error or held) != last_reason:
            last_reason = why
            tell(f"  {why}")
        time.sleep(1)
    version.refresh_from_db()
