"""What comes out of the courtroom: frozen records, plain JSON at the borders.

Every type here is part of the report contract `automaton-auditor/report@1`
(published as rubric/report.schema.json).
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field

from courtroom.analysis.security.committed_secrets import redacted
from courtroom.code_version import code_version_of
from courtroom.models.canonical_json import canonical_json as canonical_json  # noqa: PLC0414 -- the record passes it on
from courtroom.models.canonical_json import digest_of as digest_of  # noqa: PLC0414 -- the record passes it on
from courtroom.models.facts import Facts

SCHEMA: Final = "automaton-auditor/report@1"
# Another one whenever the same input may give another record: what was known under another engine
# is not reused.
ENGINE: Final = code_version_of(Path(__file__).parents[1])

Persona = Literal["Prosecutor", "Defense", "TechLead"]
PERSONAS: tuple[Persona, ...] = ("Prosecutor", "Defense", "TechLead")
DetectiveName = Literal["RepoInvestigator", "DocAnalyst", "VisionInspector"]
Score = Literal[1, 2, 3, 4, 5]
FailureKind = Literal[
    "refusal",
    "truncated",
    "filtered",
    "invalid",
    "out_of_schema",
    "rate_limited",
    "server",
    "timeout",
    "auth",
    "context_length",
    "budget",
    "abstained",
]
Status = Literal["verdict", "needs_review", "degraded"]


class Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Location(Frozen):
    """Place to look at: lines of a file at a commit, a page of the PDF, or a commit itself.

    Lines and pages are 1-based. All null means the whole submission (used for absence).
    """

    path: str | None = None
    line_start: int | None = Field(default=None, ge=1)
    line_end: int | None = Field(default=None, ge=1)
    page: int | None = Field(default=None, ge=1)
    commit: str | None = None


class Evidence(Frozen):
    """One thing that a detective found, or looked for without success.

    It holds no score and no quality word. `content` with a path and lines is verbatim those lines
    at that commit; without lines it states what was looked for or counted. `confidence` is 0..1.
    """

    id: str
    detective: DetectiveName
    check: str
    goal: str
    found: bool
    content: str | None
    location: Location
    rationale: str
    confidence: float = Field(ge=0, le=1)
    tags: tuple[str, ...] = ()


def evidence(
    *,
    detective: DetectiveName,
    check: str,
    goal: str,
    found: bool,
    rationale: str,
    content: str | None = None,
    location: Location | None = None,
    confidence: float = 1.0,
    tags: tuple[str, ...] = (),
) -> Evidence:
    """Build evidence with its stable id: a hash of check, location and content (DESIGN 5).

    All evidence is built here, so that no quoted secret is recorded: only its kind is kept.
    """
    place = location or Location()
    content = content and redacted(content, place.path or "")
    rationale = redacted(rationale)
    key = digest_of([check, place.model_dump(mode="json"), content])[:8]
    return Evidence(
        id=f"E-{key}",
        detective=detective,
        check=check,
        goal=goal,
        found=found,
        content=content,
        location=place,
        rationale=rationale,
        confidence=confidence,
        tags=tags,
    )


class CheckOutcome(Frozen):
    """Result of one check: met, not met, or not established (null, with the reason)."""

    check: str
    met: bool | None
    reason: str
    evidence: tuple[str, ...] = ()


class JudicialOpinion(Frozen):
    """A judge's validated answer on one criterion.

    `key` is a digest of the question: the same key, the same answer.
    """

    judge: Persona
    criterion_id: str
    round: int = Field(ge=1)
    score: Score
    argument: str
    cited_evidence: tuple[str, ...]
    model: str
    key: str
    invented_citations: int = Field(default=0, ge=0)


class JudgeFailure(Frozen):
    """Failure of a judge to answer. It is never a score; `abstained`: the judge could not know."""

    judge: Persona
    criterion_id: str
    round: int = Field(ge=1)
    failure: FailureKind
    message: str
    model: str
    key: str


class OpinionRow(Frozen):
    """An opinion or a failure as the report prints it: exactly one of score and failure is set."""

    judge: Persona
    round: int
    score: Score | None
    argument: str
    cited_evidence: tuple[str, ...]
    model: str
    key: str
    failure: FailureKind | None


class RuleFired(Frozen):
    """Effect of one typed rule on one criterion, with the reason."""

    rule: str
    before: float | None
    after: float | None
    why: str


class Remediation(Frozen):
    """One concrete change, at one place."""

    path: str | None
    line: int | None
    action: str
    snippet: str | None
    priority: Literal["high", "medium", "low"]
    evidence: tuple[str, ...]
    criterion_id: str


class CriterionCheck(Frozen):
    """A check of the rubric with its outcome, so that a report can be judged again alone."""

    check: str
    kind: str
    goal: str
    met: bool | None
    reason: str
    weight: float
    evidence: tuple[str, ...]


class CriterionResult(Frozen):
    id: str
    name: str
    final_score: int | None = Field(default=None, ge=1, le=5)
    level: str | None = None
    points: float | None = None
    max_points: float | None = None
    excluded: bool = False
    needs_review: bool = False
    resolution: tuple[str, ...] = ()
    rules: tuple[RuleFired, ...] = ()
    rationale: str
    dissent: str | None = None
    opinions: tuple[OpinionRow, ...] = ()
    checks: tuple[CriterionCheck, ...] = ()
    evidence: tuple[str, ...] = ()
    remediation: tuple[Remediation, ...] = ()


class RecordedError(Frozen):
    """A failure of ours, or input that could not be read; `stage` is a node of the graph."""

    stage: str
    code: str
    message: str


class Integrity(Frozen):
    suspected: bool = False
    spans: tuple[str, ...] = ()


class Usage(Frozen):
    """Token counts from the provider; `cost_usd` is null when no price is known."""

    calls: int = 0
    reused: int = 0
    prompt_tokens: int = 0
    cached_tokens: int = 0
    completion_tokens: int = 0
    cost_usd: float | None = None


class RubricReference(Frozen):
    id: str
    version: str
    digest: str


class ConstitutionReference(Frozen):
    id: str
    digest: str


class JudgeReference(Frozen):
    kind: Literal["heuristic", "llm"]
    model: str
    prompt_digest: str


class Points(Frozen):
    earned: float
    possible: float


class AuditReport(Frozen):
    """The whole record of one audit. `digest` covers all but usage, timings and itself (DESIGN 10)."""

    schema_: Literal["automaton-auditor/report@1"] = Field(default=SCHEMA, alias="schema")
    engine: str = Field(default_factory=lambda: ENGINE)
    repo_url: str
    commit: str | None
    ref: str | None
    pdf_sha256: str | None
    rubric: RubricReference
    constitution: ConstitutionReference
    judges: dict[Persona, JudgeReference]
    status: Status
    overall_score: float | None
    points: Points | None
    criteria: tuple[CriterionResult, ...]
    evidence: tuple[Evidence, ...]
    facts: Facts
    integrity: Integrity
    errors: tuple[RecordedError, ...]
    usage: Usage
    timings: dict[str, float]
    digest: str = ""

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)

    def as_json(self) -> dict[str, Any]:
        return self.model_dump(mode="json", by_alias=True)

    def sealed(self) -> AuditReport:
        """Return this report with its digest set."""
        content = self.as_json()
        for volatile in ("usage", "timings", "digest"):
            del content[volatile]
        return self.model_copy(update={"digest": digest_of(content)})


class AuditEvent(Frozen):
    """Progress of an audit. `kind` says which of the optional fields is set.

    stage: a node of the graph began or ended. evidence: a detective is done (`usage` and `model`
    where it called a model). opinion: a judge answered (an opinion or a failure; `usage` is the
    cost of the answer). report: the last event of every audit.
    """

    kind: Literal["stage", "evidence", "opinion", "report"]
    stage: str | None = None
    ended: bool = False
    evidence: tuple[Evidence, ...] = ()
    opinion: JudicialOpinion | None = None
    failure: JudgeFailure | None = None
    usage: Usage | None = None
    model: str = ""
    report: AuditReport | None = None
