"""Run a notebook's cells in one namespace and print their results: `python -m tests.docs.notebook FILE`."""

from __future__ import annotations

import ast
import json
import sys
from pathlib import Path
from typing import Any

import pandas as pd
import plotly.graph_objects as go


def shown(path: Path) -> dict[str, Any]:
    """Cell id -> value of its last expression: the lines of a table, the curves of a figure, else a text."""
    names: dict[str, Any] = {}
    found: dict[str, Any] = {}
    for cell in json.loads(path.read_text())["cells"]:
        if cell["cell_type"] == "code":
            *statements, last = ast.parse("".join(cell["source"])).body
            if not isinstance(last, ast.Expr):
                statements.append(last)
            exec(compile(ast.Module(statements, []), cell["id"], "exec"), names)
            if isinstance(last, ast.Expr):
                found[cell["id"]] = _plain(
                    eval(compile(ast.Expression(last.value), cell["id"], "eval"), names)
                )
    return found


def _plain(value: Any) -> Any:
    match value:
        case pd.DataFrame():
            table = value.reset_index() if value.index.name else value
            return json.loads(table.to_json(orient="records", double_precision=15))
        case go.Figure():
            return [{"name": trace.name, "y": [float(y) for y in trace.y]} for trace in value.data]
        case _:
            return str(value)


if __name__ == "__main__":
    print(json.dumps(shown(Path(sys.argv[1]))))
