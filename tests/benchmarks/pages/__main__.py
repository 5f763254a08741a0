"""The cost of the demo's pages in a browser: first paint, elements, bytes, requests, long tasks, and a score.

python -m tests.benchmarks.pages [--write] [--demo FOLDER --site URL] [--repeats 3] [kind …]

Each page is opened with an empty cache, at 1280 pixels without throttling, and at 375 with a processor four times
slower and the network that Lighthouse gives a phone; medians of several openings. Without `--demo` and `--site` a new
demo is made first (minutes). `--write` puts the tables into docs/look.md.
"""

from __future__ import annotations

import os
import sys
import tempfile
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.benchmarks.calibrate import table, written
from tests.benchmarks.pages.measuring import SCREENS, Opened, Screen, browser, middle, opened
from tests.benchmarks.pages.scoring import score
from tests.live import ROOT, LiveDemo, LiveSite, RunningDemo, sign_in
from tests.site_pages import Kind, kinds, prepare

PAGE = ROOT / "docs/look.md"
KINDS = (
    "Front page",
    "Glossary",
    "Board, ladder",
    "Board, order bias",
    "Board, StateBench",
    "Board, all figures",
    "Board by track",
    "Versions",
    "Version",
    "Rows",
    "Row, ladder",
    "Row, order bias",
    "Row, StateBench",
    "Submission",
    "Submission's rows",
    "System",
    "Compare",
    "Published figures",
    "Submit",
    "Bench",
)
HEADINGS = "page, first paint, largest paint, elements, kB, requests, longest task, blocked, moved, score"


@contextmanager
def demo(given: Namespace) -> Iterator[LiveSite]:
    """The demo given by the options, else a new one."""
    if bool(given.demo) != bool(given.site):
        sys.exit("--demo and --site name one demo: give both, or neither")
    if given.site:
        with RunningDemo(given.demo, given.site) as running:
            yield running
        return
    with tempfile.TemporaryDirectory() as folder, LiveDemo(Path(folder)) as own:
        yield own


def line(kind: Kind, seen: Opened, screen: Screen) -> tuple[Any, ...]:
    """A page as a line of the table."""
    figures = seen.figures
    return (
        kind.name,
        *(f"{value:.0f} ms" for value in (figures.fcp, figures.lcp)),
        *(f"{value:,.0f}" for value in (seen.elements, seen.kilobytes, seen.requests)),
        *(f"{value:.0f} ms" if value else "–" for value in (seen.longest, figures.tbt)),
        f"{figures.cls:.3f}" if figures.cls >= 0.0005 else "–",
        score(figures, screen.device),
    )


def main(given: Namespace) -> None:
    """Measure every page on every screen, and print each line at once."""
    with demo(given) as site, browser() as chromium:
        prepare(site.shell)
        looked_at = kinds(site.shell, given.kinds or KINDS)
        page = chromium.new_page()
        sign_in(page, site, "admin", (site.folder / "demo-password").read_text())
        cookies = page.context.cookies()
        for screen in SCREENS:
            lines = []
            for kind in looked_at:
                who = cookies if kind.staff else []
                times = [opened(chromium, site.url + kind.path, screen, who) for _ in range(given.repeats)]
                lines.append(line(kind, middle(times), screen))
                print(screen.width, *lines[-1], sep=" · ", flush=True)
            if given.write:
                text = f"{table(HEADINGS, iter(lines))}\n\n{_conditions(given.repeats)}"
                PAGE.write_text(written(PAGE.read_text(), f"pages at {screen.width}", text))


def _conditions(repeats: int) -> str:
    """The conditions under which a table was measured."""
    busy, cores = os.getloadavg()[1], os.cpu_count()
    openings = f"Medians of {repeats} openings of each page" if repeats > 1 else "Each page was opened once"
    return f"{openings}. Meanwhile the {cores} cores had a load of {busy:.1f} processes, server and browser included."


def options(program: str) -> ArgumentParser:
    """The options that select a demo."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "benchsite.settings")
    parser = ArgumentParser(prog=program)
    parser.add_argument("--demo", type=Path, help="the data folder of a demo that runs; needs --site")
    parser.add_argument("--site", help="its address; needs --demo")
    return parser


if __name__ == "__main__":
    asked = options("python -m tests.benchmarks.pages")
    asked.add_argument("kinds", nargs="*", help="names of kinds of pages; none: twenty")
    asked.add_argument("--repeats", type=int, default=3)
    asked.add_argument("--write", action="store_true", help="into docs/look.md")
    main(asked.parse_args())
