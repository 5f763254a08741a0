"""docs/suites.md is true: it quotes the toy suite, and what it names exists."""

from __future__ import annotations

import dataclasses

import pytest

from evaluation.adapters import kinds
from evaluation.core import plugin
from evaluation.core.metric import Metric
from evaluation.core.plugin.base import SeededSettings, SuiteBase
from evaluation.core.suite import REFERENCES, Suite, SystemSpec
from tests import copied
from tests.live import ROOT

PAGE = ROOT / "docs/suites.md"
SOURCE = (ROOT / "tests/toy_suite/suite.py").read_text()
MEMBERS = {name for cls in (SuiteBase, Suite, SeededSettings) for name in {*vars(cls), *cls.__annotations__}}
FIELDS = {
    field.name for cls in (plugin.Display, plugin.SplitPage, Metric) for field in dataclasses.fields(cls)
}
#: Words of the page that name something else.
OTHERS = {
    "headline",
    "adapters",
    "make demo",
    "manage.py seed_presets",
    "SeededSettings",
    "SuiteBase",
    "SystemSpec",
    "Reduction.WORST",
    "AttackPlan",
    "lines(record)",
    "other_formats",
    "own=True",
    "own_decomposition(metrics)",
    "runs_over(system, settings)",
    "unshown_citations",
    "answer_fields",
    "answer_key(line)",
    "bench",
    "evaluation.core.suite.Given",
    "given(line)",
    "id_fields",
    "mistake_key(verdict)",
    "most_citations(settings)",
    "RowReplays",
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
    unknown = {
        span for span in copied.spans(PAGE) if span not in known and "/" not in span and ":" not in span
    }
    assert unknown == {"evaluation.core.suite.Suite"}
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


def test_a_base_suite_lacks_no_member_of_the_protocol() -> None:
    said_by_each = {"name", "title", "summary", "unit", "grader"}
    protocol = {name for name in {*vars(Suite), *Suite.__annotations__} if not name.startswith("_")}
    assert {name for name in protocol if not hasattr(SuiteBase, name)} == said_by_each
