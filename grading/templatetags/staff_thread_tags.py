"""Template tag of the staff thread on a submission."""

from __future__ import annotations

from typing import Any

from django import template

from grading.core.permissions import may_read_staff_thread
from grading.models import Submission
from grading.staff_threads.forms import NoteForm
from grading.staff_threads.presenters import shown_thread
from grading.staff_threads.queries import thread_of

register = template.Library()


@register.inclusion_tag("staff_threads/_thread.html", takes_context=True)
def staff_thread(context: dict[str, Any], submission: Submission) -> dict[str, Any]:
    """Render the staff thread with its form; nothing at all for students.

    The submission needs its `student` and `organization`. Two queries for staff.
    """
    request = context["request"]
    if not may_read_staff_thread(request.user, submission):
        return {"staff_thread": None}
    form = NoteForm(initial={"back": request.get_full_path()})
    return {
        "request": request,
        "submission": submission,
        "staff_thread": shown_thread(thread_of(submission), request.user, form),
    }
