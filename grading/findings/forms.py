"""Filtering a list of findings, and answering one."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django import forms

from grading.core.enums import ResponseKind
from grading.core.form_bases import Words
from grading.findings.answers import MOST_CHARACTERS
from grading.findings.queries import SeenFinding

GROUP_WORDS = {"regressed": "Came back", "new": "New", "open": "Still open", "fixed": "Fixed"}


class Filter(forms.ChoiceField):
    """One filter: whatever is unknown is said beside it, and asks for nothing."""

    def __init__(self, label: str, every: str, choices: Iterable[tuple[str, str]]) -> None:
        unknown = {"invalid_choice": "There is no such choice, so all are shown."}
        super().__init__(
            label=label, required=False, choices=[("", every), *choices], error_messages=unknown
        )


class FindingsForm(forms.Form):
    """The list's filters, as they stand in its address."""

    group = Filter("State", "All", GROUP_WORDS.items())
    seen = Filter(
        "Seen by", "Anybody", [("own", "Own audits"), ("peers", "Peers"), ("missed", "Peers alone")]
    )
    answer = Filter("Answer", "Any or none", [("owed", "Owed"), *ResponseKind.choices])

    def __init__(self, *args: Any, criteria: Iterable[tuple[str, str]], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["criterion"] = Filter("Criterion", "All", criteria)
        self.is_valid()

    def picks(self, seen: SeenFinding) -> bool:
        wanted, answer = self.cleaned_data, seen.answer
        return (
            wanted.get("group", "") in ("", seen.group)
            and wanted.get("criterion", "") in ("", seen.finding.criterion_id)
            and _is_seen_by(wanted.get("seen", ""), seen)
            and (
                wanted.get("answer", "") in ("", answer and answer.kind)
                or (wanted.get("answer") == "owed" and seen.is_answerable)
            )
        )


def _is_seen_by(whom: str, seen: SeenFinding) -> bool:
    match whom:
        case "own":
            return seen.is_own
        case "peers":
            return bool(seen.peers)
        case "missed":
            return bool(seen.peers) and not seen.is_own
        case _:
            return True


class AnswerForm(forms.Form):
    """One of four answers; what each needs says the action."""

    kind = forms.ChoiceField(
        label="Your answer",
        widget=forms.RadioSelect,
        choices=[
            (ResponseKind.FIXED, "Fixed in a commit"),
            (ResponseKind.WILL_FIX, "Will be fixed"),
            (ResponseKind.DEFERRED, "Deferred, because …"),
            (ResponseKind.CONTESTED, "Contested, because …"),
        ],
        error_messages={"required": "Choose one of the four."},
    )
    commit = forms.CharField(
        label="Commit",
        required=False,
        max_length=300,
        help_text="For “Fixed”: its hash, at least 7 digits of it, or the address of its page. It is looked up.",
        widget=forms.TextInput(attrs={"spellcheck": "false", "autocapitalize": "none"}),
    )
    reason = Words(
        label="Why, or what you mean to do",
        required=False,
        max_length=MOST_CHARACTERS,
        help_text="Needed where you defer or contest. Your teachers may read it; your peers are told only that you answered.",
        widget=forms.Textarea(attrs={"rows": 4}),
    )
