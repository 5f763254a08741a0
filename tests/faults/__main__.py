"""`make faults`: cause every fault many times, in minutes to an hour; the table goes into docs/faults.md."""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Mapping

from tests.faults.outages import OUTAGES
from tests.faults.scenarios import SCENARIOS, outcome_of
from tests.live import ROOT

PAGE = ROOT / "docs/faults.md"
BEGIN, END = "<!-- begin: make faults -->\n", "<!-- end: make faults -->"
HEADING = (
    "| what happens | times | pieces of work | lost | doubled | torn | readers: pages, refused, slowest |\n"
    "| --- | ---: | ---: | ---: | ---: | ---: | --- |\n"
)


def main() -> None:
    os.environ.setdefault("SECRET_KEY", "of the faults")  # sites with a database server ask for one
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=20, help="how often each happens")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="", help="of those whose name holds this text")
    parser.add_argument(
        "--write", action="store_true", help="write the lines into the table of docs/faults.md"
    )
    args = parser.parse_args()
    lines, is_sound = {}, True
    for scenario in (*SCENARIOS, *OUTAGES):
        if args.only not in scenario.name:
            continue
        started, rounds = time.monotonic(), min(args.rounds, scenario.most_rounds)
        found = outcome_of(scenario, rounds, args.seed)
        read = f"{found.reads:,}, {found.unanswered:,}, {found.slowest_s:.1f} s" if found.reads else "–"
        counts = (rounds, found.work, found.lost, found.doubled, found.torn)
        line = f"| {scenario.name} | {' | '.join(f'{each:,}' for each in counts)} | {read} |"
        lines[scenario.name] = line
        print(line, f"({time.monotonic() - started:.0f} s)", *found.notes, sep="\n", flush=True)
        is_sound = is_sound and found.is_sound
    if args.write:
        PAGE.write_text(written(PAGE.read_text(), lines))
    sys.exit(0 if is_sound else "something was lost, done twice or left half written")


def written(page: str, lines: Mapping[str, str]) -> str:
    """The page with these lines of its table, by the name of their scenario; other lines stay."""
    before, _, rest = page.partition(BEGIN)
    table, _, after = rest.partition(END)
    known = {line.split(" | ")[0].removeprefix("| "): line for line in table.splitlines()[2:]} | dict(lines)
    of_all = [known[each.name] + "\n" for each in (*SCENARIOS, *OUTAGES) if each.name in known]
    return before + BEGIN + HEADING + "".join(of_all) + END + after


if __name__ == "__main__":
    main()
