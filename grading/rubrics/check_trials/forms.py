"""Forms to choose a check and the submission to try it on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from django import forms

from grading.engine import check_trials
from grading.engine.rubrics import RubricFault
from grading.models import Assignment, Audit, RubricVersion

# A check is a few lines of JSON; this keeps the parser's work small.
MOST_CHARACTERS = 20_000
Choices = list[tuple[str, Any]]


class TrialPlaceForm(forms.Form):
    """Assignment whose submissions, and version whose checks can be tried; read from the address.

    A version alone leaves the form unbound, so that the page waits for an assignment.
    """

    def __init__(
        self,
        query: Mapping[str, str],
        *,
        assignments: Sequence[Assignment],
        versions: Sequence[RubricVersion],
    ) -> None:
        super().__init__(query if "assignment" in query else None, initial=dict(query))
        self._assignments = {str(row.pk): row for row in assignments}
        self._versions = {str(row.pk): row for row in versions}

        titles = [(key, f"{row.title} ({row.cohort})") for key, row in self._assignments.items()]
        names = [(key, f"{row} ({row.get_state_display()})") for key, row in self._versions.items()]
        self.fields["assignment"] = forms.ChoiceField(label="Submissions for", choices=titles)
        self.fields["version"] = forms.ChoiceField(
            label="Checks from",
            required=False,
            choices=[("", "The assignment's current version"), *names],
        )

    @property
    def chosen(self) -> tuple[Assignment, RubricVersion] | None:
        """Assignment and version; None until an assignment is chosen."""
        if not self.is_valid():
            return None

        assignment = self._assignments[self.cleaned_data["assignment"]]
        version = self._versions.get(self.cleaned_data["version"])
        return assignment, version or assignment.rubric_version


class TrialForm(forms.Form):
    """A check as JSON and the submission to try it on.

    `known` is a check to start from; its JSON replaces `check` only when the user presses the
    button for it.
    """

    work = forms.ChoiceField(label="Submission")
    known = forms.ChoiceField(label="Start from", required=False)
    check = forms.CharField(
        label="Check as JSON",
        max_length=MOST_CHARACTERS,
        widget=forms.Textarea(attrs={"rows": 12, "spellcheck": "false"}),
    )

    def __init__(
        self,
        data: Mapping[str, str] | None,
        *,
        audits: Sequence[Audit],
        document: Mapping[str, Any],
        initial: dict[str, str] | None = None,
    ) -> None:
        super().__init__(data, initial=initial)
        self._audits = {str(audit.pk): audit for audit in audits}
        self._texts = dict(_check_texts(document))

        self.fields["work"] = forms.ChoiceField(
            label="Submission",
            choices=[(key, _attempt(audit)) for key, audit in self._audits.items()],
        )
        self.fields["known"] = forms.ChoiceField(
            label="Start from",
            required=False,
            choices=_choices(document),
            help_text="“Use this check” replaces the JSON below.",
        )

    @property
    def audit_count(self) -> int:
        """Number of submissions to choose from."""
        return len(self._audits)

    def with_known_check(self) -> dict[str, str]:
        """Return the typed values with the JSON of the chosen check."""
        known = self.data.get("known", "")
        return {
            "work": self.data.get("work", ""),
            "known": known,
            "check": self._texts.get(known, ""),
        }

    def clean_work(self) -> Audit:
        return self._audits[self.cleaned_data["work"]]

    def clean_check(self) -> dict[str, Any]:
        check, faults = check_trials.read_check(self.cleaned_data["check"])
        if faults:
            raise forms.ValidationError([_sentence(fault) for fault in faults])
        return check


def _sentence(fault: RubricFault) -> str:
    position = f"Line {fault.line}" + (f", column {fault.column}" if fault.column else "")
    place = " / ".join(map(str, fault.place))
    return f"{position}{f', {place}' if place else ''}: {fault.message}"


def _attempt(audit: Audit) -> str:
    submission = audit.submission
    return f"{submission.owner_name}, attempt {submission.attempt}"


def _check_texts(document: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for kind, text in check_trials.blank_checks().items():
        yield f"kind:{kind}", text
    for criterion in document.get("criteria", ()):
        for check in criterion.get("checks", ()):
            yield f"check:{check.get('id')}", check_trials.format_check(check)


def _choices(document: Mapping[str, Any]) -> Choices:
    """Return the version's checks by criterion, then a new check of each kind."""
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
    return [("", "Nothing"), *own, ("New check", blanks)]
