from __future__ import annotations

from typing import Any

from django import forms

from leaderboard.accounts import permissions
from leaderboard.web.validators import PrintableTextMixin


class TokenForm(PrintableTextMixin, forms.Form):
    """Form that creates an API token. Every token may read everything that its owner may read."""

    name = forms.CharField(max_length=60, help_text="Such as where you use the token, to recognise it later.")
    scopes = forms.ChoiceField(label="What the token may do")
    days = forms.TypedChoiceField(
        label="Expires",
        coerce=lambda days: int(days) or None,
        choices=[("30", "in 30 days"), ("90", "in 90 days"), ("365", "in a year"), ("0", "never")],
        initial="90",
    )

    ABILITIES = {
        "read": ("Read what I may read", ["read"]),
        "submit": ("Read, submit, publish and withdraw", ["read", "submit"]),
        "staff": ("All of the above, and acts that my permissions allow", ["read", "staff", "submit"]),
    }

    def __init__(self, *args: Any, user: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        scopes: Any = self.fields["scopes"]
        scopes.choices = [
            (name, text)
            for name, (text, _) in self.ABILITIES.items()
            if name != "staff" or permissions.has_any(user)
        ]
        scopes.initial = "submit"

    def clean_scopes(self) -> list[str]:
        return self.ABILITIES[self.cleaned_data["scopes"]][1]
