"""`goldevidencebench generate`: write the rows of a benchmark, with gold, as JSON lines."""

from __future__ import annotations

import argparse
import gc
import sys

from evaluation.core.terminal.commands import Generator
from evaluation.core.terminal.progress import tracked
from evaluation.core.terminal.wording import number_of


def run(args: argparse.Namespace) -> int:
    from evaluation.core.files import flat

    own: Generator = args.own
    gc.disable()  # rows contain no cycles, and collection takes a tenth of the time, also in a second process
    try:
        made = own.generated(args)
        count = flat.write_encoded(args.out, tracked(made.groups, "generating", made.total))
    finally:
        gc.enable()
    print(f"wrote {number_of(count, *made.noun)}{made.of} to {args.out}", file=sys.stderr)
    return 0
