"""Ids of evidence in the edition of a report that a peer reads without knowing whose work it is.

An id is a hash of what the evidence quotes, so the same id stands in every report on the work, in
public ones too. An edition shows a keyed hash of it instead.
"""

from __future__ import annotations

import hashlib
import hmac
import re
from collections.abc import Iterable
from typing import Any

# Judges may cite the first four digits of an id alone.
EVIDENCE_ID = re.compile(r"(?<![\w-])E-([0-9a-f]{4,8})(?![0-9a-f])")
SHORT = 4


class EditionIds:
    """Ids of evidence under one secret; `secret` belongs to one pairing."""

    def __init__(self, secret: bytes) -> None:
        self._secret = secret

    def hidden(self, value: Any) -> Any:
        """Return the same JSON with each id of evidence replaced, in keys too."""
        return _map_ids(value, lambda match: f"E-{self._digits(match[1])}")

    def resolved(self, value: Any, known: Iterable[str]) -> Any:
        """Return the same JSON with replaced ids turned back; `known` are the true ids."""
        true_digits = [key.removeprefix("E-") for key in known]
        by_hidden = {
            self._digits(digits[:length]): digits[:length]
            for digits in true_digits
            for length in (SHORT, len(digits))
        }
        return _map_ids(value, lambda match: f"E-{by_hidden.get(match[1], match[1])}")

    def _digits(self, digits: str) -> str:
        # The beginning depends on the beginning alone, so that short citations still fit.
        rest = self._hash(digits)[: len(digits) - SHORT]
        return self._hash(digits[:SHORT])[:SHORT] + rest

    def _hash(self, digits: str) -> str:
        return hmac.new(self._secret, digits.encode(), hashlib.sha256).hexdigest()


def has_ids(value: Any) -> bool:
    """Return True if any text in the JSON names evidence."""
    if isinstance(value, str):
        return EVIDENCE_ID.search(value) is not None
    if isinstance(value, dict):
        return any(has_ids(part) for pair in value.items() for part in pair)
    return isinstance(value, list | tuple) and any(map(has_ids, value))


def _map_ids(value: Any, change: Any) -> Any:
    if isinstance(value, str):
        return EVIDENCE_ID.sub(change, value)
    if isinstance(value, dict):
        return {_map_ids(key, change): _map_ids(item, change) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_map_ids(item, change) for item in value]
    return value
