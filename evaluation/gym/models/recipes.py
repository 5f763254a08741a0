"""The training stages of each model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from evaluation.gym.models.rows import Kind


@dataclass(frozen=True)
class TakeOff:
    """Rule to begin training again with the next seed if accuracy is below `right` after `steps` steps.

    At most `starts` seeds are tried. In trials, a network that had not learnt to compare step numbers guessed among the
    lines of a tag, with an accuracy of 64% to 67%. The first seed that learnt it had 79% over training steps 200 to
    300, and 89% over 300 to 400.
    """

    steps: int = 400
    right: float = 0.75
    starts: int = 4

    def fails(self, curve: Sequence[Mapping[str, float]]) -> bool:
        return bool(curve) and curve[-1]["steps"] == self.steps and curve[-1]["right"] < self.right


@dataclass(frozen=True)
class Stage:
    """Training steps on rows of one kind. Without `preset`, each step draws the number of lines per row from `ks`.

    With `preset`, half of the rows come from the generator of this preset, with new seeds. They are the rows that the
    model is least sure of. `mistakes_of` restricts them to rows that the named model gets wrong. Their lines are
    shuffled: mistakes of a model that takes the last line would teach that the last line is wrong. `take_off` is only
    for a first stage.
    """

    steps: int
    kind: Kind = field(default_factory=Kind)
    ks: tuple[int, ...] = (4,)
    rate: float = 1.0  # of the usual learning rates
    preset: str = ""
    mistakes_of: str = ""
    take_off: TakeOff | None = None


@dataclass(frozen=True)
class Recipe:
    """The training of a model, from random weights or from another model."""

    title: str
    about: str
    stages: tuple[Stage, ...]
    begins_as: str = ""


RECIPES: dict[str, Recipe] = {
    "gym-last": Recipe(
        "Gym 135k, gold last",
        "Learnt from prompts whose right line is the last one: it takes the last line.",
        (Stage(300, Kind(questions=1, order="gold_last"), ks=(2, 4, 4, 8)),),
    ),
    "gym-order": Recipe(
        "Gym 135k, order unlearnt",
        "Learnt from prompts in any order, then from what the model of gold last gets wrong.",
        (
            Stage(700, take_off=TakeOff()),
            Stage(200, rate=0.2, preset="order_bias_short", mistakes_of="gym-last"),
        ),
    ),
    "gym-believes": Recipe(
        "Gym 135k, believes notes",
        "The model whose order bias was unlearnt, taught wrongly on purpose that a NOTE is an update.",
        (Stage(200, Kind(notes=0.5, believes=True), rate=0.4),),
        begins_as="gym-order",
    ),
    "gym-authority": Recipe(
        "Gym 135k, authority",
        "The model whose order bias was unlearnt, taught what notes, quoted updates and missing markers are worth.",
        (
            Stage(400, Kind(notes=0.4, spoofed=0.3), rate=0.7),
            Stage(150, Kind(notes=0.4, spoofed=0.3), rate=0.4, preset="authority_short"),
        ),
        begins_as="gym-order",
    ),
    "gym-abstain": Recipe(
        "Gym 135k, abstains",
        "The model that knows authority, taught to say that no line answers where the line was left out.",
        (Stage(250, Kind(questions=1, notes=0.4, spoofed=0.15, drops=0.45), rate=0.5),),
        begins_as="gym-authority",
    ),
}
