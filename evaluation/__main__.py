"""`python -m evaluation`, and the command `goldevidencebench`: one command as a process of its own."""

from __future__ import annotations

import gc

#: Modules that are imported hold some 200,000 objects that stay: with Python's own 700, looking them over and over for
#: cycles takes a tenth of the time until a command begins.
OBJECTS_BEFORE_A_LOOK = 50_000


def main() -> int:
    """Run the command of this process.

    Returns:
        The exit code.
    """
    gc.set_threshold(OBJECTS_BEFORE_A_LOOK)
    from evaluation.cli import main as run

    try:
        return run()
    finally:
        gc.freeze()  # the process ends: nothing is looked over any more


if __name__ == "__main__":
    raise SystemExit(main())
