"""The oracle engine: generates, freezes, runs and grades benchmarks. Pure Python, no Django, no web.

Public doors: `evaluation.goldevidence`, `evaluation.statebench` and the command line
`goldevidencebench` (also `python -m evaluation`).
"""

__version__ = "0.1.0"
