"""The suites behind one small protocol. The site knows no benchmark by name; it knows this.

A third suite is one folder and one entry point of the group `goldevidencebench.suites`: docs/suites.md says how.
"""

from evaluation.core.checks import Problem
from evaluation.core.suite.benches import benches_of
from evaluation.core.suite.members import (
    columns_of,
    expected_with_lines,
    headline_of,
    independent_questions_of,
    other_formats_of,
    own_decomposition,
    reference_of,
    rungs_of,
    shared_texts_of,
    systems_over,
    unit_icc_of,
    unshown_citations,
)
from evaluation.core.suite.parts import (
    LARGEST_THOUGHT_OF,
    REFERENCES,
    Answering,
    Column,
    ExpectedRows,
    Facet,
    Gate,
    Item,
    Progress,
    RowPreview,
    Rung,
    Settings,
    SystemSpec,
    Unranked,
    Unseen,
)
from evaluation.core.suite.protocol import Suite
from evaluation.core.suite.registry import LATER, OPTIONAL, SUITES, faults, get_suite, reload, usable

__all__ = [
    "LARGEST_THOUGHT_OF",
    "LATER",
    "OPTIONAL",
    "REFERENCES",
    "SUITES",
    "Answering",
    "Column",
    "ExpectedRows",
    "Facet",
    "Gate",
    "Item",
    "Problem",
    "Progress",
    "RowPreview",
    "Rung",
    "Settings",
    "Suite",
    "SystemSpec",
    "Unranked",
    "Unseen",
    "benches_of",
    "columns_of",
    "expected_with_lines",
    "faults",
    "get_suite",
    "headline_of",
    "independent_questions_of",
    "other_formats_of",
    "own_decomposition",
    "reference_of",
    "reload",
    "rungs_of",
    "shared_texts_of",
    "systems_over",
    "unit_icc_of",
    "unshown_citations",
    "usable",
]
