"""The loop in rounds: mine at the present level, export, train on all exports, evaluate, raise the level.

The level rises by `STEP` if the lower end of the interval of success on mined tasks reaches `BOUNDARY`: the learner
should train where it fails. It also rises if `PATIENCE` rounds at one level brought no significant gain on
held-out families, as some tasks are unsolvable. The loop ends after the last round, or when either condition is met at
the highest level.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NotRequired, TypedDict, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from evaluation.core import jsonl
from evaluation.core.checks import Checks
from evaluation.core.errors import BenchmarkError
from evaluation.core.rng import Stream
from evaluation.core.suite import LARGEST_THOUGHT_OF
from evaluation.gym.frozen import Frozen, refuse_seed
from evaluation.gym.learners import LEARNERS, Learner, get_learner
from evaluation.gym.learners.network import Network, load
from evaluation.gym.loop.evaluating import Gain, Rate, gain, rate_of, successes, unseen
from evaluation.gym.loop.exports import Line, export, read_examples, shuffled
from evaluation.gym.loop.mining import ARMS, NONE, SHUFFLED, Mined, mine_at
from evaluation.gym.loop.mining import BOUNDARY as AT_BOUNDARY
from evaluation.gym.loop.report import shown
from evaluation.gym.tasks import Task, secret_seed

BOUNDARY, START, STEP, PATIENCE = 0.8, 0.2, 0.2, 2
STATE = "loop.json"
Said = Callable[[str], None]
#: Called with the activity (`MINING`, `JUDGING`), tasks done, and their total. It may raise.
Step = Callable[[str, int, int], None]
MINING, JUDGING = "mining", "judging"
Table = NDArray[np.float64]
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class LoopSettings:
    """Settings of a loop. Raises SettingsError with every invalid field.

    `seed` draws the training tasks, `unseen_seed` the evaluation tasks. `unseen_seed` should be secret.
    """

    learner: str
    seed: int
    unseen_seed: int
    arm: str = AT_BOUNDARY
    rounds: int = 8
    tasks: int = 150  # of a round
    unseen: int = 400  # evaluation tasks, of held-out families and as many of the others

    def __post_init__(self) -> None:
        checks = Checks(self)
        checks.one_of("learner", LEARNERS)
        checks.one_of("arm", ARMS)
        checks.integer("rounds", 1, 1000)
        checks.integer("tasks", 2, 1_000_000)
        checks.integer("unseen", 8, 1_000_000)
        checks.done()
        refuse_seed(self.seed)
        refuse_seed(self.unseen_seed)


def settings_in(folder: str | Path, *, seed: int | None = None, **chosen: Any) -> LoopSettings:
    """Settings of a loop. Seeds that are not given are taken from the loop in this folder, or drawn if it is new.

    Raises BenchmarkError if its state file is unreadable, SettingsError if settings are invalid.
    """
    path = Path(folder) / STATE
    known = read_outcome(path)["settings"] if path.exists() else {}
    first = known.get("seed", secret_seed()) if seed is None else seed
    return LoopSettings(
        seed=cast(int, first), unseen_seed=cast(int, known.get("unseen_seed", secret_seed())), **chosen
    )


class Round(TypedDict):
    number: int
    level: float | None  # None: drawn for each task
    mined: Rate
    examples: int  # of this round and those before
    held_out: Rate
    done: str  # "reached" or "stuck": the next round is harder; else empty


class Outcome(TypedDict):
    settings: dict[str, object]
    rounds: list[Round]
    stopped: str  # empty while it runs
    start: NotRequired[Rate]  # held-out families, before training
    held_out: Gain | None
    unseen: Gain | None  # training families, unseen tasks


class Loop:
    """One loop in a folder, resumed if it exists with the same settings."""

    def __init__(self, folder: str | Path, settings: LoopSettings, frozen: Frozen) -> None:
        """Load or start the loop, without `frozen` rows. Raises BenchmarkError if the folder has another loop."""
        self.folder, self.settings, self._frozen = Path(folder), settings, frozen
        self.learner: Learner = get_learner(settings.learner)
        self.outcome = self._begun()
        self._step: Step = lambda part, done, total: None

    def run(self, said: Said = lambda text: None, step: Step = lambda part, done, total: None) -> Outcome:
        """Run the remaining rounds. `said` is called with a line of text per round, `step` after each task."""
        chosen, state = self.settings, self.outcome
        self._step = step
        if state["stopped"]:
            return state
        held_out = unseen(self.learner, chosen.unseen_seed, chosen.unseen, held_out=True)
        start, network = self.learner.start(chosen.seed), self._network()
        past = [start, *(self._learnt(each["number"]) for each in state["rounds"])]
        judged = [self._judged(each, held_out) for each in past]
        state["start"] = rate_of(judged[0])
        while not (stopped := self._stop()):
            network = self._round(network, held_out, judged)
            said(self._line())
        state["stopped"] = stopped
        state["held_out"] = gain(judged[0], self._judged(network, held_out), held_out)
        others = unseen(self.learner, chosen.unseen_seed, chosen.unseen, held_out=False)
        tables = [self._judged(each, others) for each in (start, network)]
        state["unseen"] = gain(tables[0], tables[1], others)
        self._keep()
        return state

    def _round(self, network: Network, held_out: Sequence[Task], judged: list[Table]) -> Network:
        """Run one round, append its success on held-out families to `judged`, and return the trained network."""
        chosen, number = self.settings, len(self.outcome["rounds"]) + 1
        level = self._level()
        folder = self.folder / f"round-{number:02d}"
        folder.mkdir(parents=True, exist_ok=True)
        seed = LARGEST_THOUGHT_OF + Stream("gym round", chosen.seed, number).below(2**62)
        drawn = mine_at(self.learner, network, level, seed, chosen.tasks, arm=chosen.arm)
        mined = list(self._watched(drawn, MINING, chosen.tasks))
        jsonl.write(folder / "mined.jsonl", (each.as_line() for each in mined))
        export(mined, self.learner.form, folder / "examples.jsonl", self._frozen)
        lines = self._examples(number)
        network = network.trained(self.learner.examples(lines))
        about = {"learner": self.learner.name, "loop": asdict(chosen), "round": number, "level": level}
        network.save(folder / "model.json", about)
        judged.append(self._judged(network, held_out))
        rate, stuck = _rate_of_mined(mined), self._is_stuck(level, judged)
        self.outcome["rounds"].append(
            {
                "number": number,
                "level": level,
                "mined": rate,
                "examples": len(lines),
                "held_out": rate_of(judged[-1]),
                "done": "reached" if rate["low"] >= BOUNDARY else "stuck" if stuck else "",
            }
        )
        self._keep()
        return network

    def _judged(self, network: Network, tasks: Sequence[Task]) -> Table:
        return successes(self.learner, network, self._watched(tasks, JUDGING, len(tasks)))

    def _watched(self, items: Iterable[T], part: str, total: int) -> Iterator[T]:
        for number, item in enumerate(items, 1):
            yield item
            self._step(part, number, total)

    def _is_stuck(self, level: float | None, judged: Sequence[Table]) -> bool:
        """True if the last `PATIENCE` rounds, all at this level, brought no significant gain."""
        before = self.outcome["rounds"][-(PATIENCE - 1) :]
        if len(before) < PATIENCE - 1 or any(each["level"] != level for each in before):
            return False
        return gain(judged[-1 - PATIENCE], judged[-1])["low"] <= 0

    def _examples(self, number: int) -> list[Line]:
        lines: list[Line] = []
        for each in range(1, number + 1):
            path = self.folder / f"round-{each:02d}" / "examples.jsonl"
            lines.extend(read_examples(path, self._frozen))
        if self.settings.arm == SHUFFLED:
            return shuffled(lines, self.learner.form, self.settings.seed)
        return lines

    def _level(self) -> float | None:
        if self.settings.arm not in (AT_BOUNDARY, SHUFFLED):
            return None
        rounds = self.outcome["rounds"]
        if not rounds:
            return START
        last = cast(float, rounds[-1]["level"])
        return min(1.0, round(last + STEP, 6)) if rounds[-1]["done"] else last

    def _stop(self) -> str:
        rounds, chosen = self.outcome["rounds"], self.settings
        if chosen.arm == NONE:
            return f"arm {NONE}: nothing is trained"
        if rounds and rounds[-1]["level"] == 1 and rounds[-1]["done"] == "reached":
            return f"success reaches {BOUNDARY:.0%} at the highest level"
        if rounds and rounds[-1]["level"] == 1 and rounds[-1]["done"] == "stuck":
            return f"{PATIENCE} rounds at the highest level brought no significant gain"
        return f"all rounds are done ({chosen.rounds})" if len(rounds) >= chosen.rounds else ""

    def keep_trained(self, path: str | Path, trained_by: str) -> None:
        """Write the network for the adapter `learner`, with its origin but without seeds, so that it can be shared."""
        rounds, gained = self.outcome["rounds"], self.outcome["held_out"]
        about: dict[str, object] = {
            "learner": self.learner.name,
            "trained_by": trained_by,
            "arm": self.settings.arm,
            "rounds": len(rounds),
            "level": rounds[-1]["level"] if rounds else None,
            "examples": rounds[-1]["examples"] if rounds else 0,
            "families": list(self.learner.training),
            "gain": None if gained is None else [gained["gain"], gained["low"], gained["high"]],
        }
        self._network().save(path, about)

    def _network(self) -> Network:
        rounds = len(self.outcome["rounds"])
        return self._learnt(rounds) if rounds else self.learner.start(self.settings.seed)

    def _learnt(self, number: int) -> Network:
        path = self.folder / f"round-{number:02d}" / "model.json"
        return load(path, self.learner.names, self.learner.name)

    def _begun(self) -> Outcome:
        own = cast(dict[str, object], asdict(self.settings))
        path = self.folder / STATE
        if not path.exists():
            return {"settings": own, "rounds": [], "stopped": "", "held_out": None, "unseen": None}
        found = read_outcome(path)
        if found["settings"] != own:
            changed = [name for name, value in own.items() if found["settings"].get(name) != value]
            raise BenchmarkError(
                f"{self.folder} has a loop with a different {', '.join(changed)}: choose another folder"
            )
        return found

    def _keep(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        with jsonl.fresh(self.folder / STATE) as out:
            out.write(json.dumps(self.outcome, indent=1).encode() + b"\n")

    def _line(self) -> str:
        last = self.outcome["rounds"][-1]
        level = "any" if last["level"] is None else f"{last['level']:g}"
        done = f", {last['done']}" if last["done"] else ""
        return (
            f"round {last['number']}: level {level}, success on mined tasks {shown(last['mined'])}, "
            f"on held-out families after training {shown(last['held_out'])}{done}"
        )


def read_outcome(path: str | Path) -> Outcome:
    """Read the state of a loop. Raises BenchmarkError for any other file."""
    try:
        found = json.loads(Path(path).read_text(encoding="utf-8"))
    except ValueError as error:
        raise BenchmarkError(f"{path}: not a loop's state: {error}") from error
    if not isinstance(found, Mapping) or not {"settings", "rounds", "stopped"} <= found.keys():
        raise BenchmarkError(
            f"{path}: not a loop's state: it needs the keys 'settings', 'rounds' and 'stopped'"
        )
    return cast(Outcome, found)


def _rate_of_mined(mined: Sequence[Mined]) -> Rate:
    found = [each.success for each in mined]
    return rate_of(np.array([(0.0, 0.0) if each is None else (each, 1.0) for each in found]).reshape(-1, 2))
