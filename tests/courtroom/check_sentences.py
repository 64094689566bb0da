"""Table of what reports say of every check of the shipped rubrics, with facts of small works.

`python -m tests.courtroom.check_sentences` writes it to docs/check-sentences.md.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

from courtroom import AuditReport, BenchSettings, Case, Known, hold_audit, preset
from courtroom.models.audit_report import CriterionCheck
from courtroom.models.project_facts import ExchangeFact
from courtroom.models.rubric import Rubric
from courtroom.models.statement import Statement, whether
from courtroom.rendering.markdown_escaping import escape_prose
from courtroom.rubric_import.shipped_rubrics import SHIPPED, load_shipped
from courtroom.synthesis.dissent import shorten
from grading.demo.reports import write_report
from grading.demo.stories import publish_repository
from tests.courtroom.sentence_works import (
    COMPLETE_EXCHANGE,
    FAULTY_EXCHANGE,
    complete_work,
    faulty_work,
    loose_work,
)

PAGE = Path(__file__).parents[2] / "docs" / "check-sentences.md"
# The first work in which a check has an outcome shows it.
DEMO_WORKS = ("tribunal", "quick-auditor", "review-pipeline", "code-court", "ultimate-auditor")
MOST_CHARACTERS = 400
HEAD = """# What reports say of each check

A check has two sentences: its goal where it is met, its fault where it is not, each with the fact that was found. This
table has both for every check of the shipped rubrics, as reports say them of small works: the demo submissions, and those
of `tests/courtroom/sentence_works.py`. A test holds it; after a change of sentences
`.venv/bin/python -m tests.courtroom.check_sentences` writes it again.

- A goal is one clause that also reads well after *whether*: what could not be checked, or does not apply, is said with it, as
  in *It could not be checked whether the clone has a deadline*. So it has no colon, semicolon or *whether* of its own.
- A fault says what is so. Where a check is about several faults it has no *or* between them: the outcome says which one is
  so, and the rubric leaves its `fault` out, or has one that is true of each. After *No* an *or* is right.
"""


@dataclass(frozen=True, slots=True)
class Sentences:
    """Statements on one check by its outcome, met or not."""

    check: str
    by_outcome: dict[bool, Statement] = field(default_factory=dict)


def audited_works() -> list[AuditReport]:
    """Audit the works under all shipped rubrics."""
    with TemporaryDirectory() as folder:
        return list(_reports(Path(folder), _all_checks()))


def checks_of(report: AuditReport) -> list[CriterionCheck]:
    return [check for criterion in report.criteria for check in criterion.checks]


def sentences_in(reports: Sequence[AuditReport]) -> dict[str, Sentences]:
    """Return the statements by id of the check; of several reports the first shows an outcome."""
    rows = {check.check: Sentences(check.check) for check in checks_of(reports[0])}
    for check in (check for report in reports for check in checks_of(report)):
        if check.met is not None:
            rows[check.check].by_outcome.setdefault(check.met, check.statement)
    return rows


def _all_checks() -> Rubric:
    criteria = (
        # The same criterion may stand in two rubrics.
        criterion.model_copy(update={"id": f"{name}.{criterion.id}", "exclude_when": None})
        for name in SHIPPED
        for criterion in load_shipped(name).criteria
    )
    return Rubric(id="all", name="All", version="1", criteria=tuple(criteria))


def _reports(folder: Path, rubric: Rubric) -> Iterator[AuditReport]:
    yield _audit(rubric, *faulty_work(folder), FAULTY_EXCHANGE)
    for name in DEMO_WORKS:
        repository = folder / f"{name}.git"
        publish_repository(name, repository)
        yield _audit(rubric, repository, write_report(name, folder / f"{name}.pdf"), None)
    yield _audit(rubric, *complete_work(folder), COMPLETE_EXCHANGE)
    yield _audit(rubric, loose_work(folder), None, None)


def _audit(
    rubric: Rubric, repository: Path, pdf: Path | None, exchange: ExchangeFact | None
) -> AuditReport:
    case = Case(
        repo_url=str(repository),
        pdf=pdf,
        rubric=rubric,
        constitution=preset("default"),
        allow_local=True,
        exchange=exchange,
    )
    return asyncio.run(_held(case))


async def _held(case: Case) -> AuditReport:
    events = [event async for event in hold_audit(case, bench=BenchSettings(), known=Known())]
    report = events[-1].report
    assert report is not None
    return report


def page(rows: dict[str, Sentences]) -> str:
    return "\n".join([HEAD, *(line for name in SHIPPED for line in _table(name, rows))])


def _table(name: str, rows: dict[str, Sentences]) -> Iterator[str]:
    rubric = load_shipped(name)
    yield f"## {rubric.name}\n"
    yield "| check | met | not met | not checked |\n|---|---|---|---|"
    for check in rubric.checks:
        outcomes = rows[check.id].by_outcome
        cells = (outcomes.get(True), outcomes.get(False), whether(check.goal))
        yield f"| `{check.id}` | {' | '.join(map(_cell, cells))} |"
    yield ""


def _cell(statement: Statement | str | None) -> str:
    return escape_prose(shorten(str(statement or ""), MOST_CHARACTERS))


if __name__ == "__main__":
    PAGE.write_text(page(sentences_in(audited_works())), encoding="utf-8")
