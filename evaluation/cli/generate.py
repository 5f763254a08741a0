"""`goldevidencebench generate`: write the rows of a benchmark, with gold, as JSON lines."""

from __future__ import annotations

import argparse
import gc
import sys

from evaluation.core.terminal.commands import Generator
from evaluation.core.terminal.progress import tracked
from evaluation.core.terminal.wording import number_of


def run(args: argparse.Namespace) -> int:
    """Write the rows and say how many."""
    from evaluation.core.files import flat

    own: Generator = args.own
    gc.disable()  # rows hold no cycles, and looking for some takes a tenth of the time, of a second process too
    try:
        made = own.generated(args)
        count = flat.write_encoded(args.out, tracked(made.groups, "generating", made.total))
    finally:
        gc.enable()
    print(f"wrote {number_of(count, *made.noun)}{made.of} to {args.out}", file=sys.stderr)
    return 0
