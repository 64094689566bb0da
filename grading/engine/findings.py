"""Findings of a report, read by the courtroom; importing it loads neither langgraph nor models."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from courtroom.findings import (
        MOST_PLACES_SHOWN,
        Draft,
        ReportFindings,
        findings_of_report,
        key_of,
        merged,
        normalised_place,
        words_of,
    )

__all__ = [
    "MOST_PLACES_SHOWN",
    "Draft",
    "ReportFindings",
    "findings_of_report",
    "key_of",
    "merged",
    "normalised_place",
    "words_of",
]


def __getattr__(name: str) -> Any:
    from courtroom import findings

    return getattr(findings, name)
