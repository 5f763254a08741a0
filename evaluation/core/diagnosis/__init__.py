"""Guess the real format of a refused predictions file, and warn about suspicious patterns in an accepted one."""

from evaluation.core.checks import Finding
from evaluation.core.diagnosis.guesses import guess
from evaluation.core.diagnosis.tally import ProblemGroup, Tally, grouped

__all__ = ["Finding", "ProblemGroup", "Tally", "grouped", "guess"]
