"""Tracks on change: what was true is not true any more."""

from __future__ import annotations

from evaluation.statebench.generator import world
from evaluation.statebench.generator.scene import Scene


def supersession(scene: Scene) -> None:
    """A chain of one to three changes, repeated loudly before and mentioned in passing when it changes."""
    draw, thing = scene.draw, scene.draw.choice(world.GOODS)
    old = world.money(draw)
    key = f"order_{thing.replace(' ', '_')}"
    scene.say(f"We are ordering the {thing}, {old} is signed off.")
    last = scene.write(key, f"order of the {thing} approved at {old}")
    for _ in range(draw.below(3)):
        scene.say(f"As I said, the {thing} order is approved at {old}, please make a note of it.")
    reasons = ("the supplier withdrew", "head office froze spending", "we can borrow one")
    for step in range(1 + draw.below(2)):
        reason = draw.choice(reasons)
        scene.say(
            f"One more thing, the {thing} order is off because {reason}.", supersedes=last, cue="explicit"
        )
        last = scene.write(f"{key}_v{step + 2}", f"order of the {thing} cancelled; {reason}", supersedes=last)
    scene.ask(
        f"Shall I send the purchase order for the {thing}?",
        decision="no",
        must=["cancelled"],
        must_not=[old, "approved"],
        reasoning="The order was superseded; how often it was confirmed before does not matter.",
    )


def supersession_detection(scene: Scene) -> None:
    """The change is only said. Nothing but the words tells that the recorded value is dead."""
    draw, project = scene.draw, scene.draw.choice(world.PROJECTS)
    old, new = world.two(draw, world.WEEKDAYS)
    phrasings = (
        (
            f"The review of {project} is on {old}.",
            f"The {project} review has shifted to {new}.",
            "explicit_correction",
        ),
        (
            f"Let us hold the review of {project} on {old}.",
            f"Scrap that, the review happens on {new}.",
            "explicit_correction",
        ),
        (
            f"The review of {project} is on {old}.",
            f"The review of {project} is on {new}.",
            "implicit_contradiction",
        ),
        (
            f"I am thinking of {old} for the {project} review.",
            f"The {project} review is fixed for {new}.",
            "draft_to_commitment",
        ),
        (
            f"The team picked {old} for the {project} review.",
            f"Per the director, the review is on {new}.",
            "authority_override",
        ),
    )
    before, after, cue = draw.choice(phrasings)
    scene.say(before)
    fact = scene.write(f"review_day_{project.lower()}", old)
    scene.say("Noted.", speaker="assistant")
    scene.say(draw.choice(world.SMALL_TALK))
    scene.say(after, supersedes=fact, cue=cue)
    scene.ask(
        f"On which day is the review of {project}?",
        decision=new,
        must=[new],
        must_not=[old],
        reasoning=f"Detection test: {cue}. Must detect supersession of: ['{fact}']",
        detect=[fact],
    )


def environmental_freshness(scene: Scene) -> None:
    """A signal from outside replaces an older one."""
    draw, city = scene.draw, scene.draw.choice(world.CITIES)
    old, new = world.two(draw, ("on time", "two hours late", "diverted", "grounded"))
    scene.environment["freight"] = f"Flight to {city}: {old}"
    scene.say(f"For the record: flight to {city} is {old}.")
    scene.wait(90)
    scene.write("freight", f"Flight to {city}: {new}", layer="environment", type="system", authority="system")
    scene.ask(
        f"How is the flight to {city} doing?",
        decision=new,
        must=[new],
        must_not=[old],
        reasoning="The freshest signal counts.",
    )


def repair_propagation(scene: Scene) -> None:
    """A base value is corrected; what was derived from it needs review."""
    draw, good = scene.draw, scene.draw.choice(world.GOODS)
    units = 11 + draw.below(30)
    price, right = 20 + draw.below(30), 60 + draw.below(30)
    base = scene.write("unit_price", f"one {good} costs ${price}", authority="manager")
    total = scene.write(
        "quote", f"the quote for {units} comes to ${units * price}", authority="manager", depends_on=[base]
    )
    scene.write(
        "margin", f"the margin rests on a quote of ${units * price}", authority="manager", depends_on=[total]
    )
    scene.say(
        f"The price list was stale: one {good} costs ${right}, not ${price}.", supersedes=base, cue="explicit"
    )
    scene.write("unit_price_v2", f"one {good} costs ${right}", authority="manager", supersedes=base)
    scene.ask(
        f"What does one {good} cost now, and may we send the quote?",
        decision=f"${right}",
        must=[f"${right}"],
        must_not=[f"costs ${price}"],
        reasoning="The base was corrected; what rests on it has to be calculated again.",
        severity="high",
    )


def commitment_durability(scene: Scene) -> None:
    """A preference changes, and the commitment beside it stays."""
    draw, partner = scene.draw, scene.draw.choice(world.PARTNERS)
    old, new = world.two(draw, ("weekly calls", "written reports", "a shared board", "monthly visits"))
    years = 2 + draw.below(4)
    scene.add_fact(
        f"contract_{partner.lower()}", f"{partner} is under contract for {years} years", is_constraint=True
    )
    preference = scene.add_fact(f"format_{partner.lower()}", f"{partner} is updated through {old}")
    scene.say(f"With {partner}, {new} suit us better from here on.", supersedes=preference, cue="explicit")
    scene.write(f"format_{partner.lower()}_v2", f"{partner} is updated through {new}", supersedes=preference)
    scene.ask(
        f"For how many years is {partner} under contract?",
        decision=f"{years} years",
        must=[partner, f"{years} years"],
        must_not=[old],
        reasoning="A changed preference does not touch the commitment.",
    )


def supersession_maintain(scene: Scene) -> None:
    """Something is said about a fact that does not invalidate it."""
    draw, thing = scene.draw, scene.draw.choice(world.GOODS)
    price = world.money(draw)
    scene.say(f"The {thing} may be bought for {price}.")
    scene.write(f"purchase_{thing.replace(' ', '_')}", f"purchase of the {thing} approved at {price}")
    scene.say(f"I have added the reference number to the {thing} file.")
    scene.ask(
        f"May the {thing} still be bought?",
        decision="yes",
        must=["approved|yes"],
        reasoning="A number in a file changes nothing about the approval.",
    )
