"""Streaming of rows after the request has left its scope."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from typing import TypeVar

from django_scopes import scope

Item = TypeVar("Item")


def in_steps(organization_id: int, items: Generator[Item]) -> Iterator[Item]:
    """Yield the items, each fetched inside the organization's scope; the scope is left in between."""
    try:
        while True:
            with scope(organization=organization_id):
                try:
                    item = next(items)
                except StopIteration:
                    return
            yield item
    finally:
        items.close()
