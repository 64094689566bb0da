"""Forms that answer an invitation or end a membership."""

from __future__ import annotations

from django import forms

ANSWERS = (("accept", "Accept"), ("decline", "Decline"))
MISSING = "Choose whether you accept or decline."


class LinkAnswerForm(forms.Form):
    """Answer to the invitation that the address names."""

    answer = forms.ChoiceField(choices=ANSWERS, error_messages={"required": MISSING})


class AnswerForm(LinkAnswerForm):
    """Answer to one of the person's invitations, by its key."""

    invitation = forms.IntegerField(
        min_value=1, max_value=2**63 - 1, error_messages={"required": MISSING}
    )


class LeaveForm(forms.Form):
    understood = forms.BooleanField(
        label="I understand that I lose access",
        error_messages={"required": "Tick this to leave."},
    )
