"""Suites and adapters that installed distributions add as entry points."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from evaluation import adapters
from evaluation.adapters import BUILT_IN, adapters_of
from evaluation.adapters.kinds import KINDS
from evaluation.cli import main
from evaluation.core import suite
from evaluation.core.errors import AdapterError, PluginError, UnknownNameError
from evaluation.core.suite import SUITES, get_suite, usable
from tests.live import ROOT
from tests.toy_suite.installed import TOY, on_path, write

OURS = ["goldevidence", "statebench"]


@pytest.fixture
def toy(tmp_path, monkeypatch):
    with on_path(monkeypatch, write(tmp_path, suites=TOY)):
        yield get_suite("toy")


@pytest.fixture
def install(tmp_path, monkeypatch):
    """Installs distributions, each by its name with its suites."""
    contexts = []

    def install(**distributions):
        folders = [write(tmp_path / name, name, suites=points) for name, points in distributions.items()]
        context = on_path(monkeypatch, *folders)
        context.__enter__()
        contexts.append(context)

    yield install
    for context in contexts:
        context.__exit__(None, None, None)


def test_our_own_stand_in_the_metadata_as_in_the_source() -> None:
    groups = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["entry-points"]
    assert groups["goldevidencebench.suites"] == SUITES.built_in
    ours = {f"{name}.{one}": path for name, known in BUILT_IN.items() for one, path in known.items()}
    assert groups["goldevidencebench.adapters"] == ours


def test_the_kind_of_our_rows_is_known_without_their_suite() -> None:
    assert {name: get_suite(name).row_kind for name in OURS} == KINDS


def test_without_any_metadata_ours_are_there() -> None:
    code = (
        "from importlib import metadata; metadata.distributions = lambda: []; "
        "from evaluation.core.suite import SUITES, get_suite; print([get_suite(name).name for name in SUITES])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=True)
    assert done.stdout.strip() == f"{OURS}"


def test_the_list_of_commands_reads_no_metadata() -> None:
    code = (
        "import sys; from evaluation.cli import main\ntry: main(['--help'])\n"
        "except SystemExit: print(sorted({'importlib.metadata', 'numpy', 'pydantic'} & {*sys.modules}))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=True)
    assert done.stdout.endswith("[]\n")


def test_an_installed_suite_stands_behind_ours(toy) -> None:
    assert list(SUITES) == [*OURS, "toy"]
    assert list(usable()) == [*OURS, "toy"]
    assert suite.faults() == []
    assert SUITES.origin("toy") == "toy-suite 1.0"


def test_a_suite_by_one_entry_point_generates_checks_and_grades(toy, tmp_path, capsys) -> None:
    data, preds = str(tmp_path / "rows.jsonl"), str(tmp_path / "preds.jsonl")
    chosen = ["--suite", "toy"]
    assert main(["generate", *chosen, "--preset", "small", "--set", "sheets=3", "--out", data]) == 0
    assert main(["run", *chosen, "--baseline", "first_four", "--data", data, "--out", preds]) == 0
    assert main(["validate", *chosen, "--data", data, "--pred", preds]) == 0
    assert main(["grade", *chosen, "--data", data, "--pred", preds]) == 0
    out = capsys.readouterr().out
    assert "9 predictions, ready to upload (2 3, 4 3, 8 3)" in out
    assert "0.6667" in out
    assert main(["generate", *chosen, "--set", "sheets=0", "--out", data]) == 2
    assert "sheets: must be between 1 and 1000, not 0." in capsys.readouterr().err


def test_rates_groups_intervals_and_sums_come_from_its_metrics(toy) -> None:
    settings = toy.settings.checked({"sheets": 4})
    items = list(toy.version(settings).generate())
    adder = toy.systems()["first_four"].build()
    answers = [adder.predict(row) for item in items for row in item.rows]
    short = [
        answer
        for answer, row in zip(answers, (r for i in items for r in i.rows), strict=True)
        if row["split"] != "8"
    ]
    report = toy.version(settings).grade([item.gold for item in items], short)
    assert report.metrics["exact_sum"] == pytest.approx(2 / 3)
    assert {name: group["metrics"]["exact_sum"] for name, group in report.groups["length"].items()} == {
        "2": 1.0,
        "4": 1.0,
    }
    assert report.sums["exact_sum"].sums.shape == (4, 1, 2)
    assert set(report.cells) == {("2",), ("4",)}
    assert [row["failure"] for row in report.rows[:3]] == [None, None, "no_answer"]


def test_a_suite_that_breaks_is_told_with_its_distribution_and_the_others_go_on(
    install, capsys, caplog
) -> None:
    install(broken={"broken": "tests.toy_suite.nowhere:SUITE"}, toy=TOY)
    with pytest.raises(PluginError, match=r"suite 'broken' of the distribution broken 1\.0 cannot be loaded"):
        get_suite("broken")
    assert list(usable()) == [*OURS, "toy"]
    assert len(suite.faults()) == 1
    assert main(["generate", "--suite", "broken", "--out", "x"]) == 2
    assert "of the distribution broken 1.0 cannot be loaded (ModuleNotFoundError" in capsys.readouterr().err
    assert "broken 1.0" in caplog.text


def test_what_inherits_from_no_suite_of_ours_is_told_where_to_read_how(install) -> None:
    install(half={"half": "tests.toy_suite.installed:TOY"}, other={"other": TOY["toy"]})
    with pytest.raises(
        PluginError, match=r"half 1\.0 does not inherit from .*Suite: see docs/suites.md#upgrading"
    ):
        get_suite("half")
    with pytest.raises(PluginError, match=r"other 1\.0 calls itself 'toy'"):
        get_suite("other")


def test_ours_keep_their_names_and_two_others_lose_theirs(install) -> None:
    install(
        thief={"statebench": "a:B"},
        one={"same": "a:B"},
        two={"same": "a:B"},
        odd={"No-Name": "a:B", "path": "a"},
    )
    assert list(SUITES) == OURS
    assert SUITES["statebench"] == SUITES.built_in["statebench"]
    text = "\n".join(SUITES.faults)
    assert (
        "'statebench' of the distribution thief 1.0 is not used: the name belongs to goldevidencebench"
        in text
    )
    assert "'same' of the distribution two 1.0 is not used: one 1.0 uses the same name" in text
    assert (
        "'No-Name' of the distribution odd 1.0 is not used: a name must start with a lowercase letter" in text
    )
    assert "'a' is not of the form module:attribute" in text
    with pytest.raises(PluginError, match=r"two 1\.0"):
        get_suite("same")
    with pytest.raises(UnknownNameError, match="Did you mean 'statebench'"):
        get_suite("statebenc")


def test_metadata_that_cannot_be_read_costs_its_distribution_and_no_other(
    install, tmp_path, monkeypatch, caplog
) -> None:
    bad = write(tmp_path / "bad", "bad", suites=TOY) / "bad-1.0.dist-info" / "entry_points.txt"
    bad.write_text("[goldevidencebench.suites]\nno equals sign\n")
    monkeypatch.syspath_prepend(str(tmp_path / "bad"))
    install(toy=TOY)
    assert "toy" in SUITES
    assert "cannot be read" in caplog.text


def test_an_adapter_is_added_to_the_rows_of_a_suite(tmp_path, monkeypatch) -> None:
    ledger = BUILT_IN["goldevidence"]["ledger"]
    points = {
        "goldevidence.mine": ledger,
        "goldevidence.gone": "nowhere:make",
        "nosuite.x": ledger,
        "plain": ledger,
    }
    with on_path(monkeypatch, write(tmp_path, "more", adapters=points)):
        known = adapters_of("goldevidence")
        assert [*known][-2:] == ["gone", "mine"]
        assert "mine" not in adapters_of("statebench")
        assert adapters.load_adapter("mine", adapters=known)
        with pytest.raises(AdapterError, match=r"'gone' of the distribution more 1.0 cannot be loaded"):
            adapters.load_adapter("gone", adapters=known)
        assert adapters.added() == {"goldevidence.mine": ledger}
        text = "\n".join(adapters.faults())
    assert "no suite is called 'nosuite'" in text
    assert "its name must be <suite>.<adapter>" in text
    assert "gone" in text


def test_a_wheel_of_the_engine_holds_no_toy() -> None:
    assert not list((Path(ROOT) / "evaluation").rglob("*toy*"))
