"""The form that starts a gym loop."""

from __future__ import annotations

from typing import Any

from django import forms

from evaluation.core.errors import SettingsError
from evaluation.gym.learners import LEARNERS
from evaluation.gym.loop.mining import BOUNDARY, GOLD_LAST, SHUFFLED, UNIFORM
from leaderboard.runs.gym.services import MOST

#: Arm -> how it chooses tasks, in words. The arm `none` is left out: it trains nothing.
ARMS = {
    BOUNDARY: "from the level at which the learner fails",
    UNIFORM: "from all levels equally",
    GOLD_LAST: "with the right line last, which teaches order bias",
    SHUFFLED: "with shuffled labels, a control that should learn nothing",
}


def _count(label: str, name: str, least: int, initial: int, help_text: str = "") -> forms.IntegerField:
    most = MOST[name]
    return forms.IntegerField(
        label=label,
        min_value=least,
        max_value=most,
        initial=initial,
        help_text=f"{help_text} At most {most:,}.".strip(),
    )


class LoopForm(forms.Form):
    learner = forms.ChoiceField(
        label="Learner",
        choices=[
            (name, f"{name}: {each.about[:1].lower()}{each.about[1:]}") for name, each in LEARNERS.items()
        ],
        widget=forms.RadioSelect,
        initial=next(iter(LEARNERS)),
    )
    arm = forms.ChoiceField(label="Tasks", choices=list(ARMS.items()), initial=BOUNDARY)
    rounds = _count("Rounds at most", "rounds", 1, 8, "The loop stops earlier if nothing is left to learn.")
    tasks = _count("Tasks per round", "tasks", 2, 150)
    unseen = _count(
        "Unseen tasks", "unseen", 8, 400, "Tests after each round, from families not used for training."
    )

    def refuse(self, error: SettingsError) -> None:
        """Show the engine's errors for combinations of settings."""
        for name, said in error.fields.items():
            self.add_error(name if name in self.fields else None, " ".join(said))

    def asked(self) -> dict[str, Any]:
        return dict(self.cleaned_data)
