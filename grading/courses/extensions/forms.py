"""Forms to give and to change an extension."""

from __future__ import annotations

from typing import Any
from zoneinfo import ZoneInfo

from django import forms
from django.db.models import QuerySet

from grading.core.enums import LatePolicy
from grading.core.form_bases import LongText, ZonedForm, ZonedTimeField
from grading.courses.extensions.actions import MAX_REASON, Relief
from grading.courses.queries import roster_of
from grading.models import Assignment, Enrollment, Extension


class ReliefForm(ZonedForm):
    """Content of an extension: what it gives, and the reason."""

    due_at = ZonedTimeField(
        label="Due", required=False, further_help="Leave blank to keep the due date."
    )
    max_attempts = forms.IntegerField(
        label="Attempts",
        required=False,
        min_value=1,
        max_value=100,
        help_text="All attempts together. Leave blank to keep the number.",
    )
    no_late_mark = forms.BooleanField(
        label="No late mark",
        required=False,
        help_text="Work after the due date is not marked as late.",
    )
    reason = LongText(
        label="Reason",
        max_length=MAX_REASON,
        help_text="The student reads it, or everybody in the group.",
        widget=forms.Textarea(attrs={"rows": 3}),
    )

    def __init__(self, *args: Any, assignment: Assignment, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.use_zone(ZoneInfo(assignment.cohort.time_zone))
        if assignment.late_policy == LatePolicy.REFUSE:
            del self.fields["no_late_mark"]
        if assignment.due_at is None:
            del self.fields["due_at"]

    @property
    def relief(self) -> Relief:
        """Return what the form gives; the form must be valid."""
        names = ("due_at", "max_attempts", "no_late_mark")
        return Relief(**{name: self.cleaned_data[name] for name in names if name in self.fields})


class ExtensionForm(ReliefForm):
    """New extensions: for students, for a group, or both."""

    students: Any = forms.ModelMultipleChoiceField(
        queryset=None,
        required=False,
        label="Students",
        help_text="Choose one or several.",
        widget=forms.SelectMultiple(attrs={"size": 8}),
    )
    group = forms.ChoiceField(label="Group", required=False)
    field_order = ("students", "group")

    def __init__(self, *args: Any, assignment: Assignment, **kwargs: Any) -> None:
        super().__init__(*args, assignment=assignment, **kwargs)
        roster = roster_of(assignment.cohort)
        students: Any = self.fields["students"]
        students.queryset = roster
        groups = _groups_of(roster)
        if groups:
            self.fields["group"] = forms.ChoiceField(
                label="Group",
                required=False,
                choices=[("", "No group"), *((name, name) for name in groups)],
                help_text="Also holds for who joins the group later.",
            )
            self.order_fields(self.field_order)
        else:
            del self.fields["group"]


def _groups_of(roster: QuerySet[Enrollment]) -> list[str]:
    names = roster.exclude(group="").order_by("group").values_list("group", flat=True)
    return list(names.distinct())


def initial_of(extension: Extension) -> dict[str, Any]:
    """Return an extension's content as the initial values of ReliefForm."""
    names = ("due_at", "max_attempts", "no_late_mark", "reason")
    return {name: getattr(extension, name) for name in names}
