"""docs/suites.md quotes the toy suite exactly, and the names in it exist."""

from __future__ import annotations

import dataclasses
import re

import pytest

from evaluation.adapters import kinds
from evaluation.core import plugin
from evaluation.core.errors import SettingsError
from evaluation.core.metric import Metric
from evaluation.core.suite import (
    REFERENCES,
    Fields,
    Integrity,
    Line,
    RowReplays,
    Suite,
    SuiteVersion,
    SystemSpec,
    get_suite,
)
from evaluation.core.suite.plain import PlainVersion
from evaluation.core.suite.settings import SeededSettings, VersionSettings
from tests import copied
from tests.benchmarks.structure import members_of
from tests.live import ROOT
from tests.toy_suite.suite import SUITE as TOY

PAGE = ROOT / "docs/suites.md"
SOURCE = (ROOT / "tests/toy_suite/suite.py").read_text()
NOUNS = (Suite, SuiteVersion, RowReplays)
CLASSES = (*NOUNS, PlainVersion, VersionSettings, SeededSettings, Integrity, Fields, Line)
MEMBERS = {name for cls in CLASSES for name in {*vars(cls), *cls.__annotations__, cls.__name__}}
FIELDS = {
    field.name for cls in (plugin.Display, plugin.SplitPage, Metric) for field in dataclasses.fields(cls)
}
#: Words of the page that name something else.
OTHERS = {
    "adapters",
    "make demo",
    "manage.py seed_presets",
    "module:attribute",
    "SystemSpec",
    "Reduction.WORST",
    "AttackPlan",
    "joining",
    "see",
    "Problem",
    "lines",
    "own=True",
    "measure",
    "account(row, seen, verdict)",
    "answers(record)",
    "contexts(row, row_id)",
    "replay(row, row_id, state=)",
    "row_labels(row)",
    "with_answer(row, answer)",
    "Term(name, text)",
    "splits.named",
} | {*REFERENCES, *(name for name in vars(SystemSpec) if not name.startswith("_"))}


def test_every_code_block_stands_in_the_toy_suite() -> None:
    quoted = [block.text for block in copied.blocks(PAGE) if block.kind == "python"]
    assert len(quoted) == 4
    assert [text for text in quoted if text not in SOURCE] == []


def test_every_name_on_the_page_exists() -> None:
    known = MEMBERS | FIELDS | OTHERS | set(plugin.__all__) | set(vars(kinds)) | {"adapters_of(name)"}
    told, _, _ = PAGE.read_text().partition("## Upgrading")  # what was, is no more
    unknown = {
        span
        for span in copied.spans(PAGE)
        if span not in known and "/" not in span and ":" not in span and f"`{span}`" in told
    }
    assert unknown == set()
    paths = [
        span
        for span in copied.spans(PAGE)
        if span.startswith(("evaluation/", "tests/", "templates/suites/any"))
    ]
    assert paths
    assert all((ROOT / path).exists() for path in paths)


@pytest.mark.parametrize(
    "kind", ["Lines", "Bars", "Buckets", "Scatter", "Waterfall", "Curves", "AcrossVersions"]
)
def test_it_names_every_kind_of_picture(kind: str) -> None:
    assert f"`{kind}`" in PAGE.read_text()
    assert {cls.__name__ for cls in plugin.Plot.__subclasses__()} == {
        "Lines", "Bars", "Buckets", "Scatter", "Waterfall", "Curves", "AcrossVersions",
    }  # fmt: skip


def test_the_classes_of_a_suite_have_50_members_at_most_and_none_is_found_by_getattr() -> None:
    members = [(cls, name) for cls in NOUNS for name in members_of(cls)]
    assert len(members) <= 50
    looked_for = re.compile(r"(getattr|hasattr)\((\w+\.)*(suite|engine|bound)\b")
    product = [path for floor in ("evaluation", "leaderboard") for path in (ROOT / floor).rglob("*.py")]
    assert [str(path) for path in product if looked_for.search(path.read_text())] == []


@pytest.mark.parametrize("name", ["goldevidence", "statebench", "toy"])
def test_every_suite_inherits_from_these_classes(name: str) -> None:
    suite = TOY if name == "toy" else get_suite(name)
    assert isinstance(suite, Suite)
    assert isinstance(suite.version({}), SuiteVersion)
    assert isinstance(suite.replays, RowReplays)
    assert [member for member in members_of(Suite) if not hasattr(suite, member)] == []
    assert [member for member in members_of(SuiteVersion) if not hasattr(suite.version({}), member)] == []


def test_settings_are_completed_and_checked_where_a_version_is_bound() -> None:
    version = get_suite("statebench").version({"count": 2})
    assert (version.settings.as_json()["count"], version.count()) == (2, 2 * len(version.settings.tracks))
    with pytest.raises(SettingsError, match="count"):
        get_suite("statebench").version({"count": 0})
