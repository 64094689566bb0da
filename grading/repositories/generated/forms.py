"""Form of the template of an assignment."""

from __future__ import annotations

from django import forms

from grading.core.enums import RepositoryPermission

PLAIN = {"autocapitalize": "none", "autocomplete": "off", "spellcheck": "false"}
VISIBILITY = (("private", "Private"), ("public", "Public: everybody can read students' work"))


class TemplateForm(forms.Form):
    """Template, the organization that owns what is made of it, names and rights."""

    template = forms.CharField(
        label="Template repository",
        max_length=140,
        help_text="Owner and name at GitHub, such as your-course/exercise-1.",
        widget=forms.TextInput(attrs=PLAIN),
    )
    login = forms.CharField(
        label="Organization at GitHub",
        max_length=100,
        help_text="Repositories are made here. You own it, and our GitHub App is installed in it.",
        widget=forms.TextInput(attrs=PLAIN),
    )
    name_prefix = forms.CharField(
        label="Names begin with",
        max_length=60,
        help_text="A hyphen and the name of the student or team follow.",
        widget=forms.TextInput(attrs=PLAIN),
    )
    visibility = forms.ChoiceField(
        label="Who can read the repositories", choices=VISIBILITY, widget=forms.RadioSelect
    )
    permission = forms.ChoiceField(
        label="Right of students",
        choices=RepositoryPermission.choices,
        help_text="Write is enough to push. With Admin, students can invite others and delete.",
    )

    def clean_template(self) -> str:
        """Return owner and name, also of the address of its page."""
        text: str = self.cleaned_data["template"].strip().rstrip("/")
        return text.removeprefix("https://github.com/").removesuffix(".git")

    def clean_login(self) -> str:
        text: str = self.cleaned_data["login"].strip().rstrip("/")
        return text.removeprefix("https://github.com/")
