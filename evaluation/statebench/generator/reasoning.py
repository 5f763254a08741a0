"""Tracks on using state: constraints that decide, dependencies, and long messy threads."""

from __future__ import annotations

from evaluation.statebench.generator import world
from evaluation.statebench.generator.scene import Scene


def causality(scene: Scene) -> None:
    """A constraint decides the answer."""
    draw, good = scene.draw, scene.draw.choice(world.GOODS)
    limit, price = 10 + draw.below(20), 40 + draw.below(40)
    scene.add_fact(
        "spending_limit",
        f"at most ${limit},000 may be spent on the {good}",
        type="policy",
        authority="policy",
        is_constraint=True,
        constraint_type="budget",
    )
    scene.say(f"There is an offer of ${price},000 for the {good}.")
    scene.ask(
        f"Can we take the offer for the {good}?",
        decision="no",
        must=[f"${limit},000"],
        reasoning="The offer is above the limit.",
    )


def dependency_chain(scene: Scene) -> None:
    """Values derived in two steps from a base that changes."""
    draw, project = scene.draw, scene.draw.choice(world.PROJECTS)
    old, new = 11 + draw.below(9), 30 + draw.below(9)
    base = scene.write("team_size", f"{project} has {old} testers", authority="manager")
    middle = scene.write(
        "test_plan", f"{project} runs {old * 10} cases a week", authority="manager", depends_on=[base]
    )
    scene.write(
        "test_end", f"testing of {project} lasts {old * 3} weeks", authority="manager", depends_on=[middle]
    )
    scene.write("team_size_v2", f"{project} has {new} testers", authority="manager", supersedes=base)
    scene.ask(
        f"How many testers does {project} have?",
        decision=f"{new} testers",
        must=[f"{new} testers"],
        must_not=[f"{old} testers"],
        reasoning="The base changed; the plan and its end have to be reviewed.",
    )


def brutal_realistic(scene: Scene) -> None:
    """A long thread of several people, three changes and three questions."""
    draw, project = scene.draw, scene.draw.choice(world.PROJECTS)
    city, move = world.two(draw, world.CITIES)
    budget, cut = _amounts_apart(scene)
    first, second = world.two(draw, world.PARTNERS)
    scene.say(f"[{draw.choice(world.PEOPLE)} (Director)]: {project} gets a budget of {budget}.")
    money = scene.write("budget", f"{project} has a budget of {budget}", authority="manager")
    scene.say(f"[{draw.choice(world.PEOPLE)} (Buyer)]: {first} builds it.")
    builder = scene.write("builder", f"{first} builds {project}")
    site = scene.write("site", f"{project} is built in {city}")
    for line in world.SMALL_TALK[: 1 + draw.below(3)]:
        scene.say(line)
    scene.say(
        f"[{draw.choice(world.PEOPLE)} (CFO)]: The budget of {project} is cut to {cut}.",
        supersedes=money,
        cue="explicit",
    )
    scene.write("budget_v2", f"{project} has a budget of {cut}", authority="executive", supersedes=money)
    scene.say(f"{second} takes {project} over from {first}.", supersedes=builder, cue="explicit")
    scene.write("builder_v2", f"{second} builds {project}", supersedes=builder)
    scene.say(f"The site moves to {move}.", supersedes=site, cue="explicit")
    scene.write("site_v2", f"{project} is built in {move}", supersedes=site)
    why = "Only the last value of each holds."
    scene.ask(f"What is the budget of {project}?", decision=cut, must=[cut], must_not=[budget], reasoning=why)
    scene.ask(f"Who builds {project}?", decision=second, must=[second], must_not=[first], reasoning=why)
    scene.ask(f"Where is {project} built?", decision=move, must=[move], must_not=[city], reasoning=why)


def _amounts_apart(scene: Scene) -> tuple[str, str]:
    first = world.money(scene.draw, low=60, high=90)
    return first, world.money(scene.draw, low=20, high=50)
