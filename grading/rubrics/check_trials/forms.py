"""A check to try, and on whose stored work."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from django import forms

from grading.engine import check_trials
from grading.engine.rubrics import RubricFault
from grading.models import Assignment, Audit, RubricVersion

MOST_CHARACTERS = 20_000
Choices = list[tuple[str, Any]]


class TrialPlaceForm(forms.Form):
    """By GET: the work that is at hand, and the version whose checks are. A version alone waits for the work."""

    def __init__(
        self,
        asked: Mapping[str, str],
        *,
        assignments: Sequence[Assignment],
        versions: Sequence[RubricVersion],
    ) -> None:
        super().__init__(asked if "assignment" in asked else None, initial=dict(asked))
        self._assignments = {str(row.pk): row for row in assignments}
        self._versions = {str(row.pk): row for row in versions}
        titles = [(key, f"{row.title} ({row.cohort})") for key, row in self._assignments.items()]
        names = [(key, f"{row} ({row.get_state_display()})") for key, row in self._versions.items()]
        self.fields["assignment"] = forms.ChoiceField(label="Work handed in for", choices=titles)
        self.fields["version"] = forms.ChoiceField(
            label="Checks of",
            required=False,
            choices=[("", "The version it is judged under"), *names],
        )

    @property
    def chosen(self) -> tuple[Assignment, RubricVersion] | None:
        """Null until an assignment is chosen."""
        if not self.is_valid():
            return None
        assignment = self._assignments[self.cleaned_data["assignment"]]
        version = self._versions.get(self.cleaned_data["version"])
        return assignment, version or assignment.rubric_version


class TrialForm(forms.Form):
    """`known` is a check to begin from. Its JSON takes the place of what stands in `check` only when that is asked for."""

    work = forms.ChoiceField(label="Submission")
    known = forms.ChoiceField(label="Begin from", required=False)
    check = forms.CharField(
        label="Check, as JSON",
        max_length=MOST_CHARACTERS,
        widget=forms.Textarea(attrs={"rows": 12, "spellcheck": "false"}),
    )

    def __init__(
        self,
        asked: Mapping[str, str] | None,
        *,
        works: Sequence[Audit],
        document: Mapping[str, Any],
        initial: dict[str, str] | None = None,
    ) -> None:
        super().__init__(asked, initial=initial)
        self._works = {str(audit.pk): audit for audit in works}
        self._texts = dict(_texts(document))
        self.fields["work"] = forms.ChoiceField(
            label="Submission", choices=[(key, _words(audit)) for key, audit in self._works.items()]
        )
        self.fields["known"] = forms.ChoiceField(
            label="Begin from",
            required=False,
            choices=_choices(document),
            help_text="“Take it” puts its JSON below, in the place of what stands there.",
        )

    @property
    def works(self) -> int:
        """How many submissions there are to choose from."""
        return len(self._works)

    def taken(self) -> dict[str, str]:
        """What was typed, with the chosen check's JSON in place."""
        known = self.data.get("known", "")
        return {
            "work": self.data.get("work", ""),
            "known": known,
            "check": self._texts.get(known, ""),
        }

    def clean_work(self) -> Audit:
        return self._works[self.cleaned_data["work"]]

    def clean_check(self) -> dict[str, Any]:
        check, faults = check_trials.read_check(self.cleaned_data["check"])
        if faults:
            raise forms.ValidationError([_told(fault) for fault in faults])
        return check


def _told(fault: RubricFault) -> str:
    where = f"Line {fault.line}" + (f", column {fault.column}" if fault.column else "")
    place = " / ".join(map(str, fault.place))
    return f"{where}{f', {place}' if place else ''}: {fault.message}"


def _words(audit: Audit) -> str:
    submission = audit.submission
    return f"{submission.student}, attempt {submission.attempt}"


def _texts(document: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for kind, text in check_trials.blank_checks().items():
        yield f"kind:{kind}", text
    for criterion in document.get("criteria", ()):
        for check in criterion.get("checks", ()):
            yield f"check:{check.get('id')}", check_trials.written(check)


def _choices(document: Mapping[str, Any]) -> Choices:
    """The version's own checks by criterion, then a blank of each kind."""
    own: Choices = [
        (
            criterion.get("name", ""),
            [
                (f"check:{check.get('id')}", check.get("goal", ""))
                for check in criterion.get("checks", ())
            ],
        )
        for criterion in document.get("criteria", ())
        if criterion.get("checks")
    ]
    blanks = [(f"kind:{kind}", kind.replace("_", " ")) for kind in check_trials.blank_checks()]
    return [("", "Nothing"), *own, ("A new one, of the kind", blanks)]
