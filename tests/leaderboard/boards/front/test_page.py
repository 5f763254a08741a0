"""The front page in every state: empty, one version, references only, one system, sealed; and the glossary."""

from __future__ import annotations

import re

import numpy as np
import pytest
from django.urls import reverse

from evaluation.core.statistics import rates_with_intervals
from evaluation.core.suite import get_suite
from leaderboard.boards.front import likes
from leaderboard.boards.placements.contestants import unit_strata
from leaderboard.boards.placements.ranking import unit_scores
from leaderboard.submissions.models import Submission, System

NOBODY = "No system that contests a board has answered questions"
NOTED = {"episodes": 6, "steps": 24, "queries": 4, "keys": 4, "chapters": 2, "note_rate": 0.4}


def front(client, **query) -> str:
    response = client.get(reverse("leaderboard:front"), query)
    assert response.status_code == 200
    return response.content.decode()


@pytest.fixture
def noted(make_version):
    """A version in which NOTEs compete with answers."""
    return make_version(name="noted", generator=NOTED | {"state_mode": "kv_commentary"})


def _example():
    suite = get_suite("goldevidence")
    return suite.display.example(suite)


def test_an_empty_site_teaches_all_the_same(client, db) -> None:
    page = front(client)
    assert "<h1>Can a model still tell" in page
    assert page.count("No board yet") >= 1
    assert page.count(NOBODY) == page.count('class="try"') == 2
    assert "What the boards show" not in page


def test_both_benchmarks_stand_side_by_side(client, version) -> None:
    page = front(client)
    for suite in map(get_suite, ("goldevidence", "statebench")):
        assert suite.display.in_short.split(",")[0] in page
    assert page.count('class="picture"') == 2


def test_who_answers_by_address_is_told_who_is_right(client, db) -> None:
    choices = _example().choices
    for number, choice in enumerate(choices, 1):
        page = front(client, example="goldevidencebench", answer=number)
        shown = re.findall(r'<p[^>]*class="verdict (\w+)"[^>]*data-chosen[^>]*>', page)
        assert shown == ["right" if choice.right else "wrong"]
        assert page.count('class="try answered"') == 1
        assert re.search(rf'value="{number}"\s+checked', page)


@pytest.mark.parametrize(
    "query", [{"answer": "1"}, {"example": "goldevidencebench", "answer": "99"}, {"example": "x"}]
)
def test_a_choice_that_there_is_not_is_none(client, db, query) -> None:
    page = front(client, **query)
    assert 'class="try answered"' not in page
    assert "data-chosen" not in page


def test_what_the_board_was_asked_for_at_this_address_leads_to_it(client, version) -> None:
    answer = client.get("/", {"sort": "system", "q": "x"})
    assert (answer.status_code, answer.url) == (302, "/boards/?sort=system&q=x")


def test_references_alone_answer_for_nobody(client, noted, user, submit) -> None:
    submit(noted, System.objects.create(owner=user, name="Floor", reference="floor", kind="baseline"))
    page = front(client)
    assert page.count(NOBODY) == 2
    assert "0 systems" in page


def test_the_share_is_that_of_the_answers_to_questions_like_it(client, noted, user, submit) -> None:
    for name, executor in (("Reader", "ledger"), ("Last", "last_mention"), ("Naive", "naive")):
        submit(noted, System.objects.create(owner=user, name=name), executor=executor)
    example = _example()
    share = likes.share_of([noted], example)
    found = _verdicts_like_it(noted)
    assert (share.systems, share.questions) == (3, len(found) // 3)
    assert share.rate == pytest.approx(np.mean(found))
    assert share.interval == pytest.approx(_interval(noted))
    page = front(client)
    assert f"{np.mean(found):.0%}" in page
    assert f"the answers that 3 systems gave to the same {len(found) // 3} questions" in page


def _verdicts_like_it(version) -> list[float]:
    """The rate of each system over rows with a NOTE, as its report says it, as often as it has such rows."""
    found = []
    for submission in Submission.objects.on_board(version).select_related("score"):
        group = submission.score.groups["notes"]["with"]
        found += [group["metrics"][version.headline.name]] * group["metrics"]["n"]
    return found


def _interval(version) -> tuple[float, float]:
    """From the sums of the cells as they are stored, without what the page uses."""
    part = likes.part_like(version, _example())
    shown = Submission.objects.on_board(version).select_related("score")
    tables = [unit_scores(part.units(s.score.cells, bytes(s.score.cell_scores))).astype(float) for s in shown]
    pooled = sum(tables) / len(tables)
    ((_, interval),) = rates_with_intervals([pooled], unit_strata(version), icc=version.bound.unit_icc)
    return interval


def test_one_right_system_has_a_bound_and_no_whole_interval(client, noted, system, submit) -> None:
    submit(noted, system)
    page = front(client)
    assert "100%" in page
    assert "that one system gave" in page
    assert "95% interval: at least" in page


def test_a_version_without_such_questions_has_no_share(client, version, system, submit) -> None:
    submit(version, system)
    assert front(client).count(NOBODY) == 2


def test_a_private_submission_is_in_no_share(client, noted, system, submit) -> None:
    submit(noted, system, visibility="private")
    assert front(client).count(NOBODY) == 2


def test_the_share_of_a_sealed_version_is_rounded_and_tells_no_answer(
    client, make_version, user, submit
) -> None:
    generator = NOTED | {"state_mode": "kv_commentary", "episodes": 20}
    sealed = make_version(name="sealed", sealed=True, generator=generator)
    reader = System.objects.create(owner=user, name="Reader")
    assert front(client).count(NOBODY) == 2
    made = submit(sealed, reader, executor="last_mention", declared=True)
    page = front(client)
    share = likes.share_of([sealed], _example())
    assert sealed.shown_step > 0
    steps = share.rate / sealed.shown_step
    assert share.rate == 1 or steps == pytest.approx(round(steps))
    assert str(made.pk) not in page
    for secret in sealed.bound.settings.withheld():
        assert len(secret) < 4 or secret not in page
    assert "sealed" in page.lower()


def test_a_retired_version_is_still_listed(client, version) -> None:
    type(version).objects.filter(pk=version.pk).update(status=version.Status.RETIRED)
    assert "retired" in front(client)


def test_the_page_is_kept_as_ready_bytes(client, version) -> None:
    first = client.get("/")
    assert first["Cache-Control"] == "public, no-cache"
    again = client.get("/", headers={"if-none-match": first["ETag"]})
    assert again.status_code == 304


def test_notes_have_buttons_and_ids_of_their_own(client, version, system, submit) -> None:
    submit(version, system)
    for address in ("/", version.get_board_url(), f"{version.get_board_url()}?view=figures"):
        page = client.get(address).content.decode()
        opened = re.findall(r'popovertarget="([^"]+)"', page)
        notes = re.findall(r'id="(note-\d+)"\s+class="word-note"\s+popover', page)
        assert opened == notes
        assert len(set(notes)) == len(notes) > 2


def test_the_glossary_has_the_words_of_every_suite_once(client, db) -> None:
    page = client.get(reverse("leaderboard:glossary")).content.decode()
    for word in "book ledger log note update gold-line citation distractor twin-episode supersession".split():
        assert page.count(f'<div id="{word}">') == 1, word
    for (
        word
    ) in "sealed open-demo public-twin reference-system entry rank-range interval effective-length".split():
        assert page.count(f'<div id="{word}">') == 1, word
    ids = re.findall(r' id="([^"]+)"', page)
    assert len(set(ids)) == len(ids)
    assert "exact_acc" in page


def test_front_and_glossary_cost_few_queries(
    client, noted, user, submit, django_assert_max_num_queries
) -> None:
    for number in range(3):
        submit(noted, System.objects.create(owner=user, name=f"System {number}"), executor="last_mention")
    with django_assert_max_num_queries(30):
        front(client, example="statebench", answer=1)
    with django_assert_max_num_queries(12):
        front(client, example="statebench", answer=2)
