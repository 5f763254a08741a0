"""The oracle on plots with an obvious outcome."""

from __future__ import annotations

import pytest

from evaluation.statebench.generator.scenes.acts import (
    Act,
    Decision,
    Form,
    Kind,
    Question,
    Role,
    Sort,
    Standing,
)
from evaluation.statebench.generator.scenes.oracle import evaluate

WHAT, MAY = Question(Form.WHAT, Sort.VALUE), Question(Form.MAY, Sort.LABEL)
CAP = Question(Form.MAY, Sort.CAP, within=False)
ANY, OWNER, SENIOR, GUEST = Role.BYSTANDER, Role.OWNER, Role.SENIOR, Role.GUEST


def act(kind, value=None, ref=None, slot=0, who=OWNER):
    return Act(kind, slot, who, value, ref)


A, B = act(Kind.SET, 0), act(Kind.SET, 1)


@pytest.mark.parametrize(
    ("acts", "value", "because", "dead"),
    [
        ([A, B], 1, (1,), (0,)),
        ([A, act(Kind.PROPOSE, 1, who=ANY)], 0, (0,), (1,)),
        ([A, act(Kind.PROPOSE, 1, who=ANY), act(Kind.ACCEPT, ref=1)], 1, (1, 2), (0,)),
        ([A, B, act(Kind.ROLLBACK)], 0, (0, 2), (1,)),
        ([A, act(Kind.WITHDRAW)], None, (1,), (0,)),
        ([A, act(Kind.LEND, 1)], 1, (1,), (0,)),
        ([A, act(Kind.LEND, 1), act(Kind.LAPSE, ref=1)], 0, (0,), (1,)),
        ([A, act(Kind.LEASE, 1), act(Kind.LAPSE, ref=1)], None, (1,), (0,)),
        ([A, act(Kind.LEASE, 1), act(Kind.EXTEND, ref=1), act(Kind.LAPSE, ref=1)], 1, (1, 2), (0,)),
        ([A, act(Kind.PLAN, 1)], 0, (0,), (1,)),
        ([A, act(Kind.PLAN, 1), act(Kind.ARRIVE, ref=1)], 1, (1,), (0,)),
        ([A, act(Kind.PLAN, 1), act(Kind.DROP, ref=1), act(Kind.ARRIVE, ref=1)], 0, (0,), (1,)),
        ([A, act(Kind.CONDITION, 1), act(Kind.MET, ref=1)], 1, (1, 2), (0,)),
        ([A, act(Kind.ENTER), act(Kind.SCOPED, 1)], 1, (1, 2), (0,)),
        ([A, act(Kind.ENTER), act(Kind.SCOPED, 1), act(Kind.LEAVE)], 0, (0,), (2,)),
        ([act(Kind.SET, 1, slot=1), act(Kind.LINK)], 1, (1, 0), ()),
        ([act(Kind.SET, 1, slot=1), act(Kind.REST, 0), act(Kind.CORRECT, 2, slot=1)], None, (1, 2), ()),
        ([A, act(Kind.FOCUS, slot=1), act(Kind.SAY_IT, 1)], 0, (0,), ()),
        ([A, act(Kind.FOCUS, slot=1), act(Kind.RESUME), act(Kind.SAY_IT, 1)], 1, (3,), (0,)),
        ([act(Kind.READ, 0), act(Kind.FAULT), act(Kind.READ, 1)], None, (1,), (0, 2)),
        ([act(Kind.READ, 0), act(Kind.FAULT), act(Kind.FIX), act(Kind.READ, 1)], 1, (3,), (0,)),
    ],
)
def test_what_holds_after_a_plot(acts, value, because, dead):
    gold = evaluate(acts, WHAT, Standing.PLAIN)
    assert (gold.value, gold.because, gold.dead) == (value, because, dead)
    assert gold.decision is (Decision.UNCLEAR if value is None else Decision.VALUE)


@pytest.mark.parametrize(
    ("standing", "acts", "decision"),
    [
        (Standing.RANKS, [act(Kind.SET, 1, who=SENIOR), act(Kind.SET, 0)], Decision.YES),
        (Standing.RANKS, [act(Kind.SET, 1), act(Kind.SET, 0, who=SENIOR)], Decision.NO),
        (Standing.RANKS, [act(Kind.SET, 1, who=GUEST)], Decision.UNCLEAR),
        (Standing.MANDATE, [act(Kind.SET, 1, who=Role.DELEGATE)], Decision.UNCLEAR),
        (Standing.MANDATE, [act(Kind.GRANT), act(Kind.SET, 1, who=Role.DELEGATE)], Decision.YES),
        (
            Standing.MANDATE,
            [act(Kind.GRANT), act(Kind.REVOKE), act(Kind.SET, 1, who=Role.DELEGATE)],
            Decision.UNCLEAR,
        ),
        (Standing.MANDATE, [act(Kind.HANDOVER), act(Kind.SET, 1)], Decision.UNCLEAR),
    ],
)
def test_who_may_settle_a_matter(standing, acts, decision):
    assert evaluate(acts, MAY, standing).decision is decision


def test_an_exemption_lets_a_price_pass_a_cap_until_it_ends():
    acts = [A, act(Kind.EXEMPT), act(Kind.END_EXEMPT)]
    found = [evaluate(acts[:end], CAP, Standing.PLAIN).decision for end in (1, 2, 3)]
    assert found == [Decision.NO, Decision.YES, Decision.NO]
