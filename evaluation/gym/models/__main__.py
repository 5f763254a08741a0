"""`make gym`: train the models of `recipes`, one after the other; an interrupted call can be resumed.

python -m evaluation.gym.models --out build/gym-models [--only gym-order …] [--share 0.1]
"""

from __future__ import annotations

import argparse
from pathlib import Path

from evaluation.core.errors import BenchmarkError
from evaluation.gym.models.recipes import RECIPES


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--out", type=Path, default=Path("build/gym-models"), help="folder of the models")
    parser.add_argument(
        "--only", nargs="+", choices=list(RECIPES), default=list(RECIPES), help="train only these models"
    )
    parser.add_argument("--seed", type=int, default=1, help="seed of weights and rows")
    parser.add_argument("--share", type=float, default=1.0, help="share of the training steps, for a trial")
    args = parser.parse_args()
    try:
        from evaluation.gym.models.teaching import teach
    except ImportError as error:
        print(f"JAX is not installed here: use make gym, which installs it in its own environment ({error}).")
        return 1
    try:
        for name in args.only:
            teach(name, args.out, seed=args.seed, share=args.share, tell=lambda text: print(text, flush=True))
    except BenchmarkError as error:
        print(error)
        return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
