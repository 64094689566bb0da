"""Forms to file an appeal, answer one, and filter the inbox."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django import forms

from grading.appeals.actions import MAX_CHARACTERS
from grading.core.code_locations import MAX_PLACES, read_places
from grading.core.enums import AppealState
from grading.core.errors import AppealRefused
from grading.core.form_bases import LongText
from grading.core.form_fingerprint import FingerprintForm
from grading.models import Membership

Choices = Sequence[tuple[str, str]]
# The first text is the answer that the student reads, the second the label in the form.
REASONS = (
    ("", "None of these"),
    ("The judges saw the evidence you cite and considered it.", "Keep: it was considered"),
    (
        "What you cite is not in the audited commit.",
        "Keep: not in the audited commit",
    ),
    (
        "What you show is good work, but not what this criterion asks for.",
        "Keep: not what the criterion asks for",
    ),
    ("The audit missed evidence that this criterion asks for.", "Change: evidence was missed"),
    ("The audit misread the evidence.", "Change: evidence was misread"),
    (
        "The rubric was read more strictly than it is written.",
        "Change: rubric was read too strictly",
    ),
)


class AppealForm(FingerprintForm):
    """`evidence` is the criterion's evidence as choices: (id, label)."""

    text = LongText(
        label="What is wrong with the verdict, and why",
        max_length=MAX_CHARACTERS,
        help_text=f"At most {MAX_CHARACTERS:,} characters, plain text.",
    )
    places = LongText(
        label="Evidence that was missed",
        required=False,
        max_length=7000,
        help_text=f"At most {MAX_PLACES} locations, one per line: <code>src/graph.py:41</code>, "
        "<code>src/graph.py:41-60</code> or <code>page 3</code>.",
        widget=forms.Textarea(attrs={"rows": 3, "spellcheck": "false"}),
    )

    def __init__(self, *args: Any, evidence: Choices, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if evidence:
            self.fields["cited"] = forms.MultipleChoiceField(
                label="Evidence in the report that supports you",
                choices=evidence,
                required=False,
                widget=forms.CheckboxSelectMultiple,
            )
            # The evidence field was added last but belongs before the locations.
            self.order_fields(["text", "cited", "places"])

    def clean_places(self) -> str:
        text: str = self.cleaned_data["places"]
        try:
            read_places(text)
        except AppealRefused as refused:
            raise forms.ValidationError(refused.sentence, code=refused.code) from refused
        return text


class AnswerForm(FingerprintForm):
    """`scores` are the scores that can be given; "keep" is always possible."""

    decision = forms.ChoiceField(label="Decision", widget=forms.RadioSelect)
    reason = forms.ChoiceField(label="Common reasons", choices=REASONS, required=False)
    answer = LongText(
        label="Your answer",
        required=False,
        max_length=MAX_CHARACTERS,
        help_text="The student reads it after the reason above. "
        "If you change the score, it is also the reason of the override.",
        widget=forms.Textarea(attrs={"rows": 4}),
    )

    def __init__(self, *args: Any, scores: Sequence[int], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        given: Choices = [
            ("keep", "Keep the verdict"),
            *((str(score), f"Change to {score}") for score in scores),
        ]
        self.fields["decision"] = forms.ChoiceField(
            label="Decision", choices=given, widget=forms.RadioSelect
        )
        self.order_fields(["decision", "reason", "answer"])

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        # The student reads one text: the chosen reason, then the teacher's own words.
        words = [cleaned.get("reason", ""), cleaned.get("answer", "")]
        cleaned["answer"] = "\n\n".join(filter(None, (text.strip() for text in words)))
        if not cleaned["answer"] and "answer" not in self.errors:
            self.add_error(
                "answer", "Write an answer or choose a reason above. The student reads it."
            )
        return cleaned


class InboxForm(forms.Form):
    """Filters of the inbox, read from the address. Unknown values are reported and ignored."""

    state = forms.ChoiceField(
        label="State",
        required=False,
        choices=(
            ("", "Waiting for an answer"),
            *AppealState.choices,
            ("decided", "Answered"),
            ("all", "All"),
        ),
    )

    holder = forms.ChoiceField(
        label="Handed to",
        required=False,
        choices=(("", "Anybody or nobody"), ("mine", "Me"), ("nobody", "Nobody")),
    )

    def __init__(
        self, *args: Any, cohorts: Choices, assignments: Choices, criteria: Choices, **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        for name, label, choices in (
            ("cohort", "Cohort", cohorts),
            ("assignment", "Assignment", assignments),
            ("criterion", "Criterion", criteria),
        ):
            self.fields[name] = forms.ChoiceField(
                label=label, required=False, choices=[("", "All"), *choices]
            )


class HandOverForm(FingerprintForm):
    """Person who takes an appeal over. `people` are members who may answer it."""

    prefix = "hand"

    def __init__(self, *args: Any, people: Sequence[Membership], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["to"] = _person_field(people)


class InboxHandOverForm(forms.Form):
    """Appeals that were selected in the inbox, and the person who takes them over."""

    def __init__(
        self, *args: Any, people: Sequence[Membership], appeals: Sequence[int], **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        self.fields["appeals"] = forms.TypedMultipleChoiceField(
            label="Appeals",
            choices=[(key, str(key)) for key in appeals],
            coerce=int,
            error_messages={
                "required": "Select at least one appeal.",
                "invalid_choice": "The list has changed. Select again.",
            },
        )
        self.fields["to"] = _person_field(people)


def _person_field(people: Sequence[Membership]) -> forms.TypedChoiceField:
    return forms.TypedChoiceField(
        label="Hand to",
        choices=[
            ("", "Choose a person"),
            *((str(person.pk), address_of(person)) for person in people),
            ("nobody", "Nobody"),
        ],
        coerce=lambda key: next((person for person in people if str(person.pk) == key), None),
        empty_value="",
        error_messages={"required": "Choose a person, or nobody."},
    )


def address_of(person: Membership) -> str:
    return person.email or person.user.email
