"""Training steps a second of one core, run with JAX: `build/gym/bin/python -m tests.benchmarks.gym.steps`."""

from __future__ import annotations

import time

import numpy as np

from evaluation.gym.models.recipes import RECIPES
from evaluation.gym.models.rows import sample
from evaluation.gym.models.shape import Shape
from evaluation.gym.models.teaching import ROWS
from evaluation.gym.models.training import Learner, Pace
from evaluation.gym.models.vocabulary import vocabulary

STEPS = 10


def main() -> None:
    """Print how fast the first stage of `gym-order` learns, with new rows for each step."""
    learner, rng, stage = (
        Learner(Shape(), vocabulary()),
        np.random.default_rng(0),
        RECIPES["gym-order"].stages[0],
    )
    pace = Pace(STEPS)
    learner.learn(sample(rng, ROWS, stage.kind), pace, 1.0)  # compiles
    started = time.process_time()
    for _ in range(STEPS):
        learner.learn(sample(rng, ROWS, stage.kind), pace, 1.0)
    print(f"{'training, JAX':24} {STEPS / (time.process_time() - started):10.1f} steps/s of {ROWS} prompts")


if __name__ == "__main__":
    main()
