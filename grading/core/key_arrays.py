"""Conditions on keys that another query returns, so that PostgreSQL uses an index for them."""

from __future__ import annotations

from typing import Any

from django.contrib.postgres.expressions import ArraySubquery
from django.db.models import BooleanField, Func, QuerySet


class IsAmong(Func):
    """Test whether a column is among the keys of a query, which refers to no row outside of it.

    PostgreSQL reads such an array once and then uses the column's index, beside OR as well. With
    `IN` beside OR it compares every row of the institution. The query is for few keys: of a person,
    a student, a round.
    """

    template = "%(expressions)s)"
    arg_joiner = " = ANY("
    output_field = BooleanField()

    def __init__(self, column: str, keys: QuerySet[Any, Any]) -> None:
        super().__init__(column, ArraySubquery(keys.order_by()))
