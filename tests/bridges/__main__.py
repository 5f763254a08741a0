"""`make bridges`: run the recipes of a library in its environment, and write the results into docs/gym.md."""

from __future__ import annotations

import argparse
import importlib
import time
from importlib import metadata

from tests.bridges.page import recorded
from tests.bridges.recipes import PAGE

LIBRARIES = ("gymnasium", "verifiers", "trl")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("library", choices=LIBRARIES)
    library = parser.parse_args().library
    began, rows = time.monotonic(), []
    for done, seen in importlib.import_module(f"tests.bridges.{library}_steps").steps():
        rows.append(f"| {library} {metadata.version(library)} | {done} | {seen} |\n")
        print(f"{time.monotonic() - began:.0f} s: {done}: {seen}", flush=True)
    PAGE.write_text(recorded(PAGE.read_text(), library, rows, LIBRARIES))


if __name__ == "__main__":
    main()
