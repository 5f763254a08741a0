"""Generates the units of a version with question families: plots of one family at every length, with questions."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from evaluation.core.rng import Stream
from evaluation.goldevidence.data.families import Solved
from evaluation.goldevidence.generator import queries
from evaluation.goldevidence.generator.config import GeneratorConfig
from evaluation.goldevidence.generator.episodes import Unit
from evaluation.goldevidence.generator.families import aggregate, authority, chain, meaning, nth
from evaluation.goldevidence.generator.families.asking import ask
from evaluation.goldevidence.generator.families.pairs import described, pairs
from evaluation.goldevidence.generator.families.plot import Plot, Question
from evaluation.goldevidence.generator.families.prose import Prose, hearsay_of
from evaluation.goldevidence.generator.families.published import Published
from evaluation.goldevidence.generator.families.room import is_prose, lines_of
from evaluation.goldevidence.generator.families.telling import Cast, Told, Voice, asked_of, tell
from evaluation.goldevidence.generator.ladder.padding import Meter
from evaluation.goldevidence.generator.ladder.rungs import rung_name
from evaluation.goldevidence.generator.ladder.settings import Ladder
from evaluation.goldevidence.generator.renaming import Renaming, salt_named
from evaluation.goldevidence.generator.rows import SCHEMA_VERSION, TITLE
from evaluation.goldevidence.protocols import Protocol
from evaluation.goldevidence.records import EpisodeRow, Meta

PLOTS: dict[str, Callable[..., Plot]] = {
    "aggregate": aggregate.plot,
    "chain": chain.plot,
    "nth": nth.plot,
    "authority": authority.plot,
    "meaning": meaning.plot,
}
#: Fifths of a text, named by their middle.
DEPTHS = ("0.1", "0.3", "0.5", "0.7", "0.9")


def family_units(
    config: GeneratorConfig,
    ladder: Ladder,
    protocol: Protocol,
    seed: int,
    *,
    first: int,
    public: bool = False,
) -> Iterator[Unit]:
    """Yield one unit per episode of a seed; the families take turns. Rows are at every length, shortest first.

    `first` is the number of the first episode in its version; the number decides family and share of claims. If answers
    are `public`, some pairs of the family `meaning` are not used.
    """
    meter = Meter()
    for index in range(config.episodes):
        turn, place = divmod(first + index - 1, len(config.families))
        family, share = config.families[place], ladder.shares[turn % len(ladder.shares)]
        name = f"E{first + index:04d}"
        names = ("goldevidence", "families", family, config.distractor_profile, seed, index)
        plot = PLOTS[family](config, lines_of(config, ladder, family, protocol), *names)
        rows: list[EpisodeRow] = []
        for length in ladder.lengths:
            salt = salt_named(*names, protocol, length)
            cast = Cast(plot, Renaming(salt, plot.mode), _things(plot, salt, family, public=public))
            voice = _voice(config, plot, cast, share, meter, family, protocol)
            told = tell(plot, voice, cast, length, f"{TITLE} {name}", config.chapters)
            common: Meta = {
                "seed": seed,
                "state_mode": plot.mode,
                "family": family,
                "condition": rung_name(length),
                "length": rung_name(length),
                "distractor_share": f"{share:g}",
                "ladder_group": name,
                "disguise": salt.hex(),
            }
            rows += _rows(config, protocol, name, plot, told, cast, common, _hidden(voice, told))
        yield Unit(name, rows)


def _voice(
    config: GeneratorConfig,
    plot: Plot,
    cast: Cast,
    share: float,
    meter: Meter,
    family: str,
    protocol: Protocol,
) -> Voice:
    in_book = protocol is Protocol.CLOSED
    if is_prose(config, family):
        return Prose(config, plot, cast, share, meter, family, in_book=in_book)
    return Published(config, plot, cast, share, meter, in_book=in_book)


def _things(plot: Plot, salt: bytes, family: str, *, public: bool) -> list[str]:
    if family != "meaning":
        return []
    things = [pair.thing for pair in pairs(public=public)]
    Stream(salt.hex(), "things").shuffle(things)
    return things[: len(plot.keys)]


def _hidden(voice: Voice, told: Told) -> str:
    if not isinstance(voice, Prose):
        return ""
    counting = {deed.uid for deed in told.deeds if deed.op != "NOTE"}
    notes = hearsay_of(told.text, {uid: claim for uid, claim in voice.hearsay.items() if uid not in counting})
    deeds = sorted([*(deed for deed in told.deeds if deed.op != "NOTE"), *notes], key=lambda deed: deed.step)
    return "\n".join(deed.line() for deed in deeds)


def _rows(
    config: GeneratorConfig,
    protocol: Protocol,
    name: str,
    plot: Plot,
    told: Told,
    cast: Cast,
    common: Meta,
    ledger: str,
) -> Iterator[EpisodeRow]:
    own = f"{name}-{common['length']}"
    for number, question in enumerate(plot.asked, 1):
        args, gold = asked_of(told, question, cast)
        stated = (described(args[0]),) if question.op == "meant" else args
        meta = common | _meta(config, told, question, args, gold)
        meta["q_index"] = number
        uids = [deed.uid for deed in gold.support]
        row: EpisodeRow = {
            "id": f"{own}-Q{number:03d}",
            "episode_id": own,
            "schema_version": SCHEMA_VERSION,
            "question": queries.with_form(ask(question.op, stated), config),
            "gold": {
                "value": gold.value,
                "support_id": uids[0] if len(uids) == 1 else None,
                "support_ids": uids,
            },
            "meta": meta,
        }
        if ledger:
            row["gold"]["ledger"] = ledger
        row["book" if protocol is Protocol.CLOSED else "document"] = told.text
        yield row


def _meta(
    config: GeneratorConfig, told: Told, question: Question, args: tuple[object, ...], gold: Solved
) -> Meta:
    key = "" if question.family == "aggregate" else str(args[0])
    last = max(deed.step for deed in gold.support)
    place = next(number for number, deed in enumerate(told.deeds) if deed.step == last)
    step, order = told.orders.get(key, (0, None))
    meta: Meta = {
        "steps": told.last,
        "requires_citation": config.require_citations,
        "max_support_k": config.max_support_k,
        "distractor_profile": config.distractor_profile,
        "query_type": "derived",
        "derived_op": question.op,
        "derived_manager": None,
        "has_instruction": order is not None,
        "instruction_value": order.value if order else None,
        "instruction_variant": order.variant if order else None,
        "last_update_step": last,
        "tokens_since_update": told.tokens - told.ends[place],
        "distractors_since_update": told.claims_after(last, key),
        "writes_to_key": sum(deed.updates and key in ("", deed.key) for deed in told.deeds),
        "instruction_nearby": step > last,
        "depth": DEPTHS[min(len(DEPTHS) - 1, told.ends[place] * len(DEPTHS) // told.tokens)],
        "dial": question.dial,
        "asks": list(args),
    }
    if question.op == "meant":
        meta["asked_as"] = "meaning"
    return meta | {"key": key} if key else meta
