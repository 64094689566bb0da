"""A new webhook, and what can be done with one."""

from __future__ import annotations

from django import forms

from grading.enums import WEBHOOK_EVENTS, WebhookEvent

DEEDS = (("test", "Send a test"), ("on", "Switch it on"), ("off", "Switch it off"), ("delete", "Delete it"))


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


class DeedForm(forms.Form):
    do = forms.ChoiceField(choices=DEEDS, error_messages={"required": "Choose what to do with it."})
