"""Problem responses of the API for uploads that are not accepted."""

from __future__ import annotations

from dataclasses import asdict

from leaderboard.accounts.confirmation import UnconfirmedError
from leaderboard.jobs.checking import BusyError
from leaderboard.submissions.quotas import QuotaError, UsedUpError
from leaderboard.submissions.services import EntriesUsedUpError, RejectedError, UnansweredError
from leaderboard.web.api.problems import ProblemError, too_many, translates


@translates(RejectedError)
def rejected(error: RejectedError) -> ProblemError:
    """Return the problem response for a refused file, with the first problems and how often each kind occurs."""
    counts = dict(error.intake.counts)
    elsewhere = error.belongs_to
    detail = f"{error.intake.summary} Nothing was stored."
    if elsewhere:
        there = "submit it there." if elsewhere.is_open else "it is retired and accepts no files."
        detail += (
            f" The ids in the file belong to version {elsewhere.benchmark.slug}/{elsewhere.slug}: {there}"
        )
    guess = error.intake.guess
    if guess:
        detail += f" {guess.message}"
    return ProblemError(
        422,
        "rejected-file",
        detail,
        guess=asdict(guess) if guess else None,
        groups=[group.as_dict() for group in error.intake.groups],
        problems=[asdict(problem) for problem in error.intake.problems],
        counts=counts,
        stopped=error.intake.stopped,
    )


@translates(UnansweredError)
def unanswered(error: UnansweredError) -> ProblemError:
    detail = (
        f"{error} Nothing was stored. To submit the file all the same, add `unanswered=take` "
        "(command line: --allow-unanswered)."
    )
    return ProblemError(422, "unanswered-lines", detail, counts=error.intake.states)


@translates(UnconfirmedError)
def unconfirmed(error: UnconfirmedError) -> ProblemError:
    return ProblemError(403, "address-not-confirmed", str(error))


@translates(UsedUpError)
def uploads_used_up(error: UsedUpError) -> ProblemError:
    # No Retry-After: waiting does not help.
    return ProblemError(429, "uploads-used-up", str(error))


@translates(EntriesUsedUpError)
def entries_used_up(error: EntriesUsedUpError) -> ProblemError:
    return ProblemError(409, "entries-used-up", str(error))


@translates(QuotaError)
def quota_used_up(error: QuotaError) -> ProblemError:
    return too_many(str(error), wait=error.retry_after, code="quota-used-up")


@translates(BusyError)
def busy(error: BusyError) -> ProblemError:
    wait = error.retry_after
    if error.status == 429:
        return too_many(str(error), wait=wait, code="check-running")
    return ProblemError(503, "busy", str(error), headers={"Retry-After": str(wait)}, retry_after=wait)
