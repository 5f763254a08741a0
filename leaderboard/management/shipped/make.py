"""Make the runs of small models that come with the demo (`make demo-models`)."""

from __future__ import annotations

import signal
import threading
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError

from evaluation.adapters.estimate import duration
from evaluation.core.errors import BenchmarkError
from leaderboard.benchmarks.freezing import FreezeError
from leaderboard.management.base import SiteCommand
from leaderboard.runs import shipped
from leaderboard.runs.shipped import folders, making, weights


class Command(SiteCommand):
    makes_figures = True
    requires_system_checks: list[str] = []  # no database is needed
    help = "Run the shipped systems over the demo's versions. Ctrl-C stops; the next call resumes at the last row."

    def add_arguments(self, parser: ArgumentParser) -> None:
        slugs, every = [system.slug for system in shipped.SYSTEMS], making.jobs()
        presets = list(dict.fromkeys(job.preset for job in every))
        parser.add_argument(
            "--out",
            type=Path,
            default=folders.SHIPPED,
            help="folder to write runs to; default: the folder of shipped runs",
        )
        parser.add_argument("--model", type=Path, help="another GGUF file, to try it out")
        parser.add_argument(
            "--system", action="append", default=[], choices=slugs, help="only this system; repeatable"
        )
        parser.add_argument(
            "--preset", action="append", default=[], choices=presets, help="only this preset; repeatable"
        )
        parser.add_argument("--threads", type=int, help="number of threads; default: as in systems.toml")
        parser.add_argument(
            "--repack",
            choices=("auto", "on", "off"),
            help="on: much faster on processors with AMX, but needs a llama.cpp built by GCC 13 or newer",
        )
        parser.add_argument("--limit", type=int, metavar="N", help="only the first N rows, to try it out")
        parser.add_argument("--estimate", action="store_true", help="print the cost of each run, and stop")

    def handle(self, *args: Any, out: Path, model: Path | None, **options: Any) -> None:
        chosen = making.jobs(tuple(options["system"]), tuple(options["preset"]))
        if not chosen:
            raise CommandError("None of the given systems runs over the given presets.")
        tries = (model or options["limit"]) and not options["estimate"]
        if tries and out.resolve() == folders.SHIPPED:
            raise CommandError("A trial would replace the shipped runs: name a folder with --out.")
        machine = {name: options[name] for name in ("threads", "repack") if options[name] is not None}
        stop = threading.Event()
        previous = {
            number: signal.signal(number, lambda *_: stop.set()) for number in (signal.SIGINT, signal.SIGTERM)
        }
        try:
            if options["estimate"]:
                self._estimate(chosen, model, stop)
            else:
                for number, job in enumerate(chosen, 1):
                    self.tell(f"[{number}/{len(chosen)}] {job}")
                    making.make(
                        job,
                        out,
                        model or weights.path(job.system.model),
                        tell=self.tell,
                        should_stop=stop.is_set,
                        limit=options["limit"],
                        machine=machine,
                    )
        except making.Stopped:
            raise CommandError(
                "Stopped. Answers are saved: the next call resumes there.", returncode=130
            ) from None
        except (weights.NoModelError, BenchmarkError, FreezeError) as error:
            raise CommandError(str(error)) from error
        finally:
            for number, handler in previous.items():
                signal.signal(number, handler)

    def _estimate(self, chosen: list[making.Job], model: Path | None, stop: threading.Event) -> None:
        total = 0.0
        self.tell(f"{'run':<62} {'rows':>6} {'tokens':>10} {'time':>14}")
        for job in chosen:
            rows, tokens, seconds = making.estimated(
                job, model or weights.path(job.system.model), should_stop=stop.is_set
            )
            if stop.is_set():
                raise making.Stopped
            total += seconds
            self.tell(f"{job!s:<62} {rows:>6,} {tokens:>10,.0f} {duration(seconds):>14}")
        self.tell(f"{'all':<62} {'':>6} {'':>10} {duration(total):>14}")
