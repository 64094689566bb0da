"""Page on which a student links a branch whose pushes are submissions."""

from __future__ import annotations

from django.conf import settings
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from grading.core.breadcrumbs import trail_to_assignment
from grading.core.errors import ActionRefused
from grading.core.form_bases import add_refusal
from grading.core.permissions import access_assignment, access_enrollment
from grading.core.requests import MemberRequest
from grading.models import Assignment, Enrollment, PushLink
from grading.submissions.pushes.forms import PushLinkForm
from grading.submissions.pushes.links import NewLink, link_branch, unlink_branch
from grading.submissions.pushes.queries import links_of, with_pushes


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def push_link(request: MemberRequest, org: str, cohort: str, assignment: str) -> HttpResponse:
    """Show the linked branch with its pushes; link or unlink it."""
    target = access_assignment(request.user, cohort, assignment)
    student = access_enrollment(request.user, target.cohort)
    sent = request.POST.get("do", "") if request.method == "POST" else ""
    links = links_of(target, student)
    if sent == "unlink":
        _unlink(request, links.filter(pk=_number(request.POST.get("link", ""))).first())
        return redirect(request.path)
    form = PushLinkForm(request.POST if sent == "link" else None, student=student)
    made = _link(request, target, student, form) if form.is_valid() else None
    context = {
        "assignment": target,
        "links": list(with_pushes(links.all())),
        "form": form,
        "made": made,
        "hook": hook_address(made.link) if made and made.secret else "",
        "quiet": settings.PUSH_QUIET_SECONDS,
        "trail": trail_to_assignment(target),
    }
    return render(request, "pushes/push_link.html", context)


def hook_address(link: PushLink) -> str:
    """Return the address for the webhook at the host; the GitHub App has its own."""
    return f"{settings.SITE_URL}{reverse('push-hook', args=[link.key])}"


def _number(text: str) -> int:
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 19 else 0


def _unlink(request: MemberRequest, link: PushLink | None) -> None:
    if link is not None:
        unlink_branch(link=link, by=request.user)
        messages.success(request, f"Pushes to {link} are no submissions any more.")


def _link(
    request: MemberRequest, assignment: Assignment, student: Enrollment, form: PushLinkForm
) -> NewLink | None:
    """Link the branch of a valid form; on a refusal put the error into the form."""
    try:
        return link_branch(
            assignment=assignment, student=student, by=request.user, **form.cleaned_data
        )
    except ActionRefused as refusal:
        add_refusal(form, refusal)
        return None
