"""Gives a condition row its own ids, tags and values, so that it shares none with related rows (from revision 3 on)."""

from __future__ import annotations

from collections.abc import Sequence

from evaluation.goldevidence.conditions.perturb import NOTE_AS_UPDATE, Disguised, quoted
from evaluation.goldevidence.generator.renaming import Renaming, renamed_steps, salt_named
from evaluation.goldevidence.records import Candidate, EpisodeRow, Gold, Meta


def public(line: Disguised) -> Candidate:
    uid, step, op, key, value = line.entry
    shown: Candidate = {"uid": uid, "step": step, "op": op, "key": key, "value": value}
    return shown | {"remark": line.remark} if line.remark else shown


def disguised(row: EpisodeRow, shown: Sequence[Disguised]) -> EpisodeRow:
    """Rename ids, tags, values and steps of a row. The salt of this renaming is appended to `meta.disguise`."""
    meta = row["meta"]
    renaming = Renaming(salt_named(meta["disguise"], row["id"]), meta["state_mode"])
    steps = renamed_steps(renaming.salt, (line.entry.step for line in shown))
    asked, newline, form = row["question"].partition("\n")
    return row | {
        "question": f"{renaming.tags_in(asked)}{newline}{form}",
        "candidates": [public(_line(line, renaming, steps[line.entry.step])) for line in shown],
        "gold": _gold(row["gold"], meta.get("derived_op"), renaming),
        "meta": _meta(meta, renaming),
    }


def _line(line: Disguised, renaming: Renaming, step: int) -> Disguised:
    entry = renaming.entry(line.entry, step)
    return line._replace(entry=entry, remark=quoted(entry) if line.kind == NOTE_AS_UPDATE else line.remark)


def _gold(gold: Gold, derived: str | None, renaming: Renaming) -> Gold:
    value, uids = gold["value"], list(map(renaming.uid, gold["support_ids"]))
    renamed: Gold = {
        "value": None if value is None else renaming.answer(value, derived),
        "support_id": uids[0] if len(uids) == 1 else None,
        "support_ids": uids,
        "spoofed": {renaming.uid(uid): kind for uid, kind in gold.get("spoofed", {}).items()},
    }
    return gold | renamed


def _meta(meta: Meta, renaming: Renaming) -> Meta:
    ordered = meta.get("instruction_value")
    renamed: Meta = {
        "key": renaming.tag(meta["key"]),
        "instruction_value": ordered and renaming.value(ordered),
        "disguise": f"{meta['disguise']},{renaming.salt.hex()}",
    }
    return meta | renamed
