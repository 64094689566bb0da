"""Forms of a cohort's People page and of its join link."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import tzinfo
from typing import Any

from django import forms
from django.core.files.uploadedfile import UploadedFile

from grading.core.form_bases import QueryForm, ZonedForm, ZonedTimeField
from grading.core.form_fingerprint import FingerprintForm
from grading.core.join_codes import read_code
from grading.models import Cohort


class JoinLinkForm(ZonedForm):
    """End of a join link, and what to do with the link. `zone` is that of the cohort."""

    ends_at = ZonedTimeField(label="Link ends")
    act = forms.ChoiceField(
        choices=[("open", "Create"), ("move", "Save"), ("close", "Close")],
        widget=forms.HiddenInput,
        error_messages={"required": "Choose what to do with the link."},
    )

    def __init__(self, *args: Any, zone: tzinfo, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.use_zone(zone)
        # A link is closed whatever its field of the end holds.
        self.fields["ends_at"].required = self.data.get("act") != "close"


class StudentForm(forms.Form):
    """A student of the roster. The limits are those of the table."""

    email = forms.EmailField(label="Email", max_length=254)
    name = forms.CharField(label="Name", max_length=200, required=False)
    student_number = forms.CharField(label="Student number", max_length=64, required=False)
    group = forms.CharField(
        label="Group",
        max_length=60,
        required=False,
        help_text="Students in the same group never audit each other.",
    )

    def clean_email(self) -> str:
        return str(self.cleaned_data["email"]).lower()


class ChangeStudentForm(FingerprintForm, StudentForm):
    """Changed student; without the address of a person who accepted."""

    # Without it a request with no field at all would empty the student's row.
    act = forms.ChoiceField(
        choices=[("change", "Save")], initial="change", widget=forms.HiddenInput
    )

    def __init__(self, *args: Any, has_accepted: bool, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if has_accepted:
            del self.fields["email"]

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean()
        cleaned.pop("act", None)
        return cleaned


class GroupForm(forms.Form):
    """Group for the selected students of the page."""

    students = forms.TypedMultipleChoiceField(
        coerce=int, error_messages={"required": "Select at least one student."}
    )
    group = forms.CharField(
        label="Group",
        max_length=60,
        required=False,
        help_text="A new name makes a group. Leave blank to take them out of their group.",
    )

    def __init__(self, *args: Any, students: Iterable[int], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field: Any = self.fields["students"]
        field.choices = [(key, key) for key in students]


class SearchForm(QueryForm):
    """Filter of the People page."""

    q = forms.CharField(label="Name, email or number", max_length=100, required=False)
    group = forms.CharField(label="Group", max_length=60, required=False)


class MoveForm(forms.Form):
    """Another cohort of the institution, by its key."""

    cohort = forms.TypedChoiceField(
        label="Cohort", coerce=int, error_messages={"required": "Choose another cohort."}
    )

    def __init__(self, *args: Any, cohorts: Iterable[Cohort], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field: Any = self.fields["cohort"]
        field.choices = [("", "—"), *((cohort.pk, cohort.name) for cohort in cohorts)]


class RemovalForm(forms.Form):
    """`typed` is the student's address; `fingerprint` that of the holdings on the page."""

    typed = forms.CharField(
        label="The student's email address",
        max_length=254,
        required=False,
        widget=forms.TextInput(
            attrs={"autocomplete": "off", "spellcheck": "false", "autocapitalize": "none"}
        ),
    )
    fingerprint = forms.CharField(required=False, max_length=64, widget=forms.HiddenInput)


class JoinCodeForm(forms.Form):
    """Code of a join link, typed by hand. `cleaned_data["code"]` is as it is stored."""

    code = forms.CharField(
        label="Code",
        max_length=40,
        help_text="Nine letters and digits, such as C4F-7KM-2XW.",
        widget=forms.TextInput(attrs={"autocomplete": "off", "autocapitalize": "characters"}),
    )

    def clean_code(self) -> str:
        code = read_code(self.cleaned_data["code"])
        if code is None:
            raise forms.ValidationError("This is no code of a join link: check each character.")
        return code


class JoinForm(forms.Form):
    """Confirmation of who joins; somebody who is on the roster already gives no name."""

    name = forms.CharField(
        label="Your name",
        max_length=200,
        help_text="As your teachers know you. They and the institution see it.",
        error_messages={"required": "Enter your name."},
        widget=forms.TextInput(attrs={"autocomplete": "name"}),
    )

    def __init__(self, *args: Any, needs_name: bool, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if not needs_name:
            del self.fields["name"]


# Far more than 5,000 rows need; the file is read whole.
MAX_ROSTER_BYTES = 2 * 1024 * 1024


class RosterForm(forms.Form):
    """Upload of a roster. `cleaned_data["roster"]` is the file's text."""

    roster = forms.FileField(
        label="Roster (CSV)",
        help_text=(
            "The first line names the columns in any order: <code>email</code> and, optionally, "
            "<code>name</code>, <code>student_number</code> and <code>group</code>. Students in "
            "the same group never audit each other; enter <code>-</code> to remove a student from "
            "a group. The limit is 5,000 rows. Importing removes nobody."
        ),
        widget=forms.ClearableFileInput(attrs={"accept": ".csv,text/csv"}),
    )

    def clean_roster(self) -> str:
        file: UploadedFile[bytes] = self.cleaned_data["roster"]
        if (file.size or 0) > MAX_ROSTER_BYTES:
            raise forms.ValidationError("The limit is 2 MB.")
        try:
            return str(file.read(), "utf-8-sig")
        except UnicodeDecodeError as error:
            raise forms.ValidationError(
                "The file is not UTF-8 text. Export it as “CSV UTF-8”."
            ) from error


class ConfirmRosterForm(forms.Form):
    """Text of a list as it was previewed, and the fingerprint of that preview."""

    text = forms.CharField(
        max_length=MAX_ROSTER_BYTES,
        strip=False,
        widget=forms.HiddenInput,
        error_messages={"required": "Choose a file first."},
    )
    fingerprint = forms.CharField(required=False, max_length=64, widget=forms.HiddenInput)
