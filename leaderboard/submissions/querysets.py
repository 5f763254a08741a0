"""QuerySets of submissions and systems: filters by visibility, with the joins that pages need."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from unicodedata import normalize

from django.apps import apps
from django.conf import settings
from django.db import models
from django.db.models import Count, Exists, OuterRef, Q
from django.shortcuts import get_object_or_404

from evaluation.core.suite import usable
from leaderboard.accounts import confirmation, permissions, teams
from leaderboard.benchmarks.models import Version
from leaderboard.jobs.querysets import JobQuerySet

if TYPE_CHECKING:
    from leaderboard.submissions.models import Submission, System

#: Large columns that lists do not show; a version's sample may have a whole book.
UNLISTED = (
    "provenance", "flags", "warnings", "version__sample", "version__description",
    "score__groups", "score__measures", "score__unit_scores", "score__robust_scores", "score__cells",
    "score__cell_scores", "score__spread", "score__failures", "score__exact",
)  # fmt: skip


class SubmissionQuerySet(JobQuerySet["Submission"]):
    def with_names(self) -> SubmissionQuerySet:
        """Keep submissions of installed suites, and join the related rows that pages show."""
        joined = self.select_related("system__owner", "version__benchmark", "submitter", "score")
        seldom_read = ("score__metric_sums", "score__exact")
        return joined.readable().defer(*seldom_read)

    def readable(self) -> SubmissionQuerySet:
        """Keep submissions of installed suites."""
        # Written as an exclusion, so that no query plan starts from the versions.
        return self.exclude(version__in=Version.objects.exclude(benchmark__suite__in=usable()).values("pk"))

    def listed(self) -> SubmissionQuerySet:
        """Like `with_names`, but without loading columns that only the submission's own page shows."""
        return self.with_names().defer(*UNLISTED)

    def public(self) -> SubmissionQuerySet:
        """Keep public submissions that did not fail."""
        return self.filter(visibility=self.model.Visibility.PUBLIC).exclude(status=self.model.Status.FAILED)

    def for_boards(self) -> SubmissionQuerySet:
        """Keep public submissions that boards may show. Uploads may need a confirmed address and an approval."""
        ours, shown = Q(verified=True) | Q(source__in=self.model.OURS), self.public()
        if confirmation.is_asked_for():
            shown = shown.filter(ours | Q(submitter__in=confirmation.confirmed_accounts()))
        if settings.APPROVAL:
            shown = shown.filter(ours | Q(approval__in=["", self.model.Approval.APPROVED]))
        return shown

    def to_approve(self) -> SubmissionQuerySet:
        """Keep graded uploads that wait for a moderator, oldest first. Repeats are approved with their mean."""
        waiting = self.for_approval().filter(approval=self.model.Approval.WAITING, mean=None)
        return waiting.filter(status=self.model.Status.GRADED, verified=False).order_by("created_at")

    def for_approval(self) -> SubmissionQuerySet:
        """Keep public uploads, which moderators must approve. Empty if the site has no moderation."""
        return self.public().exclude(source__in=self.model.OURS) if settings.APPROVAL else self.none()

    def visible_to(self, user: Any) -> SubmissionQuerySet:
        """Keep public submissions and those of the user and their teams. Users with `view_submission` see all."""
        if permissions.may(user, permissions.VIEW_SUBMISSION):
            return self
        mine = Q(submitter__in=teams.accounts_of(user)) if user.is_authenticated else Q(pk__in=[])
        return self.filter(mine | Q(visibility=self.model.Visibility.PUBLIC))

    def on_board(self, version: Version) -> SubmissionQuerySet:
        """Keep the submissions that a version's board shows, one per system."""
        return self.filter(version=version, shown=True)

    def with_predictions(self, version: Version) -> SubmissionQuerySet:
        """Keep submissions to a version whose predictions are public."""
        if not version.lists_predictions:
            return self.none()
        graded = self.public().filter(version=version, status=self.model.Status.GRADED, file_removed_at=None)
        graded = graded.exclude(source=self.model.Source.MEAN)
        return graded if version.publishes_predictions else graded.filter(predictions_public=True)

    def attempts_of(self, system: System, reader: Any) -> list[dict[str, object]]:
        """Count a system's graded submissions by version, withdrawn and private ones included.

        Versions in which the reader may see no submission of the system are left out, to hide that it took part.
        """
        seen = self.visible_to(reader).filter(system=system)
        graded = self.filter(system=system, score__isnull=False, version__in=seen.values("version"))
        graded = graded.exclude(source=self.model.Source.MEAN)
        withdrawn = Count("pk", filter=Q(status=self.model.Status.WITHDRAWN))
        names = ("version__title", "version__slug", "version__benchmark__slug")
        return list(graded.values(*names).annotate(graded=Count("pk"), withdrawn=withdrawn))

    def get_visible(self, user: Any, pk: Any) -> Submission:
        """Return a submission that the user may see. Raises Http404 if it is missing or hidden."""
        submission: Submission = get_object_or_404(self.visible_to(user).with_names(), pk=pk)
        return submission


def _of_name(name: str) -> Q:
    # Earlier releases stored names as sent, in any composition.
    return Q(name__in={name, normalize("NFC", name), normalize("NFD", name)})


class SystemQuerySet(models.QuerySet["System"]):
    def named(self, name: str) -> SystemQuerySet:
        """Keep systems with this name in any Unicode normalization, oldest first."""
        return self.filter(_of_name(name)).order_by("pk")

    def called(self, text: str) -> SystemQuerySet:
        """Keep systems with this slug or name, oldest first."""
        return self.filter(Q(slug=text) | _of_name(text)).order_by("pk")

    def run_as(self, settings: str) -> SystemQuerySet:
        """Keep systems that this site runs with these settings, or that earlier releases named so, oldest first."""
        return self.filter(Q(settings=settings) | Q(settings="", name=settings)).order_by("pk")

    def by_address(self, address: str) -> System | None:
        """Return the system at `<owner>/<slug>`, or None. Former names of the owner work too."""
        owner, _, slug = address.rpartition("/")
        systems = self.select_related("owner").filter(slug=slug)
        return (
            systems.filter(owner__username=owner).first()
            or systems.filter(owner__former_names__name=owner).first()
        )

    def visible_to(self, user: Any) -> SystemQuerySet:
        """Keep systems that the user may see: their own, their teams', and those with a visible submission.

        All readers see systems with a conformance report. Users with `change_system` see all systems.
        """
        if permissions.may(user, permissions.CHANGE_SYSTEM):
            return self
        submissions = apps.get_model("leaderboard", "Submission").objects
        shows = Exists(submissions.visible_to(user).filter(system=OuterRef("pk")))
        reported = Q(
            pk__in=self.model._default_manager.filter(conformance_reports__isnull=False).values("pk")
        )
        return self.filter(shows | reported | Q(owner__in=teams.accounts_of(user)))

    def get_visible(self, user: Any, owner: str, slug: str) -> System:
        """Return a system that the user may see. Raises Http404 if it is missing or hidden."""
        return get_object_or_404(
            self.visible_to(user).select_related("owner"), owner__username=owner, slug=slug
        )
