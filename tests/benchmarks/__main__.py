"""`make bench`: run every benchmark in its own process, so that memory is measured separately."""

from __future__ import annotations

import subprocess
import sys

BENCHMARKS = [
    "generate",
    "validate",
    "grade",
    "conditions",
    "freezing",
    "joins",
    "difficulty",
    "documents",
    "ladder",
    "sweep",
    "statebench",
    "templates",
    "scopes",
    "conforming",
    "verdicts",
    "board",
    "million",
    "workers",
    "nodes",
    "ready_pages",
    "gym",
    "llama",
]

if __name__ == "__main__":
    chosen = sys.argv[1:] or BENCHMARKS
    failed = []
    for name in chosen:
        print(f"\n== {name}", flush=True)
        if subprocess.run([sys.executable, "-m", f"tests.benchmarks.{name}"], check=False).returncode:
            failed.append(name)
    sys.exit(f"failed: {', '.join(failed)}" if failed else 0)
