"""Forms of bulk runs: the action, its scope, the rubric version and the confirmed number."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from django import forms

from grading.bulk.queries import ITEM_FILTERS
from grading.core.enums import BulkVerb
from grading.core.form_bases import QueryForm
from grading.models import Assignment, RubricVersion

VERBS = {
    BulkVerb.RESYNTHESISE: "Re-synthesise: apply the rules again",
    BulkVerb.REJUDGE: "Re-judge: ask the judges again",
    BulkVerb.REAUDIT: "Re-audit: repeat everything",
}
ALL, FLAGGED, FAILED, CHOSEN = "all", "flagged", "failed", "chosen"
SCOPES = {
    ALL: "All attempts that count",
    FLAGGED: "Flagged",
    FAILED: "Failed, without a verdict",
    CHOSEN: "Chosen in the list below",
}


class ItemsForm(QueryForm):
    """Filter of a run's attempts."""

    show = forms.ChoiceField(
        required=False,
        choices=[("", "all"), *((name, name) for name in ITEM_FILTERS)],
        widget=forms.HiddenInput,
    )
    page = forms.IntegerField(
        required=False, min_value=1, max_value=100_000, widget=forms.HiddenInput
    )


class BulkForm(forms.Form):
    """`grade` holds ids of chosen grades, `criterion` a position in the assignment's rubric.

    `confirmed` must equal the number that was shown, and that number must still be current.
    """

    verb = forms.TypedChoiceField(
        label="Action", coerce=BulkVerb, choices=list(VERBS.items()), widget=forms.RadioSelect
    )
    scope = forms.ChoiceField(
        label="Scope", choices=list(SCOPES.items()), widget=forms.RadioSelect, initial=ALL
    )
    rubric_version = forms.ModelChoiceField(
        label="Rubric version", queryset=RubricVersion.objects.none(), empty_label=None
    )
    criterion = forms.TypedChoiceField(
        label="Criterion",
        coerce=int,
        required=False,
        empty_value=None,
        help_text="Re-judge only: the judges are asked about this criterion alone.",
    )
    grade = forms.TypedMultipleChoiceField(label="Students", coerce=int, required=False)
    confirmed = forms.IntegerField(
        label="Number of audits",
        required=False,
        widget=forms.TextInput(attrs={"inputmode": "numeric", "autocomplete": "off"}),
    )

    def __init__(
        self,
        *args: Any,
        assignment: Assignment,
        versions: Sequence[RubricVersion],
        grades: Collection[int],
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        criteria = assignment.rubric_version.document["criteria"]
        fields: Any = self.fields
        fields["rubric_version"].queryset = RubricVersion.objects.filter(
            pk__in=[version.pk for version in versions]
        ).select_related("rubric")
        fields["rubric_version"].initial = assignment.rubric_version_id
        # A position, because ids in rubrics can be long and are chosen by teachers.
        fields["criterion"].choices = [
            ("", "All criteria"),
            *((place, criterion["name"]) for place, criterion in enumerate(criteria)),
        ]
        fields["grade"].choices = [(key, key) for key in grades]
        self._criteria = [criterion["id"] for criterion in criteria]

    @property
    def criteria(self) -> list[str]:
        """Ids of the chosen criteria, empty for all. Only for a valid form."""
        place = self.cleaned_data["criterion"]
        return [] if place is None else [self._criteria[place]]

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        verb, scope = cleaned.get("verb"), cleaned.get("scope")
        if verb and verb != BulkVerb.REJUDGE and cleaned.get("criterion") is not None:
            self.add_error(
                "criterion",
                "Only a re-judge can be limited to one criterion. Choose all, or re-judge.",
            )
        if verb and verb != BulkVerb.REAUDIT and scope == FAILED:
            self.add_error("scope", "Failed audits have no verdict to start from. Choose re-audit.")
        # An invalid choice has its own error already.
        if scope == CHOSEN and not cleaned.get("grade") and "grade" not in self.errors:
            self.add_error("scope", "No students are selected. Select them in the list below.")

        return cleaned
