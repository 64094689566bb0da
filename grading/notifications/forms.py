"""Forms of email preferences and webhooks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django import forms

from grading.core.enums import (
    DAILY_NOTICES,
    OPTIONAL_NOTICES,
    WEBHOOK_EVENTS,
    EmailTiming,
    NoticeKind,
    WebhookEvent,
)

EMAIL_CHOICES = [(kind.value, kind.label) for kind in OPTIONAL_NOTICES]
STAFF_EMAILS = (NoticeKind.MENTIONED, NoticeKind.APPEAL_ASSIGNED, NoticeKind.STAFF_DAILY)
# To staff that a report was reported, to a student that their complaint was decided.
BOTH_EMAILS = (NoticeKind.COMPLAINT,)
MEANINGS: dict[NoticeKind, str] = {
    NoticeKind.RELEASED: "A grade was released, changed or withdrawn, or a comment was.",
    NoticeKind.APPEAL_ANSWERED: "A person answered, and the score stays or changes.",
    NoticeKind.AUDIT_FAILED: "There is no verdict. The attempt is not used, and you may hand in "
    "again. It never waits for a daily email.",
    NoticeKind.REPORT_RECEIVED: "A classmate's audit of your work can be read.",
    NoticeKind.PEER_REMINDER: "You owe a report, or an answer to a finding, in a peer round.",
    NoticeKind.HANDED_IN: "The receipt: repository, report, time, and until when you can withdraw.",
    NoticeKind.COMPLAINT: "For staff: a student reported a peer's report. For students: the "
    "decision on your complaint.",
    NoticeKind.MENTIONED: "Somebody wrote @ and your name in the notes among staff. The email "
    "says where, not what.",
    NoticeKind.APPEAL_ASSIGNED: "A colleague chose you to answer it. Others may still answer.",
    NoticeKind.DUE_SOON: "72 and 24 hours before your due date, once each, only while nothing "
    "that counts was handed in. It never waits for a daily email.",
    NoticeKind.EXTENSION: "You or your group got an extension, or it was withdrawn: your due date "
    "and attempts, without the reason. It never waits for a daily email.",
    NoticeKind.STAFF_DAILY: "Appeals, works to review, failed audits and complaints in numbers, "
    "only on days on which something waits. Off until you turn it on: your first page "
    "shows the same.",
}


class EmailTimingsForm(forms.Form):
    """Choices for some kinds of email. `all` is a button that sets all that can wait."""

    def __init__(self, *args: Any, kinds: Sequence[NoticeKind], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for kind in kinds:
            self.fields[kind.value] = forms.TypedChoiceField(
                label=kind.label,
                help_text=MEANINGS[kind],
                choices=_timings_for(kind),
                coerce=EmailTiming,
            )

    def timings(self) -> dict[NoticeKind, EmailTiming]:
        return {NoticeKind(kind): timing for kind, timing in self.cleaned_data.items()}


KEEP = "keep"


class EverywhereForm(EmailTimingsForm):
    """The same choices for several organizations at once.

    `common` is the timing of each kind in all of them, null where they differ: then the choice
    starts at leaving them as they are.
    """

    def __init__(
        self, *args: Any, common: Mapping[NoticeKind, EmailTiming | None], **kwargs: Any
    ) -> None:
        initial = {kind.value: timing or KEEP for kind, timing in common.items()}
        super().__init__(*args, kinds=list(common), initial=initial, **kwargs)
        for kind, timing in common.items():
            if timing is None:
                self.fields[kind.value] = forms.ChoiceField(
                    label=kind.label,
                    help_text=MEANINGS[kind],
                    choices=[(KEEP, "As it is: they differ"), *_timings_for(kind)],
                )

    def timings(self) -> dict[NoticeKind, EmailTiming]:
        """Return the kinds that are chosen for all."""
        return {
            NoticeKind(kind): EmailTiming(timing)
            for kind, timing in self.cleaned_data.items()
            if timing != KEEP
        }


def _timings_for(kind: NoticeKind) -> list[tuple[str, str]]:
    if kind == NoticeKind.STAFF_DAILY:
        possible = [EmailTiming.DAILY, EmailTiming.OFF]
    elif kind in DAILY_NOTICES:
        possible = list(EmailTiming)
    else:
        possible = [EmailTiming.NOW, EmailTiming.OFF]
    return [(timing.value, timing.label) for timing in possible]


class OptOutForm(forms.Form):
    """Kind of email to turn off, from the link at the end of an email."""

    off = forms.TypedChoiceField(choices=EMAIL_CHOICES, coerce=NoticeKind, widget=forms.HiddenInput)


WEBHOOK_ACTIONS = (
    ("test", "Send a test"),
    ("on", "Turn on"),
    ("off", "Turn off"),
    ("delete", "Delete"),
    ("rotate", "Replace the secret"),
    ("redeliver", "Send again"),
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
    delivery = forms.UUIDField(required=False)
