"""Cards of links: their content, their readers, and that they are pictures."""

from __future__ import annotations

import io

import pytest
from django.urls import reverse
from PIL import Image as pillow

from leaderboard.boards.sharing import cards, drawing
from leaderboard.boards.sharing.cards import Card, Line
from leaderboard.submissions import services as submissions
from leaderboard.submissions.models import Submission

PRIVATE = Submission.Visibility.PRIVATE


def picture(response):
    assert (response.status_code, response["Content-Type"]) == (200, "image/png")
    image = pillow.open(io.BytesIO(response.content))
    image.load()
    return image


@pytest.fixture
def made(submit, version, system) -> Submission:
    return submit(version, system)


@pytest.fixture
def addresses(made, version, system) -> dict[str, str]:
    of_version = [version.benchmark.slug, version.slug]
    return {
        "site_card": reverse("leaderboard:site_card"),
        "board_card": reverse("leaderboard:board_card", args=of_version),
        "version_card": reverse("leaderboard:version_card", args=of_version),
        "system_card": reverse("leaderboard:system_card", args=[system.owner.get_username(), system.slug]),
        "submission_card": reverse("leaderboard:submission_card", args=[made.pk]),
    }


@pytest.mark.parametrize(
    "name", ["site_card", "board_card", "version_card", "system_card", "submission_card"]
)
def test_every_card_is_a_picture_of_the_usual_size_and_kept_ready(client, addresses, name) -> None:
    first = client.get(addresses[name])
    assert picture(first).size == (1200, 630)
    assert first["Cache-Control"] == "public, no-cache"
    again = client.get(addresses[name], headers={"If-None-Match": first["ETag"]})
    assert again.status_code == 304


def test_a_card_changes_with_the_result(client, submit, version, system, made, addresses) -> None:
    before = client.get(addresses["system_card"]).content
    submit(version, system, wrong=3, declared=True)
    assert client.get(addresses["system_card"]).content != before


def test_a_private_submission_has_no_card(client, submit, version, system, user) -> None:
    private = submit(version, system, visibility=PRIVATE)
    address = reverse("leaderboard:submission_card", args=[private.pk])
    assert client.get(address).status_code == 404
    client.force_login(user)
    assert client.get(address).status_code == 404
    of_system = reverse("leaderboard:system_card", args=[system.owner.get_username(), system.slug])
    assert client.get(of_system).status_code == 404


def test_a_card_tells_nothing_of_private_results(submit, version, system, user) -> None:
    public = submit(version, system)
    private = submit(version, system, wrong=3, visibility=PRIVATE)
    assert cards.submission_card(public).results == [public.score.headline]
    submissions.set_visibility(private, Submission.Visibility.PUBLIC, actor=user)
    assert len(cards.submission_card(public).results) == 2


def test_a_card_of_a_sealed_version_shows_the_rounded_figure(submit, make_version, system) -> None:
    sealed = make_version(name="sealed", sealed=True)
    made = submit(sealed, system, wrong=1)
    card = cards.submission_card(Submission.objects.with_names().get(pk=made.pk))
    assert card.value == made.score.headline
    assert made.score.exact_headline != card.value or made.score.exact_headline in (0, 1)


def test_the_dot_is_this_result_and_no_other(submit, version, system) -> None:
    first, second = submit(version, system, wrong=1), submit(version, system)
    assert [cards.submission_card(each).at for each in (first, second)] == [0, 1]
    assert cards.submission_card(first).results == [first.score.headline, second.score.headline]


def test_the_sentence_says_figure_interval_and_place(made, version) -> None:
    words = cards.submission_words(made)
    assert words.startswith(f"{made.system.name} on {version.title} ({version.benchmark.title}): ")
    assert words.endswith(".")
    ungraded = Submission(version=version, system=made.system)
    assert cards.submission_words(ungraded).endswith("no figure yet.")


ODD = {
    "nothing": Card("", "", ""),
    "a long name": Card(
        "A" * 300, "W" * 300, "word " * 200, value=0.5, interval=(0.4, 0.6), place="rank 1–2 of 3"
    ),
    "letters that the font lacks": Card("中日", "日本語 العربية", "🙂", value=0.1, place="not ranked: why"),
    "no interval": Card("a", "b", value=1.0, place="rank 1 of 1"),
    "beyond 1": Card("a", "b", value=-2.5, interval=(-3.0, 7.0)),
    "equal results": Card("a", "b", value=0.5, results=[0.5, 0.5, 0.5], at=1),
    "lines without figures": Card("a", "b", "c", lines=[Line("x", "", None, None)] * 40),
}


@pytest.mark.parametrize("name", ODD)
def test_odd_cards_are_drawn_too(name) -> None:
    assert pillow.open(io.BytesIO(drawing.png(ODD[name], site="Site"))).size == (1200, 630)


def test_the_same_card_is_the_same_bytes() -> None:
    card = ODD["equal results"]
    assert drawing.png(card, site="Site") == drawing.png(card, site="Site")
