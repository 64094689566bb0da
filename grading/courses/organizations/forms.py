"""Forms that answer an invitation or end a membership."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from django import forms

from grading.core.enums import STAFF_ROLES, Role

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
    """Address to invite, and one of the roles that the person who invites may give."""

    email = forms.EmailField(label="Email", max_length=254)
    role = forms.ChoiceField(label="Role", initial="assistant")

    def __init__(self, *args: Any, roles: Collection[Role], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field: Any = self.fields["role"]
        field.choices = [(role.value, role.label) for role in roles]

    def clean_email(self) -> str:
        return str(self.cleaned_data["email"]).lower()


class RoleForm(forms.Form):
    """Another role for a member of staff or an offer; `was` is the role that the page showed."""

    was = forms.ChoiceField(choices=ROLE_CHOICES)
    role = forms.ChoiceField(choices=ROLE_CHOICES)
