"""BibTeX, feeds and badges: results to cite and to share."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest
from django.urls import reverse

from leaderboard.boards.placements.outcomes import SystemPlacement
from leaderboard.boards.placements.ranking import diagnostic
from leaderboard.boards.sharing import badges
from leaderboard.submissions import services as submissions
from leaderboard.submissions.models import Submission, System

ATOM = {"a": "http://www.w3.org/2005/Atom"}


def entry(response):
    """Key and fields of the one BibTeX entry."""
    text = response.content.decode()
    key = re.match(r"@misc\{([^,]+),", text)[1]
    assert text.count("{") == text.count("}")
    return key, dict(re.findall(r"^  (\w+) *= (.+),$", text, re.M))


def test_a_version_is_cited_with_hash_and_permalink(client, version):
    key, fields = entry(client.get(reverse("leaderboard:version_bibtex", args=["goldevidencebench", "tiny"])))
    assert key == "goldevidencebench-tiny"
    assert version.sha256 in fields["note"]
    assert fields["url"] == "{http://testserver/versions/goldevidencebench/tiny/}"
    assert fields["year"] == f"{{{version.frozen_at:%Y}}}"


def test_a_result_is_cited_with_figure_grader_and_owner(client, version, user, submit):
    made = submit(version, System.objects.create(owner=user, name="50% & #1_best"), wrong=3)
    _, fields = entry(client.get(reverse("leaderboard:submission_bibtex", args=[made.pk])))
    assert r"50\% \& \#1\_best" in fields["title"]
    assert "Exact accuracy 75.0\\%" in fields["note"]
    assert made.score.grader in fields["note"].replace("\\", "")
    assert fields["author"] == "{{ada}}"


def test_a_private_result_cannot_be_cited_by_others(client, version, system, submit, user):
    made = submit(version, system, visibility=Submission.Visibility.PRIVATE)
    address = reverse("leaderboard:submission_bibtex", args=[made.pk])
    assert client.get(address).status_code == 404
    client.force_login(user)
    assert client.get(address).status_code == 200


def feed(client, name="feed", *args):
    response = client.get(reverse(f"leaderboard:{name}", args=args))
    assert response["Content-Type"].startswith("application/atom+xml")
    return ElementTree.fromstring(response.content)


def links(root):
    return [node.get("href") for node in root.findall("a:entry/a:link", ATOM)]


def test_the_feed_lists_public_graded_results_newest_first(client, version, user, submit):
    made = {
        name: submit(version, System.objects.create(owner=user, name=name), **fields)
        for name, fields in {
            "old": {},
            "secret": {"visibility": "private"},
            "waiting": {"grade": False},
            "new": {},
        }.items()
    }
    withdrawn = submit(version, System.objects.create(owner=user, name="withdrawn"))
    submissions.withdraw(withdrawn, actor=user)
    expected = [f"http://testserver{made[name].get_absolute_url()}" for name in ("new", "old")]
    assert links(feed(client)) == expected


def test_each_version_has_a_feed_of_its_own(client, version, make_version, system, submit):
    make_version(name="quiet")
    submit(version, system)
    assert len(links(feed(client, "version_feed", "goldevidencebench", "tiny"))) == 1
    assert links(feed(client, "version_feed", "goldevidencebench", "quiet")) == []
    assert (
        client.get(reverse("leaderboard:version_feed", args=["goldevidencebench", "none"])).status_code == 404
    )


def test_an_unchanged_feed_is_not_sent_again(client, version, system, submit):
    submit(version, system)
    address = reverse("leaderboard:feed")
    etag = client.get(address)["ETag"]
    assert client.get(address, headers={"if-none-match": etag}).status_code == 304


def badge(client, system, **query):
    return client.get(reverse("leaderboard:system_badge", args=[system.owner.username, system.slug]), query)


def test_a_badge_tells_headline_and_rank(client, ranked_version, system, submit):
    submit(ranked_version, system)
    response = badge(client, system, version="goldevidencebench/ranked")
    words = ElementTree.fromstring(response.content).get("aria-label")
    assert response["Content-Type"] == "image/svg+xml"
    assert words == "Ranked: 100.0% · rank 1"


def test_a_badge_of_a_diagnostic_version_says_why_there_is_no_rank(client, version, system, submit):
    submit(version, system)
    words = ElementTree.fromstring(badge(client, system).content).get("aria-label")
    assert words == "Tiny: 100.0% · not ranked: 2 episodes are too few (ranks need at least 40)"


def test_a_badge_is_cached_until_its_board_changes(client, version, system, submit):
    submit(version, system, wrong=1)
    first = badge(client, system)
    assert "max-age" in first["Cache-Control"]
    address = first.wsgi_request.path
    assert client.get(address, headers={"if-none-match": first["ETag"]}).status_code == 304
    submit(version, system, declared=True)
    assert client.get(address, headers={"if-none-match": first["ETag"]}).status_code == 200


def test_a_badge_does_not_betray_a_private_system(client, version, system, submit):
    submit(version, system, visibility=Submission.Visibility.PRIVATE)
    assert badge(client, system).status_code == 404


def test_a_withdrawn_systems_badge_says_so(client, version, system, submit, user):
    submissions.withdraw(submit(version, system), actor=user)
    assert b"not on the board" in badge(client, system).content


@pytest.mark.parametrize(
    ("standing", "text"),
    [
        (None, "not on the board"),
        (SystemPlacement(0.5, False, 2, 2, 5), "50.0% · rank 2–5"),
        (SystemPlacement(0.5, True, 2, 2, 5), "50.0% · rank (2–5)"),
        (SystemPlacement(None, False, 4, 4, 6), "not reported · rank 4–6"),
        (SystemPlacement(0.5, False, 1, 1, 1, among=15), "50.0% · rank 1"),
        (
            SystemPlacement(0.5, False, None, None, None, reason=diagnostic(20, "episode")),
            "50.0% · not ranked: 20 episodes are too few (ranks need at least 40)",
        ),
        (
            SystemPlacement(0.5, False, None, None, None, reason="no model decides", apart=True),
            "not ranked: no model decides",
        ),
    ],
)
def test_what_a_badge_says(standing, text):
    assert badges.text_of(standing) == text


def test_names_cannot_break_out_of_a_badge(version):
    version.title = "<script>"
    assert "<script>" not in badges.draw(version, None)


def test_pages_show_permalink_citation_and_badge(client, version, system, submit):
    made = submit(version, system)
    submission, of_version, of_system = (
        client.get(each.get_absolute_url()).content.decode() for each in (made, version, system)
    )
    assert f"http://testserver{made.get_absolute_url()}" in submission
    assert reverse("leaderboard:submission_bibtex", args=[made.pk]) in submission
    assert reverse("leaderboard:version_bibtex", args=["goldevidencebench", "tiny"]) in of_version
    assert "[![Ledger reader on Tiny](http://testserver/systems/ada/ledger-reader/badge.svg" in of_system
