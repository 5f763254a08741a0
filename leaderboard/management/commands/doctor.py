"""Report problems of this installation, with remedies."""

from __future__ import annotations

import json
import sys
from typing import Any

from django.core.management.base import CommandParser

from leaderboard.management.base import SiteCommand
from leaderboard.watch import checks
from leaderboard.watch.checks import Finding


class Command(SiteCommand):
    help = "Report problems of this installation with remedies. Exit 0 without any, 1 with warnings, 2 with errors."
    requires_system_checks = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--json", action="store_true", help="print one JSON object, for scripts")

    def handle(self, *args: Any, **options: Any) -> None:
        asked = [*checks.READY, *checks.MORE]
        findings = checks.run(asked, checks.DOCTOR_DEADLINE_S) + checks.deployment()
        code = max((1 if finding.check.is_warning else 2 for finding in findings), default=0)
        if options["json"]:
            self.stdout.write(
                json.dumps({"code": code, "findings": [_as_json(each) for each in findings]}, indent=2)
            )
        else:
            for finding in findings:
                self.stdout.write(_in_words(finding))
            well = len(asked) - sum(finding.check in asked for finding in findings)
            self.stdout.write(f"{well} of {len(asked)} checks passed." if findings else "All is well.")
        sys.exit(code)


def _level(finding: Finding) -> str:
    return "warning" if finding.check.is_warning else "broken"


def _as_json(finding: Finding) -> dict[str, str]:
    check = finding.check
    said = {"problem": finding.problem, "detail": finding.detail, "remedy": check.remedy}
    return {"check": check.name, "level": _level(finding)} | said


def _in_words(finding: Finding) -> str:
    said = " ".join(text for text in (finding.problem, finding.detail, finding.check.remedy) if text)
    return f"{_level(finding)}: {finding.check.name}: {said}"
