"""Queries whose SQL is made once, for pages that ask the same of everybody.

Django takes longer to make and compile a query of many conditions than PostgreSQL takes to answer
it (docs/decisions/0026-compiled-queries.md). Here the SQL is made with stand-ins in the place of the
values; afterwards only the values are filled in.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, date, datetime
from functools import cached_property, partial
from typing import Any, NamedTuple

from django.db import DEFAULT_DB_ALIAS, connection
from django.db.models import QuerySet
from django_scopes import scope

from grading.models import Organization

Value = int | str | datetime


class _Compiled(NamedTuple):
    """`convert` turns the rows of the database into those of the query set."""

    sql: str
    parameters: tuple[Any, ...]
    columns: tuple[str, ...]
    convert: Callable[[Iterable[Any]], Iterable[Any]]


class CompiledQuery:
    """Query for rows of one organization, as the dictionaries of `.values()`.

    `build` gets a stand-in for each parameter, by its type, and returns the query set. It is called
    once in the process, so it may depend on nothing else: no clock, no setting, no other query. A
    moment may be compared as a day too, by its `.date()`.
    """

    def __init__(self, build: Callable[..., QuerySet[Any, Any]], **types: type[Value]) -> None:
        self._build = build
        makers: dict[type[Value], Callable[[int], Value]] = {
            int: _number,
            str: "stand-in {}".format,
            datetime: _moment,
        }
        self._stand_ins = {
            name: makers[kind](index) for index, (name, kind) in enumerate(types.items(), start=1)
        }

    def rows(self, organization: Organization, **values: Value) -> Iterator[dict[str, Any]]:
        """Yield the rows, by one query, in the entered scope of the organization."""
        if values.keys() != self._stand_ins.keys():
            raise TypeError(f"The query takes {', '.join(self._stand_ins)}.")
        real: dict[Value | date, Value | date] = {STAND_IN_ORGANIZATION: organization.pk}
        for name, value in values.items():
            real |= _as_compared(self._stand_ins[name], value)

        sql, parameters, columns, convert = self._compiled
        with connection.cursor() as cursor:
            cursor.execute(sql, [_filled(parameter, real) for parameter in parameters])
            for row in convert(cursor.fetchall()):
                yield dict(zip(columns, row, strict=True))

    @cached_property
    def _compiled(self) -> _Compiled:
        """Raise ValueError for a query that leaves a parameter out."""
        with scope(organization=Organization(pk=STAND_IN_ORGANIZATION)):
            query = self._build(**self._stand_ins).query
        compiler = query.get_compiler(DEFAULT_DB_ALIAS)
        sql, parameters = compiler.as_sql()

        for stand_in in (STAND_IN_ORGANIZATION, *self._stand_ins.values()):
            if not _as_compared(stand_in, stand_in).keys() & {*parameters}:
                raise ValueError(f"The query does not depend on {stand_in}.")
        converters = compiler.get_converters(column for column, *_ in compiler.select)
        convert = partial(compiler.apply_converters, converters=converters)
        return _Compiled(sql, tuple(parameters), tuple(query.selected or ()), convert)


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


STAND_IN_ORGANIZATION = _number(0)
