"""Typed report: the stored JSON of an audit (`automaton-auditor/report@1`) as frozen records.

No other module of the site indexes that JSON by key (tests/engine/test_report_borders.py). The
records are the site's own: they ignore keys that they do not know, and take a default where an
older or redacted report lacks one (docs/decisions/0003-typed-report.md). What is stored and served
stays the JSON itself, byte for byte. Importing this module loads nothing of the courtroom.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal, get_args

from django.db.models import Q
from pydantic import BeforeValidator, Field, ValidationError

from grading.core.errors import ReportUnreadable
from grading.engine.report_facts import (
    AuditFiles,
    CommitAuthor,
    Facts,
    ReportRecord,
)

if TYPE_CHECKING:
    from courtroom.models.statement import Statement
    from courtroom.rendering.error_groups import ErrorGroup

Json = Mapping[str, Any]
Status = Literal["verdict", "needs_review", "degraded"]
# Paths in the stored JSON, for lookups on an audit that the database answers.
COMMIT_AUTHORS_LOOKUP: Final = "report__facts__history__authors"
EXCHANGE_LOOKUPS: Final = (
    "report__facts__minmax__generated",
    "report__facts__minmax__received",
    "report__facts__deferrals",
    "report__facts__communication_entries",
)
# The courtroom records these when a quote is not at its place, and when a judge cites what does
# not exist.
EVIDENCE_UNVERIFIED: Final = "evidence_unverified"
CITATIONS_REMOVED: Final = "citations_removed"
# Tag of evidence that shows a possible prompt injection.
INTEGRITY_TAG: Final = "integrity"
# A passage in tests, examples and the like, which is no flag.
ASIDE_TAG: Final = "set_aside"
# Rule of a criterion of a work with too little evidence to be judged.
INSUFFICIENT: Final = "insufficient_evidence"
# Tag of lines that a judge cited beyond what the detectives found.
CITED_TAG: Final = "cited"


class Location(ReportRecord):
    """Place to look at: lines of a file, a page of the PDF, a commit, or (all null) the whole work.

    Lines and pages are 1-based. A redacted edition has no commit.
    """

    path: str | None = None
    line_start: int | None = None
    line_end: int | None = None
    page: int | None = None
    commit: str | None = None


class Evidence(ReportRecord):
    """One thing that a detective saw, or looked for in vain; `confidence` is 0..1."""

    id: str
    detective: str = ""
    check: str = ""
    goal: str = ""
    found: bool = False
    content: str | None = None
    location: Location = Location()
    rationale: str = ""
    confidence: float = 1.0
    tags: tuple[str, ...] = ()

    @property
    def quotes_file(self) -> bool:
        """True where `content` is verbatim lines of a file, not a statement."""
        return bool(self.content and self.location.path and self.location.line_start)

    @property
    def is_vain_search(self) -> bool:
        """True where nothing was recognised, and `content` says what was looked for everywhere."""
        return bool(self.content) and not self.found and self.location == Location()


class AskedPlace(ReportRecord):
    """Place that a judge asked to read, as it named it, and the lines read to it or why not."""

    place: str
    locations: tuple[Location, ...] = ()
    refusal: str = ""


class Opinion(ReportRecord):
    """Answer of one judge in one round: `score` is null where `failure` says why there is none."""

    judge: str
    round: int = 1
    score: int | None = None
    argument: str = ""
    cited_evidence: tuple[str, ...] = ()
    model: str = ""
    failure: str | None = None
    asked: tuple[AskedPlace, ...] = Field((), exclude_if=lambda places: not places)

    def as_markdown(self, words: str) -> str:
        """Return words of the argument as Markdown: a model writes it, heuristics write sentences."""
        from courtroom.models.judge_answer import HEURISTIC
        from courtroom.rendering.markdown_escaping import escape_sentence

        return escape_sentence(words) if self.model.startswith(HEURISTIC) else words


class RootCause(ReportRecord):
    """What the work lacks, in a sentence; the same lack has the same code in every report."""

    code: str
    sentence: str


def root_cause_codes() -> tuple[str, ...]:
    """Return the codes of all root causes."""
    from courtroom.models.root_cause import RootCauseCode

    return get_args(RootCauseCode)


class Check(ReportRecord):
    """Outcome of one check of the rubric; `met` is null where it could not be established, and where
    it does not apply because of the root cause `not_applicable`.

    `goal` is the sentence where it is met, `fault` the one where it is not, "" in older reports.
    `has_reservation`: the reason of one that is met also says what is missing.
    """

    check: str = ""
    kind: str = ""
    goal: str = ""
    fault: str = ""
    met: bool | None = None
    reason: str = ""
    weight: float = 1.0
    essential: bool = Field(default=False, exclude_if=lambda essential: not essential)
    evidence: tuple[str, ...] = ()
    has_reservation: bool = Field(default=False, exclude_if=lambda reserved: not reserved)
    not_applicable: RootCause | None = Field(None, exclude_if=lambda cause: cause is None)

    @cached_property
    def statement(self) -> Statement:
        """What to say of it: what holds or what is wrong, with the fact that shows it."""
        from courtroom.models.statement import statement_of

        return statement_of(
            goal=self.goal,
            fault=self.fault,
            met=self.met,
            reason=self.reason,
            is_applicable=self.not_applicable is None,
        )

    @cached_property
    def search_statement(self) -> Statement:
        """Sentence and remarks where it searched for a fault and recognised none."""
        from courtroom.models.statement import vain_search

        return vain_search(goal=self.goal, reason=self.reason, has_reservation=self.has_reservation)


class FiredRule(ReportRecord):
    """Rule of the constitution that applied to a criterion, with the score before and after it."""

    rule: str
    before: float | None = None
    after: float | None = None
    why: str = ""


class RuleStep(ReportRecord):
    """Step on the way to a score, in words: what a rule read, and what follows from it."""

    rule: str
    fired: bool = True
    input: str
    output: str


class Remediation(ReportRecord):
    """One concrete change; `path` is null where it belongs to no file."""

    path: str | None = None
    line: int | None = None
    action: str
    snippet: str | None = None
    priority: str = "medium"
    evidence: tuple[str, ...] = ()


class NextStep(ReportRecord):
    """Change that is worth most; `effect` says what it makes of the criterion's `score_now`."""

    criterion_id: str
    action: str
    path: str | None = None
    line: int | None = None
    places: int = 1
    effort: str
    score_now: int
    effect: str


class Criterion(ReportRecord):
    """Result of one criterion; `final_score` is null until a quorum or a person has given one.

    An edition without scores has no score, level, points, dissent, opinions, rules and steps.
    """

    id: str
    name: str = ""
    final_score: int | None = None
    level: str | None = None
    points: float | None = None
    max_points: float | None = None
    excluded: bool = False
    needs_review: bool = False
    resolution: tuple[str, ...] = ()
    rules: tuple[FiredRule, ...] = ()
    steps: tuple[RuleStep, ...] = Field((), exclude_if=lambda steps: not steps)
    rationale: str = ""
    dissent: str | None = None
    opinions: tuple[Opinion, ...] = ()
    checks: tuple[Check, ...] = ()
    evidence: tuple[str, ...] = ()
    remediation: tuple[Remediation, ...] = ()


class RecordedError(ReportRecord):
    """Failure on our side, or something that could not be read; `stage` is a node of the graph.

    `judge` and `criterion` are set where a judge failed.
    """

    stage: str = ""
    code: str
    message: str = ""
    judge: str | None = Field(None, exclude_if=lambda judge: judge is None)
    criterion: str | None = Field(None, exclude_if=lambda criterion: criterion is None)


class Integrity(ReportRecord):
    """Suspicious text in the work, such as instructions to the judges.

    `spans` quote what the search by patterns found. `Report.suspicions` has all of it: what a model
    named beside that is evidence alone.
    """

    suspected: bool = False
    spans: tuple[str, ...] = ()


class Usage(ReportRecord):
    """Calls and tokens as the provider counted them; `cost_usd` is null without a price.

    `answer_forms`: the form in which each model was asked for its answer. `refused`: what its
    endpoint refused beside other forms, and was asked without.
    """

    calls: int = 0
    reused: int = 0
    prompt_tokens: int = 0
    cached_tokens: int = 0
    completion_tokens: int = 0
    cost_usd: float | None = None
    answer_forms: dict[str, str] = Field(default={}, exclude_if=lambda forms: not forms)
    refused: dict[str, tuple[str, ...]] = Field(default={}, exclude_if=lambda parts: not parts)


class RubricReference(ReportRecord):
    """Rubric that the work was judged under."""

    id: str = ""
    version: str = ""
    digest: str = ""


class ConstitutionReference(ReportRecord):
    """Rules of synthesis that the work was judged under."""

    id: str = ""
    digest: str = ""


class JudgeReference(ReportRecord):
    """Kind of a judge, `heuristic` or `llm`, and its model."""

    kind: str = "heuristic"
    model: str = ""


class Points(ReportRecord):
    """Sum of the points of a rubric that gives points."""

    earned: float
    possible: float


def _empty_for_null(value: Any) -> Any:
    return {} if value is None else value


class Report(ReportRecord):
    """Record of one audit. `overall_score` is null unless there is a verdict and it may be seen.

    In a redacted edition the repository's address, commit, ref and digests are a mark, not a value.
    """

    repo_url: str = ""
    commit: str | None = None
    ref: str | None = None
    pdf_sha256: str | None = None
    rubric: RubricReference = RubricReference()
    constitution: ConstitutionReference = ConstitutionReference()
    judges: dict[str, JudgeReference] = {}
    # A report without a status must never be read as a verdict.
    status: Status = "degraded"
    overall_score: float | None = None
    points: Points | None = None
    steps: tuple[RuleStep, ...] = Field((), exclude_if=lambda steps: not steps)
    criteria: tuple[Criterion, ...] = ()
    # None in reports of an older make, and in editions without scores.
    next_steps: tuple[NextStep, ...] = Field((), exclude_if=lambda steps: not steps)
    evidence: tuple[Evidence, ...] = ()
    # Degraded reports of an older make have null for facts.
    facts: Annotated[Facts, BeforeValidator(_empty_for_null)] = Facts()
    integrity: Integrity = Integrity()
    errors: tuple[RecordedError, ...] = ()
    usage: Usage = Usage()
    digest: str = ""

    @property
    def audit_files(self) -> AuditFiles:
        """Paths of audit reports in the repository; none where they were not established."""
        return self.facts.minmax or AuditFiles()

    @property
    def commit_authors(self) -> tuple[CommitAuthor, ...]:
        """Authors of the work's commits; none where they were not established."""
        return self.facts.history.authors if self.facts.history else ()

    @cached_property
    def evidence_by_id(self) -> Mapping[str, Evidence]:
        return {piece.id: piece for piece in self.evidence}

    def evidence_of(self, ids: Iterable[str]) -> list[Evidence]:
        """Return the evidence with these ids, in their order; unknown ids are left out."""
        return [self.evidence_by_id[key] for key in ids if key in self.evidence_by_id]

    @property
    def shortage(self) -> str:
        """Return what is missing and what to do where nothing could be judged; else ""."""
        reasons = (row.rationale for row in self.criteria if INSUFFICIENT in row.resolution)
        return next(reasons, "")

    @property
    def suspicions(self) -> list[Evidence]:
        """Return the possible prompt injections; those recorded as such before other evidence."""
        tagged = [
            piece
            for piece in self.evidence
            if INTEGRITY_TAG in piece.tags and ASIDE_TAG not in piece.tags
        ]
        return [piece for piece in tagged if piece.check == INTEGRITY_TAG] or tagged

    def criterion(self, criterion_id: str) -> Criterion | None:
        return next((row for row in self.criteria if row.id == criterion_id), None)

    @property
    def error_groups(self) -> list[ErrorGroup]:
        """Return the errors, those with the same cause as one."""
        from courtroom.rendering.error_groups import group_errors

        return group_errors(self.errors)

    def errors_of(self, code: str) -> list[RecordedError]:
        return [error for error in self.errors if error.code == code]


def report_schema() -> Any:
    """Return the published JSON Schema of reports."""
    from courtroom.rubric_import.shipped_rubrics import FOLDER

    return json.loads((FOLDER / "report.schema.json").read_text(encoding="utf-8"))


def parse_report(document: Json) -> Report:
    """Parse the stored JSON of a report. Raises ReportUnreadable when a part has another form."""
    try:
        return Report.model_validate(document)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(map(str, first["loc"])) or "the whole"
        raise ReportUnreadable(place, first["msg"]) from error


def parse_commit_authors(rows: Iterable[Json]) -> tuple[CommitAuthor, ...]:
    """Parse what COMMIT_AUTHORS_LOOKUP reads."""
    return tuple(CommitAuthor.model_validate(row) for row in rows)


def without_opinions(document: Json, criteria: Collection[str] = ()) -> dict[str, Any]:
    """Return the JSON with no opinions on these criteria, on none at all if `criteria` is empty."""
    rows = [
        row | {"opinions": [], "second_hearing": []}
        if not criteria or row["id"] in criteria
        else row
        for row in document.get("criteria", ())
    ]
    return {**document, "criteria": rows}


def suspected_reports() -> Q:
    """Return the lookup of audits whose report suspects an attempt to influence the judges."""
    return Q(report__integrity__suspected=True)


def reports_with_error(code: str) -> Q:
    """Return the lookup of audits whose report records an error with this code."""
    return Q(report__errors__contains=[{"code": code}])
