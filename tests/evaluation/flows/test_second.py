"""A second implementation meets every requirement, in process, over HTTP and behind another framework."""

from __future__ import annotations

import pytest
from werkzeug import Request, Response
from werkzeug.serving import make_server as werkzeug_server

from evaluation.core import jsonl
from evaluation.statebench import run_conformance
from evaluation.statebench.conformance.protocol import Implementation
from evaluation.statebench.conformance.remote import make_server, over_http
from evaluation.statebench.conformance.requirements import REQUIREMENTS
from evaluation.statebench.conformance.suite import report
from tests.evaluation.statebench.conformance.second import second
from tests.evaluation.statebench.conformance.serving import serving

SEEDS = (11, 12, 13)


def failures(implementation: Implementation, seed: int, timelines: int) -> dict[str, str]:
    """The requirements that an implementation fails; asserts that none was left out."""
    verdicts = run_conformance(implementation=implementation, seed=seed, timelines=timelines)
    assert {row["id"] for row in report(verdicts)["requirements"]} == set(REQUIREMENTS)
    return {one.name: one.evidence for one in verdicts if not one.passed}


@pytest.mark.parametrize("seed", SEEDS)
def test_a_second_implementation_fulfils_every_requirement(seed: int) -> None:
    assert failures(second, seed, timelines=300) == {}


def test_it_fulfils_them_over_http() -> None:
    with serving(make_server("127.0.0.1", 0, second)) as url:
        assert failures(over_http(url), SEEDS[0], timelines=100) == {}


def test_it_fulfils_them_behind_another_framework() -> None:
    @Request.application
    def application(request: Request) -> Response:
        answer = second(jsonl.parse_row(request.get_data()))
        return Response(jsonl.dumps(answer), content_type="application/json")

    with serving(werkzeug_server("127.0.0.1", 0, application, threaded=True)) as url:
        assert failures(over_http(url), SEEDS[1], timelines=100) == {}
