"""The name of the site's present state."""

from __future__ import annotations

import pytest
from django.db import transaction

from leaderboard.models import Benchmark
from leaderboard.ready_pages import models, triggers
from leaderboard.ready_pages.models import ContentChange


def write() -> None:
    Benchmark.objects.update(summary="Something else.")


@pytest.mark.django_db
def test_every_write_gives_the_state_another_name() -> None:
    names = [models.fingerprint()]
    for _ in range(3):
        write()
        names.append(models.fingerprint())
    assert len(set(names)) == len(names)


@pytest.mark.django_db
def test_reading_leaves_the_name_as_it_is() -> None:
    before = models.fingerprint()
    list(Benchmark.objects.all())
    assert models.fingerprint() == before


@pytest.mark.django_db
def test_a_write_that_is_rolled_back_leaves_the_earlier_name() -> None:
    before = models.fingerprint()
    with transaction.atomic():
        write()
        assert models.fingerprint() != before
        transaction.set_rollback(True)
    assert models.fingerprint() == before


@pytest.mark.django_db
def test_marks_are_thinned_out_and_the_state_never_gets_a_name_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(models, "MOST_MARKS", 5)
    first = ContentChange.objects.order_by("-pk").values_list("pk", flat=True).first() or 0
    names = set()
    for number in range(1, 30):
        ContentChange.objects.create(pk=first + number)
        names.add(models.fingerprint())
        models.thin_out()
        assert ContentChange.objects.count() <= 6
    assert len(names) == 29


@pytest.mark.django_db
def test_triggers_can_be_made_again_and_what_was_written_without_them_is_seen() -> None:
    before = models.fingerprint()
    triggers.drop("default")
    write()
    assert models.fingerprint() == before
    triggers.create("default")
    again = models.fingerprint()
    assert again != before
    write()
    assert models.fingerprint() != again
