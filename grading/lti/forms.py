"""Forms about learning platforms, and those that platforms send."""

from __future__ import annotations

from typing import Any

from django import forms

from grading.core.enums import Role
from grading.core.form_bases import NamedForm
from grading.lti.registrations import PlatformNames
from grading.models import Assignment, Cohort
from grading.models.lti import LONGEST_ADDRESS, LONGEST_ID

TEACHER_ROLES = (
    (Role.INSTRUCTOR.value, "Instructors: they see and grade every cohort of this organization"),
    (Role.ASSISTANT.value, "Assistants: they read every cohort and grade by hand"),
    ("", "Nothing: you invite each of them on the page Staff"),
)


def _address(label: str, help_text: str, *, required: bool = True) -> forms.CharField:
    return forms.CharField(
        label=label,
        max_length=LONGEST_ADDRESS,
        required=required,
        help_text=help_text,
        widget=forms.URLInput,
    )


class PlatformForm(forms.Form):
    """Our own settings for a platform."""

    name = forms.CharField(
        label="Name", max_length=120, help_text="As your colleagues call it, such as Moodle."
    )
    teacher_role = forms.ChoiceField(
        label="Teachers who come from it become",
        choices=TEACHER_ROLES,
        required=False,
        initial=Role.INSTRUCTOR.value,
        widget=forms.RadioSelect,
        help_text="Teaching assistants become assistants at most. Who is a member already keeps "
        "their role. No platform makes owners.",
    )

    def clean_teacher_role(self) -> Role | None:
        role = self.cleaned_data["teacher_role"]
        return Role(role) if role else None


class PlatformNamesForm(forms.Form):
    """Addresses and ids of a platform, copied from its own pages."""

    issuer = _address("Issuer", "Moodle: “Platform ID”. Canvas: https://canvas.instructure.com")
    client_id = forms.CharField(label="Client ID", max_length=LONGEST_ID)
    deployment = forms.CharField(
        label="Deployment ID",
        max_length=LONGEST_ID,
        required=False,
        help_text="If you don't know it, leave it blank: after the first launch you can allow it here.",
    )
    login_url = _address("Authentication request URL", "Where a browser is sent to sign in.")
    token_url = _address(
        "Access token URL", "Where this site asks for access to roster and grades."
    )
    jwks_url = _address("Public keyset URL", "Where the platform publishes its keys.")
    audience = _address(
        "Audience of token requests",
        "Leave it blank, unless your platform states another one than the access token URL.",
        required=False,
    )

    def names(self) -> PlatformNames:
        values = {name: value for name, value in self.cleaned_data.items() if name != "deployment"}
        return PlatformNames(**values)


PLATFORM_ACTIONS = (
    ("on", "Turn on"),
    ("off", "Turn off"),
    ("delete", "Delete"),
    ("rotate", "Replace the key"),
    ("setup", "Make a registration link"),
    ("allow", "Allow a deployment"),
    ("end", "Remove a deployment"),
)


class PlatformActionForm(forms.Form):
    do = forms.ChoiceField(
        choices=PLATFORM_ACTIONS, error_messages={"required": "Choose an action."}
    )
    deployment = forms.CharField(max_length=LONGEST_ID, required=False)

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        if cleaned.get("do") in {"allow", "end"} and not cleaned.get("deployment"):
            self.add_error("deployment", "Type the deployment ID.")
        return cleaned


class LoginForm(forms.Form):
    """Request of a platform that begins a launch."""

    iss = forms.CharField(max_length=LONGEST_ADDRESS)
    login_hint = forms.CharField(max_length=4000)
    target_link_uri = forms.CharField(max_length=2000)
    client_id = forms.CharField(max_length=LONGEST_ID, required=False)
    # Canvas puts a whole signed message in it.
    lti_message_hint = forms.CharField(max_length=8000, required=False)
    # Ours: of the frame from which the window was opened.
    frame = forms.CharField(max_length=100, required=False)


class MessageForm(forms.Form):
    """Message of a platform; `error` in its place says why there is none."""

    state = forms.CharField(max_length=200, required=False)
    id_token = forms.CharField(max_length=200_000, required=False)
    error = forms.CharField(max_length=200, required=False)
    error_description = forms.CharField(max_length=1000, required=False)


class NewAccountForm(forms.Form):
    """Name and address of a person, where the platform does not tell them."""

    name = forms.CharField(label="Your name", max_length=200)
    email = forms.EmailField(
        label="Your email address",
        max_length=254,
        help_text="Your learning platform keeps it to itself. Staff find you by it.",
    )

    def __init__(self, *args: Any, needs_name: bool, needs_email: bool, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if not needs_name:
            del self.fields["name"]
        if not needs_email:
            del self.fields["email"]


class CourseLinkForm(forms.Form):
    """Cohorts that belong to a course of a platform."""

    cohorts = forms.ModelMultipleChoiceField(
        label="Cohorts",
        queryset=Cohort.objects.none(),
        required=False,
        widget=forms.CheckboxSelectMultiple,
    )

    def __init__(self, *args: Any, cohorts: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["cohorts"].queryset = cohorts  # type: ignore[attr-defined]  # -- of its class


class NewCohortForm(NamedForm):
    name = forms.CharField(label="Name", max_length=120)


class AssignmentChoiceForm(forms.Form):
    """Assignment that a link opens."""

    assignment = forms.ModelChoiceField(
        label="Assignment",
        queryset=Assignment.objects.none(),
        empty_label=None,
        widget=forms.RadioSelect,
    )

    def __init__(self, *args: Any, assignments: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field: Any = self.fields["assignment"]
        field.queryset = assignments
        # Django's way for a field that is not subclassed.
        field.label_from_instance = lambda row: f"{row.title} ({row.cohort.name})"


class CourseSettingsForm(forms.Form):
    """Settings of a connected course: the nightly roster, and grades sent on release."""

    nightly = forms.BooleanField(
        label="Import the roster every night",
        required=False,
        help_text="New students get a place, and who has left is marked. Nobody gets a letter.",
    )
    sends_grades = forms.BooleanField(
        label="Send grades when they are released",
        required=False,
        help_text="Otherwise you send them by a click on the page Gradebooks of an assignment.",
    )


class ConfirmPlatformRosterForm(forms.Form):
    """Confirmation of a previewed import."""

    fingerprint = forms.CharField(max_length=64, widget=forms.HiddenInput)
    letters = forms.BooleanField(
        label="Invite the new students by a letter, too",
        required=False,
        help_text="Without one, their first launch from the platform opens their place.",
    )
