"""Which verb, on whom, under which rubric; and the number that is typed before many are touched."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from django import forms

from grading.bulk.queries import SHOWN
from grading.core.enums import BulkVerb
from grading.core.form_bases import QueryForm
from grading.models import Assignment, RubricVersion

VERBS = {
    BulkVerb.RESYNTHESISE: "Re-synthesise: the rules anew",
    BulkVerb.REJUDGE: "Re-judge: the opinions anew",
    BulkVerb.REAUDIT: "Re-audit: everything anew",
}
ALL, FLAGGED, FAILED, CHOSEN = "all", "flagged", "failed", "chosen"
SCOPES = {
    ALL: "Everything that counts",
    FLAGGED: "What is flagged",
    FAILED: "What failed and has no verdict",
    CHOSEN: "Those chosen in the list below",
}


class ItemsForm(QueryForm):
    """Which of a run's attempts are listed."""

    show = forms.ChoiceField(
        required=False,
        choices=[("", "all"), *((name, name) for name in SHOWN)],
        widget=forms.HiddenInput,
    )
    page = forms.IntegerField(
        required=False, min_value=1, max_value=100_000, widget=forms.HiddenInput
    )


class BulkForm(forms.Form):
    """`grade` holds the keys of the chosen grades, `criterion` a position in the assignment's rubric.

    `confirmed` is asked for once the number is known; what was shown and what is there then must be the same.
    """

    verb = forms.TypedChoiceField(
        label="What is done", coerce=BulkVerb, choices=list(VERBS.items()), widget=forms.RadioSelect
    )
    scope = forms.ChoiceField(
        label="To what", choices=list(SCOPES.items()), widget=forms.RadioSelect, initial=ALL
    )
    rubric_version = forms.ModelChoiceField(
        label="Judged under", queryset=RubricVersion.objects.none(), empty_label=None
    )
    criterion = forms.TypedChoiceField(
        label="Criterion",
        coerce=int,
        required=False,
        empty_value=None,
        help_text="To re-judge: the judges are asked again on this one alone.",
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
        fields["criterion"].choices = [
            ("", "All of them"),
            *((place, criterion["name"]) for place, criterion in enumerate(criteria)),
        ]
        fields["grade"].choices = [(key, key) for key in grades]
        self._criteria = [criterion["id"] for criterion in criteria]

    @property
    def criteria(self) -> list[str]:
        """The ids of the criteria that are asked for; none for all. Of a valid form."""
        place = self.cleaned_data["criterion"]
        return [] if place is None else [self._criteria[place]]

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        verb, scope = cleaned.get("verb"), cleaned.get("scope")
        if verb and verb != BulkVerb.REJUDGE and cleaned.get("criterion") is not None:
            self.add_error(
                "criterion", "Only to re-judge can be about one criterion: choose all, or re-judge."
            )
        if verb and verb != BulkVerb.REAUDIT and scope == FAILED:
            self.add_error(
                "scope", "What failed holds no verdict to start from: it takes a re-audit."
            )
        if scope == CHOSEN and not cleaned.get("grade") and "grade" not in self.errors:
            self.add_error("scope", "Nobody is chosen: tick students in the list below.")
        return cleaned
