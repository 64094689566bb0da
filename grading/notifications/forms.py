"""Which letters somebody wants."""

from __future__ import annotations

from django import forms

from grading.core.enums import WEBHOOK_EVENTS, NoticeKind, WebhookEvent


class EmailKindsForm(forms.Form):
    wanted = forms.TypedMultipleChoiceField(
        label="Write to me when",
        choices=NoticeKind.choices,
        coerce=NoticeKind,
        required=False,
        widget=forms.CheckboxSelectMultiple,
    )


class OptOutForm(forms.Form):
    """The link at the end of a letter names its kind."""

    off = forms.TypedChoiceField(
        choices=NoticeKind.choices, coerce=NoticeKind, widget=forms.HiddenInput
    )


WEBHOOK_ACTIONS = (
    ("test", "Send a test"),
    ("on", "Switch it on"),
    ("off", "Switch it off"),
    ("delete", "Delete it"),
)


class WebhookForm(forms.Form):
    url = forms.CharField(
        label="Address",
        max_length=500,
        widget=forms.URLInput(attrs={"placeholder": "https://example.org/hooks/audits"}),
        help_text="Each event is sent there by POST. It must begin with https:// and be reachable by anyone.",
    )
    events = forms.TypedMultipleChoiceField(
        label="It is told when",
        choices=[(event.value, event.label) for event in WEBHOOK_EVENTS],
        coerce=WebhookEvent,
        widget=forms.CheckboxSelectMultiple,
    )


class WebhookActionForm(forms.Form):
    do = forms.ChoiceField(
        choices=WEBHOOK_ACTIONS, error_messages={"required": "Choose what to do with it."}
    )
