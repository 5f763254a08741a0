"""Limits that a preset sets for attackers, which are programs that answer without understanding the text."""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator, Field

from evaluation.core.settings import Rate, SettingsModel, StrictStr, refused


class AttackLimit(SettingsModel):
    """Limits of one metric: `floor` is reached by guessing, `ceiling` is the most that a shortcut may reach.

    If a limit is None, `evaluation.attacks.report` derives it from measured guesses.
    """

    metric: StrictStr
    floor: Rate | None = None
    ceiling: Rate | None = None


def _each_metric_once(limits: tuple[AttackLimit, ...]) -> tuple[AttackLimit, ...]:
    names = [limit.metric for limit in limits]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise refused(f"must not repeat a metric ({twice[0]}).")
    return limits


AttackLimits = Annotated[tuple[AttackLimit, ...], AfterValidator(_each_metric_once)]
#: The setting, shared by all suites.
ATTACK_LIMITS: AttackLimits = Field(
    (), description="Floor and ceiling for attackers, by metric; limits left out are derived from guesses."
)
