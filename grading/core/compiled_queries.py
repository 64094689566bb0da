"""Queries whose SQL is made once, for pages that ask the same of everybody.

Django takes longer to make and compile a query than PostgreSQL takes to answer it
(docs/decisions/0026-compiled-queries.md). Here the SQL is made with stand-ins in the place of the
values; afterwards only the values are filled in.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from datetime import UTC, date, datetime
from functools import cached_property
from typing import Any, Generic, NamedTuple, TypeVar
from uuid import UUID

from django.db import DEFAULT_DB_ALIAS, connections
from django.db.models import QuerySet
from django.db.models.sql.compiler import SQLCompiler
from django_scopes import get_scope, scope, scopes_disabled

from grading.core.rls.repeated_queries import RepeatedQuery
from grading.models import Organization

Value = int | str | datetime | UUID
Row = TypeVar("Row")


class _Compiled(NamedTuple):
    """`compiler` turns the columns of the database into the rows of the query set."""

    query_set: QuerySet[Any, Any]
    compiler: SQLCompiler
    sql: RepeatedQuery
    parameters: tuple[Any, ...]


class CompiledQuery(Generic[Row]):
    """Query of tables without an organization, or in a scope in which row-level security filters.

    `build` gets a stand-in for each parameter, by its type, and returns the query set. It is called
    once in the process, so it may depend on nothing else: no clock, no setting, no other query, nor
    one that is prefetched. A moment may be compared as a day too, by its `.date()`.
    """

    def __init__(self, build: Callable[..., QuerySet[Any, Row]], **types: type[Value]) -> None:
        self._build = build
        makers: dict[type[Value], Callable[[int], Value]] = {
            int: _number,
            str: "stand-in {}".format,
            datetime: _moment,
            UUID: lambda index: UUID(int=index),
        }
        self._stand_ins = {
            name: makers[kind](index) for index, (name, kind) in enumerate(types.items())
        }

    def rows(self, **values: Value) -> list[Row]:
        """Return the rows of the query set, by one query."""
        if values.keys() != self._stand_ins.keys():
            raise TypeError(f"The query takes {', '.join(self._stand_ins)}.")
        real: dict[Value | date, Value | date] = {}
        for name, value in values.items():
            real |= _as_compared(self._stand_ins[name], value)

        query_set, compiler, sql, parameters = self._compiled
        filled = tuple(_filled(parameter, real) for parameter in parameters)
        return list(_with_compiler(query_set, _compiler_of(compiler, sql, filled)))

    @cached_property
    def _compiled(self) -> _Compiled:
        """Raise ValueError for a query that leaves a parameter out."""
        query_set = self._make_query_set()
        compiler: Any = query_set.query.get_compiler(DEFAULT_DB_ALIAS)
        sql, parameters = compiler.as_sql()
        # They depend on the columns alone, and asking all columns for them takes longer than a row.
        converters = compiler.get_converters([column for column, *_ in compiler.select])
        compiler.get_converters = lambda _: converters

        stand_ins: set[Value | date] = set()
        for stand_in in self._stand_ins.values():
            compared = _as_compared(stand_in, stand_in).keys()
            if not compared & {*parameters}:
                raise ValueError(f"The query does not depend on {stand_in}.")
            stand_ins |= compared
        varies = [parameter in stand_ins for parameter in parameters]
        repeated = RepeatedQuery(sql, parameters, varies)
        return _Compiled(query_set, compiler, repeated, tuple(parameters))

    def _make_query_set(self) -> QuerySet[Any, Row]:
        with scopes_disabled():
            return self._build(**self._stand_ins)


class OrganizationQuery(CompiledQuery[Row]):
    """Query in the entered scope of the organization whose key is the parameter `organization`.

    `build` does not get that parameter: the scope filters.
    """

    def __init__(self, build: Callable[..., QuerySet[Any, Row]], **types: type[Value]) -> None:
        super().__init__(build, organization=int, **types)

    def _make_query_set(self) -> QuerySet[Any, Row]:
        stand_ins: dict[str, Any] = dict(self._stand_ins)
        with scope(organization=Organization(pk=stand_ins.pop("organization"))):
            return self._build(**stand_ins)

    def row(self, **values: Value) -> Row | None:
        """Return the only row in the entered scope, or None. Raises where no scope is entered."""
        return next(iter(self.rows_in_scope(**values)), None)

    def rows_in_scope(self, **values: Value) -> list[Row]:
        """Return the rows in the entered scope. Raises where no scope is entered."""
        entered = get_scope().get("organization")  # type: ignore[no-untyped-call]  # -- django-scopes is untyped
        if isinstance(entered, list) and len(entered) == 1:
            [entered] = entered
        if isinstance(entered, Organization):
            return self.rows(organization=entered.pk, **values)
        # Several organizations, in the admin and at home: their scope filters by another condition.
        return list(self._build(**values))


def _compiler_of(compiler: SQLCompiler, sql: str, parameters: tuple[Any, ...]) -> SQLCompiler:
    """Return a copy of a compiler that has this SQL, for the connection of this thread."""
    ready: Any = copy(compiler)
    # The connection itself: its proxy looks it up at each access.
    ready.connection = connections[DEFAULT_DB_ALIAS]
    ready.as_sql = lambda: (sql, parameters)
    compiled: SQLCompiler = ready
    return compiled


def _with_compiler(query_set: QuerySet[Any, Row], compiler: SQLCompiler) -> QuerySet[Any, Row]:
    """Return a query set that executes what this compiler has."""
    ready: Any = query_set.all()
    ready.query.get_compiler = lambda *_, **__: compiler
    compiled: QuerySet[Any, Row] = ready
    return compiled


def _number(index: int) -> int:
    """Return a number that fits a column of four bytes, and is no key, limit or count of ours."""
    return 2_147_000_000 + index


def _moment(index: int) -> datetime:
    return datetime(9000 + index, 1, 1, tzinfo=UTC)


def _as_compared(stand_in: Value, value: Value) -> dict[Value | date, Value | date]:
    """Return the value by its stand-in; of a moment the day too."""
    if isinstance(stand_in, datetime) and isinstance(value, datetime):
        return {stand_in: value, stand_in.date(): value.date()}
    return {stand_in: value}


def _filled(parameter: Any, real: dict[Any, Any]) -> Any:
    """Return the value in the place of a stand-in; a number keeps the type that names its width."""
    if parameter not in real:
        return parameter
    value = real[parameter]
    return type(parameter)(value) if isinstance(parameter, int) else value
