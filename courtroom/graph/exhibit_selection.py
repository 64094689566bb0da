"""Choose and render the exhibits of every criterion, once for an audit."""

from __future__ import annotations

import logging
from collections.abc import Sequence

from courtroom.detectives.detective_result import Dossier, recorded_error
from courtroom.exhibits.selection import lay_out
from courtroom.inputs import AuditInputs
from courtroom.judges.judge_inputs import evidence_on, outcomes_on
from courtroom.judges.material import Material, Submission, files_of, material_of
from courtroom.models.audit_report import RecordedError
from courtroom.models.case import BenchSettings, Case
from courtroom.models.errors import ExaminationFailed
from courtroom.models.exhibit import CriterionExhibits
from courtroom.models.rubric import Criterion

STAGE = "exhibit_selection"
FAILED = "exhibits_failed"
FAILED_MESSAGE = (
    "The work could not be laid out for the judges: they read the outcomes of the checks."
)
log = logging.getLogger(__name__)


def select_materials(
    case: Case, inputs: AuditInputs, settings: BenchSettings, dossier: Dossier
) -> tuple[dict[str, Material], tuple[RecordedError, ...]]:
    """Return the material of each criterion by its id, and the error where exhibits are missing.

    Without exhibits the judges read the outcomes of the checks alone.
    """
    criteria = case.rubric.criteria
    try:
        rows = lay_out(
            inputs.snapshot,
            dossier,
            case.rubric,
            inputs.pdf,
            limits=case.limits,
            room=settings.exhibit_characters,
        )
    except ExaminationFailed as failed:
        return materials_on(criteria, dossier, settings), (recorded_error(STAGE, failed),)
    except Exception:
        # Whatever it is, the outcomes can be judged; the words are for the log.
        log.exception("the exhibits could not be laid out")
        error = RecordedError(stage=STAGE, code=FAILED, message=FAILED_MESSAGE)
        return materials_on(criteria, dossier, settings), (error,)
    return materials_on(criteria, dossier, settings, rows), ()


def materials_on(
    criteria: Sequence[Criterion],
    dossier: Dossier,
    settings: BenchSettings,
    rows: Sequence[CriterionExhibits] = (),
) -> dict[str, Material]:
    """Return the material of these criteria by their ids; without `rows`, outcomes alone."""
    exhibits = {row.criterion_id: row for row in rows}
    submission = Submission(
        evidence=dossier.evidence,
        outcomes=dossier.outcomes,
        files=files_of(dossier.evidence, rows),
        secret=settings.fence_secret.get_secret_value(),
    )
    materials = {}
    for criterion in criteria:
        outcomes = outcomes_on(criterion, dossier.outcomes)
        items = evidence_on(criterion, dossier.evidence, outcomes)
        materials[criterion.id] = material_of(
            criterion, items, exhibits.get(criterion.id), submission
        )
    return materials
