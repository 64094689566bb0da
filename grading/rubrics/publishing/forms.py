"""Form of a publication, with a choice per assignment: its use of the version from now on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from django import forms
from django.forms import BoundField

from grading.bulk.actions import CONFIRM_ABOVE
from grading.models import Assignment, Audit
from grading.rubrics.publishing.actions import Use

KEEP, NEW, ALL = "keep", "new", "all"


@dataclass(frozen=True, slots=True)
class Candidate:
    """An assignment that may use the version; `audits` are those with a verdict that counts.

    `is_own`: it uses another version of the same rubric now.
    """

    assignment: Assignment
    audits: tuple[Audit, ...]
    is_own: bool

    @property
    def must_be_typed(self) -> bool:
        """A large number is typed by the person, so that nobody confirms it by habit."""
        return len(self.audits) > CONFIRM_ABOVE


class PublishForm(forms.Form):
    """Confirmation: `seen` is the digest of the reviewed document.

    Each assignment has a choice `use-<id>` and the number of its audits, `confirmed-<id>`.
    """

    def __init__(
        self, data: Mapping[str, str] | None, *, digest: str, candidates: Sequence[Candidate]
    ) -> None:
        super().__init__(data, initial={"seen": digest})
        self._candidates = candidates
        self.fields["seen"] = forms.CharField(widget=forms.HiddenInput)
        for candidate in candidates:
            self.fields[_use(candidate)] = _choice_of(candidate)
            if candidate.audits:
                self.fields[_confirmed(candidate)] = _number_of(candidate)

    def rows(self) -> Iterator[tuple[Candidate, BoundField, BoundField | None]]:
        """Yield each assignment with its choice and, where one is typed, its number."""
        for candidate in self._candidates:
            number = self[_confirmed(candidate)] if candidate.audits else None
            yield candidate, self[_use(candidate)], number

    @property
    def uses(self) -> list[Use]:
        """The chosen uses of a valid form."""
        choices = self.cleaned_data
        return [
            Use(
                assignment=candidate.assignment,
                adopt=True,
                audits=candidate.audits if choices[_use(candidate)] == ALL else (),
                confirmed=choices.get(_confirmed(candidate)),
            )
            for candidate in self._candidates
            if choices[_use(candidate)] in {NEW, ALL}
        ]

    def refuse(self, use: Use, sentence: str, *, is_about_count: bool) -> None:
        """Put the refusal beside the assignment's field."""
        candidate = next(row for row in self._candidates if row.assignment == use.assignment)
        is_typed = is_about_count and candidate.must_be_typed
        self.add_error(_confirmed(candidate) if is_typed else _use(candidate), sentence)


def _use(candidate: Candidate) -> str:
    return f"use-{candidate.assignment.pk}"


def _confirmed(candidate: Candidate) -> str:
    return f"confirmed-{candidate.assignment.pk}"


def _choice_of(candidate: Candidate) -> forms.ChoiceField:
    assignment, count = candidate.assignment, len(candidate.audits)
    verdicts = "the 1 verdict that counts" if count == 1 else f"the {count} verdicts that count"
    choices = [
        (KEEP, f"Keep {assignment.rubric_version}"),
        (NEW, "Use the new version for new submissions"),
        *([(ALL, f"The same, and re-synthesise {verdicts}, without model calls")] if count else []),
    ]
    return forms.ChoiceField(
        label=f"{assignment.title}, {assignment.cohort.name}",
        choices=choices,
        initial=NEW if candidate.is_own else KEEP,
        required=False,
    )


def _number_of(candidate: Candidate) -> forms.IntegerField:
    count = len(candidate.audits)
    if not candidate.must_be_typed:
        return forms.IntegerField(required=False, initial=count, widget=forms.HiddenInput)
    return forms.IntegerField(
        required=False,
        min_value=0,
        label=f"To re-synthesise, type the number of verdicts: {count}",
        widget=forms.TextInput(attrs={"inputmode": "numeric", "autocomplete": "off"}),
    )
