"""States of affairs: what a status can be."""

from __future__ import annotations

from evaluation.statebench.language.lexicon import cue

STATUS = cue(
    phrases="""
    on track | delayed | late | cancell?ed | under review | on hold | in planning | planned | in progress
    | approved | rejected | denied | declined | revoked | open | reopened | closed | resolved | fixed
    | down | operational | online | offline | active | inactive | paused | completed? | done | finished
    | pending | live | blocked | failed | passed | available | unavailable | out of stock | in stock
    | sold out | on sale | ahead of schedule | behind schedule | signed | signed off | expired | shipped
    | delivered | scheduled | confirmed | released | archived | deprecated | frozen | suspended | green
    | amber | yellow | red | healthy | degraded | ready | waiting | stalled | ongoing | upcoming | vacant
    | filled | granted | escalated | triaged | in triage | assigned | unassigned | merged | reverted
    | deployed | full | empty | released | held | arrived | working | out of order | ready to \\w+
    | idle | stuck | occupied | awaiting \\w+ | being \\w+ | under way
    """
)
