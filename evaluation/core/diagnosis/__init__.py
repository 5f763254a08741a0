"""What a predictions file seems to be where it is refused, and what looks mistaken where it is taken.

Nothing here refuses a file, and nothing here knows an answer: a finding tells of the file alone.
"""

from evaluation.core.diagnosis.findings import Finding
from evaluation.core.diagnosis.guesses import guess
from evaluation.core.diagnosis.tally import ProblemGroup, Tally, grouped

__all__ = ["Finding", "ProblemGroup", "Tally", "grouped", "guess"]
