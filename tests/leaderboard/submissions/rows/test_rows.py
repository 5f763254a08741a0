"""The pages of rows: their list under filters, and one of them as a timeline with what systems answered."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Callable
from typing import Any
from urllib.parse import quote
from uuid import UUID

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from evaluation.core.plugin import RowReplays
from leaderboard.benchmarks.models import Version
from leaderboard.benchmarks.rows import reading
from leaderboard.submissions.models import Submission, System
from leaderboard.submissions.rows import store
from leaderboard.submissions.verdicts import files

MakeVersion = Callable[..., Version]
ORDERS = {"conditions": [{"k": 4, "order": "gold_first"}, {"k": 4, "order": "gold_last"}]}


def rows_url(version: Version) -> str:
    return reverse("leaderboard:version_row_list", args=[version.benchmark.slug, version.slug])


def row_url(version: Version, row_id: str) -> str:
    return reverse("leaderboard:version_row", args=[version.benchmark.slug, version.slug, row_id])


def text_of(response: Any) -> str:
    assert response.status_code == 200
    return html.unescape(response.content.decode())


def ids(page: str) -> list[str]:
    return re.findall(r"<th scope=\"row\">\s*<a\s+href=\"[^\"]*\"\s*><code>([^<]+)", page)


@pytest.fixture
def failing(version: Version, system: System, submit: Callable[..., Submission]) -> str:
    """The id of a row that a submission gets wrong."""
    verdicts = files.opened(submit(version, system, wrong=2).score.verdicts_sha256)  # type: ignore[union-attr]
    return next(str(verdict["id"]) for verdict in verdicts if verdict["failure"])


def test_every_row_is_listed_and_has_a_page(client: Any, version: Version) -> None:
    page = text_of(client.get(rows_url(version)))
    expected = [row["id"] for row in reading.rows_of(version)]
    assert ids(page) == expected
    for row_id in expected:
        assert f"<code>{row_id}</code>" in text_of(client.get(row_url(version, row_id)))


def test_a_row_that_is_not_there_is_not_found(client: Any, version: Version) -> None:
    assert client.get(row_url(version, "r000000000000")).status_code == 404
    assert client.get(row_url(version, "a/b#c")).status_code == 404


@pytest.mark.parametrize(
    "query", ["step=-1", "step=x", f"step={'9' * 30}", "line=0", f"line={'9' * 30}", "part=nothing"]
)
@pytest.mark.parametrize("more", ["", "&system=nobody", f"&system={UUID(int=1)}", "&page=999999999999"])
def test_an_odd_address_is_a_page(client: Any, version: Version, query: str, more: str) -> None:
    row_id = next(iter(reading.rows_of(version)))["id"]
    assert client.get(f"{row_url(version, row_id)}?{query}{more}").status_code == 200
    assert client.get(f"{rows_url(version)}?{query}{more}&failure=any").status_code == 200


@pytest.mark.parametrize("gold", [True, False])
def test_labels_and_gold_are_there_whether_or_not_the_rows_hold_them(
    client: Any, make_version: MakeVersion, gold: bool
) -> None:
    version = make_version(public_gold=gold, **ORDERS)
    index = store.index_of(version, answers=True)
    assert set(index.names) >= {"Shows", "Condition"}
    chosen = text_of(client.get(f"{rows_url(version)}?condition=k4-gold_first"))
    assert 0 < len(ids(chosen)) < len(index.ids)
    assert ids(chosen) == ids(text_of(client.get(f"{rows_url(version)}?label=k4-gold_first")))
    page = text_of(client.get(row_url(version, ids(chosen)[0])))
    assert "Candidates, in the order shown" in page
    assert page.count('class="gold') >= 1


def test_the_answer_of_a_system_stands_beside_with_what_went_wrong(
    client: Any, version: Version, failing: str
) -> None:
    page = text_of(client.get(row_url(version, failing)))
    assert "The only system that answered is wrong." in page
    assert "<code>spoilt</code>" in page
    assert "the value is wrong" in page


def test_rows_are_chosen_by_what_became_of_them(client: Any, version: Version, failing: str) -> None:
    submission = Submission.objects.get()
    wrong = text_of(client.get(f"{rows_url(version)}?system={submission.pk}&failure=any"))
    right = text_of(client.get(f"{rows_url(version)}?system={submission.pk}&failure=right"))
    assert failing in ids(wrong)
    assert failing not in ids(right)
    assert sorted([*ids(wrong), *ids(right)]) == sorted(row["id"] for row in reading.rows_of(version))
    assert ids(text_of(client.get(f"{rows_url(version)}?system={submission.pk}&failure=wrong_value"))) == ids(
        wrong
    )


def test_a_search_for_an_id_leads_to_the_row(client: Any, version: Version, failing: str) -> None:
    assert client.get(f"{rows_url(version)}?q={failing}").headers["Location"] == row_url(version, failing)
    page = text_of(client.get(f"{rows_url(version)}?q=tag.0"))
    assert ids(page)


def test_private_answers_are_shown_to_readers_who_may_see_them(
    client: Any, other: Any, version: Version, user: Any, system: System, submit: Callable[..., Submission]
) -> None:
    submission = submit(version, system, wrong=20, visibility="private")
    row_id = next(iter(reading.rows_of(version)))["id"]
    address = f"{row_url(version, row_id)}?system={submission.pk}"
    assert system.name not in text_of(client.get(address))
    assert "No system on this board has answered this row." in text_of(client.get(address))
    listed = f"{rows_url(version)}?system={submission.pk}&failure=any"
    assert len(ids(text_of(client.get(listed)))) == version.row_count  # as if it were not there
    client.force_login(other)
    assert system.name not in text_of(client.get(address))
    client.force_login(user)
    assert system.name in text_of(client.get(address))


def test_the_state_at_a_step_is_on_the_page_without_a_script(client: Any, version: Version) -> None:
    row_id = next(iter(reading.rows_of(version)))["id"]
    page = text_of(client.get(row_url(version, row_id)))
    for step in (1, 8, 16, 24):
        shown = text_of(client.get(f"{row_url(version, row_id)}?step={step}"))
        held = [value for _, value in re.findall(r"<code([^>]*)data-held>([^<]*)", shown)]
        changes = [json.loads(each) for each in re.findall(r'data-changes="(\[.*?\])"\s*>', page)]
        expected = []
        for lane in filter(None, changes):
            past = [value for at, value in lane if at <= step]
            expected.append((past[-1] if past else None) or "–")
        assert held == expected


def test_parts_are_sent_alone_to_htmx_and_within_the_page_without_it(
    client: Any, make_version: MakeVersion
) -> None:
    version = make_version("statebench", tracks=["supersession"], count=1)
    row_id = store.index_of(version, answers=True).ids[0]
    address = row_url(version, row_id)
    assert quote("#") in address
    for part, words in {"text": "log-lines", "lanes": "other-lanes", "contexts": "contexts-shown"}.items():
        alone = text_of(client.get(f"{address}?part={part}", headers={"HX-Request": "true"}))
        assert "<html" not in alone
        assert words in alone
        assert words in text_of(client.get(f"{address}?part={part}"))
    assert "Transcript" in text_of(client.get(f"{address}?part=contexts"))
    assert "contains forbidden phrases" in text_of(client.get(f"{address}?part=contexts"))


def test_a_damaged_verdict_file_leaves_the_other_answers(
    client: Any, version: Version, system: System, submit: Callable[..., Submission], user: Any, failing: str
) -> None:
    second = System.objects.create(owner=user, name="Second")
    submission = submit(version, second)
    submission.score.verdicts_sha256 = "0" * 64  # type: ignore[union-attr]
    submission.score.save(update_fields=["verdicts_sha256"])  # type: ignore[union-attr]
    page = text_of(client.get(row_url(version, failing)))
    assert system.name in page
    assert "Second" not in page


def test_pages_that_name_rows_lead_to_them(
    client: Any, version: Version, system: System, submit: Callable[..., Submission], user: Any
) -> None:
    first = submit(version, system, wrong=2)
    second = submit(version, System.objects.create(owner=user, name="Second"))
    assert rows_url(version) in text_of(client.get(version.get_absolute_url()))
    rows = text_of(client.get(reverse("leaderboard:submission_rows", args=[first.pk])))
    row_id = re.findall(r'<li class="card verdict" id="([^"]+)"', rows)[0]
    assert f'"{row_url(version, row_id)}?system={first.pk}"' in rows
    compared = text_of(client.get(f"{reverse('leaderboard:compare')}?s={first.pk}&s={second.pk}"))
    assert row_url(version, row_id) in compared


def test_a_page_takes_the_same_few_queries_however_many_systems(
    client: Any, version: Version, user: Any, submit: Callable[..., Submission]
) -> None:
    row_id = next(iter(reading.rows_of(version)))["id"]

    def count(name: str) -> int:
        made = submit(version, System.objects.create(owner=user, name=name))
        Submission.objects.filter(pk=made.pk).update(transcripts_sha256=made.file_sha256)
        client.get(row_url(version, row_id))
        with CaptureQueriesContext(connection) as queries:
            assert name in text_of(client.get(row_url(version, row_id)))
            assert name in text_of(client.get(rows_url(version)))
        return len(queries)

    few = count("First")
    assert [count("Second"), count("Third")] == [few, few]


def test_a_private_submission_is_no_part_of_the_list_of_systems(
    client: Any, version: Version, system: System, submit: Callable[..., Submission]
) -> None:
    submit(version, system, visibility="private")
    assert system.name not in text_of(client.get(rows_url(version)))


def test_rows_of_a_suite_without_timelines_are_shown_as_their_text(
    client: Any, version: Version, failing: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(type(version.suite), "replays", RowReplays())
    page = text_of(client.get(row_url(version, failing)))
    assert 'id="timeline"' not in page
    assert "State Ledger" in page
    assert "The only system that answered is wrong." in page
    assert failing in ids(text_of(client.get(rows_url(version))))
