"""Forms of accesses to private repositories. A stored secret is never in one."""

from __future__ import annotations

from typing import Any

from django import forms

from grading.engine.repository_access import location_of
from grading.models import Enrollment, RepositoryAccess

TYPED_ONCE = "Stored encrypted and never shown again. Give it the right to read, and nothing else."
NO_AUTOFILL = {"autocomplete": "off", "spellcheck": "false"}
LONGEST_TOKEN = 2000


def _address(placeholder: str, help_text: str) -> forms.CharField:
    attrs = {"placeholder": placeholder, "autocapitalize": "none", **NO_AUTOFILL}
    return forms.CharField(
        label="Address", max_length=500, help_text=help_text, widget=forms.TextInput(attrs=attrs)
    )


def _teams() -> forms.BooleanField:
    return forms.BooleanField(
        label="My teams may submit it, too",
        required=False,
        help_text="Else only you can submit this repository.",
    )


class SharedTokenForm(forms.Form):
    """Token of the organization, for everything below an https address."""

    address = _address(
        "https://", "A group, such as https://gitlab.example.edu/course-2026, or only the host."
    )
    token = forms.CharField(
        label="Token",
        max_length=LONGEST_TOKEN,
        help_text=TYPED_ONCE,
        widget=forms.PasswordInput(render_value=False, attrs=NO_AUTOFILL),
    )
    username = forms.CharField(
        label="User name of the token",
        max_length=100,
        required=False,
        help_text="Leave blank unless your host names one, as GitLab does for deploy tokens.",
        widget=forms.TextInput(attrs=NO_AUTOFILL),
    )


class TokenForm(SharedTokenForm):
    """Token of a student for one repository."""

    address = _address("https://", "The https address that you would clone.")
    teams = _teams()


class SharedDeployKeyForm(forms.Form):
    """Ssh address for which the site makes a pair of keys; some hosts take a key several times."""

    address = _address("git@", "The ssh address that you would clone.")


class DeployKeyForm(SharedDeployKeyForm):
    """Ssh address of a student's repository."""

    teams = _teams()


class ProofForm(forms.Form):
    """Address of a repository that the organization's access may open, if it is the student's."""

    address = _address("https://", "Of your repository below one of the addresses above.")


class ConfirmForm(forms.Form):
    """Fingerprint that the page showed."""

    fingerprint = forms.CharField(max_length=100, widget=forms.HiddenInput)


class AssignForm(forms.Form):
    """Repositories of students, one on a line: address of the student, then of the repository."""

    students = forms.CharField(
        label="Repositories of students",
        max_length=200_000,
        widget=forms.Textarea(attrs={"rows": 6, **NO_AUTOFILL}),
        help_text="One on a line: the student's email address, a comma or blank, and the address of "
        "the repository. Only this student can then submit it, in every course of this organization "
        "that they are on the roster of.",
    )

    def __init__(self, *args: Any, access: RepositoryAccess, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._access = access

    def clean_students(self) -> list[tuple[Enrollment, str]]:
        """Return students with the paths of their repositories."""
        lines = [
            line.replace(",", " ").split() for line in self.cleaned_data["students"].split("\n")
        ]
        pairs = [self._pair(number, words) for number, words in enumerate(lines, 1) if words]
        emails = {email for email, _ in pairs}
        rows = Enrollment.objects.filter(organization=self._access.organization_id)
        by_email: dict[str, list[Enrollment]] = {email: [] for email in emails}
        for student in rows.select_related("cohort").filter(email__in=emails):
            by_email[student.email].append(student)
        if unknown := sorted(email for email in emails if not by_email[email]):
            raise forms.ValidationError(f"Nobody on a roster has the address {unknown[0]}.")
        return [(student, path) for email, path in pairs for student in by_email[email]]

    def _pair(self, number: int, words: list[str]) -> tuple[str, str]:
        location = location_of(words[1]) if len(words) == 2 else None
        if location is None or location.host != self._access.host:
            raise forms.ValidationError(
                f"Line {number} is no address of a student and of a repository at "
                f"{self._access.host}."
            )
        below = self._access.path
        if below and location.path != below and not location.path.startswith(f"{below}/"):
            raise forms.ValidationError(f"Line {number} is not below {self._access.place}.")
        return words[0].lower(), location.path
