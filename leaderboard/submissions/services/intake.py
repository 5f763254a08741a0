"""Take a predictions file in: check it, store it, make it a submission."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import transaction

from evaluation.core import row_states, validation
from evaluation.core.diagnosis import Finding
from evaluation.core.terminal.wording import number_of
from leaderboard.benchmarks import expected_ids, storage
from leaderboard.benchmarks.models import Version
from leaderboard.jobs import checking, isolated
from leaderboard.submissions import file_warnings, quotas
from leaderboard.submissions.models import Event, Submission, System
from leaderboard.submissions.services import entries, events, grading, repeats


class RejectedError(Exception):
    """The file is not a usable submission. `intake` says line by line why; nothing was stored.

    `belongs_to` is the version that it answers instead, where its ids tell.
    """

    def __init__(self, intake: validation.Intake, belongs_to: Version | None = None) -> None:
        self.intake, self.belongs_to = intake, belongs_to
        super().__init__(intake.problems[0].message if intake.problems else "the file is not usable")


class PrivateEntryError(Exception):
    """What stands for a system on the board is public from the start."""

    def __init__(self) -> None:
        super().__init__("An entry is public from the start. Make it public, or do not declare it.")


class UnansweredError(Exception):
    """Some lines of a usable file hold no answer, and the sender has not confirmed that this is intended."""

    def __init__(self, intake: validation.Intake) -> None:
        self.intake = intake
        super().__init__(row_states.sentence(intake.states, "lines"))


def validate(
    version: Version, path: str | Path, *, partial: bool = False, apart: bool = False
) -> validation.Intake:
    """Check a predictions file line by line. Writes nothing.

    Args:
        version: What the file answers.
        path: The file, gzip or not.
        partial: Whether it may leave rows out.
        apart: Whether to check it in a process of its own, as a stranger's is.

    Returns:
        What the check found. A file with problems is no error.

    Raises:
        isolated.NoTimeError: The machine is too busy to check it apart in time.
        isolated.BrokenOffError: The process that checked it apart ended without an answer.
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
    """What to raise for a file with problems.

    Args:
        version: What it was sent for.
        path: The file, gzip or not.
        intake: What the check found.
        partial: Whether it may leave rows out.

    Returns:
        The error, with the version that the file answers instead, where its ids tell.
    """
    elsewhere = file_warnings.belongs_to(version, path, intake, limits=limits(partial=partial))
    return RejectedError(intake, elsewhere)


def limits(*, partial: bool = False) -> validation.Limits:
    """The site's limits of one file."""
    return validation.Limits(
        max_bytes=settings.UPLOAD_MAX_BYTES,
        max_expanded_bytes=settings.UPLOAD_MAX_EXPANDED_BYTES,
        allow_missing=partial,
    )


@dataclass(frozen=True, slots=True)
class Accepted:
    """A valid file, stored and ready to become a submission of its version."""

    version: Version
    sha256: str
    name: str
    bytes: int
    rows: int
    splits: list[str]
    states: dict[str, int]  # how many lines hold an answer, and why the others hold none
    tokens_per_query: float | None = None  # as its lines report it
    warnings: tuple[Finding, ...] = ()  # what looks mistaken in it


def accept(
    version: Version,
    path: str | Path,
    *,
    file_name: str = "",
    partial: bool = False,
    refuse_unanswered: bool = False,
    sent_by: Any = None,
) -> Accepted:
    """Validate a file and store it. Slow work, so call it outside any transaction.

    Args:
        version: What the file answers.
        path: The file, gzip or not.
        file_name: What its sender calls it; empty for its own name.
        partial: Whether it may leave rows out.
        refuse_unanswered: Whether lines without an answer must be confirmed first.
        sent_by: The account that sent it; None: this site made it itself.

    Returns:
        The stored file, with what `create` needs to know of it.

    Raises:
        RejectedError: The file has problems; nothing was stored.
        UnansweredError: Lines hold no answer, and that was to be refused; nothing was stored.
        checking.BusyError: There is no room or no time to check a file that was sent; nothing was stored.
    """
    with checking.slot(sent_by):
        intake = validate(version, path, partial=partial, apart=sent_by is not None)
        if intake.problems:
            raise rejection(version, path, intake, partial=partial)
        if refuse_unanswered and row_states.unanswered(intake.states):
            raise UnansweredError(intake)
        return Accepted(
            version=version,
            sha256=storage.keep(path),
            name=Path(file_name or str(path)).name[:200],
            bytes=Path(path).stat().st_size,
            rows=intake.rows,
            splits=list(intake.splits),
            states=intake.states,
            tokens_per_query=intake.tokens_per_query,
            warnings=tuple(intake.warnings),
        )


def dry_run(version: Version, path: str | Path, *, sent_by: Any) -> validation.Intake:
    """What accepting a file would find in it; nothing is stored.

    Args:
        version: What the file answers.
        path: The file, gzip or not.
        sent_by: The account that sent it.

    Returns:
        What the check found, without problems, and whether the same file was sent before among its warnings.

    Raises:
        RejectedError: The file has problems.
        checking.BusyError: There is no room or no time to check it.
    """
    with checking.slot(sent_by):
        intake = validate(version, path, apart=True)
        if intake.problems:
            raise rejection(version, path, intake)
        intake.warnings += file_warnings.same_file(version, storage.lines_sha256(path), sent_by)
        return intake


@transaction.atomic
def create(
    accepted: Accepted,
    *,
    system: System,
    submitter: Any,
    source: str = Submission.Source.BROWSER,
    efficiency: Mapping[str, object] | None = None,
    **fields: Any,
) -> Submission:
    """Make an accepted file a submission and queue its grading.

    Args:
        accepted: The stored file.
        system: That made it.
        submitter: The account that submits it, and whose quota counts it.
        source: One of `Submission.Source`. A run of this site costs no quota, nor does a shipped one.
        efficiency: What is known of its cost (`tokens_per_query`, say); counts before what the lines of the file say.
        **fields: Further columns of the submission, such as `visibility` and `note`. `repeats` is how many are to
            stand together; `mean` and `repeat` are the place that was kept for it.

    Returns:
        The submission, queued.

    Raises:
        quotas.QuotaError: The submitter's quota is used up, or that of the network in `sent_from`.
        confirmation.UnconfirmedError: The submitter has to confirm an e-mail address first.
        PrivateEntryError: It is declared to stand for its system, and private.
        RepeatsError: It cannot be one of so many repeats.
        EntriesUsedUpError: It is declared on a version that keeps its answers, where the account has as many entries.
    """
    if fields.get("declared") and fields.get("visibility") == Submission.Visibility.PRIVATE:
        raise PrivateEntryError
    repeats.check(fields.get("repeats", 1), declared=fields.get("declared", False))
    from_file = {} if accepted.tokens_per_query is None else {"tokens_per_query": accepted.tokens_per_query}
    if source not in Submission.OURS:
        quotas.charge(submitter, accepted.version, system, sent_from=fields.get("sent_from", ""))
        if fields.get("declared"):
            entries.check(submitter, accepted.version, system, repeats=fields.get("repeats", 1))
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
        actor=submitter,
        detail=f"{number_of(accepted.rows, 'row')}, {accepted.sha256[:12]}",
    )
    if submission.mean is not None:
        repeats.join(submission, submission.mean, submission.repeat)
    elif submission.declared:
        events.record(submission, Event.Kind.DECLARED, actor=submitter)
    events.record(submission, Event.Kind.QUEUED)
    grading.enqueue(submission)
    return submission


def _place(
    accepted: Accepted, system: System, submitter: Any, fields: Mapping[str, Any]
) -> Mapping[str, object]:
    """The columns that make it a repeat, or one that stands alone. A private one never is a repeat."""
    mean, number = fields.get("mean"), fields.get("repeat", 0)
    if mean is None and fields.get("visibility") != Submission.Visibility.PRIVATE:
        place = repeats.place_of(
            version=accepted.version,
            system=system,
            submitter=submitter,
            repeats=fields.get("repeats", 1),
            declared=fields.get("declared", False),
            splits=accepted.splits,
        )
        mean, number = place or (None, 0)
    if mean is None:
        return {"mean": None, "repeat": 0, "repeats": 1}
    repeats.make_room(mean, number)
    return {"mean": mean, "repeat": number, "repeats": mean.repeats, "declared": True}
