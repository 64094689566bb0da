"""Forms to write, edit and answer a comment; the place of a new one is in the address."""

from __future__ import annotations

from typing import Any

from django import forms
from django.http import QueryDict

from grading.comments.places import WORK, Place, on_criterion, on_lines, on_page
from grading.core.enums import CommentPlace
from grading.core.form_bases import LongText
from grading.core.form_fingerprint import FingerprintForm
from grading.models.comment import LONGEST

HIGHEST = 10_000_000


class _PlaceForm(forms.Form):
    """Place in the query string, as `Place.query` writes it."""

    criterion = forms.CharField(max_length=200, required=False)
    path = forms.CharField(max_length=1000, required=False, strip=False)
    first = forms.IntegerField(min_value=1, max_value=HIGHEST, required=False)
    last = forms.IntegerField(min_value=1, max_value=HIGHEST, required=False)
    page = forms.IntegerField(min_value=1, max_value=HIGHEST, required=False)


def read_place(query: QueryDict) -> Place | None:
    """Return the place that an address names, the whole work for none; None where it is no place."""
    form = _PlaceForm(query)
    if not form.is_valid():
        return None
    given = form.cleaned_data
    if given["criterion"]:
        return on_criterion(given["criterion"])
    if given["path"]:
        first = given["first"] or 1
        return on_lines(given["path"], first, max(first, given["last"] or first))
    return on_page(given["page"]) if given["page"] else WORK


class CommentForm(forms.Form):
    """New comment at a place; of code its last line, and of the PDF its page can be changed."""

    NAMES = ("text", "last", "page", "find", "banked")

    text = LongText(
        label="Comment",
        max_length=LONGEST,
        help_text=f"At most {LONGEST:,} characters, plain text. The student sees it once it is "
        "released.",
        widget=forms.Textarea(attrs={"rows": 4}),
    )

    # Letters of an entry of the bank, and the entry that the text was made from.
    find = forms.CharField(max_length=100, required=False)
    banked = forms.IntegerField(min_value=1, required=False, widget=forms.HiddenInput)

    def __init__(self, *args: Any, place: Place, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._place = place
        if place.kind == CommentPlace.CODE:
            self.fields["last"] = _number("Last line", place.first_line, place.last_line)
        if place.kind == CommentPlace.PAGE:
            self.fields["page"] = _number("Page", 1, place.page)

    def place(self) -> Place:
        """Return the place of a valid form."""
        if self._place.kind == CommentPlace.CODE and self._place.first_line is not None:
            return on_lines(self._place.path, self._place.first_line, self.cleaned_data.get("last"))
        page = self.cleaned_data.get("page")
        return on_page(page) if page else self._place


def _number(label: str, lowest: int | None, initial: int | None) -> forms.IntegerField:
    return forms.IntegerField(
        label=label, min_value=lowest, max_value=HIGHEST, required=False, initial=initial
    )


class WordsForm(FingerprintForm):
    """Words of a draft, edited."""

    text = LongText(
        label="Comment",
        max_length=LONGEST,
        help_text=f"At most {LONGEST:,} characters, plain text.",
        widget=forms.Textarea(attrs={"rows": 4}),
    )


class AnswerForm(forms.Form):
    """Answer of the student, or a reply of staff."""

    answer = LongText(
        label="Your answer",
        max_length=LONGEST,
        help_text=f"At most {LONGEST:,} characters, plain text.",
        widget=forms.Textarea(attrs={"rows": 3}),
    )
