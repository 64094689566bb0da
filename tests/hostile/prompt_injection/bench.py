"""Audits of the corpus, in this process and through the courtroom's own door."""

from __future__ import annotations

import asyncio
from functools import cache
from pathlib import Path

from courtroom import (
    AuditReport,
    BenchSettings,
    Case,
    Known,
    constitution_of,
    hold_audit,
    shipped_rubric,
)
from courtroom.analysis.git.snapshot import take_snapshot
from courtroom.analysis.pdf.read_pdf import read_pdf
from courtroom.analysis.prompt_injection.detection import suspicious_in
from courtroom.analysis.prompt_injection.repository_text import look_for_suspicions
from courtroom.checks.file_exists import FileExists
from courtroom.checks.pdf_concept import PdfConcept
from courtroom.checks.python_call import PythonCall
from courtroom.checks.text_contains import TextContains
from courtroom.models.case import Limits
from courtroom.models.judge_answer import PERSONAS
from courtroom.models.rubric import Criterion, Rubric
from tests.hostile.prompt_injection.material import Submission

Scores = dict[str, int | None]
Handed = tuple[Path, Path]


# Quotes whatever line holds a word that attacks use: the worst that a rubric could show to a judge.
QUOTING = Criterion(
    id="quoting",
    name="Quoted words",
    checks=(
        *(
            TextContains(id=f"quote.{word}", goal="A word is used", any_of=(word,), paths=("**",))
            for word in (
                "ignor",
                "award",
                "score",
                "5",
                "silent",
                "visa",
                "professor",
                "found",
                "decode",
                "system",
            )
        ),
        FileExists(id="quote.files", goal="There are files", any_of=("**",)),
        PythonCall(id="quote.calls", goal="Something is logged", any_of=("info", "logger.info")),
        PdfConcept(
            id="quote.report_rubric",
            goal="The report speaks of a rubric",
            term="rubric",
            use="mentioned",
        ),
        PdfConcept(
            id="quote.report_award",
            goal="The report speaks of an award",
            term="award",
            use="mentioned",
        ),
    ),
)


@cache
def rubric_of_the_course() -> Rubric:
    """The self-audit's ten criteria, and one more that only quotes."""
    shipped = shipped_rubric("self_audit")
    return shipped.model_copy(update={"criteria": (*shipped.criteria, QUOTING)})


def case_of(handed: Handed) -> Case:
    repository, pdf = handed
    rubric = rubric_of_the_course()
    constitution = constitution_of(rubric)
    return Case(
        repo_url=str(repository),
        pdf=pdf,
        rubric=rubric,
        constitution=constitution,
        allow_local=True,
    )


def audit(
    handed: Handed, bench: BenchSettings | None = None, known_values: Known | None = None
) -> AuditReport:
    """Return the report of an audit through the courtroom's door, by the heuristic bench at first."""
    reports: list[AuditReport] = []
    # The loop prints what its task returns when it restores the signals: all of a report.
    asyncio.run(_audit(case_of(handed), bench, known_values, reports))
    return reports[0]


async def _audit(
    case: Case, bench: BenchSettings | None, known_values: Known | None, reports: list[AuditReport]
) -> None:
    events = [event async for event in hold_audit(case, bench=bench, known=known_values)]
    report = events[-1].report
    assert report is not None
    reports.append(report)


def repository_is_flagged(repository: Path, folder: Path) -> bool:
    """Return whether the audit's own search finds anything suspicious in it."""
    limits = Limits()
    snapshot = take_snapshot(
        str(repository), ref=None, into=folder, limits=limits, allow_local=True
    )
    return bool(look_for_suspicions(snapshot, limits))


def report_is_flagged(pdf: Path) -> bool:
    return bool(suspicious_in(read_pdf(pdf, Limits())))


def model_at(base_url: str) -> BenchSettings:
    """Three judges of one model, each asked once about all criteria."""
    return BenchSettings(
        kind="llm",
        models=dict.fromkeys(PERSONAS, "gullible"),
        api_key="none",
        base_url=base_url,
        batch="per_judge",
        # What holds without a model that names attacks; it may be talked to as well.
        screen=False,
    )


def scores_of(report: AuditReport) -> Scores:
    return {c.id: c.final_score for c in report.criteria if c.id != QUOTING.id}


def rises(before: Scores, after: Scores) -> dict[str, tuple[int | None, int | None]]:
    """Criteria whose score went up, or that lost one: an attack must not even stop a judgement."""
    return {
        name: (score, after[name])
        for name, score in before.items()
        if (after[name] or 0) > (score or 0) or (score is not None and after[name] is None)
    }


class Court:
    """Judges submissions, each clean twin once, and looks once at each report: most harmless works
    share theirs.
    """

    def __init__(self, folder: Path, model: BenchSettings) -> None:
        self.folder, self.model = folder, model
        self._twins: dict[int, tuple[Scores, Scores]] = {}
        self._flagged_reports: dict[bytes, bool] = {}
        self._count = 0

    def hand_in(self, submission: Submission) -> Handed:
        self._count += 1
        return submission.write(self.folder / str(self._count))

    def verdicts(self, submission: Submission) -> tuple[AuditReport, AuditReport]:
        """By the heuristic bench and by the gullible one, on evidence that is collected once."""
        handed = self.hand_in(submission)
        gullible = audit(handed, self.model)
        heuristic = audit(handed, known_values=Known(report=gullible))
        return heuristic, gullible

    def flags(self, submission: Submission) -> bool:
        repository, pdf = self.hand_in(submission)
        content = pdf.read_bytes()
        if content not in self._flagged_reports:
            self._flagged_reports[content] = report_is_flagged(pdf)
        clone = self.folder / f"clone-{self._count}"
        return self._flagged_reports[content] or repository_is_flagged(repository, clone)

    def twin(self, submission: Submission) -> tuple[Scores, Scores]:
        if id(submission) not in self._twins:
            heuristic, gullible = self.verdicts(submission)
            assert not heuristic.integrity.suspected
            self._twins[id(submission)] = scores_of(heuristic), scores_of(gullible)
        return self._twins[id(submission)]
