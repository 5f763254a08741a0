"""robots.txt, the site map and the icon: all public pages, and no others."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree

import pytest
from django.urls import reverse

from leaderboard.boards.views import crawlers
from leaderboard.submissions.models import Submission

PRIVATE = Submission.Visibility.PRIVATE
NAMESPACE = "{http://www.sitemaps.org/schemas/sitemap/0.9}"
HOST = "http://testserver"


def places(response) -> list[str]:
    assert response.status_code == 200
    return [each.text for each in ElementTree.fromstring(response.content).iter(f"{NAMESPACE}loc")]


def section(client, name: str, **query) -> list[str]:
    return places(client.get(reverse("leaderboard:sitemap_section", args=[name]), query))


@pytest.mark.django_db
def test_robots_are_told_what_is_no_page_and_where_the_map_is(client) -> None:
    response = client.get("/robots.txt")
    text = response.content.decode()
    assert response["Content-Type"].startswith("text/plain")
    assert f"Sitemap: {HOST}/sitemap.xml" in text
    assert "Disallow: /admin/" in text
    assert "Disallow: /\n" not in text


@pytest.mark.django_db
def test_dataset_engines_may_fetch_rows(client, version) -> None:
    text = client.get("/robots.txt").content.decode()
    rules = [line.split(": ") for line in text.splitlines() if line.startswith(("Allow", "Disallow"))]
    named = [version.benchmark.slug, version.slug]
    for address in (
        reverse("leaderboard:version_rows", args=named),
        reverse("leaderboard:version_documents", args=named),
        reverse("api:get_rows", args=named),
    ):
        longest = max(
            ((path, word) for word, path in rules if address.startswith(path)), default=("", "Allow")
        )
        assert longest[1] == "Allow", address


@pytest.mark.django_db
def test_the_map_of_an_empty_site_is_no_error(client) -> None:
    for place in places(client.get("/sitemap.xml")):
        assert client.get(place.removeprefix(HOST)).status_code == 200


def test_every_address_of_the_map_is_a_public_page(client, submit, version, system) -> None:
    submit(version, system)
    found = [
        at
        for place in places(client.get("/sitemap.xml"))
        for at in places(client.get(place.removeprefix(HOST)))
    ]
    assert len(found) == len(set(found)) == len(crawlers.PAGES) + 5
    for place in found:
        assert client.get(place.removeprefix(HOST)).status_code == 200, place


def test_private_submissions_and_their_systems_are_in_no_map(client, submit, version, system) -> None:
    private = submit(version, system, visibility=PRIVATE)
    assert section(client, "submissions") == section(client, "systems") == []
    assert str(private.pk) not in client.get("/sitemap.xml").content.decode()


def test_a_map_is_split_where_it_is_long(client, submit, version, system, monkeypatch) -> None:
    monkeypatch.setattr(crawlers.Submissions, "limit", 2)
    made = [submit(version, system, grade=False) for _ in range(5)]
    parts = [place for place in places(client.get("/sitemap.xml")) if "submissions" in place]
    assert len(parts) == 3
    found = [at for place in parts for at in places(client.get(place.removeprefix(HOST)))]
    assert sorted(found) == sorted(f"{HOST}{each.get_absolute_url()}" for each in made)
    assert crawlers.Versions.limit == 50_000


@pytest.mark.django_db
def test_the_icon_is_found_by_its_old_name(client) -> None:
    response = client.get("/favicon.ico")
    assert (response.status_code, response["Location"]) == (302, "/static/img/favicon.ico")


def test_where_to_report_a_vulnerability_is_at_its_known_address(client, settings) -> None:
    settings.CONTACT = ""
    assert client.get("/.well-known/security.txt").status_code == 404
    settings.CONTACT = "maintainers@example.org"
    response = client.get("/.well-known/security.txt")
    assert response["Content-Type"] == "text/plain; charset=utf-8"
    assert response.content.decode().splitlines()[0] == "Contact: mailto:maintainers@example.org"
    settings.CONTACT = "https://example.org/report"
    assert b"Contact: https://example.org/report\n" in client.get("/.well-known/security.txt").content
