"""What a suite declares beside its rows and grades, so that nothing else names it: pictures, words, commands."""

from evaluation.core.plugin.display import Display, Mark, SplitPage, SplitWords
from evaluation.core.plugin.examples import Example, ExampleChoice, ExampleLine, Term
from evaluation.core.plugin.plots import (
    AcrossVersions,
    Axis,
    Bars,
    Buckets,
    Curves,
    Lines,
    Place,
    Plot,
    Scatter,
    Waterfall,
)

__all__ = [
    "AcrossVersions",
    "Axis",
    "Bars",
    "Buckets",
    "Curves",
    "Display",
    "Example",
    "ExampleChoice",
    "ExampleLine",
    "Lines",
    "Mark",
    "Place",
    "Plot",
    "Scatter",
    "SplitPage",
    "SplitWords",
    "Term",
    "Waterfall",
]
