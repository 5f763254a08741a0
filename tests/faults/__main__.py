"""`make faults`: cause every fault many times, in minutes to an hour; the table goes into docs/faults.md."""

from __future__ import annotations

import argparse
import os
import sys
import time

from tests.faults.outages import OUTAGES
from tests.faults.scenarios import SCENARIOS, outcome_of
from tests.live import ROOT

PAGE = ROOT / "docs/faults.md"
BEGIN, END = "<!-- begin: make faults -->\n", "<!-- end: make faults -->"
HEADING = (
    "| what happens | times | pieces of work | lost | doubled | torn | readers: pages, refused, slowest |\n"
)


def main() -> None:
    os.environ.setdefault("SECRET_KEY", "of the faults")  # sites with a database server ask for one
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=20, help="how often each happens")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="", help="of those whose name holds this text")
    parser.add_argument("--write", action="store_true", help="write the table into docs/faults.md")
    args = parser.parse_args()
    lines, is_sound = [HEADING, "| --- | ---: | ---: | ---: | ---: | ---: | --- |\n"], True
    for scenario in (*SCENARIOS, *OUTAGES):
        if args.only not in scenario.name:
            continue
        started = time.monotonic()
        found = outcome_of(scenario, args.rounds, args.seed)
        read = f"{found.reads:,}, {found.unanswered:,}, {found.slowest_s:.1f} s" if found.reads else "–"
        counts = (args.rounds, found.work, found.lost, found.doubled, found.torn)
        lines.append(f"| {scenario.name} | {' | '.join(f'{each:,}' for each in counts)} | {read} |\n")
        print(lines[-1].strip(), f"({time.monotonic() - started:.0f} s)", *found.notes, sep="\n", flush=True)
        is_sound = is_sound and found.is_sound
    if args.write:
        before, _, rest = PAGE.read_text().partition(BEGIN)
        PAGE.write_text(before + BEGIN + "".join(lines) + END + rest.partition(END)[2])
    sys.exit(0 if is_sound else "something was lost, done twice or left half written")


if __name__ == "__main__":
    main()
