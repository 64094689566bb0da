"""Evidence that a submission needs to be judged, and what to do where it lacks that."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from courtroom.models.evidence import CITED_TAG, INTEGRITY_TAG, CheckOutcome, Evidence
from courtroom.models.facts import NOT_EXAMINED
from courtroom.synthesis.evidence_weight import StatedFacts
from courtroom.synthesis.rules import Constitution

RULE = "insufficient_evidence"
# Reasons for missing facts that a rationale names.
MOST_REASONS = 3
NO_CODE = (
    "The repository holds no line of code of its own, so nothing can be judged."
    " Push the code, then submit the commit that has it."
)
UNREAD = "No part of the submission could be read."
READ_AGAIN = "Start the audit again; the errors of this one say what failed."
SUBMIT_AGAIN = (
    "Check that this commit and this report are the ones to be judged, then submit again."
)


def why_insufficient(
    constitution: Constitution,
    evidence: Iterable[Evidence],
    facts: StatedFacts,
    outcomes: Iterable[CheckOutcome] = (),
) -> str:
    """Return why nothing can be judged and what to do; "" where the evidence suffices.

    A work without a line of code, or of which nothing was read, is judged by no constitution.
    """
    if _has_no_code(facts):
        return NO_CODE
    count = count_sufficient(constitution, evidence)
    failures = list(dict.fromkeys(outcome.reason for outcome in outcomes if outcome.has_failed))
    reasons = failures[:MOST_REASONS] or _reasons(facts)
    if not count and _is_unread(facts):
        return " ".join([UNREAD, *reasons, READ_AGAIN])
    if count >= constitution.min_evidence:
        return ""
    pieces = "piece" if count == 1 else "pieces"
    needed = constitution.min_evidence
    shortage = (
        f"The detectives found {count} {pieces} of evidence, and {needed}"
        f" {'is' if needed == 1 else 'are'} needed."
    )
    return " ".join([shortage, *reasons, READ_AGAIN if failures else SUBMIT_AGAIN])


def count_sufficient(constitution: Constitution, evidence: Iterable[Evidence]) -> int:
    """Count the evidence that was found, with at least the confidence that is needed."""
    return sum(_counts(item, constitution.min_evidence_confidence) for item in evidence)


def _counts(item: Evidence, min_confidence: float) -> bool:
    # Neither words to the graders nor what a judge cited is found by a detective's check.
    is_of_check = not {INTEGRITY_TAG, CITED_TAG} & set(item.tags)
    return item.found and is_of_check and item.confidence >= min_confidence


def _has_no_code(facts: StatedFacts) -> bool:
    project: dict[str, Any] | None = facts.model_dump(mode="json", by_alias=True).get("project")
    return project is not None and project.get("code_files") == 0


def _is_unread(facts: StatedFacts) -> bool:
    return facts.unknown.get("project", NOT_EXAMINED) != NOT_EXAMINED


def _reasons(facts: StatedFacts) -> Sequence[str]:
    reasons = sorted(set(facts.unknown.values()) - {NOT_EXAMINED})
    return [f"Not established: {reason.rstrip('.')}." for reason in reasons[:MOST_REASONS]]
