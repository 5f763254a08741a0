"""Accepts predictions files: checks and stores a file, and creates a submission."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import transaction

from evaluation.core import row_states, validation
from evaluation.core.diagnosis import Finding
from evaluation.core.suite import Apart
from evaluation.core.terminal.wording import number_of
from evaluation.foreign.sent import Made
from leaderboard.benchmarks import expected_ids, storage
from leaderboard.benchmarks.models import Version
from leaderboard.jobs import checking, isolated
from leaderboard.submissions import file_warnings, quotas
from leaderboard.submissions.models import Event, Submission, System
from leaderboard.submissions.services import conversion, entries, events, grading, repeats


class RejectedError(Exception):
    """Raised if a file is refused for the problems in `intake`. The file may fit the version `belongs_to`."""

    def __init__(self, intake: validation.Intake, belongs_to: Version | None = None) -> None:
        self.intake, self.belongs_to = intake, belongs_to
        super().__init__(
            intake.problems[0].message if intake.problems else "the file cannot be read as predictions"
        )


class PrivateEntryError(Exception):
    """Raised if a private submission is declared as an entry."""

    def __init__(self) -> None:
        super().__init__("An entry must be public from the start. Make it public, or do not declare it.")


class KindError(Exception):
    """Raised if the file's content does not fit the kind of the system."""

    def __init__(self, system: System, apart: Apart | None) -> None:
        kind = system.get_kind_display()
        super().__init__(
            f"The file has {apart.words}, but {system.name} is of the kind {kind}: choose a memory system, or a "
            "new name."
            if apart
            else f"The file has answers, but {system.name} is of the kind {kind}, which sends contexts: submit for a "
            "new system, named after the model that answered."
        )


class UnansweredError(Exception):
    """Raised if a valid file leaves rows unanswered, and the sender has not confirmed this."""

    def __init__(self, intake: validation.Intake) -> None:
        self.intake = intake
        super().__init__(row_states.sentence(intake.states, "lines"))


def validate(
    version: Version, path: str | Path, *, partial: bool = False, apart: bool = False
) -> validation.Intake:
    """Check a predictions file, in another process if `apart`. If `partial`, the file may leave out rows.

    Problems of the file are returned, not raised. With `apart`, raises like `isolated.check`.
    """
    most = version.bound.most_citations
    rubric = str(version.settings.get("rubric", ""))
    expected = replace(expected_ids.expected_rows(version), citations=most, rubric=rubric)
    bounds = limits(partial=partial)
    if apart:
        return isolated.check(path, version.suite, expected, limits=bounds, seconds=settings.CHECK_SECONDS)
    return validation.check(path, version.suite, expected, limits=bounds)


def rejection(
    version: Version, path: str | Path, intake: validation.Intake, *, partial: bool = False
) -> RejectedError:
    """Return the error for a file with problems. It names another version if the file's ids belong to that version."""
    elsewhere = file_warnings.belongs_to(version, path, intake, limits=limits(partial=partial))
    return RejectedError(intake, elsewhere)


def limits(*, partial: bool = False) -> validation.Limits:
    return validation.Limits(
        max_bytes=settings.UPLOAD_MAX_BYTES,
        max_expanded_bytes=settings.UPLOAD_MAX_EXPANDED_BYTES,
        allow_missing=partial,
    )


@dataclass(frozen=True, slots=True)
class Accepted:
    """A valid, stored file that can become a submission."""

    version: Version
    sha256: str
    name: str
    bytes: int
    rows: int
    splits: list[str]
    states: dict[str, int]  # numbers of lines by state
    tokens_per_query: float | None = None  # from its lines
    warnings: tuple[Finding, ...] = ()
    apart: Apart | None = None  # content of the lines, if not answers

    def kind(self, named: str) -> str:
        """Return the kind of a new system for this file: `named`, unless the file has contexts instead of answers."""
        return self.apart.kind if self.apart else named


def accept(
    version: Version,
    path: str | Path,
    *,
    file_name: str = "",
    partial: bool = False,
    refuse_unanswered: bool = False,
    sent_by: Any = None,
) -> Accepted:
    """Validate a file and store it. Slow, so call it outside of transactions.

    Args:
        sent_by: The sender; None: this site made the file.

    Raises:
        RejectedError: The file has problems; nothing was stored.
        UnansweredError: Lines have no answer, and `refuse_unanswered` is True; nothing was stored.
        checking.BusyError: There was no free slot or too little time for the check; nothing was stored.
    """
    with (
        checking.slot(sent_by),
        _usable(version, path, partial=partial, apart=sent_by is not None) as (usable, intake),
    ):
        if refuse_unanswered and row_states.unanswered(intake.states):
            raise UnansweredError(intake)
        return Accepted(
            version=version,
            sha256=storage.keep(usable),
            name=Path(file_name or str(path)).name[:200],
            bytes=Path(usable).stat().st_size,
            rows=intake.rows,
            splits=list(intake.splits),
            states=intake.states,
            tokens_per_query=intake.tokens_per_query,
            warnings=tuple(intake.warnings),
            apart=intake.apart,
        )


@contextmanager
def _usable(
    version: Version, path: str | Path, *, partial: bool = False, apart: bool = False
) -> Iterator[tuple[str | Path, validation.Intake]]:
    intake = validate(version, path, partial=partial, apart=apart)
    if intake.ok:
        yield path, intake
        return
    if not apart:
        raise rejection(version, path, intake, partial=partial)
    with conversion.predictions_of(version, path, limits(partial=partial)) as made:
        if not isinstance(made, Made):
            intake.guess = made or intake.guess
            raise rejection(version, path, intake, partial=partial)
        intake = validate(version, made.path, partial=partial, apart=True)
        if not intake.ok:
            intake.guess = made.found
            raise rejection(version, made.path, intake, partial=partial)
        intake.warnings.insert(0, made.found)
        intake.tokens_per_query = intake.tokens_per_query or made.tokens_per_query
        yield made.path, intake


def dry_run(version: Version, path: str | Path, *, sent_by: Any) -> validation.Intake:
    """Check a file without storing it. An identical earlier file gives a warning. Raises RejectedError or BusyError."""
    with checking.slot(sent_by), _usable(version, path, apart=True) as (usable, intake):
        intake.warnings += file_warnings.same_file(version, storage.lines_sha256(usable), sent_by)
        return intake


@transaction.atomic
def create(
    accepted: Accepted,
    *,
    system: System,
    submitter: Any,
    sent_by: Any = None,
    source: str = Submission.Source.BROWSER,
    efficiency: Mapping[str, object] | None = None,
    **fields: Any,
) -> Submission:
    """Create the submission of an accepted file, and queue its grading.

    Args:
        submitter: Account of a person or team that will own the submission.
        sent_by: Person who sends the submission; None: the submitter. The quotas of both are charged.
        source: A `Submission.Source`. Runs of this site and shipped results cost no quota.
        efficiency: Known cost, such as `tokens_per_query`; overrides values in the file's lines.
        **fields: Further columns of the submission, such as `visibility`, `declared` (as an entry) and `repeats` (their
            number). `mean` and `repeat` are the place reserved for this submission, if any.

    Raises:
        quotas.QuotaError: The quota of the submitter, or of the sender's network, is used up.
        confirmation.UnconfirmedError: The submitter must confirm an e-mail address first.
        PrivateEntryError: The submission is declared as an entry, but private.
        KindError: The file does not fit the kind of the system.
        RepeatsError: `repeats` is not allowed, or the file does not fit the first repeat.
        EntriesUsedUpError: The submission is an entry on a sealed version, and the account has no entry left.
    """
    if fields.get("declared") and fields.get("visibility") == Submission.Visibility.PRIVATE:
        raise PrivateEntryError
    sender = submitter if sent_by is None else sent_by
    _check_kind(accepted, system)
    repeats.check(fields.get("repeats", 1), declared=fields.get("declared", False))
    from_file = {} if accepted.tokens_per_query is None else {"tokens_per_query": accepted.tokens_per_query}
    if source not in Submission.OURS:
        quotas.charge(
            sender, accepted.version, system, account=submitter, sent_from=fields.get("sent_from", "")
        )
        if fields.get("declared"):
            entries.check(
                sender, accepted.version, system, account=submitter, repeats=fields.get("repeats", 1)
            )
    if sender.pk != submitter.pk:
        fields["sent_by"] = sender
    fields |= _place(accepted, system, submitter, fields)
    submission = Submission.objects.create(
        version=accepted.version,
        system=system,
        submitter=submitter,
        source=source,
        file_sha256=accepted.sha256,
        file_name=accepted.name,
        file_bytes=accepted.bytes,
        row_count=accepted.rows,
        conditions=accepted.splits,
        row_states=accepted.states,
        warnings=[asdict(each) for each in accepted.warnings],
        efficiency=from_file | dict(efficiency or {}),
        **fields,
    )
    events.record(
        submission,
        Event.Kind.RECEIVED,
        actor=sender,
        detail=f"{number_of(accepted.rows, 'row')}, {accepted.sha256[:12]}",
    )
    if submission.mean is not None:
        repeats.join(submission, submission.mean, submission.repeat)
    elif submission.declared:
        events.record(submission, Event.Kind.DECLARED, actor=sender)
    events.record(submission, Event.Kind.QUEUED)
    grading.enqueue(submission)
    return submission


def _check_kind(accepted: Accepted, system: System) -> None:
    unranked = accepted.version.suite.unranked.get(system.kind)
    takes_lines = unranked is not None and unranked.measure_lines is not None
    if (accepted.apart and not takes_lines) or (not accepted.apart and system.kind == System.Kind.MEMORY):
        raise KindError(system, accepted.apart)


def _place(
    accepted: Accepted, system: System, submitter: Any, fields: Mapping[str, Any]
) -> Mapping[str, object]:
    mean, number = fields.get("mean"), fields.get("repeat", 0)
    if mean is None and fields.get("visibility") != Submission.Visibility.PRIVATE:
        place = repeats.place_of(
            version=accepted.version,
            system=system,
            submitter=submitter,
            repeats=fields.get("repeats", 1),
            declared=fields.get("declared", False),
            splits=accepted.splits,
            sent_by=fields.get("sent_by"),
        )
        mean, number = place or (None, 0)
    if mean is None:
        return {"mean": None, "repeat": 0, "repeats": 1}
    repeats.make_room(mean, number)
    return {"mean": mean, "repeat": number, "repeats": mean.repeats, "declared": True}
