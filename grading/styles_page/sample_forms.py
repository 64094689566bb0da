"""A form with every kind of field that the site has, as it is opened and as it is refused."""

from __future__ import annotations

from django import forms

KINDS = (("one", "The first of them"), ("other", "The other"))


class EveryField(forms.Form):
    name = forms.CharField(label="A line", help_text="What is asked stands above the field.")
    words = forms.CharField(
        label="Several lines", required=False, widget=forms.Textarea(attrs={"rows": 3})
    )
    number = forms.IntegerField(label="A number", min_value=1)
    at = forms.DateTimeField(
        label="A time", widget=forms.DateTimeInput(attrs={"type": "datetime-local"})
    )
    kind = forms.ChoiceField(label="One of many", choices=KINDS)
    way = forms.ChoiceField(label="One of few", choices=KINDS, widget=forms.RadioSelect)
    several = forms.MultipleChoiceField(
        label="Several", choices=KINDS, widget=forms.CheckboxSelectMultiple
    )
    file = forms.FileField(label="A file", required=False)
    agreed = forms.BooleanField(label="Yes or no", help_text="It can be taken back.")

    def clean(self) -> None:
        self.add_error(None, "What is wrong with the whole stands above the fields.")


class Filters(forms.Form):
    wanted = forms.CharField(label="Name or e-mail", required=False)
    state = forms.ChoiceField(label="State", choices=KINDS, required=False)
    kind = forms.ChoiceField(label="Kind", choices=KINDS, required=False)


def opened() -> EveryField:
    return EveryField(prefix="opened")


def refused() -> EveryField:
    """As it comes back: one field stays as it was typed, the others say what is wrong with them."""
    return EveryField(
        {"refused-number": "0", "refused-words": "What was typed is kept."}, prefix="refused"
    )
