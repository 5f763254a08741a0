"""The first contents of a site: the engine's presets, and for the demo frozen versions with graded baselines."""

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
    """Add a benchmark for each suite that has none yet: of one that was installed, say."""
    for name, suite in usable().items():
        text = {"title": suite.title, "summary": suite.display.summary, "slug": name.replace("_", "-")}
        Benchmark.objects.get_or_create(suite=name, defaults=text | {"position": Benchmark.objects.count()})


def presets(*suites: str) -> int:
    """Add the engine's named presets (of these suites, else of all) that are not there yet; how many were added."""
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
    """The account that owns what this site runs itself, for commands. Raises CommandError."""
    try:
        return accounts.site_account()
    except accounts.NameTakenError as error:
        raise CommandError(str(error)) from error


def demo_versions() -> list[tuple[str, str]]:
    """(suite, preset) of what a demo shows, in the order of the benchmarks: the first is on its front page."""
    suites = usable()
    return [
        (name, preset.replace("_", "-"))
        for name in Benchmark.objects.filter(suite__in=suites).values_list("suite", flat=True)
        for preset in suites[name].display.demo
    ]


def demo_sealed() -> list[tuple[str, str]]:
    """(suite, preset) of the versions that a demo also freezes sealed, so that an upload can be seen to be ranked."""
    return [
        (name, suite.display.demo_sealed.replace("_", "-"))
        for name, suite in usable().items()
        if suite.display.demo_sealed
    ]


def demo_admin() -> tuple[str, str]:
    """The demo's admin login. The password is made once and kept in the data folder."""
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
    """The frozen version of a preset, made here and now if there is none yet.

    A version that an earlier start left unfinished is finished. Where another process works on it, this one waits.

    Args:
        suite: The name of the suite.
        preset: The name of one of its presets, as an address writes it.
        tell: Called with a line of text for the terminal: what is frozen, and what is waited for.

    Returns:
        The oldest frozen or retired version of the preset, whatever was frozen since; where there is none, the one
        that was frozen now.

    Raises:
        freezing.FreezeError: The version cannot be frozen; the text says why.
    """
    chosen_preset = Preset.objects.select_related("benchmark").get(benchmark__suite=suite, name=preset)
    version = (
        chosen_preset.versions.filter(status__in=Version.FINAL).order_by("pk").first()
    )  # not one frozen since
    if version is not None:
        return version
    version = chosen_preset.versions.first() or freezing.start(
        preset=chosen_preset, open_demo=True, wake_worker=False
    )
    _finish(version, tell)
    return version


def sealed(suite: str, preset: str, *, tell: Callable[[str], None]) -> Version:
    """The sealed version of a preset that a demo shows: its seeds are drawn at the first start.

    Args:
        suite: The name of the suite.
        preset: The name of one of its presets, as an address writes it.
        tell: Called with a line of text for the terminal.

    Returns:
        The frozen version at `<preset>-sealed`, made here and now if there is none yet.

    Raises:
        freezing.FreezeError: The version cannot be frozen; the text says why.
    """
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
    """The frozen public twin of a version, made here and now if there is none yet.

    Args:
        version: A frozen version.
        tell: Called with a line of text for the terminal.

    Returns:
        The twin; None for a version that can have none, such as one that was imported.

    Raises:
        freezing.FreezeError: It cannot be frozen; the text says why.
    """
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
    """Freeze a version that is not, also one whose freeze failed at an earlier start."""
    if version.status == Version.Status.FAILED:
        freezing.retry(version)
    tell(f"  freezing {version.title} …")
    _freeze(version, tell)


def _freeze(version: Version, tell: Callable[[str], None]) -> None:
    """Freeze a version, or wait until another process has: one that was killed still holds it for a while."""
    last_reason = ""
    while not freezing.freeze(version.pk):
        version.refresh_from_db()
        if version.is_final:
            return
        if version.status == Version.Status.FAILED:
            raise freezing.FreezeError(version.error)
        held = f"another process works on it; waiting, at most {settings.LEASE_SECONDS} s if it was killed …"
        if (why := version.error or held) != last_reason:
            last_reason = why
            tell(f"  {why}")
        time.sleep(1)
    version.refresh_from_db()
