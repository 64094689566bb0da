"""The targeting protocol: which detective owes an answer to which checks of a rubric."""

from __future__ import annotations

from courtroom.checks.registry import Check, detective_for
from courtroom.models.evidence import DetectiveName
from courtroom.models.rubric import Rubric

# Their evidence is joined in this order, whichever ends first.
DETECTIVES: tuple[DetectiveName, ...] = ("RepoInvestigator", "DocAnalyst", "VisionInspector")


def owed(rubric: Rubric) -> dict[DetectiveName, tuple[Check, ...]]:
    """Every check of the rubric under exactly one detective, in the rubric's order."""
    return {
        name: tuple(c for c in rubric.checks if detective_for(c) == name) for name in DETECTIVES
    }
