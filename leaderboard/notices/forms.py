"""Forms of the pages on which people choose their notices."""

from __future__ import annotations

from typing import Any

from django import forms

from leaderboard.benchmarks.models import Version
from leaderboard.notices import services
from leaderboard.notices.models import Kind, Webhook
from leaderboard.web.generic import ModelChoiceField
from leaderboard.web.validators import PrintableTextMixin


class MailForm(forms.Form):
    by_mail = forms.MultipleChoiceField(
        choices=Kind.choices, required=False, widget=forms.CheckboxSelectMultiple, label="Send me mail when"
    )


class BoardChoice(ModelChoiceField[Version]):
    """A choice of boards, labelled by benchmark and version."""

    def label_from_instance(self, obj: Version) -> str:
        return f"{obj.benchmark.title}: {obj.title}"


class FollowForm(forms.Form):
    version = BoardChoice(queryset=Version.objects.none(), label="Board", empty_label="Choose a board")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        boards: Any = self.fields["version"]
        boards.queryset = Version.objects.readable().without_twins().order_by("benchmark__title", "title")


class WebhookForm(PrintableTextMixin, forms.Form):
    url = forms.CharField(
        label="Address", max_length=500, help_text="An https URL, to which each event is posted as JSON."
    )
    events = forms.MultipleChoiceField(
        choices=Kind.choices, widget=forms.CheckboxSelectMultiple, label="Send a message when"
    )

    def make(self, user: Any) -> Webhook | None:
        """Create the webhook. If its URL is refused, add an error to the field and return None."""
        try:
            return services.make(user, self.cleaned_data["url"], self.cleaned_data["events"])
        except services.WebhookError as error:
            self.add_error("url", str(error))
            return None
