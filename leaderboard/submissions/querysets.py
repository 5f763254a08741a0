"""Questions over submissions and systems: who may see which of them, with the joins that they need."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from unicodedata import normalize

from django.apps import apps
from django.db import models
from django.db.models import Count, Exists, OuterRef, Q
from django.shortcuts import get_object_or_404

from evaluation.core.suite import usable
from leaderboard.accounts import confirmation, permissions
from leaderboard.benchmarks.models import Version
from leaderboard.jobs.querysets import JobQuerySet

if TYPE_CHECKING:
    from leaderboard.submissions.models import Submission, System

#: Large, and in no list of submissions: a version's sample holds a whole book.
UNLISTED = (
    "provenance", "flags", "warnings", "version__sample", "version__description",
    "score__groups", "score__measures", "score__unit_scores", "score__robust_scores", "score__cells",
    "score__cell_scores", "score__spread", "score__failures", "score__exact",
)  # fmt: skip


class SubmissionQuerySet(JobQuerySet["Submission"]):
    """Questions over submissions, with the joins they need."""

    def with_names(self) -> SubmissionQuerySet:
        """What a page can read: of a suite that is not installed any more it knows no figure."""
        joined = self.select_related("system__owner", "version__benchmark", "submitter", "score")
        seldom_read = ("score__metric_sums", "score__exact")
        return joined.readable().defer(*seldom_read)

    def readable(self) -> SubmissionQuerySet:
        """Those of suites that are installed. Said by what is left out, so that no plan starts from the versions."""
        return self.exclude(version__in=Version.objects.exclude(benchmark__suite__in=usable()).values("pk"))

    def listed(self) -> SubmissionQuerySet:
        """The same for a list: what only a submission's own page shows is left out."""
        return self.with_names().defer(*UNLISTED)

    def public(self) -> SubmissionQuerySet:
        """What everybody may read."""
        return self.filter(visibility=self.model.Visibility.PUBLIC).exclude(status=self.model.Status.FAILED)

    def for_boards(self) -> SubmissionQuerySet:
        """Public ones that boards and feeds may show: where the site sends mail, of confirmed accounts and its own."""
        if not confirmation.is_asked_for():
            return self.public()
        ours = Q(verified=True) | Q(source__in=self.model.OURS)
        return self.public().filter(ours | Q(submitter__in=confirmation.confirmed_accounts()))

    def visible_to(self, user: Any) -> SubmissionQuerySet:
        """Public ones, one's own, and all of them for who may view private ones."""
        if permissions.may(user, permissions.VIEW_SUBMISSION):
            return self
        mine = Q(submitter=user) if user.is_authenticated else Q(pk__in=[])
        return self.filter(mine | Q(visibility=self.model.Visibility.PUBLIC))

    def on_board(self, version: Version) -> SubmissionQuerySet:
        """One per system: the submission the board shows of each."""
        return self.filter(version=version, shown=True)

    def attempts_of(self, system: System, reader: Any) -> list[dict[str, object]]:
        """Per version: how many submissions were graded, withdrawn and private ones included.

        Only of versions where the reader may see one of them: nothing else tells that the system took part there.
        """
        seen = self.visible_to(reader).filter(system=system)
        graded = self.filter(system=system, score__isnull=False, version__in=seen.values("version"))
        graded = graded.exclude(source=self.model.Source.MEAN)
        withdrawn = Count("pk", filter=Q(status=self.model.Status.WITHDRAWN))
        names = ("version__title", "version__slug", "version__benchmark__slug")
        return list(graded.values(*names).annotate(graded=Count("pk"), withdrawn=withdrawn))

    def get_visible(self, user: Any, pk: Any) -> Submission:
        """One that this reader may see. Raises Http404: others cannot tell it from one that does not exist."""
        submission: Submission = get_object_or_404(self.visible_to(user).with_names(), pk=pk)
        return submission


def _of_name(name: str) -> Q:
    """Earlier releases stored a name as it was sent: composed, decomposed, or a mixture that only itself finds."""
    return Q(name__in={name, normalize("NFC", name), normalize("NFD", name)})


class SystemQuerySet(models.QuerySet["System"]):
    """Questions over systems."""

    def named(self, name: str) -> SystemQuerySet:
        """Those of a name, however its accents are composed; the oldest first."""
        return self.filter(_of_name(name)).order_by("pk")

    def called(self, text: str) -> SystemQuerySet:
        """Those whose slug or name this is; the oldest first."""
        return self.filter(Q(slug=text) | _of_name(text)).order_by("pk")

    def run_as(self, settings: str) -> SystemQuerySet:
        """Those of runs with these settings, also as earlier releases named them; the oldest first."""
        return self.filter(Q(settings=settings) | Q(settings="", name=settings)).order_by("pk")

    def by_address(self, address: str) -> System | None:
        """The one at `<owner>/<slug>`, by the present name of its owner or a former one."""
        owner, _, slug = address.rpartition("/")
        systems = self.select_related("owner").filter(slug=slug)
        return (
            systems.filter(owner__username=owner).first()
            or systems.filter(owner__former_names__name=owner).first()
        )

    def visible_to(self, user: Any) -> SystemQuerySet:
        """Those that show this reader anything: a submission or a conformance report; one's own; all for who may
        change those of others.
        """
        if permissions.may(user, permissions.CHANGE_SYSTEM):
            return self
        submissions = apps.get_model("leaderboard", "Submission").objects
        shows = Exists(submissions.visible_to(user).filter(system=OuterRef("pk")))
        reported = Q(
            pk__in=self.model._default_manager.filter(conformance_reports__isnull=False).values("pk")
        )
        return self.filter(shows | reported | Q(owner_id=user.pk))

    def get_visible(self, user: Any, owner: str, slug: str) -> System:
        """The system at this address, if the reader may see any of it. Raises Http404 for all others."""
        return get_object_or_404(
            self.visible_to(user).select_related("owner"), owner__username=owner, slug=slug
        )
