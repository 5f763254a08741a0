"""What the conversation attends to: not digressions, not stretches of exploratory talk.

Digressions nest like the attentional state of Grosz & Sidner (1986): an interruption opens one, a return closes it.
"""

from __future__ import annotations

from evaluation.statebench.detection.turn_features import TurnFeatures


class Focus:
    """Follows a conversation turn by turn."""

    def __init__(self) -> None:
        self._digressing = self._exploring = False

    def attends(self, features: TurnFeatures) -> bool:
        """Whether a turn belongs to the matter at hand. Turns have to be asked about in order."""
        if not (self._digressing or self._exploring or features.digresses):
            return True
        if features.interrupts:
            self._digressing = True
        elif self._digressing and features.resumes:
            self._digressing = False
        elif self._exploring:
            self._exploring = not features.closes_scope
        elif features.opens_scope:
            self._exploring = True
        return False
