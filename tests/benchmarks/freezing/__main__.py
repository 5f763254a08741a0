"""The cost of a freeze with attackers and without: `python -m tests.benchmarks.freezing [preset …]`.

Each freeze is its own process, with its own database and files. CPU seconds leave out other processes' work, and the
memory peak shows that memory does not grow with the rows. A freeze may take at most seven times as long with attackers:
every attacker answers all rows, and is graded.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
import time

PRESETS = ("standard", "real")
MOST = 7.0
REPEATS = 3


def freeze_once(preset: str, attackers: bool) -> None:
    """Freeze one version, and print the seconds of CPU and the peak in MB."""
    os.environ["DJANGO_SETTINGS_MODULE"] = "benchsite.settings"
    import django

    django.setup()
    from django.core.management import call_command

    from leaderboard.benchmarks import freezing
    from leaderboard.benchmarks.models import Preset
    from leaderboard.benchmarks.sealing import seal

    call_command("migrate", verbosity=0)
    call_command("seed_presets", verbosity=0)
    if not attackers:
        seal.attacked = lambda *args, **options: None
    chosen = Preset.objects.get(benchmark__suite="goldevidence", name=preset.replace("_", "-"))
    version = freezing.start(preset=chosen, slug="timed", wake_worker=False)
    started = time.process_time()
    assert freezing.freeze(version.pk)
    used = time.process_time() - started
    print(used, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)


def measured(preset: str, attackers: bool) -> tuple[float, float]:
    """The fastest of some freezes: seconds of CPU, and the peak in MB."""
    runs = []
    for _ in range(REPEATS):
        with tempfile.TemporaryDirectory() as folder:
            command = [
                sys.executable,
                "-m",
                "tests.benchmarks.freezing",
                "--once",
                preset,
                str(int(attackers)),
            ]
            known = {**os.environ, "DATA_DIR": folder}
            done = subprocess.run(command, check=True, capture_output=True, text=True, env=known)
            seconds, peak = map(float, done.stdout.split()[-2:])
            runs.append((seconds, peak))
    return min(runs)


def main() -> int:
    """Print the table; 1 if a freeze takes more than `MOST` times as long with attackers, else 0."""
    worst = 0.0
    for preset in sys.argv[1:] or PRESETS:
        (before, small), (after, large) = measured(preset, False), measured(preset, True)
        worst = max(worst, after / before)
        print(
            f"{preset:14} without {before:6.2f} s of CPU, {small:4.0f} MB; "
            f"with attackers {after:6.2f} s, {large:4.0f} MB: {after / before:.2f}x",
            flush=True,
        )
    return int(worst > MOST)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--once"]:
        freeze_once(sys.argv[2], sys.argv[3] == "1")
    else:
        sys.exit(main())
