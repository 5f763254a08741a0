"""The published tables, on the reference's own data and on ours; the document that shows them."""

from __future__ import annotations

from pathlib import Path

import pytest

from evaluation.cli import main
from evaluation.core.errors import BenchmarkError
from evaluation.goldevidence.cli.reference import markdown, why
from evaluation.goldevidence.experiments.reproduction import compare
from tests.live import ROOT
from tests.reference import reference_path

DOCUMENT = ROOT / "docs" / "benchmarks.md"


def test_every_published_figure_is_reproduced_on_the_reference_data() -> None:
    comparisons = list(compare(reference_path()))
    assert [c.label for c in comparisons if c.published and not c.reproduced] == []
    assert sum(c.published is not None for c in comparisons) == 40


def test_the_document_shows_what_the_command_prints() -> None:
    assert markdown(compare(reference_path())) in DOCUMENT.read_text(encoding="utf-8")


def test_our_data_shows_the_same_pattern_as_the_published_tables() -> None:
    own = {comparison.label: comparison.own for comparison in compare()}
    assert own["latest_step, kv s3q16"] == (1, 1)
    assert own["latest_step, kv_commentary s3q16"][1] < 1
    assert own["prefer_update_latest, kv_commentary s5q24, filter on"] == (1, 1)
    assert own["last candidate, gold_last"] == (1,)
    assert own["bm25, kv s3q16, equal scores earliest first"][0] < 0.1
    assert own["bm25, kv s3q16, equal scores latest first"][0] == 1


def test_a_difference_is_explained() -> None:
    for comparison in compare():
        assert bool(why(comparison)) == (comparison.differs or comparison.published is None)


def test_a_folder_without_the_reference_data_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BenchmarkError, match=r"no gold/manifest\.json here"):
        list(compare(tmp_path))


def test_the_command_prints_the_tables(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["reference"]) == 0
    assert "Gold present at k" in capsys.readouterr().out
