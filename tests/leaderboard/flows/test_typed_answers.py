"""A version of scenes on the site: typed answers are uploaded, graded, ranked and shown with their evidence."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from evaluation.core import jsonl
from leaderboard.benchmarks import storage
from leaderboard.benchmarks.models import Version
from leaderboard.submissions import services as submissions
from leaderboard.submissions.models import Submission, System

SCENES = {
    "source": "scenes",
    "tracks": ["supersession", "expiry"],
    "rubric": "typed@1",
    "templates": 3,
    "lengths": [0],
    "count": 1,
}


@pytest.fixture
def decided(make_version: Any) -> Version:
    version: Version = make_version("statebench", "decided", **SCENES)
    return version


def lines(version: Version) -> Iterator[dict[str, Any]]:
    """The typed gold of every query as a line of a file, with a word of free text."""
    for line in storage.lines(version.gold_sha256):
        record = jsonl.parse(line)
        for index, query in enumerate(record["queries"]):
            gold = query["answer"]
            yield {
                "timeline_id": record["timeline_id"],
                "query_idx": index,
                "answer": {
                    "decision": gold["decision"],
                    "value": gold["value"],
                    "because": [each["id"] for each in gold["live"]],
                },
                "response": "Banana.",
            }


@pytest.fixture
def sent(decided: Version, user: Any, tmp_path: Path) -> Callable[..., Submission]:
    def send(change: Callable[[dict[str, Any]], object] = lambda line: None) -> Submission:
        rows = list(lines(decided))
        for line in rows:
            change(line)
        path = tmp_path / "typed.jsonl"
        jsonl.write(path, rows)
        system, _ = System.objects.get_or_create(owner=user, name="Reader")
        made = submissions.create(submissions.accept(decided, path), system=system, submitter=user)
        assert submissions.grade(str(made.pk))
        return Submission.objects.get(pk=made.pk)

    return send


def test_right_decisions_with_their_evidence_make_the_headline(
    sent: Any, decided: Version, client: Any
) -> None:
    figures = sent().score.metrics
    assert figures["decision_accuracy"] == figures["value_accuracy"] == figures["typed_rate"] == 1
    assert figures["evidence_rate"] == 1
    assert figures["stale_rate"] == 0
    assert figures["free_text_accuracy"] == 0
    page = client.get(decided.get_board_url()).content.decode()
    assert "Reader" in page
    assert "Evidence" in page


def test_a_row_s_page_says_what_came_of_its_answer(sent: Any, decided: Version, client: Any) -> None:
    made = sent(lambda line: line["answer"].update(decision="no", because=[]))
    assert made.score.metrics["evidence_rate"] in (0, None)
    row = next(line for line in lines(decided) if line["answer"]["decision"] != "no")
    name = f"{row['timeline_id']}%23{row['query_idx']}"
    page = client.get(f"{decided.get_absolute_url()}rows/{name}/?system={made.pk}")
    assert "it decides" in page.content.decode()


def test_attackers_of_typed_answers_are_in_the_api(decided: Version, client: Any) -> None:
    told = client.get(f"/api/v1/versions/{decided.benchmark.slug}/{decided.slug}").json()["attacks"]
    assert "Always unclear" in [each["label"] for each in told["attackers"]]
    assert told["splits"] == []  # of so few rows a track says nothing by itself
    assert "Scores of guessing and shortcuts" in client.get(decided.get_absolute_url()).content.decode()


def test_pages_show_the_line_that_the_headline_is_over(client, decided, make_version):
    for address in (decided.get_absolute_url(), f"/submit/sample/?version={decided.pk}"):
        page = client.get(address).content.decode()
        assert "&quot;answer&quot;: {&quot;decision&quot;" in page
        assert "&quot;response&quot;: &quot;…" not in page
    plain = make_version("statebench", "plain", tracks=["supersession"], count=1)
    assert "&quot;response&quot;: &quot;…" in client.get(plain.get_absolute_url()).content.decode()
