"""Forms for filtering findings and answering one."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, cast

from django import forms

from grading.core.enums import ResponseKind
from grading.core.form_bases import LongText
from grading.findings.answers import REASON_MAX_LENGTH
from grading.findings.queries.visible_findings import VisibleFinding

GROUP_LABELS = {
    "regressed": "Regressed",
    "new": "New",
    "open": "Still open",
    "fixed": "Fixed",
    "dismissed": "Dismissed",
}
ANSWERS = (
    (ResponseKind.FIXED.value, "Fixed in a commit"),
    (ResponseKind.WILL_FIX.value, "Will be fixed"),
    (ResponseKind.DEFERRED.value, "Deferred, because …"),
    (ResponseKind.CONTESTED.value, "Contested, because …"),
)
DISMISSED = (ResponseKind.DISMISSED.value, "Dismissed, because …")


class Filter(forms.ChoiceField):
    """One filter: an unknown choice is an error beside it, and filters nothing."""

    def __init__(self, label: str, all_label: str, choices: Iterable[tuple[str, str]]) -> None:
        super().__init__(
            label=label,
            required=False,
            choices=[("", all_label), *choices],
            error_messages={"invalid_choice": "Unknown choice: showing all."},
        )


class FindingsForm(forms.Form):
    """Filters of the list, from the query string."""

    group = Filter("State", "All", GROUP_LABELS.items())
    seen = Filter(
        "Seen by", "Anyone", [("own", "Own audits"), ("peers", "Peers"), ("missed", "Only peers")]
    )
    answer = Filter("Answer", "Any or none", [("owed", "Due"), *ResponseKind.choices])

    def __init__(self, *args: Any, criteria: Iterable[tuple[str, str]], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["criterion"] = Filter("Criterion", "All", criteria)

        # Validated now: `matches` reads cleaned_data.
        self.is_valid()

    def matches(self, finding: VisibleFinding) -> bool:
        filters, answer = self.cleaned_data, finding.answer
        return (
            filters.get("group", "") in ("", finding.group)
            and filters.get("criterion", "") in ("", finding.finding.criterion_id)
            and _is_seen_by(filters.get("seen", ""), finding)
            and (
                filters.get("answer", "") in ("", answer and answer.row.kind)
                or (filters.get("answer") == "owed" and finding.is_answerable)
            )
        )


def _is_seen_by(source: str, finding: VisibleFinding) -> bool:
    match source:
        case "own":
            return finding.is_own
        case "peers":
            return bool(finding.peers)
        case "missed":
            return bool(finding.peers) and not finding.is_own
        case _:
            return True


class AnswerForm(forms.Form):
    """One answer; `answer_finding` checks the fields that each of them needs.

    Only a finding that no audit saw (`may_dismiss`) has the answer “Dismissed”.
    """

    kind = forms.ChoiceField(
        label="Your answer",
        widget=forms.RadioSelect,
        choices=ANSWERS,
        error_messages={"required": "Choose an answer."},
    )
    commit = forms.CharField(
        label="Commit",
        required=False,
        max_length=300,
        help_text=(
            "For “Fixed”: at least 7 characters of its hash, or the address of its page. "
            "We look up whether it changes the place; the next audit confirms the fix."
        ),
        widget=forms.TextInput(attrs={"spellcheck": "false", "autocapitalize": "none"}),
    )
    reason = LongText(
        label="Reason or plan",
        required=False,
        max_length=REASON_MAX_LENGTH,
        help_text=(
            "Required unless it is fixed or will be. Your teachers can read it; "
            "your peers only see that you answered."
        ),
        widget=forms.Textarea(attrs={"rows": 4}),
    )

    def __init__(self, *args: Any, may_dismiss: bool, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if may_dismiss:
            kind = cast("forms.ChoiceField", self.fields["kind"])
            kind.choices = [*ANSWERS, DISMISSED]
            self.fields[
                "reason"
            ].help_text += " Why you dismiss a finding, the author of its report reads too."
