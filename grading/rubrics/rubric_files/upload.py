"""Page that imports a rubric, and the page with the notes of an import."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect

from grading.core.errors import RubricKnown, RubricRefused
from grading.models import RubricVersion
from grading.rubrics.actions import import_rubric
from grading.rubrics.page_frame import PageFrame, person_of
from grading.rubrics.queries import import_of, other_versions
from grading.rubrics.rubric_files.forms import ImportForm


def import_view(frame: PageFrame, request: HttpRequest) -> HttpResponse:
    """Import a rubric; `?rubric=` preselects the rubric that gets the draft."""
    if not frame.may_edit:
        raise PermissionDenied
    if request.method != "POST":
        initial = {"into": f"r{request.GET.get('rubric', '')}"}
        return _page(
            frame, request, ImportForm(initial=initial, organizations=list(frame.organizations))
        )

    form = ImportForm(request.POST, request.FILES, organizations=list(frame.organizations))
    if not form.is_valid():
        return _page(frame, request, form)
    return _imported(frame, request, form)


def _imported(frame: PageFrame, request: HttpRequest, form: ImportForm) -> HttpResponse:
    (organization, rubric), (text, source) = form.target, form.uploaded_text
    try:
        version = import_rubric(
            organization=organization,
            rubric=rubric,
            text=text,
            source=source,
            again=form.cleaned_data["again"],
            by=person_of(request),
        )
    except RubricRefused as refused:
        return _page(frame, request, _with_text(form, text, refused), **_duplicate(refused))

    messages.success(request, f"{version} was imported as a draft.")
    return HttpResponseRedirect(frame.address("imported", version))


def _with_text(form: ImportForm, text: str, refused: RubricRefused) -> ImportForm:
    """Return the form with the text, which a person can correct, and the refusal beside it."""
    # A file field cannot be filled again by the server, so its text goes into the text field.
    form.data = {name: form.data.get(name) for name in form.data} | {"text": text}
    form.add_error("text", refused.sentence)
    return form


def _duplicate(refused: RubricRefused) -> dict[str, Any]:
    """Return the version that has this document already, and the notes of the import."""
    if not isinstance(refused, RubricKnown):
        return {}
    version = RubricVersion.objects.select_related("rubric").get(pk=refused.version_id)
    return {"duplicate": version, "notes": refused.notes}


def _page(frame: PageFrame, request: HttpRequest, form: ImportForm, **extra: Any) -> HttpResponse:
    context = {"title": "Import a rubric", "form": form, **extra}
    return frame.response(request, "rubrics/versions/import.html", context)


def imported_view(frame: PageFrame, request: HttpRequest, version: RubricVersion) -> HttpResponse:
    """Show the notes of an import; they are kept as long as its Activity row."""
    activity = import_of(version)
    detail: dict[str, Any] = activity.detail if activity else {}
    criteria = version.document.get("criteria", ())
    context = {
        "title": f"Import of {version}",
        "version": version,
        "import": activity,
        "source": detail.get("source", ""),
        "notes": detail.get("notes", []),
        "criteria": len(criteria),
        "checks": sum(len(criterion.get("checks", ())) for criterion in criteria),
        "versions": other_versions(version),
    }
    return frame.response(request, "rubrics/versions/imported.html", context, crumb="Import")
