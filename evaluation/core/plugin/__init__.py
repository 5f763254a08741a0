"""Declarations of a suite for pages and commands: plots, words, examples, row timelines."""

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
from evaluation.core.plugin.replay import (
    Account,
    Arrow,
    ContextShown,
    Lane,
    MarkKind,
    Replay,
    RowReplays,
    Span,
)

__all__ = [
    "Account",
    "AcrossVersions",
    "Arrow",
    "Axis",
    "Bars",
    "Buckets",
    "ContextShown",
    "Curves",
    "Display",
    "Example",
    "ExampleChoice",
    "ExampleLine",
    "Lane",
    "Lines",
    "Mark",
    "MarkKind",
    "Place",
    "Plot",
    "Replay",
    "RowReplays",
    "Scatter",
    "Span",
    "SplitPage",
    "SplitWords",
    "Term",
    "Waterfall",
]
