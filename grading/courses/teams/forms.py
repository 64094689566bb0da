"""Forms of the page of an assignment's teams."""

from __future__ import annotations

from typing import Any

from django import forms

from grading.courses.teams.queries import TeamPage
from grading.models import Enrollment, Team

NEW, NONE = "new", "none"


class FoundTeamForm(forms.Form):
    name = forms.CharField(
        label="Name of the team",
        max_length=60,
        error_messages={"required": "Enter a name for the team."},
    )


class JoinTeamForm(forms.Form):
    code = forms.CharField(
        label="Code of the team",
        max_length=40,
        help_text="Ask a member of the team: they see the code on this page.",
        widget=forms.TextInput(attrs={"autocomplete": "off", "autocapitalize": "characters"}),
        error_messages={"required": "Enter the code of a team."},
    )


class RenameForm(forms.Form):
    """New name of one team. `page` holds the teams."""

    renamed = forms.ChoiceField(label="Team")
    name = forms.CharField(
        label="New name",
        max_length=60,
        error_messages={"required": "Enter a name for the team."},
    )

    def __init__(self, *args: Any, page: TeamPage, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["renamed"] = forms.ChoiceField(
            label="Team", choices=[(str(team.pk), team.name) for team in page.teams]
        )


class AssignForm(forms.Form):
    """Students to put into a team, with what happens to the grades of those who had another.

    `cleaned_data["students"]` are enrollments; `target` returns the team.
    """

    students = forms.MultipleChoiceField(
        label="Students",
        widget=forms.CheckboxSelectMultiple,
        error_messages={"required": "Choose at least one student."},
    )
    team = forms.ChoiceField(label="Into")
    new_team = forms.CharField(label="Name of the new team", required=False, max_length=60)
    reason = forms.CharField(
        label="Reason",
        required=False,
        max_length=500,
        help_text="Needed where a team has submitted. It is kept in the log.",
    )
    keeps_grade = forms.BooleanField(
        label="Attempts of the team they leave still count for them",
        required=False,
        initial=True,
    )
    earlier_counts = forms.BooleanField(
        label="Earlier attempts of the team they join count for them",
        required=False,
        initial=True,
    )

    def __init__(self, *args: Any, page: TeamPage, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.teams = {str(team.pk): team for team in page.teams}
        self.roster = {str(row.pk): row for row in page.without}
        labels = {key: f"{row}, in no team" for key, row in self.roster.items()}
        for team in page.teams:
            for member in vars(team)["present"]:
                key = str(member.student_id)
                self.roster[key] = member.student
                labels[key] = f"{member.student}, in {team.name}"
        field: Any = self.fields["students"]
        field.choices = list(labels.items())
        into: Any = self.fields["team"]
        teams = [(key, team.name) for key, team in self.teams.items()]
        into.choices = [(NEW, "A new team"), *teams, (NONE, "No team")]

    def clean_students(self) -> list[Enrollment]:
        return [self.roster[key] for key in self.cleaned_data["students"]]

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        if cleaned.get("team") != NEW:
            cleaned["new_team"] = ""
        elif not cleaned.get("new_team", "").strip():
            self.add_error("new_team", "Enter a name for the team.")
        return cleaned

    @property
    def target(self) -> Team | None:
        return self.teams.get(self.cleaned_data["team"])
