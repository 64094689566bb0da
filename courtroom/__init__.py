"""The courtroom: (case, bench, what is already known) -> a stream of events that ends in an AuditReport.

This is the door. Importing it is cheap: what is heavy (langgraph, pydantic models, langchain) is imported at
first use, because the web process and the confined children pass through here too.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from courtroom.case import BenchSettings as BenchSettings
    from courtroom.case import Case as Case
    from courtroom.case import Known as Known
    from courtroom.case import Limits as Limits
    from courtroom.detectives.recollection import Trial as Trial
    from courtroom.detectives.recollection import try_check as try_check
    from courtroom.errors import CourtroomError as CourtroomError
    from courtroom.errors import InputRefused as InputRefused
    from courtroom.forensics.commit_touches import CommitTouch as CommitTouch
    from courtroom.forensics.commit_touches import commit_touches as commit_touches
    from courtroom.forensics.confinement.standing import missing_walls as missing_walls
    from courtroom.forensics.pdf import probe_pdf as probe_pdf
    from courtroom.forensics.snapshot import probe_repository as probe_repository
    from courtroom.foresight import Foresight as Foresight
    from courtroom.foresight import Revision as Revision
    from courtroom.foresight import foresee as foresee
    from courtroom.hearing import hold_audit as hold_audit
    from courtroom.hearing import warm_up as warm_up
    from courtroom.judges.gate import NotAdmitted as NotAdmitted
    from courtroom.justice.constitutions import constitution_of as constitution_of
    from courtroom.justice.constitutions import preset as preset
    from courtroom.justice.rules import Constitution as Constitution
    from courtroom.record import AuditEvent as AuditEvent
    from courtroom.record import AuditReport as AuditReport
    from courtroom.record import JudgeFailure as JudgeFailure
    from courtroom.record import JudicialOpinion as JudicialOpinion
    from courtroom.record import Usage as Usage
    from courtroom.report import render_markdown as render_markdown
    from courtroom.report_reading.imported import ImportedReport as ImportedReport
    from courtroom.report_reading.matching import CriteriaMatch as CriteriaMatch
    from courtroom.report_reading.matching import matched_criteria as matched_criteria
    from courtroom.report_reading.reader import read_report as read_report
    from courtroom.report_reading.repository_reports import RepositoryReports as RepositoryReports
    from courtroom.report_reading.repository_reports import read_repository_reports as read_repository_reports
    from courtroom.rubric import Rubric as Rubric
    from courtroom.rubric_reading.reader import read_rubric as read_rubric
    from courtroom.rubric_reading.reader import shipped_rubric as shipped_rubric

_ROOMS = {
    "BenchSettings": "case",
    "Case": "case",
    "Known": "case",
    "Limits": "case",
    "Trial": "detectives.recollection",
    "try_check": "detectives.recollection",
    "CourtroomError": "errors",
    "InputRefused": "errors",
    "Foresight": "foresight",
    "Revision": "foresight",
    "foresee": "foresight",
    "CommitTouch": "forensics.commit_touches",
    "commit_touches": "forensics.commit_touches",
    "probe_pdf": "forensics.pdf",
    "probe_repository": "forensics.snapshot",
    "missing_walls": "forensics.confinement.standing",
    "hold_audit": "hearing",
    "warm_up": "hearing",
    "NotAdmitted": "judges.gate",
    "constitution_of": "justice.constitutions",
    "preset": "justice.constitutions",
    "Constitution": "justice.rules",
    "AuditEvent": "record",
    "AuditReport": "record",
    "JudgeFailure": "record",
    "JudicialOpinion": "record",
    "Usage": "record",
    "render_markdown": "report",
    "ImportedReport": "report_reading.imported",
    "CriteriaMatch": "report_reading.matching",
    "matched_criteria": "report_reading.matching",
    "read_report": "report_reading.reader",
    "RepositoryReports": "report_reading.repository_reports",
    "read_repository_reports": "report_reading.repository_reports",
    "Rubric": "rubric",
    "read_rubric": "rubric_reading.reader",
    "shipped_rubric": "rubric_reading.reader",
}
__all__ = sorted(_ROOMS)  # noqa: PLE0605 -- one list: the rooms and what is exported


def __getattr__(name: str) -> Any:
    if name not in _ROOMS:
        message = f"the courtroom has no {name}"
        raise AttributeError(message)
    return getattr(import_module(f"courtroom.{_ROOMS[name]}"), name)
