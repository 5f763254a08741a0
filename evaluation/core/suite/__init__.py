"""The interface of suites: `Suite`, `SuiteVersion`, `RowReplays`. The site uses only these and names no benchmark.

Another suite needs one folder and one entry point of the group `goldevidencebench.suites`: see docs/suites.md.
"""

from evaluation.core.checks import Problem
from evaluation.core.plugin.replay import RowReplays
from evaluation.core.records import Given
from evaluation.core.suite.benches import benches_of
from evaluation.core.suite.parts import (
    LARGEST_THOUGHT_OF,
    REFERENCES,
    Answering,
    Apart,
    Column,
    Drawn,
    ExpectedRows,
    Facet,
    Fields,
    Gate,
    Integrity,
    Item,
    Line,
    Preset,
    Progress,
    RowPreview,
    Rung,
    Settings,
    SystemSpec,
    Unranked,
    Unseen,
)
from evaluation.core.suite.registry import SUITES, faults, get_suite, preset_settings, reload, usable
from evaluation.core.suite.suite import Suite
from evaluation.core.suite.version import SuiteVersion

__all__ = [
    "LARGEST_THOUGHT_OF",
    "REFERENCES",
    "SUITES",
    "Answering",
    "Apart",
    "Column",
    "Drawn",
    "ExpectedRows",
    "Facet",
    "Fields",
    "Gate",
    "Given",
    "Integrity",
    "Item",
    "Line",
    "Preset",
    "Problem",
    "Progress",
    "RowPreview",
    "RowReplays",
    "Rung",
    "Settings",
    "Suite",
    "SuiteVersion",
    "SystemSpec",
    "Unranked",
    "Unseen",
    "benches_of",
    "faults",
    "get_suite",
    "preset_settings",
    "reload",
    "usable",
]
