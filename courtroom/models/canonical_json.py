"""Canonical JSON text of a value, and its SHA-256: the source of every digest."""

from __future__ import annotations

import hashlib
import json
from typing import Any


def canonical_json(value: Any) -> str:
    """Return UTF-8 text with sorted keys, no spaces and no ASCII escapes."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def digest_of(value: Any) -> str:
    """Return the SHA-256 of the canonical JSON, in hexadecimal."""
    # Text of hostile repositories may hold lone surrogates, which plain UTF-8 refuses.
    return hashlib.sha256(canonical_json(value).encode("utf-8", "surrogatepass")).hexdigest()
