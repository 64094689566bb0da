"""Forms that answer an invitation or end a membership."""

from __future__ import annotations

from django import forms

from grading.core.enums import STAFF_ROLES

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


ROLE_CHOICES = [(role.value, role.label) for role in STAFF_ROLES]


class StaffForm(forms.Form):
    """Address and role of staff to invite."""

    email = forms.EmailField(label="Email", max_length=254)
    role = forms.ChoiceField(label="Role", choices=ROLE_CHOICES, initial="assistant")

    def clean_email(self) -> str:
        return str(self.cleaned_data["email"]).lower()


class RoleForm(forms.Form):
    """Another role for a member of staff; `was` is the role that the page showed."""

    member = forms.IntegerField(min_value=1, max_value=2**63 - 1)
    was = forms.ChoiceField(choices=ROLE_CHOICES)
    role = forms.ChoiceField(choices=ROLE_CHOICES)
