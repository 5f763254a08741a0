"""Maps of accuracy by length and depth, from the groups of a score."""

from __future__ import annotations

from leaderboard.boards.lengths.maps import depth_map
from leaderboard.submissions.models import Submission


def groups_of(made):
    return Submission.objects.select_related("score").get(pk=made.pk).score.groups


def test_every_length_and_depth_has_its_accuracy(ladder, named, send):
    found = depth_map(ladder, groups_of(send(ladder, named("Middle"), holds=2048)))
    assert (found.lengths, found.depths) == (("1k", "2k", "4k"), ("0.3", "0.7"))
    assert [[cell.value for cell in cells] for _, cells in found.lines] == [[1, 1, 0], [1, 1, 0]]
    assert found.words == "from 0.0% to 100.0% over 6 lengths and depths"


def test_what_a_file_does_not_answer_is_missing_and_not_0(ladder, named, send):
    found = depth_map(ladder, groups_of(send(ladder, named("Short"), answers=1024)))
    assert [[cell.value for cell in cells] for _, cells in found.lines] == [[1, None, None]] * 2


def test_without_depths_or_without_lengths_there_is_no_map(ladder, version, system, submit):
    assert depth_map(ladder, {}) is None
    assert depth_map(version, groups_of(submit(version, system))) is None
