"""A fingerprint of what a page showed: sent along with its form, it tells whether that still stands."""

import hashlib
import json
from collections.abc import Mapping
from typing import Any


def fingerprint_of(*shown: Any) -> str:
    """32 characters, the same for the same plain values."""
    text = json.dumps(shown, sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def fingerprint_of_criterion(digest: str, criterion_id: str, told: Mapping[str, Any]) -> str:
    """Of a criterion as it counts: `digest` is its report's, `told` in the shape of a row of Grade.released."""
    by_hand = [told["score"], told["override_reason"]] if told["override_reason"] else None
    return fingerprint_of(digest, criterion_id, by_hand)
