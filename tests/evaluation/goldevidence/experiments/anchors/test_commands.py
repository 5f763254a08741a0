"""The printed commands for a language model's published figures ask for exactly what is published."""

from __future__ import annotations

import argparse
import shlex

import pytest

from evaluation.goldevidence.cli.sweep import configure
from evaluation.goldevidence.cli.sweep.options import grid_of
from evaluation.goldevidence.experiments.anchors import compare, published
from evaluation.goldevidence.experiments.anchors.commands import how_to_run
from evaluation.goldevidence.experiments.anchors.comparing import Status
from evaluation.goldevidence.experiments.anchors.data import DATASETS
from evaluation.goldevidence.experiments.sweep.estimate import asked_of_each

OF_MODEL = [table for table in published() if how_to_run(table.id)]


def grid(table_id: str, model: str):
    run = how_to_run(table_id)
    assert run is not None
    parser = argparse.ArgumentParser()
    configure(parser)
    words = shlex.split(run.commands[-1])
    assert words[:2] == ["goldevidencebench", "sweep"]
    return run, grid_of(parser.parse_args([word.replace("MODEL", model) for word in words[2:]]))


def test_every_table_with_rows_not_run_says_how_to_run_them() -> None:
    left = {Status.NEEDS_MODEL, Status.NOT_TRIED}
    for table in compare():
        if any(row.status in left for row in table.rows):
            assert table.how_to_run, table.table.id
    assert how_to_run("efficiency-closed-book") is None


@pytest.mark.parametrize("table", OF_MODEL, ids=lambda table: table.id)
def test_the_command_asks_what_is_published(table, tmp_path) -> None:
    run, asked = grid(table.id, str(tmp_path / "m"))
    shown = [table.run_of(row) for row in table.rows if table.of_model(row)]
    assert {(each.k, each.order) for each in asked.conditions} == {
        (each.k, each.order or "shuffle") for each in shown
    }
    data = DATASETS[shown[0].data]
    steps = table.here.get("steps", data.config.steps)
    assert asked.seeds == table.here.get("seeds", data.seeds)
    [(_, config), *_] = asked.configs()
    assert config.as_json() == data.config.having(steps=steps).as_json()
    assert run.questions == asked_of_each(asked) * len(asked.contestants)
    assert f"{run.questions:,} question" in run.cost
    assert "at 30 s a question" in run.cost


def test_the_order_bias_of_a_model_is_four_orders_of_120_questions() -> None:
    run = how_to_run("order-bias")
    assert run is not None
    assert run.questions == 4 * 5 * 24
    assert "--orders gold_first,gold_middle,gold_last,shuffle" in run.commands[-1]
    trained = how_to_run("selector-training")
    assert trained is not None
    assert [command.split()[1] for command in trained.commands] == [
        "generate",
        "selector",
        "selector",
        "sweep",
    ]
