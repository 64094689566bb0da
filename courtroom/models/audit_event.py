"""Events of a running audit."""

from __future__ import annotations

from typing import Literal

from courtroom.models.audit_report import AuditReport, Screening, Usage
from courtroom.models.evidence import Evidence
from courtroom.models.frozen_record import Frozen
from courtroom.models.judge_answer import JudgeFailure, JudicialOpinion
from courtroom.models.source_file import SourceFile


class AuditEvent(Frozen):
    """Progress of an audit. `kind` says which of the optional fields is set.

    contents: the inputs were read; `files` are the lines of each file at the commit (null for a
    binary one), null where they could not be counted, `sources` their texts where the case asks for
    them, and `pages` those of the PDF, null without one that could be read. stage: a node of the graph began or ended. evidence: a detective is done (`usage` and `model`
    where it called a model). opinion: a judge answered (an opinion or a failure; `usage` is the
    cost of the answer). screening: a model screened the prose, now or in an earlier audit. report:
    the last event of every audit.
    """

    kind: Literal["contents", "stage", "evidence", "opinion", "screening", "report"]
    stage: str | None = None
    ended: bool = False
    files: dict[str, int | None] | None = None
    sources: dict[str, SourceFile] | None = None
    pages: int | None = None
    evidence: tuple[Evidence, ...] = ()
    opinion: JudicialOpinion | None = None
    failure: JudgeFailure | None = None
    screening: Screening | None = None
    usage: Usage | None = None
    model: str = ""
    report: AuditReport | None = None
