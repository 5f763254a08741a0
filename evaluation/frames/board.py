"""A leaderboard as a DataFrame. Some columns are the same for all leaderboards, others depend on the suite."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from evaluation.core.suite import Column
from evaluation.frames.schema import BOARD, MEASURES, Field, Kind, Table

if TYPE_CHECKING:
    import pandas as pd


def board_table(
    columns: Sequence[Column],
    *,
    facets: Iterable[str] = (),
    gates: Iterable[str] = (),
    orders: Iterable[str] = (),
    measures: Iterable[Column] = (),
) -> Table:
    """The columns of one leaderboard: `schema.BOARD`, with each family such as `<metric>` replaced by its columns.

    `columns`: metrics of the suite except the headline, which has its own columns. `facets`: names of the facets by
    which rows were filtered. `gates`: names of the requirements. `orders`: labels of the orders in which candidates are
    shown. `measures`: context measures of systems without a model.
    """
    families: dict[str, list[Field]] = {
        "<facet>": [BOARD.field("<facet>").named(name) for name in facets],
        "gate_<gate>": [BOARD.field("gate_<gate>").named(f"gate_{name}") for name in gates],
        "<metric>": [field for column in columns for field in _figure(column)],
        "order_<order>": [BOARD.field("order_<order>").named(f"order_{label}") for label in orders],
        "<measure>": [BOARD.field("<measure>").named(each.name, help=each.help) for each in measures],
    }
    expanded = [
        each for field in BOARD for each in families.get(field.name, [] if field.is_family else [field])
    ]
    return BOARD.with_fields({field.name: field for field in expanded}.values())


def measures_table(measures: Iterable[Column]) -> Table:
    """The columns of `schema.MEASURES`, with the family `<measure>` replaced by the columns of these measures."""
    named = [
        MEASURES.field(f"<measure>{end}").named(f"{each.name}{end}", help="" if end else each.help)
        for each in measures
        for end in ("", "_low", "_high", "_of")
    ]
    fields = list(MEASURES)
    first = next(number for number, field in enumerate(fields) if field.is_family)
    return MEASURES.with_fields(
        [*fields[:first], *named, *(field for field in fields[first:] if not field.is_family)]
    )


def board_frame(records: Iterable[Mapping[str, object]], table: Table) -> pd.DataFrame:
    """A DataFrame in the form of `schema.BOARD`, one line per system. `table`: its columns, from `board_table`."""
    from evaluation.frames.typed import frame_of  # brings pandas, which the columns alone do not need

    return frame_of(records, table)


def _figure(column: Column) -> list[Field]:
    kind = Kind.INTEGER if column.whole else Kind.NUMBER
    return [
        BOARD.field("<metric>").named(column.name, help=column.help, kind=kind),
        BOARD.field("<metric>_low").named(f"{column.name}_low"),
        BOARD.field("<metric>_high").named(f"{column.name}_high"),
    ]
