"""Pages of a submission's staff thread, and of one's own note in it. Students get a 404."""

from __future__ import annotations

from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from grading.audits.queries import current_audit
from grading.core.breadcrumbs import trail_to_assignment
from grading.core.errors import StaffNoteRefused
from grading.core.form_bases import add_refusal
from grading.core.form_fingerprint import fingerprint_of
from grading.core.permissions import access_staff_note, access_staff_thread
from grading.core.requests import MemberRequest
from grading.models import StaffNote
from grading.staff_threads.actions import change_note, withdraw_note, write_note
from grading.staff_threads.forms import ChangeNoteForm, NoteForm
from grading.staff_threads.presenters import shown_thread
from grading.staff_threads.queries import Colleague, thread_of


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def staff_thread(request: MemberRequest, org: str, submission_id: UUID) -> HttpResponse:
    """Show the thread and write a note; htmx gets the thread alone, others go back."""
    submission = access_staff_thread(request.user, submission_id)
    form = NoteForm(request.POST if request.method == "POST" else None)
    is_part = "HX-Request" in request.headers
    if form.is_valid():
        text, back = form.cleaned_data["text"], form.cleaned_data["back"]
        try:
            _note, mentioned = write_note(submission=submission, text=text, by=request.user)
        except StaffNoteRefused as refusal:
            add_refusal(form, refusal)
        else:
            if not is_part:
                messages.success(request, _sentence("Note saved.", mentioned))
                return redirect(f"{back or request.path}#staff-thread")
            form = NoteForm(initial={"back": back})

    context = {
        "submission": submission,
        "staff_thread": shown_thread(thread_of(submission), request.user, form),
        "audit": current_audit(submission),
        "trail": trail_to_assignment(submission.assignment),
    }
    return render(request, f"staff_threads/{'_thread' if is_part else 'thread'}.html", context)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def staff_note(request: MemberRequest, org: str, note_id: int) -> HttpResponse:
    """Change or withdraw one's own note."""
    note = access_staff_note(request.user, note_id)
    # 404 for the notes of others: there is nothing that one may do with them.
    if note.author_id != request.user.pk:
        raise Http404
    thread = reverse("staff-thread", args=[note.organization.slug, note.submission_id])
    posted = request.POST if request.method == "POST" and "withdraw" not in request.POST else None
    form = ChangeNoteForm(
        posted, initial={"text": note.text}, fingerprint=fingerprint_of(note.text)
    )
    try:
        if done := _apply(request, note, form):
            messages.success(request, done)
            return redirect(f"{thread}#staff-thread")
    except StaffNoteRefused as refusal:
        if not form.is_bound:
            messages.error(request, refusal.sentence)
            return redirect(thread)
        add_refusal(form, refusal)

    context = {
        "note": note,
        "form": form,
        "trail": [*trail_to_assignment(note.submission.assignment), ("Staff notes", thread)],
    }
    return render(request, "staff_threads/note.html", context)


def _apply(request: MemberRequest, note: StaffNote, form: ChangeNoteForm) -> str:
    """Do what was posted and return a message, "" if nothing was. Raises StaffNoteRefused."""
    if request.method == "POST" and "withdraw" in request.POST:
        withdraw_note(note=note, by=request.user)
        return "Note withdrawn."
    if not form.is_valid():
        return ""
    mentioned = change_note(note=note, text=form.cleaned_data["text"], by=request.user)
    return _sentence("Note changed.", mentioned)


def _sentence(done: str, mentioned: list[Colleague]) -> str:
    names = ", ".join(f"@{colleague.handle}" for colleague in mentioned)
    return f"{done} Mentioned: {names}." if names else done
