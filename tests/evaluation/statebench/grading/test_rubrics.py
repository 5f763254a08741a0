"""The strict rubric: a test for every fault of the released judges that it repairs."""

from __future__ import annotations

import pytest

from evaluation.core.errors import RowError, UnknownNameError
from evaluation.statebench.data.truth import Mention, Truth
from evaluation.statebench.grading.columns import columns
from evaluation.statebench.grading.measured import figures
from evaluation.statebench.grading.metrics import METRICS, RULES
from evaluation.statebench.grading.rubrics import get_rubric, strict, strict_3


def truth(decision="no", must=(), must_not=(), *, track="supersession", in_state=False, detects=()):
    mentions = [
        tuple(m if isinstance(m, Mention) else Mention(m) for m in group) for group in (must, must_not)
    ]
    return Truth("T", 0, track, "sales", "easy", decision, *mentions, "medium", in_state, detects)


def judge(response, *args, **fields):
    return strict(truth(*args, **fields))(response)


@pytest.mark.parametrize(
    "thinking", ["<think>No: it was cancelled.</think>Yes.", "[THINK]no[/THINK] Yes.<|im_end|>"]
)
def test_thinking_is_no_part_of_a_response_from_revision_3_on(thinking):
    asked = truth("yes", must_not=["cancelled"])
    assert strict_3(asked)(thinking).correct
    assert strict_3(asked)(thinking).violations == [False]
    assert not strict_3(asked)("<think>Yes.").correct, "it never ended: nothing was said"


def strict_rates(verdicts):
    return figures(METRICS["strict"], columns(RULES["strict"], verdicts))


def test_words_are_matched_whole():
    assert judge("Nearby, in PHP.", must_not=["by", "HP"]).violations == [False, False]
    assert judge("It stands by the HP.", must_not=["by", "HP"]).violations == [True, True]


@pytest.mark.parametrize("response", ["It costs $450.", "We need 1,500.", "It is 500.5 m.", "Now 15000."])
def test_numbers_are_matched_whole(response):
    assert judge(response, must_not=["$45", "500", "15"]).violations == [False, False, False]


def test_a_number_may_be_followed_by_a_full_stop_or_cents_of_zero():
    assert judge("It is $500. Or $700.00.", must=["$500", "$700"]).hits == [True, True]


def test_typography_does_not_matter():
    assert judge("We don’t   renew.", must=["don't renew"]).hits == [True]
    assert judge("We do not renew.", must=["don't renew"]).hits == [True]
    assert judge("ＡＰＩ ready", must=["API"]).hits == [True]


def test_alternatives_count_like_the_phrase():
    mention = Mention("cancelled", alternatives=("called off",))
    assert judge("It was called off.", must=[mention]).hits == [True]
    assert judge("Canned.", must=["cancelled|canned"]).hits == [True]


def test_a_regex_keeps_its_classes():
    assert judge("Ticket 42", must=[Mention(r"\D+ \d{2}", is_regex=True)]).hits == [True]
    assert judge("ticket x", must=[r"regex: \S+ \d"]).hits == [False]


def test_an_invalid_regex_is_refused_with_its_text():
    with pytest.raises(RowError, match="invalid regular expression"):
        strict(truth(must=["regex:("]))


def test_an_empty_phrase_is_not_scored():
    verdict = judge("anything", must=["", "  "], must_not=[""])
    assert (verdict.hits, verdict.violations) == ([], [])


@pytest.mark.parametrize(
    ("response", "decision"),
    [
        ("Yes, go ahead.", "yes"),
        ("**No**: the budget is frozen.", "no"),
        ("Now I know yesterday's note.", None),
        ("It was disapproved.", None),
        ("It is not approved.", "no"),
        ("Approved; stop worrying.", "yes"),
        ("You should not proceed.", "no"),
        ("Don't proceed.", "no"),
        ("No doubt, proceed.", "yes"),
    ],
)
def test_yes_and_no_are_read_as_words(response, decision):
    assert judge(response, "no").decision == decision


def test_a_label_is_judged_by_its_evidence_and_not_by_quoting_it():
    label = {"must": ["$50k"], "must_not": ["$30k"]}
    assert judge("The price is $50k.", "use only permitted information", **label).correct
    assert not judge("use only permitted information", "use only permitted information", **label).correct
    assert not judge("It is $50k, at least $30k.", "use only permitted information", **label).correct


def test_a_sentence_that_opens_with_yes_or_no_is_wrong_where_the_opposite_is_said():
    sentence = "No - insufficient stock"
    assert judge("No, only 50 units are left.", sentence, ["50 units"]).correct
    assert not judge("Yes, 50 units are left.", sentence, ["50 units"]).correct


def test_a_value_of_the_state_has_to_be_stated():
    assert judge("On Thursday.", "Thursday", in_state=True).correct
    assert not judge("On Friday.", "Thursday", in_state=True).correct


def test_a_denied_dead_value_is_no_resurrection():
    assert not judge("It is not Friday any more.", must_not=["Friday"]).resurrected
    assert judge("It is not Friday.", must_not=["Friday"]).negated == ["Friday"]


def test_a_denial_ends_with_its_clause():
    assert judge("Not Monday. Friday it is.", must_not=["Friday"]).resurrected


def test_kinds_are_kept_apart():
    mixed = [Mention("$30k", kind="restricted"), Mention("Friday", kind="superseded")]
    verdict = judge("$30k", must_not=mixed)
    assert verdict.kinds == {"restricted": ["$30k"]}
    assert not verdict.resurrected
    assert judge("$9", must_not=["$9"], track="hallucination_resistance").failure == "fabricated"
    assert judge("$9", must_not=["$9"], track="enterprise_privacy").failure == "leaked"


def test_sfrr_counts_the_queries_that_can_show_it():
    verdicts = [
        judge("Friday", must_not=["Friday"]),
        judge("Thursday", must_not=["Friday"]),
        judge("anything"),
        judge("$9", must_not=["$9"], track="scope_permission"),
    ]
    rates = strict_rates(verdicts)
    assert rates["sfrr"] == 0.5
    assert rates["leakage_rate"] == 1.0
    assert rates["fabrication_rate"] is None


def test_tracks_on_keeping_facts_stay_out_of_the_rates():
    kept = judge("No.", "yes", track="supersession_maintain")
    rates = strict_rates([judge("No.", "no"), kept])
    assert rates["decision_accuracy"] == 1.0
    assert rates["false_supersession_rate"] == 1.0


def test_every_miss_has_a_reason():
    verdict = judge("Yes, Friday.", "no", ["cancelled"], ["Friday"])
    assert "says 'yes'" in verdict.reason
    assert "does not mention 'cancelled'" in verdict.reason
    assert "mentions 'Friday' (superseded)" in verdict.reason
    assert judge("", "no").reason == "there is no response"
    assert judge("No, it was cancelled.", "no", ["cancelled"]).reason is None


def test_an_unknown_rubric_fails_helpfully():
    with pytest.raises(UnknownNameError, match="strict"):
        get_rubric("strct")
