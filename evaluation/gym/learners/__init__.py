"""The small learners, by name: each starts untrained and never sees the gold."""

from __future__ import annotations

from evaluation.core.errors import UnknownNameError
from evaluation.gym.learners.abstain import Abstain
from evaluation.gym.learners.base import Learner
from evaluation.gym.learners.gate import Gate
from evaluation.gym.learners.retriever import Retriever
from evaluation.gym.learners.selector import Selector

__all__ = ["LEARNERS", "Learner", "get_learner"]

LEARNERS: dict[str, Learner] = {
    learner.name: learner for learner in (Selector(), Gate(), Retriever(), Abstain())
}


def get_learner(name: str) -> Learner:
    if name not in LEARNERS:
        raise UnknownNameError("learner", name, LEARNERS)
    return LEARNERS[name]
