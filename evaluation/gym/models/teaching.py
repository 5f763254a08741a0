"""Teaching: run the training stages of a recipe with a checkpoint and a learning curve, and write the model file."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from evaluation.core.errors import BenchmarkError
from evaluation.gym.frozen import frozen_presets
from evaluation.gym.models import gguf_file
from evaluation.gym.models.boards import Board, board, seeds
from evaluation.gym.models.network import embeddings
from evaluation.gym.models.recipes import RECIPES, Stage, TakeOff
from evaluation.gym.models.rows import Batch, Ints, joined, sample
from evaluation.gym.models.shape import Shape
from evaluation.gym.models.training import Learner, Pace
from evaluation.gym.models.vocabulary import vocabulary

SUITE = "goldevidence"
ROWS = 256  # of a step
POOL = 20  # seeds whose rows are mined at a time
EVERY = 100  # steps between two points of a curve
AUTHOR = "GoldEvidenceBench gym (make gym)"
JUDGED = 5  # seeds for evaluation, as many as the preset has


class Course:
    """The training of one model in a folder, with its checkpoint, learning curve and GGUF file."""

    def __init__(self, name: str, out: Path, seed: int, share: float, tell: Callable[[str], None]) -> None:
        """Load or start the training of a recipe with a share of its steps. `tell` gets progress messages.

        Raises BenchmarkError if the folder has this model with another seed or share, or lacks the model to start from.
        """
        self.name, self.out, self.share, self._tell = name, out, share, tell
        self.recipe = recipe = RECIPES[name]
        self._made, self._kept, self._told_in = (out / f"{name}.{end}" for end in ("gguf", "npz", "json"))
        self.told: dict[str, Any] = {
            "seed": seed,
            "share": share,
            "seconds": 0.0,
            "curve": [],
            "given_up": [],
        }
        if self._told_in.exists():
            self.told |= json.loads(self._told_in.read_text())
            self._refuse_another(seed)
        self.told |= {"title": recipe.title, "about": recipe.about}
        if self.is_made:
            return
        self.learner = Learner(Shape(), vocabulary(), self.told["seed"])
        if self._kept.exists():
            self.learner.load(self._kept)
        elif recipe.begins_as:
            self.learner.begin_as(_weights_of(recipe.begins_as, out))

    @property
    def is_made(self) -> bool:
        return self._made.exists()

    def go_through(self) -> None:
        """Run the remaining stages. Raises BenchmarkError if no seed is accurate enough (`TakeOff`)."""
        first = 0
        for number, stage in enumerate(self.recipe.stages):
            steps = max(1, round(stage.steps * self.share))
            while not self._go_through(number, stage, first, steps):
                self._start_again(stage.take_off or TakeOff())
            first += steps

    def finish(self) -> None:
        """Evaluate the model, and write its file."""
        self.told["judged"] = found = judged(self.learner, "judged")
        self._told_in.write_text(json.dumps(self.told, indent=1))
        self._tell(f"{self.name}: worst order {found['worst']:.1%}, best {found['best']:.1%}")
        card = {
            "name": self.recipe.title,
            "description": self.recipe.about,
            "license": "MIT",
            "author": AUTHOR,
        }
        learner = self.learner
        table = np.asarray(embeddings(learner.weights, learner.known))
        gguf_file.write(self._made, learner.weights, table, learner.shape, learner.known, card)

    def _refuse_another(self, seed: int) -> None:
        told = self.told
        begun = (told["seed"] - len(told["given_up"]), told["share"])
        if begun != (seed, self.share):
            raise BenchmarkError(
                f"{self.name} in {self.out} was started with --seed {begun[0]} --share {begun[1]}: use these again, "
                "or another folder (--out)"
            )

    def _go_through(self, number: int, stage: Stage, first: int, steps: int) -> bool:
        """Run the remaining steps of a stage. Returns False if this seed is not accurate enough (`TakeOff`)."""
        pace, rows = Pace(steps), self._rows(number, stage)
        rule = stage.take_off if self.share == 1 else None  # the rule only fits full trainings
        points, started = list[tuple[float, float]](), time.perf_counter()
        for step in range(max(0, self.learner.steps - first), steps):
            if rule and rule.fails(self.told["curve"]):
                return False
            points.append(self.learner.learn(next(rows), pace, stage.rate * pace.at(step)))
            if len(points) == EVERY or step == steps - 1:
                self._keep(points, time.perf_counter() - started)
                points, started = [], time.perf_counter()
        return True

    def _start_again(self, rule: TakeOff) -> None:
        """Train from new random weights with the next seed. Raises BenchmarkError after `rule.starts` seeds."""
        told, seed = self.told, self.told["seed"]
        last = told["curve"][-1]
        given_up = [*told["given_up"], {"seed": seed, "steps": last["steps"], "right": last["right"]}]
        if len(given_up) >= rule.starts:
            rates = ", ".join(f"{each['right']:.1%} (seed {each['seed']})" for each in given_up)
            raise BenchmarkError(
                f"{self.name}: none of {rule.starts} starts was accurate enough. Accuracy after {rule.steps} steps: "
                f"{rates}; {rule.right:.0%} is needed. Try another --seed in another folder (--out)."
            )
        self._tell(
            f"{self.name}: seed {seed} is given up (accuracy {last['right']:.1%} after {rule.steps} steps, "
            f"{rule.right:.0%} is needed), starting again with seed {seed + 1}"
        )
        self.told = told | {"seed": seed + 1, "curve": [], "given_up": given_up}
        self.learner = Learner(self.learner.shape, self.learner.known, seed + 1)

    def _keep(self, points: Sequence[tuple[float, float]], seconds: float) -> None:
        learner, told = self.learner, self.told
        loss, right = (round(float(mean), 4) for mean in np.mean(points, axis=0))
        so_far = judged(learner, "curve")
        told["seconds"] = round(told["seconds"] + seconds, 1)
        told["curve"].append(
            {"steps": learner.steps, "loss": loss, "right": right}
            | {name: so_far[name] for name in ("worst", "best")}
        )
        learner.save(self._kept)
        self._told_in.write_text(json.dumps(told, indent=1))
        self._tell(
            f"{self.name}: {learner.steps} steps, accuracy {right:.1%}, in the worst order {so_far['worst']:.1%}, "
            f"{told['seconds']:.0f} s"
        )

    def _rows(self, number: int, stage: Stage) -> Iterator[Batch]:
        done = self.learner.steps
        seed = self.told["seed"]
        rng = np.random.default_rng([seed, number, done, *self.name.encode()])
        if not stage.preset:
            while True:
                yield sample(rng, ROWS, replace(stage.kind, k=int(rng.choice(stage.ks))))
        other = _other(stage.mistakes_of, self.learner, self.out) if stage.mistakes_of else None
        fresh, one = seeds(self.name, seed, number, done), replace(stage.kind, questions=1)
        while True:
            pool = board(stage.preset, list(islice(fresh, POOL)), frozen_presets(SUITE))
            mined = _mined(pool, self.learner, other)
            for which in np.array_split(rng.permutation(mined), max(1, len(mined) // (ROWS // 2))):
                yield joined(pool.batch(which, rng), sample(rng, ROWS - len(which), one))


def teach(name: str, out: Path, *, seed: int, share: float, tell: Callable[[str], None]) -> None:
    """Train one model of `RECIPES` with a `share` of the steps, or resume its training. A finished model is kept.

    Raises BenchmarkError if a model to start or learn from is missing, this model was started with another seed or
    share, or no seed is accurate enough (`TakeOff`).
    """
    out.mkdir(parents=True, exist_ok=True)
    course = Course(name, out, seed, share, tell)
    if course.is_made:
        tell(f"{name}: already trained")
        return
    course.go_through()
    course.finish()


def _mined(pool: Board, learner: Learner, other: Learner | None) -> Ints:
    """Rows to train on: the half that the learner is least sure of. With `other`, only rows that `other` gets wrong."""
    rows = np.arange(len(pool.asked), dtype=np.int32)
    if other is not None:
        rows = rows[_answers(other, pool)[0] != pool.gold[:, 0]]
    sure = _answers(learner, pool)[1][rows]
    return rows[np.argsort(sure)[: len(rows) // 2]].astype(np.int32)


def _answers(learner: Learner, pool: Board) -> tuple[Ints, Any]:
    """(index of the line answered, log-probability of the right line), for each row."""
    rows = np.arange(len(pool.asked), dtype=np.int32)
    parts = [learner.answers(pool.batch(rows[start : start + 256])) for start in range(0, len(rows), 256)]
    said, likely = (np.concatenate(each) for each in zip(*parts, strict=True))
    return said, likely


def judged(learner: Learner, name: str) -> dict[str, Any]:
    """Accuracy for each order of the lines, on rows from unseen seeds that `name` determines."""
    pool = _unseen(name)
    right = _answers(learner, pool)[0] == pool.gold[:, 0]
    condition = np.array(pool.condition)
    rates = {each: round(float(right[condition == each].mean()), 4) for each in dict.fromkeys(pool.condition)}
    return {"rows": len(right), "orders": rates, "worst": min(rates.values()), "best": max(rates.values())}


@cache
def _unseen(name: str) -> Board:
    return board("order_bias_short", list(islice(seeds(name), JUDGED)))


def _weights_of(name: str, out: Path) -> Path:
    path = out / f"{name}.npz"
    if not (out / f"{name}.gguf").exists():
        raise BenchmarkError(
            f"{name} is not in {out}, but another model is trained from it: train {name} first"
        )
    return path


def _other(name: str, like: Learner, out: Path) -> Learner:
    other = Learner(like.shape, like.known)
    other.begin_as(_weights_of(name, out))
    return other
