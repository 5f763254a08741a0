"""Figures of a version with withheld answers reveal no more than its rounded scores."""

from __future__ import annotations

import pytest

from leaderboard.benchmarks import expected_ids, freezing
from leaderboard.benchmarks.models import Version
from leaderboard.benchmarks.sealing import twins
from leaderboard.boards.figures import KINDS, item_answers
from leaderboard.boards.placements import computing
from leaderboard.ready_pages.middleware import AS_OF
from leaderboard.ready_pages.store import pages
from leaderboard.submissions.models import Score, Submission
from leaderboard.web.results_cache import cache
from tests.leaderboard.runs.gguf import SMALL_ORDER_BIAS


@pytest.fixture
def sealed(make_version):
    return make_version(name="kept", sealed=True, **SMALL_ORDER_BIAS)


@pytest.fixture
def kept(sealed, contest):
    """A sealed version with two declared entries and one undeclared."""
    made = contest(sealed, {"One": 3, "Two": 9, "Three": 14}, tokens={"One": 10.0, "Two": 20.0})
    assert sealed.shown_step
    return made


def all_responses(client, version, address) -> dict[str, bytes]:
    """All that a reader gets of the version's figures."""
    cache.clear()
    pages.clear()
    computing.store(version)
    wanted = [address(version), *(address(version, name, kind) for name in KINDS for kind in ("json", "csv"))]
    return {at: AS_OF.sub(b"", client.get(at).content) for at in wanted}


def test_what_is_exact_of_scores_and_verdicts_changes_no_figure(client, sealed, kept, address) -> None:
    before = all_responses(client, sealed, address)
    other = kept["Three"].score.verdicts_sha256
    for score in Score.objects.filter(submission__version=sealed):
        assert score.exact
        exact = score.exact | {
            "failures": {code: count + 1 for code, count in score.exact["failures"].items()},
            "groups": {},
            "spread": [["gold_first", 0.123456]],
            "intervals": dict.fromkeys(score.exact["intervals"]),
        }
        Score.objects.filter(pk=score.pk).update(exact=exact, verdicts_sha256=other)
    assert all_responses(client, sealed, address) == before


def test_no_item_is_named_or_counted(client, sealed, kept, address) -> None:
    told = b"".join(all_responses(client, sealed, address).values()).decode()
    assert "Nothing about single items is shown" in told
    assert not [row_id for row_id in expected_ids.expected_rows(sealed).splits if row_id in told]
    assert client.get(address(sealed, "items", "csv")).status_code == 404
    assert client.get(address(sealed, "items")).json().keys() == {"empty", "title"}


def test_no_verdicts_are_read_even_by_a_worker(sealed, kept, monkeypatch) -> None:
    def refuse(sha256: str):
        raise AssertionError("opened")

    monkeypatch.setattr(item_answers.files, "opened", refuse)
    cache.clear()
    assert item_answers.store(sealed) == 0
    assert not item_answers.is_late(sealed)


def test_marks_lead_to_systems_and_not_to_rows(sealed, kept, figure) -> None:
    for name in ("cost", "splits", "failures"):
        drawn = figure(sealed, name)
        urls = [url for trace in drawn.traces for url in trace.get("meta", {}).get("urls", ())]
        assert not [url for url in urls if "/rows/" in url], name


def test_view_gold_gives_the_same_page_of_items(client, sealed, kept, address, staff) -> None:
    client.force_login(staff)
    assert "Nothing about single items is shown" in client.get(address(sealed)).content.decode()


def test_entries_that_show_their_headline_alone_are_left_out_and_counted(sealed, kept, figure) -> None:
    shown = Submission.objects.filter(version=sealed, shown=True, score__by_split=True).count()
    drawn = figure(sealed, "failures")
    missing = 3 - shown
    if shown:
        assert f"Left out: {missing} system" in drawn.caption
    else:
        assert drawn.as_json()["empty"] == "No system on the board has metrics other than the headline."


def test_the_public_twin_is_led_to(client, sealed, kept, figure, address) -> None:
    assert figure(sealed, "items").elsewhere is None
    twin = twins.make(sealed, wake_worker=False)
    assert freezing.freeze(twin.pk)
    again = Version.objects.readable().get(pk=sealed.pk)
    _, where = figure(again, "items").elsewhere
    assert where == f"{address(twin)}#figure-items"
    assert f'href="{where}"' in client.get(address(again)).content.decode()
    assert client.get(where).status_code == 200
