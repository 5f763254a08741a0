"""Guess what a refused predictions file is, and warn about an accepted one, from the file alone."""

from evaluation.core.checks import Finding
from evaluation.core.diagnosis.guesses import guess
from evaluation.core.diagnosis.tally import ProblemGroup, Tally, grouped

__all__ = ["Finding", "ProblemGroup", "Tally", "grouped", "guess"]
