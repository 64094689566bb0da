"""Queries about the bank of comments of a rubric."""

from __future__ import annotations

from django.db.models import BooleanField, Case, Q, QuerySet, Value, When

from grading.models import BankedComment, Rubric, RubricVersion

MAX_MATCHES = 8


def entries_of(
    rubric: Rubric, search: str = "", *, archived: bool = False
) -> QuerySet[BankedComment]:
    """Return entries with each of these words in label or text, the most used first."""
    entries = BankedComment.objects.filter(rubric=rubric, archived_at__isnull=not archived)
    for word in search.split()[:8]:
        entries = entries.filter(Q(label__icontains=word) | Q(text__icontains=word))
    return entries.select_related("author")


def matches(rubric: Rubric, search: str, criterion_id: str) -> list[BankedComment]:
    """Return up to MAX_MATCHES entries for a place: those of its criterion first.

    Entries of other criteria are left out. `criterion_id` is "" for a place without a criterion,
    where all entries match.
    """
    entries = entries_of(rubric, search)
    if criterion_id:
        entries = entries.filter(criterion_id__in=("", criterion_id))
    fits = Case(
        When(criterion_id=criterion_id, then=Value(True)),
        default=Value(False),
        output_field=BooleanField(),
    )
    return list(entries.annotate(fits=fits).order_by("-fits", "-uses", "label", "pk")[:MAX_MATCHES])


def criteria_of(rubric: Rubric) -> list[tuple[str, str]]:
    """Return ids and names of the criteria of the newest version."""
    newest = RubricVersion.objects.filter(rubric=rubric).order_by("-number")
    document = newest.values_list("document", flat=True).first() or {}
    return [(row["id"], row.get("name") or row["id"]) for row in document.get("criteria", ())]


def entry_of(rubric: Rubric, key: int | None) -> BankedComment | None:
    """Return an entry of this rubric's bank by its key, also an archived one."""
    if key is None:
        return None
    return BankedComment.objects.filter(rubric=rubric, pk=key).first()
