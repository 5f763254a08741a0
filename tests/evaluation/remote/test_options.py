"""How commands report a site's answers."""

from __future__ import annotations

from evaluation.remote import options
from evaluation.remote.client import ClientError


def test_a_refusal_names_equal_problems_once(capsys) -> None:
    told = [
        {
            "code": "not_json",
            "message": "Not JSON: Expecting value",
            "line": line,
            "column": 1,
            "id": None,
            "new": 1,
        }
        for line in (1, 2, 3)
    ]
    error = ClientError("The file has 3 problems.", status=422, problem={"problems": told})
    options.print_problems("preds.jsonl", error)
    printed = capsys.readouterr().err
    assert "preds.jsonl:1:1: Not JSON: Expecting value (and 2 more: lines 1–3)" in printed
    assert printed.endswith("goldevidencebench: The file has 3 problems.\n")
