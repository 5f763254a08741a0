"""Entry point of `python -m evaluation` and of the command `goldevidencebench`."""

from __future__ import annotations

import gc

#: Imported modules hold some 200,000 permanent objects: with Python's default of 700, garbage collection takes a tenth
#: of the start-up time.
COLLECTION_THRESHOLD = 50_000


def main() -> int:
    gc.set_threshold(COLLECTION_THRESHOLD)
    from evaluation.cli import main as run

    try:
        return run()
    finally:
        gc.freeze()  # the process ends: skip the last collection


if __name__ == "__main__":
    raise SystemExit(main())
