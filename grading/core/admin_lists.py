"""Lists of the administration that stay quick however many rows their tables have.

They count and page through so many rows at most, offer the newest values as filters, and search
for people and assignments in those tables first, which are small.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any
from uuid import UUID

from django.contrib import admin
from django.core.paginator import Paginator
from django.db.models import Manager, Q, QuerySet, UUIDField
from django.http import HttpRequest

from grading.core.admin_tenancy import MachineMadeAdmin, own_organizations
from grading.models import Assignment, Enrollment, Membership

MOST_COUNTED, MOST_FOUND, MOST_CHOICES, MOST_WORDS = 1000, 1000, 50, 8


class BoundedPaginator(Paginator):  # type: ignore[type-arg]  # -- generic only in the stubs
    """Paginator over the first rows of a list; older ones are found by search and filters."""

    @cached_property
    def count(self) -> int:
        rows: Any = self.object_list
        number: int = rows.order_by()[:MOST_COUNTED].count()
        return number


class NewestFilter(admin.RelatedFieldListFilter):
    """Filter by a relation, with the newest rows of its table as choices."""

    def field_choices(self, field: Any, _request: Any, _options: Any) -> list[tuple[str, Any]]:
        rows = field.related_model.objects.order_by("-pk")[:MOST_CHOICES]
        return [(str(row.pk), str(row)) for row in rows]


class OwnFilter(admin.RelatedFieldListFilter):
    """Filter by the user's organizations."""

    def field_choices(self, _field: Any, _request: Any, _options: Any) -> list[tuple[str, Any]]:
        return [(str(row.pk), str(row)) for row in own_organizations()[:MOST_CHOICES]]


@dataclass(frozen=True, slots=True)
class Searched:
    """Table in which a word is searched, and the relation that leads to it; `key` is its column."""

    path: str
    rows: Manager[Any]
    fields: tuple[str, ...]
    key: str = "pk"

    def matching(self, word: str) -> Q:
        named = Q()
        for field in self.fields:
            named |= Q(**{f"{field}__icontains": word})
        rows = self.rows.filter(named).order_by()
        # A list and not a query: PostgreSQL then knows how few there are, and uses an index.
        return Q(**{f"{self.path}__in": list(rows.values_list(self.key, flat=True)[:MOST_FOUND])})


def student_at(path: str) -> Searched:
    return Searched(path, Enrollment.objects, ("email", "name"))


def assignment_at(path: str) -> Searched:
    return Searched(path, Assignment.objects, ("title",))


def member_at(path: str) -> Searched:
    """Return a search by the address that an organization knows, not by the account's others."""
    return Searched(path, Membership.objects, ("email",), key="user")


class LongListAdmin(MachineMadeAdmin):
    """Read-only rows of a table that grows with every audit."""

    paginator = BoundedPaginator
    show_full_result_count = False
    searched: tuple[Searched, ...] = ()

    def get_search_fields(self, _request: HttpRequest) -> tuple[str, ...]:
        """Return the paths that are searched: Django shows the field where there are any."""
        return tuple(searched.path for searched in self.searched)

    def get_search_results(
        self, _request: HttpRequest, queryset: QuerySet[Any], search_term: str
    ) -> tuple[QuerySet[Any], bool]:
        for word in search_term.split()[:MOST_WORDS]:
            matching = Q(pk__in=())
            for condition in self.conditions(word):
                matching |= condition
            queryset = queryset.filter(matching)
        return queryset, False

    def conditions(self, word: str) -> Iterator[Q]:
        """Yield what a word may match: a key, or a row of the searched tables."""
        for searched in self.searched:
            yield searched.matching(word)
        if isinstance(self.opts.pk, UUIDField) and is_uuid(word):
            yield Q(pk=word)


def is_uuid(word: str) -> bool:
    try:
        UUID(word)
    except ValueError:
        return False
    return True
