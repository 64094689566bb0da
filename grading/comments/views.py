"""Pages of comments: those of a work, a new one, one with its answers, and what waits."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django import forms
from django.contrib import messages
from django.core.paginator import Paginator
from django.http import Http404, HttpResponse, HttpResponseRedirect, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.html import format_html
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from grading.comments import actions, queries
from grading.comments.bank import queries as bank_queries
from grading.comments.bank.forms import MatchForm
from grading.comments.forms import AnswerForm, CommentForm, WordsForm, read_place
from grading.comments.places import Place
from grading.comments.presenters import address_of
from grading.comments.queries import comment_shown, comments_on, show
from grading.comments.releases import release_comments
from grading.core.breadcrumbs import Trail, trail_to_assignment, trail_to_organization
from grading.core.enums import AuditKind, CommentPlace, Opened
from grading.core.errors import CommentRefused
from grading.core.form_bases import add_refusal
from grading.core.form_fingerprint import fingerprint_of
from grading.core.own_work import handled_by, may_handle
from grading.core.permissions import (
    Level,
    access_audit,
    access_comment,
    access_enrollment,
    access_organization,
    may,
)
from grading.core.read_receipts import mark_opened
from grading.core.requests import MemberRequest
from grading.models import Audit, BankedComment, Comment, Rubric, Submission

PER_PAGE = 50
GET_AND_POST = require_http_methods(["GET", "HEAD", "POST"])


@never_cache
@require_safe
def comments(request: MemberRequest, org: str, audit_id: UUID) -> HttpResponse:
    """List the comments on a work with links to their places; its student has then opened them."""
    audit = _audit(request, audit_id)
    shown = comments_on(audit.submission, request.user)
    # A member of a team may open it before anything is released for them.
    if shown.comments and not shown.is_staff and request.method == "GET":
        _mark_opened(request, audit.submission)
    context = {
        "audit": audit,
        "comments": shown,
        "may_release": may(request.user, audit.organization, "teacher"),
        "trail": _trail(audit),
    }
    return render(request, "comments/list.html", context)


@GET_AND_POST
def comment_new(request: MemberRequest, org: str, audit_id: UUID) -> HttpResponse:
    """Write a comment at the place in the address; htmx gets the form, then the comment, alone."""
    audit = _audit(request, audit_id, level="staff")
    place = read_place(request.GET)
    if place is None:
        raise Http404
    is_search = bool({"search", "insert"} & set(request.POST))
    form = CommentForm(
        request.POST if request.method == "POST" and not is_search else None,
        place=place,
        initial=_with_entry(request.POST, _rubric(audit)) if is_search else None,
        # Two places may have their forms open on one page.
        auto_id=f"{place.key}-%s",
    )
    if form.is_valid():
        written = _write(request, audit, form)
        if written is not None:
            _propose_score(request, audit, written)
            return _answer_with(request, written, audit.pk, "comments/_written.html")

    search = MatchForm({"q": request.POST.get("find", ""), "criterion": place.criterion_id})
    context = {
        "form": form,
        "audit": audit,
        "place": place,
        "rubric": _rubric(audit),
        "matches": _matches(_rubric(audit), search) if "search" in request.POST else None,
        "trail": _trail(audit),
    }
    return render(request, _template_of_form(request, place), context)


def _rubric(audit: Audit) -> Rubric:
    return audit.rubric_version.rubric


def _matches(rubric: Rubric, search: MatchForm) -> list[BankedComment]:
    if not search.is_valid():
        return []
    return bank_queries.matches(rubric, search.cleaned_data["q"], search.cleaned_data["criterion"])


def _with_entry(sent: QueryDict, rubric: Rubric) -> dict[str, Any]:
    """Return what was typed, with the text of the chosen entry of the bank after `insert`."""
    typed: dict[str, Any] = {name: sent[name] for name in CommentForm.NAMES if name in sent}
    chosen = sent.get("choice", "")
    is_key = "insert" in sent and chosen.isdecimal() and len(chosen) < 19
    entry = bank_queries.entry_of(rubric, int(chosen)) if is_key else None
    if entry is not None:
        typed["text"] = "\n\n".join(filter(None, (typed.get("text", "").strip(), entry.text)))
        typed["banked"] = entry.pk
    return typed


def _propose_score(request: MemberRequest, audit: Audit, written: Comment) -> None:
    """Tell of the points of the entry that the comment was made from; they change no score."""
    if written.banked is None or not written.banked.points or not written.criterion_id:
        return
    if _is_htmx(request) or not may(request.user, audit.organization, "teacher"):
        return
    proposal = queries.proposed_score(audit, written.criterion_id, written.banked.points)
    if proposal is not None:
        address = reverse("override", args=[audit.organization.slug, audit.pk, proposal.position])
        sentence = '“{}” proposes {} of 5 for {}. <a href="{}?score={}">Override the score</a>'
        words = (written.banked.label, proposal.score, written.criterion_name, address)
        messages.info(request, format_html(sentence, *words, proposal.score))


def _template_of_form(request: MemberRequest, place: Place) -> str:
    if not _is_htmx(request):
        return "comments/write.html"
    if request.method == "POST":
        return "comments/_written.html"
    # A line number opens the form in a row of its table.
    is_boosted = request.headers.get("HX-Boosted") == "true"
    is_in_table = is_boosted and place.kind == CommentPlace.CODE
    return "comments/_line.html" if is_in_table else "comments/_write.html"


def _write(request: MemberRequest, audit: Audit, form: CommentForm) -> Comment | None:
    try:
        return actions.write_comment(
            submission=audit.submission,
            place=form.place(),
            text=form.cleaned_data["text"],
            by=request.user,
            banked=bank_queries.entry_of(_rubric(audit), form.cleaned_data["banked"]),
        )
    except CommentRefused as refusal:
        add_refusal(form, refusal)
        return None


@GET_AND_POST
def release(request: MemberRequest, org: str, audit_id: UUID) -> HttpResponse:
    """Show how many comments on this work its student or team would see, then release them."""
    audit = _audit(request, audit_id, level="teacher")
    drafts = queries.unshared_on(audit.submission).count()
    address = reverse("comments", args=[org, audit.pk])
    if request.method == "POST" and drafts:
        number = release_comments(submission=audit.submission, by=request.user)
        messages.success(request, f"{number} comment{'' if number == 1 else 's'} released.")
        return HttpResponseRedirect(address)
    if not drafts:
        messages.info(request, "There are no comments to release.")

    context = {
        "form": forms.Form(),
        "title": f"Release {drafts} comment{'' if drafts == 1 else 's'}",
        "lead": ("Every member of the team" if audit.submission.team_id else "The student")
        + " sees the comments at once and gets an email without their words. "
        "The grade stays as it is.",
        "verb": "Release comments",
        "trail": [*_trail(audit), ("Comments", address)],
    }
    return render(request, "forms/page.html", context)


@never_cache
@GET_AND_POST
def comment(request: MemberRequest, org: str, comment_id: int) -> HttpResponse:
    """Show a comment with its answers; `do` in the form says what becomes of it.

    htmx gets one form by `form` in the address, and after a change the comment alone.
    """
    current = access_comment(request.user, comment_id)
    page = _CommentPage(request, current)
    if request.method == "POST" and page.apply():
        return page.after()
    return page.show()


class _CommentPage:
    """One request for a comment: its forms, what was sent, and what is shown afterwards."""

    def __init__(self, request: MemberRequest, current: Comment) -> None:
        self.request, self.comment = request, current
        self.is_staff = may_handle(request.user, current.submission)
        is_teacher = may(request.user, current.organization, "teacher")
        self.may_change = self.is_staff and (is_teacher or current.author_id == request.user.pk)
        self.do = request.POST.get("do", "answer") if request.method == "POST" else ""
        sent = request.POST if self.do == "save" else None
        ids = f"comment-{current.pk}-%s"
        self.words = WordsForm(
            sent,
            initial={"text": current.text},
            fingerprint=fingerprint_of(current.text),
            auto_id=ids,
        )
        self.answer = AnswerForm(request.POST if self.do == "answer" else None, auto_id=ids)

    def apply(self) -> bool:
        """Do what the form says; return False if it was refused, with the reason in its form."""
        if self.do not in ("save", "delete", "withdraw", "settle", "answer"):
            raise Http404
        if self.do in ("save", "delete", "withdraw") and not self.may_change:
            raise Http404
        if self.do == "settle" and not self.is_staff:
            raise Http404
        form: forms.Form = self.words if self.do == "save" else self.answer
        if self.do in ("save", "answer") and not form.is_valid():
            return False
        try:
            self._act()
        except CommentRefused as refusal:
            if not form.is_bound:
                messages.error(self.request, refusal.sentence)
                return True
            field = "answer" if self.do == "answer" and refusal.field else None
            form.add_error(field, refusal.sentence)
            return False
        return True

    def _act(self) -> None:
        by, current = self.request.user, self.comment
        if self.do == "save":
            actions.edit_comment(comment=current, text=self.words.cleaned_data["text"], by=by)
        elif self.do == "delete":
            actions.delete_draft(comment=current, by=by)
        elif self.do == "withdraw":
            actions.withdraw_comment(comment=current, by=by)
        elif self.do == "settle":
            actions.settle_answer(comment=current, by=by)
        else:
            text = self.answer.cleaned_data["answer"]
            actions.answer_comment(comment=current, text=text, by=by, is_staff=self.is_staff)

    def after(self) -> HttpResponse:
        if self.do == "delete" and _is_htmx(self.request):
            return HttpResponse("")
        audit = queries.own_audit_of(self.comment.submission)
        if self.do == "delete":
            return redirect("comments", self.comment.organization.slug, audit)
        return _answer_with(self.request, self.comment, audit)

    def show(self) -> HttpResponse:
        wanted = self.request.GET.get("form", "")
        context = {
            "comment": self.comment,
            "words": self.words,
            "answer": self.answer,
            "is_staff": self.is_staff,
            "may_change": self.may_change,
            # htmx gets the form that was asked for, or the one that was refused.
            "wanted": {"save": "change"}.get(self.do, self.do) or wanted,
        }
        if _is_htmx(self.request):
            return render(self.request, "comments/_forms.html", context)
        row = comment_shown(self.comment, self.request.user)
        trail = trail_to_assignment(self.comment.submission.assignment)
        context |= {"row": row, "trail": trail, "audit": row.audit, "wanted": ""}
        return render(self.request, "comments/comment.html", context)


@never_cache
@require_safe
def inbox(request: MemberRequest, org: str) -> HttpResponse:
    """List for staff the comments whose student waits for a reply, for students their own."""
    organization = access_organization(request.user, org)
    is_staff = may(request.user, organization, "staff")
    rows = (
        queries.waiting_answers().filter(handled_by(request.user, organization, "submission"))
        if is_staff
        else queries.visible_to(request.user)
    )
    listed = queries.with_details(rows, request.user).select_related(
        "submission__assignment", "submission__student", "submission__team"
    )
    page = Paginator(listed if is_staff else listed.order_by("-news_at", "pk"), PER_PAGE).get_page(
        request.GET.get("page")
    )
    context = {
        "organization": organization,
        "page": page,
        "rows": [show(row, request.user, is_staff=is_staff) for row in page],
        "is_staff": is_staff,
        "trail": trail_to_organization(organization),
    }
    return render(request, "comments/inbox.html", context)


def _audit(request: MemberRequest, audit_id: UUID, *, level: Level = "student") -> Audit:
    """Return an audit whose work has comments: a peer's audit shows none."""
    audit = access_audit(request.user, audit_id, level=level)
    if audit.kind == AuditKind.PEER:
        raise Http404
    return audit


def _mark_opened(request: MemberRequest, submission: Submission) -> None:
    student = access_enrollment(request.user, submission.assignment.cohort)
    mark_opened(student=student, kind=Opened.COMMENTS, about=submission.pk)


def _answer_with(
    request: MemberRequest,
    current: Comment,
    audit: UUID,
    template: str = "comments/_comment.html",
) -> HttpResponse:
    """Show a changed comment: alone where htmx puts it into its page, else at its place."""
    if not _is_htmx(request):
        slug = current.organization.slug
        return HttpResponseRedirect(address_of(current, slug, audit))
    row = comment_shown(current, request.user)
    is_staff = may_handle(request.user, current.submission)
    return render(request, template, {"row": row, "is_staff": is_staff})


def _is_htmx(request: MemberRequest) -> bool:
    return request.headers.get("HX-Request") == "true"


def _trail(audit: Audit) -> Trail:
    submission = audit.submission
    address = reverse("audit", args=[audit.organization.slug, audit.pk])
    return [*trail_to_assignment(submission.assignment), (f"Attempt {submission.attempt}", address)]
