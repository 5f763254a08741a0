"""Verify frozen versions and files of submissions, and repair damaged ones."""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.core.management.base import CommandError

from evaluation.core.terminal.wording import noun, number_of
from leaderboard.benchmarks.models import Version
from leaderboard.benchmarks.sealing import verifying
from leaderboard.care import scrubbing
from leaderboard.jobs import faults
from leaderboard.management.base import SiteCommand
from leaderboard.submissions import file_check
from leaderboard.submissions import services as submissions
from leaderboard.web.formatting import day

#: Submissions per line of progress.
PROGRESS = 1000


class Command(SiteCommand):
    help = (
        "Recompute the SHA-256 of every frozen version (rows, gold, settings, grader) and record it; also check "
        "the predictions, transcripts and verdicts of all submissions. Exit 1 if a file differs or is missing."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--repair",
            action="store_true",
            help="rebuild damaged rows and gold from the version's settings or imported file (stored only if they "
            "match the sealed SHA-256), regrade submissions of which only the verdicts are damaged, and copy "
            "files of runs that come with the source from there again",
        )
        parser.add_argument(
            "--remove-orphans",
            type=int,
            metavar="DAYS",
            help="delete files that no database row refers to, if older than this number of days (at least 1)",
        )

    def handle(self, *args: Any, repair: bool, remove_orphans: int | None, **options: Any) -> None:
        if remove_orphans is not None and remove_orphans < 1:
            raise CommandError("--remove-orphans needs at least 1 day: files of new uploads have no row yet.")
        damaged = [
            self.check_versions(repair=repair),
            self.check_submissions(repair=repair),
            self.check_others(),
        ]
        self.list_orphans(remove_orphans)
        if any(damaged):
            raise CommandError(" ".join(sentence for sentence in damaged if sentence))

    def check_versions(self, *, repair: bool) -> str:
        """Verify all versions. Returns a sentence about damaged versions, empty if there are none."""
        versions = list(Version.objects.readable())
        bad = 0
        for number, version in enumerate(versions, 1):
            address = f"{version.benchmark.slug}/{version.slug}"
            self.stdout.write(f"[{number}/{len(versions)}] {address} ", ending="")
            with self.readable():
                bad += not self.examine(version, repair=repair)
        verb = noun(bad, "does not match its", "do not match their")
        return f"{bad} of {number_of(len(versions), 'version')} {verb} SHA-256." if bad else ""

    def check_submissions(self, *, repair: bool) -> str:
        """Verify the files of all submissions. Returns a sentence about damaged files, empty if there are none."""
        bad = total = 0
        with self.readable():
            for total, examined in enumerate(file_check.examine(), 1):
                if total % PROGRESS == 0:
                    self.stdout.write(f"{total:,} submissions read")
                if examined.damage:
                    bad += 1
                    self.report(examined, repair=repair)
        self.stdout.write(f"The files of {number_of(total - bad, 'submission')} are unchanged.")
        verb = noun(bad, "has", "have")
        return (
            f"{bad} of {number_of(total, 'submission')} {verb} files that are missing or damaged."
            if bad
            else ""
        )

    def check_others(self) -> str:
        """Verify files of imports, benches and replaced scores. Returns a sentence about damage, or an empty text."""
        bad = 0
        with self.readable():
            for damage in scrubbing.damaged_others():
                bad += 1
                self.stdout.write(f"{damage.owner} ", ending="")
                self.stdout.write(self.style.ERROR(f"BAD: {damage.what}: {damage.why}"))
                self.stdout.write("      restore it from a backup")
        return f"{number_of(bad, 'other file')} missing or damaged." if bad else ""

    def list_orphans(self, days: int | None) -> None:
        """List the files that no row refers to. Deletes listed files older than `days`, unless `days` is None."""
        with self.readable():
            found = list(scrubbing.orphans())
            for each in found:
                self.stdout.write(f"no row refers to {each.name}, stored since {day(each.since)}")
            if found and days is None:
                self.stdout.write(
                    f"--remove-orphans DAYS deletes {number_of(len(found), 'such file')} if older than DAYS."
                )
            elif days is not None:
                gone = scrubbing.remove(found, days=days)
                self.stdout.write(f"Deleted {number_of(gone, 'file')} that no row refers to.")

    def report(self, examined: file_check.Examined, *, repair: bool) -> None:
        """Write which files of a submission are damaged. With `repair`, also restore or recompute them if possible."""
        submission = examined.submission
        self.stdout.write(f"{submission.get_absolute_url()} {submission} ", ending="")
        why = "; ".join(f"{which}: {problem}" for which, problem in examined.damage.items())
        self.stdout.write(self.style.ERROR(f"BAD: {why}"))
        shipped = submission.source == submission.Source.SHIPPED
        if repair and shipped and scrubbing.mend_shipped(submission):
            self.stdout.write("      restored from the source")
            if "verdicts" in examined.damage:
                submissions.regrade(submission)
        elif not examined.may_be_graded_again:
            self.stdout.write("      restore its files from a backup")
        elif repair:
            submissions.regrade(submission)
            self.stdout.write("      queued to be graded again")
        else:
            self.stdout.write("      use --repair to grade it again")

    @contextmanager
    def readable(self) -> Iterator[None]:
        """Turn errors of an unreadable storage into CommandError."""
        try:
            yield
        except Exception as error:
            if reason := faults.passing(error):
                raise CommandError(f"Stopped: {reason} ({error}). Earlier checks are recorded.") from error
            raise

    def examine(self, version: Version, *, repair: bool) -> bool:
        if verifying.verify(version.pk):
            self.stdout.write(self.style.SUCCESS(f"ok {version.sha256}"))
            return True
        version.refresh_from_db(fields=["damage"])
        self.stdout.write(self.style.ERROR(f"BAD: {version.damage}"))
        return repair and self.repair(version)

    def repair(self, version: Version) -> bool:
        try:
            mended = verifying.repair(version.pk)
        except verifying.RepairError as error:
            self.stdout.write(self.style.ERROR(f"      {error}"))
            return False
        if mended:
            self.stdout.write(self.style.SUCCESS(f"      rebuilt, ok {version.sha256}"))
        return mended
