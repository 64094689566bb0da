"""Forms of email preferences and webhooks."""

from __future__ import annotations

from django import forms

from grading.core.enums import OPTIONAL_NOTICES, WEBHOOK_EVENTS, NoticeKind, WebhookEvent

EMAIL_CHOICES = [(kind.value, kind.label) for kind in OPTIONAL_NOTICES]


class EmailKindsForm(forms.Form):
    wanted = forms.TypedMultipleChoiceField(
        label="Email me when",
        choices=EMAIL_CHOICES,
        coerce=NoticeKind,
        required=False,
        widget=forms.CheckboxSelectMultiple,
    )


class OptOutForm(forms.Form):
    """Kind of email to turn off, from the link at the end of an email."""

    off = forms.TypedChoiceField(choices=EMAIL_CHOICES, coerce=NoticeKind, widget=forms.HiddenInput)


WEBHOOK_ACTIONS = (
    ("test", "Send a test"),
    ("on", "Turn on"),
    ("off", "Turn off"),
    ("delete", "Delete"),
)


class WebhookForm(forms.Form):
    url = forms.CharField(
        label="Address",
        max_length=500,
        widget=forms.URLInput(attrs={"placeholder": "https://example.org/hooks/audits"}),
        help_text=(
            "Each event is sent there by POST. "
            "It must start with https:// and be publicly reachable."
        ),
    )
    events = forms.TypedMultipleChoiceField(
        label="Events",
        choices=[(event.value, event.label) for event in WEBHOOK_EVENTS],
        coerce=WebhookEvent,
        widget=forms.CheckboxSelectMultiple,
    )


class WebhookActionForm(forms.Form):
    do = forms.ChoiceField(
        choices=WEBHOOK_ACTIONS, error_messages={"required": "Choose an action."}
    )
