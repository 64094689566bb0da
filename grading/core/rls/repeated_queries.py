"""SQL that a process sends again and again, so that PostgreSQL plans it once for a connection."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date, datetime
from hashlib import sha256
from typing import Any, Self
from uuid import UUID

from psycopg import sql
from psycopg.abc import AdaptContext

_PLACES = re.compile(r"%[s%]")


class RepeatedQuery(str):
    """SQL with `%s`, of whose parameters only some differ from one time to the next.

    `varies` says of each parameter whether it does. The others are part of the plan, as they are of
    the plan of plain SQL: an index of some rows serves a query whose condition is known.
    """

    __slots__ = ("_types", "name")
    name: str
    _types: list[str]

    def __new__(cls, text: str, parameters: Sequence[Any], varies: Sequence[bool]) -> Self:
        query = super().__new__(cls, text)
        query._types = [
            _type_of(value) if differs else ""
            for value, differs in zip(parameters, varies, strict=True)
        ]
        constants = [
            value for value, differs in zip(parameters, varies, strict=True) if not differs
        ]
        digest = sha256(repr((text, query._types, constants)).encode()).hexdigest()
        query.name = f"auditor_{digest[:32]}"
        return query

    def preparing(self, parameters: Sequence[Any], context: AdaptContext) -> str:
        """Return the statement that gives the query to PostgreSQL, under its name."""
        values = iter(zip(self._types, parameters, strict=True))
        number = 0

        def filled(place: re.Match[str]) -> str:
            nonlocal number
            if place[0] == "%%":
                return "%"
            kind, value = next(values)
            if not kind:
                return sql.Literal(value).as_string(context)
            number += 1
            return f"${number}"

        text = _PLACES.sub(filled, self)
        return f"PREPARE {self.name} ({', '.join(filter(None, self._types))}) AS {text}"

    def executing(self, parameters: Sequence[Any], context: AdaptContext) -> str:
        """Return the statement that executes what `preparing` gave."""
        values = (
            sql.Literal(value).as_string(context)
            for kind, value in zip(self._types, parameters, strict=True)
            if kind
        )
        return f"EXECUTE {self.name} ({', '.join(values)})"


def _type_of(value: Any) -> str:
    """Return the type of PostgreSQL; of a text it is what its place in the query asks for."""
    kinds = {int: "bigint", datetime: "timestamptz", date: "date", UUID: "uuid", str: "unknown"}
    return next(name for kind, name in kinds.items() if isinstance(value, kind))
