"""Recompute the hashes of frozen versions and of the files of submissions, and make damaged ones again."""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.core.management.base import CommandError

from evaluation.core.terminal.wording import noun, number_of
from leaderboard.benchmarks.models import Version
from leaderboard.benchmarks.sealing import verifying
from leaderboard.jobs import faults
from leaderboard.management.base import SiteCommand
from leaderboard.submissions import file_check
from leaderboard.submissions import services as submissions

#: So many submissions are read between two lines of progress.
PROGRESS = 1000


class Command(SiteCommand):
    help = (
        "Recompute the SHA-256 of every frozen version (rows, gold, settings, grader) and record the result, and of "
        "the predictions, transcripts and verdicts of every submission. Exit 1 where one differs or is missing."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--repair",
            action="store_true",
            help="rebuild damaged rows and gold from the version's settings, or from the file it was imported "
            "from; only what matches the sealed SHA-256 is stored; submissions whose verdicts alone are damaged are "
            "queued to be graded again",
        )

    def handle(self, *args: Any, repair: bool, **options: Any) -> None:
        damaged = [self.of_versions(repair=repair), self.of_submissions(repair=repair)]
        if any(damaged):
            raise CommandError(" ".join(sentence for sentence in damaged if sentence))

    def of_versions(self, *, repair: bool) -> str:
        """Verify all versions. Returns how many are damaged, in a sentence; empty where none is."""
        versions = list(Version.objects.readable())
        bad = 0
        for number, version in enumerate(versions, 1):
            address = f"{version.benchmark.slug}/{version.slug}"
            self.stdout.write(f"[{number}/{len(versions)}] {address} ", ending="")
            with self.readable():
                bad += not self.examine(version, repair=repair)
        verb = noun(bad, "does not match its", "do not match their")
        return f"{bad} of {number_of(len(versions), 'version')} {verb} SHA-256." if bad else ""

    def of_submissions(self, *, repair: bool) -> str:
        """Read the files of all submissions through. Returns how many have damaged ones, in a sentence, or nothing."""
        bad = total = 0
        with self.readable():
            for total, examined in enumerate(file_check.examine(), 1):
                if total % PROGRESS == 0:
                    self.stdout.write(f"{total:,} submissions read")
                if examined.damage:
                    bad += 1
                    self.tell(examined, repair=repair)
        self.stdout.write(f"The files of {number_of(total - bad, 'submission')} are as they were.")
        verb = noun(bad, "has", "have")
        return (
            f"{bad} of {number_of(total, 'submission')} {verb} files that are missing or damaged."
            if bad
            else ""
        )

    def tell(self, examined: file_check.Examined, *, repair: bool) -> None:
        """Say what is wrong with a submission's files, and have it graded again where that mends them."""
        submission = examined.submission
        self.stdout.write(f"{submission.get_absolute_url()} {submission} ", ending="")
        why = "; ".join(f"{which}: {problem}" for which, problem in examined.damage.items())
        self.stdout.write(self.style.ERROR(f"BAD: {why}"))
        if not examined.may_be_graded_again:
            self.stdout.write("      restore its files from a backup")
        elif repair:
            submissions.regrade(submission)
            self.stdout.write("      queued to be graded again")
        else:
            self.stdout.write("      --repair has it graded again")

    @contextmanager
    def readable(self) -> Iterator[None]:
        """Raises CommandError where the storage cannot be read."""
        try:
            yield
        except Exception as error:
            if reason := faults.passing(error):
                raise CommandError(f"Stopped: {reason} ({error}). What was checked is recorded.") from error
            raise

    def examine(self, version: Version, *, repair: bool) -> bool:
        """Verify one version and say what came out."""
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
            self.stdout.write(self.style.SUCCESS(f"      made again, ok {version.sha256}"))
        return mended
