"""Form of the search."""

from django import forms


class SearchForm(forms.Form):
    q = forms.CharField(
        label="Student, assignment or criterion",
        max_length=100,
        help_text="Part of a name, an email address, a student number or a title. Every word has to match.",
        widget=forms.TextInput(attrs={"type": "search", "autocomplete": "off"}),
    )
