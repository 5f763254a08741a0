"""The front page in every state: empty, one version, references only, one system, sealed; and the glossary."""

from __future__ import annotations

import re

import numpy as np
import pytest
from django.urls import reverse

from evaluation.core.statistics import rates_with_intervals
from evaluation.core.suite import get_suite
from leaderboard.benchmarks.models import Benchmark
from leaderboard.boards.front import example_share, failure, standings
from leaderboard.boards.models import StoredPlacements
from leaderboard.boards.placements import computing
from leaderboard.boards.placements.contestants import unit_strata
from leaderboard.boards.placements.ranking import unit_scores
from leaderboard.ready_pages.store import pages as ready_pages
from leaderboard.submissions.models import Score, Submission, System
from tests.leaderboard.conftest import RANKED

NOBODY = "No ranked system has answered questions"
MOST_BYTES = 80_000
NOTED = {"episodes": 6, "steps": 24, "queries": 4, "keys": 4, "chapters": 2, "note_rate": 0.4}


def front(client, **query) -> str:
    response = client.get(reverse("leaderboard:front"), query)
    assert response.status_code == 200
    return response.content.decode()


@pytest.fixture
def noted(make_version):
    """A version in which NOTEs compete with answers."""
    return make_version(name="noted", generator=NOTED | {"state_mode": "kv_commentary"})


def _example(name: str = "goldevidence"):
    suite = get_suite(name)
    return suite.display.example(suite)


def test_an_empty_site_teaches_all_the_same(client, db) -> None:
    page = front(client)
    assert "<h1>Can a model still tell" in page
    assert page.count("No board yet") >= 1
    assert page.count(NOBODY) == page.count('class="try"') == 1
    assert page.count("Graded by program, no LLM judge") == 2
    assert "Add yours" not in page, "there is nothing to answer yet"


def test_the_puzzles_are_tabs_with_an_address_each(client, version) -> None:
    for suite, other in (("goldevidence", "statebench"), ("statebench", "goldevidence")):
        benchmark = Benchmark.objects.get(suite=suite)
        page = front(client, example=benchmark.slug)
        assert _example(suite).question in page
        assert _example(other).question not in page
        assert re.search(rf'href="\?example={benchmark.slug}#try"\s+aria-current="page"', page)


def test_an_answer_in_the_address_is_told_whether_it_is_right(client, db) -> None:
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


def test_references_alone_give_no_share_of_right_answers(client, noted, user, submit) -> None:
    submit(noted, System.objects.create(owner=user, name="Floor", reference="floor", kind="baseline"))
    page = front(client)
    assert page.count(NOBODY) == 1
    assert "1 other board" not in page, "the only board is not folded away"
    assert "no result yet" in page


def test_the_share_is_that_of_the_answers_to_questions_like_it(client, noted, user, submit) -> None:
    for name, executor in (("Reader", "ledger"), ("Last", "last_mention"), ("Naive", "naive")):
        submit(noted, System.objects.create(owner=user, name=name), executor=executor)
    example = _example()
    share = example_share.share_of([noted], example)
    found = _verdicts_like_it(noted)
    assert (share.systems, share.questions) == (3, len(found) // 3)
    assert share.rate == pytest.approx(np.mean(found))
    assert share.interval == pytest.approx(_interval(noted))
    page = front(client)
    assert f"{np.mean(found):.1%}" in page
    assert f"the answers that 3 systems gave to the same {len(found) // 3} questions" in page


def _verdicts_like_it(version) -> list[float]:
    """The rate of each system over rows with a NOTE, from its report, once per row with a NOTE."""
    found = []
    for submission in Submission.objects.on_board(version).select_related("score"):
        group = submission.score.groups["notes"]["with"]
        found += [group["metrics"][version.headline.name]] * group["metrics"]["n"]
    return found


def _interval(version) -> tuple[float, float]:
    """The interval computed from the stored sums of the cells, without the page's own code."""
    part = example_share.part_like(version, _example())
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
    assert front(client).count(NOBODY) == 1


def test_a_private_submission_is_in_no_share(client, noted, system, submit) -> None:
    submit(noted, system, visibility="private")
    assert front(client).count(NOBODY) == 1


def test_the_share_of_a_sealed_version_is_rounded_and_tells_no_answer(
    client, make_version, user, submit
) -> None:
    generator = NOTED | {"state_mode": "kv_commentary", "episodes": 20}
    sealed = make_version(name="sealed", sealed=True, generator=generator)
    reader = System.objects.create(owner=user, name="Reader")
    assert front(client).count(NOBODY) == 1
    made = submit(sealed, reader, executor="last_mention", declared=True)
    page = front(client)
    share = example_share.share_of([sealed], _example())
    assert sealed.shown_step > 0
    steps = share.rate / sealed.shown_step
    assert share.rate == 1 or steps == pytest.approx(round(steps))
    assert made.get_absolute_url() in page
    assert "How it fails" not in page
    for secret in sealed.bound.settings.withheld():
        assert len(secret) < 4 or secret not in page
    assert "sealed" in page.lower()


def test_a_retired_version_is_folded_away_and_leads_nothing(client, populated) -> None:
    type(populated).objects.filter(pk=populated.pk).update(status=populated.Status.RETIRED)
    page = front(client)
    assert "Who leads" not in page
    assert "retired, 4" in page.split("<details")[-1]


@pytest.fixture
def populated(ranked_version, user, submit):
    """Three models with different results, a second harness of one of them, and a self-reported one."""
    for number, (name, model) in enumerate((("a", "Qwen"), ("b", "Phi"), ("c", "Llama"), ("d", "Qwen"))):
        system = System.objects.create(owner=user, name=f"Named {name}", model=model, harness=f"reads {name}")
        submit(ranked_version, system, wrong=8 * number)
    claim = System.objects.create(owner=user, name="Claim", model="Claim")
    submit(ranked_version, claim, reported=True)
    Score.objects.update(gated=False)
    StoredPlacements.objects.all().delete()
    computing.store(ranked_version)
    return ranked_version


def test_three_models_above_guessing_are_ranked_one_row_each(client, populated) -> None:
    page = front(client)
    assert "Who leads" in page
    assert "Add yours" not in page
    table = page.split('aria-labelledby="first-')[1].split("</table>")[0]
    assert re.findall(r'class="name"[^>]*>([^<]+)<', table) == ["Qwen", "Phi", "Llama"]
    assert "reads a" in table
    assert "reads d" not in table
    assert "Claim" not in page


def test_with_two_models_the_page_says_who_is_first_to_no_one(client, populated) -> None:
    Submission.objects.filter(system__model="Llama").update(shown=False)
    computing.store(populated)
    page = front(client)
    assert "Who leads" not in page
    assert "Add yours" in page
    assert page.count('class="code"') == 3
    assert "goldevidencebench submit goldevidencebench/ranked preds.jsonl" in page
    table = page.split('aria-labelledby="first-')[1].split("</table>")[0]
    assert 'class="rank"' not in table


def test_models_that_intervals_cannot_tell_apart_are_said_to_be_tied(
    client, ranked_version, user, submit
) -> None:
    for name in ("Qwen", "Phi", "Llama"):
        submit(ranked_version, System.objects.create(owner=user, name=name))
    page = front(client)
    assert "are tied for first" in page
    assert "tied with 2 others" in page
    assert re.findall(r'class="rank">\s*([^<\s]+)', page.split("<tbody>")[1]) == ["1–3"] * 3


def test_a_wrong_answer_is_shown_as_a_timeline(client, noted, make_version, user, submit) -> None:
    version = make_version(name="long", generator=RANKED | {"state_mode": "kv_commentary", "note_rate": 0.4})
    for name, executor in (("Qwen", "last_mention"), ("Phi", "ledger"), ("Llama", "ledger")):
        submit(version, System.objects.create(owner=user, name=name), executor=executor)
    Score.objects.update(gated=False)
    StoredPlacements.objects.all().delete()
    computing.store(version)
    board = next(each for each in standings.boards_of([version]))
    shown = failure.failure_of(board)
    assert shown is not None
    assert shown.submission.system.name == "Qwen"
    assert [note.role for note in shown.notes] == ["cited", "gold"]
    assert shown.words.startswith("cited: step ")
    if board.leads:
        assert "How it fails" in front(client)


def test_the_page_is_small(client, populated) -> None:
    assert len(front(client, example="goldevidencebench", answer=1).encode()) <= MOST_BYTES


def test_about_names_source_and_contact_where_they_are_set(client, version, settings) -> None:
    page = client.get(reverse("leaderboard:about")).content.decode()
    assert "This site names no contact" in page
    assert version.title in page
    settings.SOURCE_URL, settings.CONTACT = "https://example.org/source", "ask@example.org"
    ready_pages.clear()
    page = client.get(reverse("leaderboard:about")).content.decode()
    assert 'href="mailto:ask@example.org"' in page
    assert page.count('href="https://example.org/source"') == 2


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
    with django_assert_max_num_queries(14):
        front(client, example="statebench", answer=2)
