"""The courtroom: (case, bench, earlier results) -> a stream of events that ends in an AuditReport.

This is the public interface. Importing it is cheap: langgraph, the pydantic models and langchain
are imported at first use, because the web process and the confined children import it too.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from courtroom.analysis.git.commit_touches import CommitTouch as CommitTouch
    from courtroom.analysis.git.commit_touches import commit_touches as commit_touches
    from courtroom.analysis.git.file_at_commit import read_file_at_commit as read_file_at_commit
    from courtroom.analysis.git.snapshot import probe_repository as probe_repository
    from courtroom.analysis.pdf.read_pdf import probe_pdf as probe_pdf
    from courtroom.analysis.sandbox.availability import missing_protections as missing_protections
    from courtroom.analysis.warm_readers import prepare_readers as prepare_readers
    from courtroom.judges.connection_trial import ModelTrial as ModelTrial
    from courtroom.judges.connection_trial import try_models as try_models
    from courtroom.judges.rate_limit import RateLimitTimeout as RateLimitTimeout
    from courtroom.models.audit_event import AuditEvent as AuditEvent
    from courtroom.models.audit_report import AuditReport as AuditReport
    from courtroom.models.audit_report import Usage as Usage
    from courtroom.models.case import BenchSettings as BenchSettings
    from courtroom.models.case import Case as Case
    from courtroom.models.case import Known as Known
    from courtroom.models.case import Limits as Limits
    from courtroom.models.errors import CourtroomError as CourtroomError
    from courtroom.models.errors import InputRefused as InputRefused
    from courtroom.models.judge_answer import JudgeFailure as JudgeFailure
    from courtroom.models.judge_answer import JudicialOpinion as JudicialOpinion
    from courtroom.models.rubric import Rubric as Rubric
    from courtroom.rendering.annotations import Annotation as Annotation
    from courtroom.rendering.annotations import annotations_of as annotations_of
    from courtroom.rendering.junit_report import render_junit as render_junit
    from courtroom.rendering.markdown_report import render_markdown as render_markdown
    from courtroom.rendering.sarif_report import render_sarif as render_sarif
    from courtroom.replay.rubric_preview import RubricPreview as RubricPreview
    from courtroom.replay.rubric_preview import RubricRevision as RubricRevision
    from courtroom.replay.rubric_preview import preview_rubric as preview_rubric
    from courtroom.replay.stored_checks import Trial as Trial
    from courtroom.replay.stored_checks import try_check as try_check
    from courtroom.report_import.criterion_matching import CriteriaMatch as CriteriaMatch
    from courtroom.report_import.criterion_matching import matched_criteria as matched_criteria
    from courtroom.report_import.imported_report import ImportedReport as ImportedReport
    from courtroom.report_import.read_report import read_report as read_report
    from courtroom.report_import.repository_reports import RepositoryReports as RepositoryReports
    from courtroom.report_import.repository_reports import (
        read_repository_reports as read_repository_reports,
    )
    from courtroom.rubric_import.read_rubric import read_rubric as read_rubric
    from courtroom.rubric_import.read_rubric import shipped_rubric as shipped_rubric
    from courtroom.run_audit import hold_audit as hold_audit
    from courtroom.run_audit import warm_up as warm_up
    from courtroom.synthesis.constitutions import constitution_of as constitution_of
    from courtroom.synthesis.constitutions import preset as preset
    from courtroom.synthesis.rules import Constitution as Constitution

# Module of every public name, below `courtroom`.
_MODULES = {
    "BenchSettings": "models.case",
    "Case": "models.case",
    "Known": "models.case",
    "Limits": "models.case",
    "Trial": "replay.stored_checks",
    "try_check": "replay.stored_checks",
    "CourtroomError": "models.errors",
    "InputRefused": "models.errors",
    "RubricPreview": "replay.rubric_preview",
    "RubricRevision": "replay.rubric_preview",
    "preview_rubric": "replay.rubric_preview",
    "CommitTouch": "analysis.git.commit_touches",
    "commit_touches": "analysis.git.commit_touches",
    "read_file_at_commit": "analysis.git.file_at_commit",
    "probe_pdf": "analysis.pdf.read_pdf",
    "probe_repository": "analysis.git.snapshot",
    "missing_protections": "analysis.sandbox.availability",
    "prepare_readers": "analysis.warm_readers",
    "hold_audit": "run_audit",
    "warm_up": "run_audit",
    "RateLimitTimeout": "judges.rate_limit",
    "ModelTrial": "judges.connection_trial",
    "try_models": "judges.connection_trial",
    "constitution_of": "synthesis.constitutions",
    "preset": "synthesis.constitutions",
    "Constitution": "synthesis.rules",
    "AuditEvent": "models.audit_event",
    "AuditReport": "models.audit_report",
    "JudgeFailure": "models.judge_answer",
    "JudicialOpinion": "models.judge_answer",
    "Usage": "models.audit_report",
    "render_junit": "rendering.junit_report",
    "render_markdown": "rendering.markdown_report",
    "Annotation": "rendering.annotations",
    "annotations_of": "rendering.annotations",
    "render_sarif": "rendering.sarif_report",
    "ImportedReport": "report_import.imported_report",
    "CriteriaMatch": "report_import.criterion_matching",
    "matched_criteria": "report_import.criterion_matching",
    "read_report": "report_import.read_report",
    "RepositoryReports": "report_import.repository_reports",
    "read_repository_reports": "report_import.repository_reports",
    "Rubric": "models.rubric",
    "read_rubric": "rubric_import.read_rubric",
    "shipped_rubric": "rubric_import.read_rubric",
}
__all__ = sorted(_MODULES)  # noqa: PLE0605 -- the exported names are the keys


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        message = f"the courtroom has no {name}"
        raise AttributeError(message)
    return getattr(import_module(f"courtroom.{_MODULES[name]}"), name)
