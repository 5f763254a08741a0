"""Our exports in the released packages, and their judges compared with our rubrics 1.0 and 2.0."""

from __future__ import annotations

from functools import cache
from itertools import islice
from random import Random

import pytest

from evaluation.statebench.data.truth import read_record, record
from evaluation.statebench.grading.rubrics import RUBRICS
from evaluation.statebench.interchange.changes import Changes
from evaluation.statebench.interchange.export import to_release
from evaluation.statebench.interchange.release import RELEASES
from evaluation.statebench.interchange.restore import from_release
from evaluation.statebench.presets import GENERATED as OF_TEMPLATES
from evaluation.statebench.presets import PRESETS
from evaluation.statebench.public import public_row
from evaluation.statebench.strategies import build_context
from evaluation.statebench.suite import SUITE
from tests.evaluation.statebench import reference_state
from tests.evaluation.statebench.interchange.packages import ask
from tests.evaluation.statebench.interchange.scoped_timelines import Story

pytestmark = [pytest.mark.released, pytest.mark.xdist_group("released")]

GENERATED = [name for name, preset in PRESETS.items() if preset.source == OF_TEMPLATES]
#: Every word that either judge of the releases reads a decision or a negation off.
WORDS = "yes,no,not,approved,go ahead,do not,don't,cannot,proceed,stop,never,instead of,no longer,nearby,$450".split(
    ","
)


@cache
def of_preset(name: str):
    """The timelines of an open version of a preset."""
    return [row for item in SUITE.version(PRESETS[name].as_json()).generate() for row in item.rows]


def responses_to(truth, context: str) -> list[str]:
    """Answers that are right, wrong, quoted, denied, shouted, empty, and salads of the judges' own words."""
    must = [mention.phrase for mention in truth.must]
    must_not = [mention.phrase for mention in truth.must_not]
    draw = Random(f"{truth.timeline_id}#{truth.index}")
    salad = [*must, *must_not, truth.decision, *WORDS]
    return [
        "",
        f"{truth.decision.upper()}, {' and '.join(must)}.",
        " ".join(must_not),
        f"Not {', not '.join(must_not)}; rather {truth.decision}.",
        context,
        *(" ".join(draw.choices(salad, k=draw.randrange(1, 12))) for _ in range(3)),
    ]


def ours(truth, response: str, rubric: str) -> dict:
    """Our verdict in the words of the released judges."""
    verdict = RUBRICS[rubric](truth)(response)
    scored = [mention.phrase for mention in truth.must_not if mention.phrase not in verdict.skipped]
    words = {
        "decision_correct": verdict.correct,
        "actual_decision": verdict.decision,
        "must_mention_hits": [
            mention.phrase for mention, hit in zip(truth.must, verdict.hits, strict=True) if hit
        ],
        "must_not_mention_violations": [
            phrase for phrase, found in zip(scored, verdict.violations, strict=True) if found
        ],
        "resurrected_superseded": verdict.resurrected,
    }
    if rubric == "2.0":
        words |= {
            "violations_by_kind": verdict.kinds,
            "skipped_phrases": verdict.skipped,
            "negated_mentions": verdict.negated,
        }
    return words


def exported(rows, release: str) -> list:
    return [to_release(row, RELEASES[release], Changes()) for row in rows]


def refusals(release: str, rows, folder) -> dict[str, str]:
    """The timelines that the package of a release refuses, with the reasons."""
    checked, _ = ask(release, exported(rows, release), [], folder)
    assert [row["id"] for row in checked] == [row["id"] for row in rows]
    return {row["id"]: row["refused"] for row in checked if row["refused"]}


@pytest.mark.parametrize("release", RELEASES)
class TestEveryTimelineIsAccepted:
    def test_of_all_presets_with_ground_truth_and_as_they_are_public(self, release, tmp_path):
        rows = [row for name in GENERATED for row in of_preset(name)]
        assert {row["track"] for row in rows} == set(PRESETS["quick"].tracks)
        public = [public_row(row, labels=False) for row in rows]
        assert refusals(release, [*rows, *public], tmp_path) == {}

    def test_over_scopes_pointers_and_titles_of_our_own(self, release, tmp_path):
        rows = [Story(seed).row() for seed in range(200)]
        for number, row in enumerate(rows[::7]):
            row["events"].insert(
                0,
                {
                    "type": "scope",
                    "ts": row["events"][0]["ts"],
                    "action": "enter",
                    "scope": "task",
                    "scope_id": "T1",
                },
            )
            row["initial_state"]["environment"]["count"] = number
        assert refusals(release, rows, tmp_path) == {}

    def test_of_the_released_data(self, release, tmp_path):
        rows = [*reference_state.dev(), *reference_state.rows("v2_tracks/timelines.jsonl")]
        assert refusals(release, [from_release(row) for row in rows], tmp_path) == {}

    def test_what_is_exported_unmapped_is_refused(self, release, tmp_path):
        """Once all our timelines were exported unmapped, and refused."""
        rows = of_preset("smoke")
        checked, _ = ask(release, rows, [], tmp_path)
        assert all("generated_at" in row["refused"] for row in checked)


@pytest.mark.parametrize("release", RELEASES)
@pytest.mark.parametrize("source", [*GENERATED, "released dev split"])
def test_the_packaged_judge_and_our_rubric_say_the_same_of_every_response(release, source, tmp_path):
    rows = of_preset(source) if source in GENERATED else reference_state.dev()
    truths = [truth for row in rows for truth in read_record(record(row))]
    timelines = {row["id"]: row for row in rows}
    asked, expected = [], []
    for truth in truths:
        context = build_context(timelines[truth.timeline_id], truth.index, strategy="transcript_replay").text
        for response in responses_to(truth, context):
            asked.append({"timeline_id": truth.timeline_id, "query_idx": truth.index, "response": response})
            expected.append(ours(truth, response, release))
    checked, verdicts = ask(release, exported(rows, release), asked, tmp_path)
    assert not any(row["refused"] for row in checked)
    pairs = zip(asked, verdicts, expected, strict=True)
    different = [(row, theirs, mine) for row, theirs, mine in pairs if theirs != mine]
    assert list(islice(different, 3)) == []
    assert len({row["decision_correct"] for row in verdicts}) == 2  # some right, some wrong


@pytest.mark.parametrize("release", RELEASES)
def test_a_withheld_answer_is_never_called_right(release, tmp_path):
    rows = [public_row(row, labels=False) for row in of_preset("smoke")]
    truths = [truth for row in of_preset("smoke") for truth in read_record(record(row))]
    asked = [
        {"timeline_id": truth.timeline_id, "query_idx": truth.index, "response": response}
        for truth in truths
        for response in responses_to(truth, "withheld")
    ]
    _, verdicts = ask(release, exported(rows, release), asked, tmp_path)
    assert not any(verdict["decision_correct"] for verdict in verdicts)
