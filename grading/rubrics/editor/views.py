"""Page of one version: the editor of a draft, any other version read-only."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect

from grading.core.enums import RubricState
from grading.models import RubricVersion
from grading.rubrics.check_trials.typed_checks import trial_bench
from grading.rubrics.comparison.publishing_losses import Loss, publishing_losses
from grading.rubrics.decisions.views import decisions_context
from grading.rubrics.editor.editing_session import (
    DECISIONS,
    JSON,
    SAVE_AND_PUBLISH,
    EditingSession,
    open_session,
    press_button,
    trial_session,
)
from grading.rubrics.editor.editor_page import blank_items
from grading.rubrics.editor.rubric_form import document_of
from grading.rubrics.page_frame import PageFrame, person_of
from grading.rubrics.queries import (
    assignments_of_rubric,
    import_of,
    last_edit,
    published_sibling,
    use_of,
)

# HTTP status of a page that shows a refused save.
CONFLICT = 409
# HTTP status of the page after a form that is not the editor's.
BAD_REQUEST = 400


def edit_view(frame: PageFrame, request: HttpRequest, version: RubricVersion) -> HttpResponse:
    """Show the editor; a POST applies the button that was pressed to what was typed."""
    if request.method != "POST":
        return _editor(frame, request, open_session(version))
    # Only the editor posts the digest; any other form would overwrite the draft blindly.
    if "seen" not in request.POST:
        return _editor(frame, request, open_session(version), status=BAD_REQUEST)

    button = request.POST.get("do", "")
    session = press_button(trial_session(version, request.POST), button, person_of(request))
    if session.saved:
        how = "unfinished" if session.faults or session.lines else "as a draft"
        messages.success(request, f"{session.saved} is saved {how}.")
        page = "publish" if button == SAVE_AND_PUBLISH else "edit"
        return HttpResponseRedirect(frame.address(page, session.saved))
    return _editor(frame, request, session)


def _editor(
    frame: PageFrame, request: HttpRequest, session: EditingSession, *, status: int | None = None
) -> HttpResponse:
    version = session.version
    context = {
        **session.context(),
        "decisions": _decisions_of(request, session),
        "title": str(version),
        "version": version,
        "sealed": version.state != RubricState.DRAFT and not session.unsaved,
        "blank": blank_items(),
        "use": use_of(version),
        "assignments": assignments_of_rubric(version),
        "edited": last_edit(version),
        "losses": _losses_of(session),
        "imported": import_of(version),
        **_trials_of(frame, request, session),
    }
    status = CONFLICT if session.refusal else status
    return frame.response(request, "rubrics/versions/editor.html", context, status=status)


def _trials_of(frame: PageFrame, request: HttpRequest, session: EditingSession) -> dict[str, Any]:
    """Return the works to try checks on, and the trial whose button was pressed."""
    version = session.version
    if session.view == JSON or not frame.teaches():
        return {}
    bench = trial_bench(version, request.POST, session.texts)
    return {"bench": bench, "trial": bench.trial}


def _losses_of(session: EditingSession) -> list[Loss]:
    """Return the losses of the typed draft; none for a version that is read-only."""
    version = session.version
    if version.state != RubricState.DRAFT:
        return []

    typed = document_of(session.texts) if session.view == "form" else version.document
    return publishing_losses(published_sibling(version), typed)


def _decisions_of(request: HttpRequest, session: EditingSession) -> dict[str, Any]:
    """Return the section of decisions; without its button, JavaScript loads what it shows."""
    posted = request.POST if request.method == "POST" else request.GET
    parts = ("table", "review") if request.POST.get("do") == DECISIONS else ()
    return decisions_context(session, posted.dict(), parts=parts)
