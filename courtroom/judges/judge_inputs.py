"""What one judge is shown on one criterion: cut from the dossier the same way wherever a bench is heard."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeGuard

from courtroom.judges.opinion import Brief
from courtroom.models.record import CheckOutcome, Evidence, JudgeFailure, JudicialOpinion, Persona
from courtroom.models.rubric import Criterion

Heard = JudicialOpinion | JudgeFailure


def brief_for(
    persona: Persona,
    criterion: Criterion,
    evidence: Sequence[Evidence],
    outcomes: Sequence[CheckOutcome],
    hearing: int,
    said: Sequence[Heard],
    docket: str = "",
) -> Brief:
    """The criterion's own evidence and outcomes, and the report's passages on it; all evidence where it has no checks.

    `hearing` is 1-based; of `said`, a judge is shown the opinions of the hearing before.
    """
    owed_here = {check.id for check in criterion.checks}
    asked = tuple(o for o in outcomes if o.check in owed_here)
    besides = criterion.passages
    shown = {i for outcome in asked for i in outcome.evidence}
    return Brief(
        persona=persona,
        criterion=criterion,
        evidence=tuple(
            e for e in evidence if e.id in shown or e.check == besides or not criterion.checks
        ),
        outcomes=asked,
        round=hearing,
        earlier=tuple(o for o in said if _is_earlier(o, criterion, hearing)),
        docket=docket,
    )


def _is_earlier(said: Heard, criterion: Criterion, hearing: int) -> TypeGuard[JudicialOpinion]:
    return isinstance(said, JudicialOpinion) and (said.criterion_id, said.round) == (
        criterion.id,
        hearing - 1,
    )
