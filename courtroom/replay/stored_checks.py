"""A check answered from a stored report: from its facts alone, without the repository or the PDF.

Each kind in courtroom/checks/ declares how it replays, or why it needs the submission.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from courtroom.checks import registry
from courtroom.checks.registry import Check
from courtroom.checks.result import Finding
from courtroom.detectives.evidence_writer import write_down
from courtroom.detectives.root_causes import hang_on_root_causes
from courtroom.models.evidence import CheckOutcome, Evidence
from courtroom.replay.stored_report import StoredReport

# Stored verdicts hold this sentence, and are read by it.
NEEDS_THE_SUBMISSION = (
    "A stored report cannot answer this: it needs the submission, so a new audit."
)


@dataclass(frozen=True, slots=True)
class Trial:
    """The outcome of a check on a stored report.

    `outcome.met` null: not established (its reason says why), or, with `needs_submission`, only a
    new audit can tell. `evidence` points at lines and quotes none: their text is not in the facts.
    """

    outcome: CheckOutcome
    evidence: tuple[Evidence, ...] = ()
    needs_submission: bool = False


def try_check(check: Check, document: Mapping[str, Any]) -> Trial:
    """Answer from `document`, a stored report as JSON (automaton-auditor/report@1)."""
    report = StoredReport(document)
    finding = registry.replay(check, report)
    if finding is None:
        outcome = CheckOutcome(check=check.id, met=None, reason=NEEDS_THE_SUBMISSION)
        return Trial(outcome, needs_submission=True)

    evidence, outcomes = hang_on_root_causes(
        [check], *write_down([(check, _at_commit(finding, report.commit))]), report.facts
    )
    return Trial(outcomes[0], evidence)


def _at_commit(finding: Finding, commit: str | None) -> Finding:
    """The finding, with its lines at the commit that was audited."""
    clues = tuple(
        replace(clue, commit=clue.commit or commit) if clue.path else clue for clue in finding.clues
    )
    return replace(finding, clues=clues)
