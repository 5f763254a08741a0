"""Systems and their addresses."""

from __future__ import annotations

import pytest
from django.core.exceptions import ValidationError

from leaderboard.submissions.models import System
from leaderboard.submissions.models.card import ONE_LINE

COMPOSED, DECOMPOSED = "Caf\u00e9 reader", "Cafe\u0301 reader"


def test_systems_of_one_name_get_addresses_of_their_own(user):
    assert [System.objects.create(owner=user, name="Mine").slug for _ in range(2)] == ["mine", "mine-2"]


def test_a_new_name_is_stored_composed(user):
    assert System.objects.create(owner=user, name=DECOMPOSED).name == COMPOSED


@pytest.mark.parametrize("stored", [COMPOSED, DECOMPOSED])
@pytest.mark.parametrize("asked", [COMPOSED, DECOMPOSED])
def test_a_name_is_found_however_its_accents_are_written(user, stored, asked):
    system = System.objects.create(owner=user, name="x")
    System.objects.filter(pk=system.pk).update(name=stored)  # as earlier releases stored it
    assert System.objects.named(asked).get() == system


@pytest.mark.parametrize("field", sorted(set(ONE_LINE) - {"hub_id", "hub_revision"}))
def test_a_card_holds_no_character_that_is_not_seen(user, field):
    system = System.objects.create(owner=user, name="Mine")
    setattr(system, field, "7B\u202e")
    with pytest.raises(ValidationError, match=r"Remove the invisible character U\+202E\."):
        system.clean_fields()
    system.clean_fields(exclude={field})  # another field of an older row is changed
