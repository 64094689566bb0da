"""Page that publishes a draft and, in one go, has assignments use it from now on."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse

from grading.core.enums import RubricState
from grading.core.errors import RubricRefused
from grading.engine import rubrics as engine_rubrics
from grading.models import BulkRun, RubricVersion
from grading.rubrics.comparison.publishing_losses import publishing_losses
from grading.rubrics.page_frame import PageFrame, person_of
from grading.rubrics.publishing.actions import Use, UseRefused, publish_and_use
from grading.rubrics.publishing.forms import PublishForm
from grading.rubrics.publishing.queries import candidates_for
from grading.rubrics.queries import assignments_of_rubric, published_sibling

# The button that publishes without any use.
ONLY = "only"


def publish_view(frame: PageFrame, request: HttpRequest, version: RubricVersion) -> HttpResponse:
    """Show the effects of publishing; a POST publishes exactly the document that was shown.

    A published version can be used by further assignments from the site's page.
    """
    is_draft = version.state == RubricState.DRAFT
    if not frame.may_edit or (frame.is_admin and not is_draft):
        raise PermissionDenied
    form = _form(frame, request, version)
    if form.is_valid():
        is_only = request.POST.get("do") == ONLY
        runs = _published(request, version, form, uses=[] if is_only else form.uses)
        if runs is not None:
            return HttpResponseRedirect(_next_page(frame, version, runs))
    return _page(frame, request, version, form)


def _form(frame: PageFrame, request: HttpRequest, version: RubricVersion) -> PublishForm:
    # Operators publish, but the assignments of an organization are not theirs.
    candidates = candidates_for(version) if frame.teaches() else []
    posted = request.POST.dict() if request.method == "POST" else None
    digest = engine_rubrics.document_digest(version.document)
    return PublishForm(posted, digest=digest, candidates=candidates)


def _published(
    request: HttpRequest, version: RubricVersion, form: PublishForm, *, uses: list[Use]
) -> list[BulkRun] | None:
    """Return the bulk runs, or None when it was refused, with the reason in the form."""
    was_draft = version.state == RubricState.DRAFT
    try:
        runs = publish_and_use(
            version=version,
            expected_digest=form.cleaned_data["seen"],
            uses=uses,
            by=person_of(request),
        )
    except UseRefused as refused:
        form.refuse(refused.use, refused.sentence, is_about_count=refused.is_about_count)
        return None
    except RubricRefused as refused:
        form.add_error(None, f"{version}: {refused.sentence}")
        return None

    if was_draft:
        messages.success(request, f"{version} is published.")
    for use in uses:
        messages.success(request, f"{use.assignment} uses {version} from now on.")
    return runs


def _next_page(frame: PageFrame, version: RubricVersion, runs: list[BulkRun]) -> str:
    """Return the only bulk run's page, else the version's."""
    if len(runs) == 1:
        return reverse("bulk-run", args=[version.organization.slug, runs[0].pk])
    return frame.address("edit", version)


def _page(
    frame: PageFrame, request: HttpRequest, version: RubricVersion, form: PublishForm
) -> HttpResponse:
    is_draft = version.state == RubricState.DRAFT
    before = published_sibling(version) if is_draft else None
    context: dict[str, Any] = {
        "title": f"Publish {version}" if is_draft else f"Use {version}",
        "version": version,
        "is_draft": is_draft,
        "form": form,
        "digest": engine_rubrics.document_digest(version.document),
        "faults": engine_rubrics.rubric_faults(version.document) if is_draft else (),
        "before": before,
        "losses": publishing_losses(before, version.document) if is_draft else [],
        "assignments": assignments_of_rubric(version),
        "offered": list(form.rows()),
    }
    crumb = "Publish" if is_draft else "Use"
    return frame.response(request, "rubrics/versions/publish.html", context, crumb=crumb)
