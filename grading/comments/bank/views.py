"""Pages of a rubric's bank: search, add, change, archive; and matches for the comment form."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_safe

from grading.comments.bank import queries
from grading.comments.bank.actions import archive_entry, restore_entry, save_entry
from grading.comments.bank.forms import EntryForm, MatchForm, SearchForm
from grading.core.breadcrumbs import Trail, trail_to_organization
from grading.core.errors import CommentRefused
from grading.core.form_bases import add_refusal
from grading.core.form_fingerprint import fingerprint_of
from grading.core.permissions import access_banked_comment, access_comment, access_rubric
from grading.core.requests import MemberRequest
from grading.models import BankedComment, Rubric

PER_PAGE = 50
GET_AND_POST = require_http_methods(["GET", "HEAD", "POST"])


@GET_AND_POST
def bank(request: MemberRequest, org: str, rubric: str) -> HttpResponse:
    """Search the bank of a rubric, and add to it; `from` names a comment to start from."""
    current = access_rubric(request.user, rubric)
    search = SearchForm(request.GET)
    wanted = search.cleaned_data if search.is_valid() else {}
    entries = queries.entries_of(
        current, wanted.get("q", ""), archived=wanted.get("archived", False)
    )
    form = _form(request, current, initial=_initial(request))
    if form.is_valid() and _save(request, current, form):
        messages.success(request, "Saved to the bank.")
        return redirect("comment-bank", org, current.slug)

    criteria = dict(queries.criteria_of(current))
    page = Paginator(entries, PER_PAGE).get_page(request.GET.get("page"))
    context = {
        "rubric": current,
        "search": search,
        "form": form,
        "page": page,
        "rows": [(entry, criteria.get(entry.criterion_id, entry.criterion_id)) for entry in page],
        "trail": trail_to_organization(current.organization),
    }
    return render(request, "comments/bank/bank.html", context)


@GET_AND_POST
def entry(request: MemberRequest, org: str, rubric: str, entry_id: int) -> HttpResponse:
    """Change an entry; with `archive` or `restore` in the form, take it out or back."""
    access_rubric(request.user, rubric)
    current = access_banked_comment(request.user, rubric, entry_id)
    form = _form(request, current.rubric, current)
    if {"archive", "restore"} & set(request.POST):
        if _move(request, current, form):
            return redirect("comment-bank", org, rubric)
    elif form.is_valid() and _save(request, current.rubric, form, current):
        messages.success(request, "Saved.")
        return redirect("comment-bank", org, rubric)

    context = {"entry": current, "form": form, "trail": _trail(current.rubric)}
    return render(request, "comments/bank/entry.html", context)


@require_safe
def bank_matches(request: MemberRequest, org: str, rubric: str) -> HttpResponse:
    """Return the options of the list below the search field of a comment, as HTML."""
    current = access_rubric(request.user, rubric)
    form = MatchForm(request.GET)
    entries: list[BankedComment] = []
    if form.is_valid():
        entries = queries.matches(current, form.cleaned_data["q"], form.cleaned_data["criterion"])
    return render(request, "comments/bank/_options.html", {"entries": entries})


def _form(
    request: MemberRequest,
    rubric: Rubric,
    current: BankedComment | None = None,
    initial: dict[str, str] | None = None,
) -> EntryForm:
    stored: dict[str, Any] = (
        {name: getattr(current, name) for name in ("label", "text", "points", "criterion_id")}
        if current
        else {}
    )
    is_sent = request.method == "POST" and not {"archive", "restore"} & set(request.POST)
    return EntryForm(
        request.POST if is_sent else None,
        initial=stored or initial,
        criteria=queries.criteria_of(rubric),
        fingerprint=fingerprint_of(stored),
    )


def _initial(request: MemberRequest) -> dict[str, str]:
    """Return the words of the comment that the address names, for a new entry."""
    key = request.GET.get("from", "")
    if not (key.isdecimal() and len(key) < 19):
        return {}
    comment = access_comment(request.user, int(key), level="staff")
    return {"text": comment.text, "criterion_id": comment.criterion_id}


def _save(
    request: MemberRequest, rubric: Rubric, form: EntryForm, current: BankedComment | None = None
) -> bool:
    try:
        save_entry(rubric=rubric, by=request.user, entry=current, **form.cleaned_data)
    except CommentRefused as refusal:
        add_refusal(form, refusal)
        return False
    return True


def _move(request: MemberRequest, current: BankedComment, form: EntryForm) -> bool:
    try:
        if "archive" in request.POST:
            archive_entry(entry=current, by=request.user)
        else:
            restore_entry(entry=current, by=request.user)
    except CommentRefused as refusal:
        messages.error(request, refusal.sentence)
        return False
    messages.success(request, "Archived." if current.archived_at else "Restored.")
    return True


def _trail(rubric: Rubric) -> Trail:
    organization = rubric.organization
    address = reverse("comment-bank", args=[organization.slug, rubric.slug])
    return [*trail_to_organization(organization), (f"Comment bank: {rubric}", address)]
