"""The report of an audit: frozen records, plain JSON at the borders.

Every type here is part of the report contract `automaton-auditor/report@1`
(published as rubric/report.schema.json).
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final, Literal

from pydantic import ConfigDict, Field

from courtroom.code_version import code_version_of
from courtroom.models.canonical_json import digest_of
from courtroom.models.evidence import Evidence
from courtroom.models.facts import Facts
from courtroom.models.frozen_record import Frozen
from courtroom.models.judge_answer import AskedPlace, FailureKind, Persona, Score
from courtroom.models.root_cause import RootCause
from courtroom.models.statement import Statement, sentences_of, statement_of, vain_search

SCHEMA: Final = "automaton-auditor/report@1"
# Another one whenever the same input may give another record: what was known under another engine
# is not reused.
ENGINE: Final = code_version_of(Path(__file__).parents[1])
Effort = Literal["small", "medium", "large"]
Status = Literal["verdict", "needs_review", "degraded"]
# How a model was asked for JSON: by a schema, by `json_object` or plain text with the schema in
# words, or as its provider's own library does.
AnswerForm = Literal["json_schema", "json_object", "text", "provider"]


class OpinionRow(Frozen):
    """An opinion or a failure as the report prints it: exactly one of score and failure is set.

    `invented_citations` counts those that the judge was not shown, which were dropped.
    """

    judge: Persona
    round: int
    score: Score | None
    argument: str
    cited_evidence: tuple[str, ...]
    model: str
    key: str
    failure: FailureKind | None
    asked: tuple[AskedPlace, ...] = Field((), exclude_if=lambda places: not places)
    invented_citations: int = Field(default=0, ge=0, exclude_if=lambda count: count == 0)


class RuleFired(Frozen):
    """Effect of one typed rule on one criterion, with the reason."""

    rule: str
    before: float | None
    after: float | None
    why: str


def rule_words(rule: str) -> str:
    """Return the name of a rule in words: `variance_re_evaluation` is "variance re-evaluation"."""
    return rule.replace("_re_", "_re-").replace("_", " ")


class RuleStep(Frozen):
    """Step on the way to a score: what a rule read, and what follows from it.

    `fired` is false where the rule did not apply. Pages and `--explain` print these words; Markdown
    only names what did not apply.
    """

    rule: str
    fired: bool
    input: str
    output: str

    @property
    def sentence(self) -> str:
        name = rule_words(self.rule) + ("" if self.fired else ", not triggered")
        return f"{name}: {self.input} → {self.output}."


class NextStep(Frozen):
    """A change that is worth most: at `places` places, of which the first is named.

    `effect` says what it makes of its criterion: from `score_now` to `score_then`, null where that
    depends on how the change is made. `by_checks`: both are computed from the checks alone, because
    models gave the score. Pages, Markdown and `--explain` print these words.
    """

    criterion_id: str
    action: str
    path: str | None
    line: int | None
    places: int = Field(ge=1)
    effort: Effort
    score_now: int = Field(ge=1, le=5)
    score_then: int | None = Field(ge=1, le=5)
    by_checks: bool
    effect: str

    @property
    def sentence(self) -> str:
        """Step with its effect and size, and with its places unless the action names them."""
        place = f"{self.path}:{self.line}" if self.line else self.path
        more = f" and {self.places - 1} more" if self.places > 1 else ""
        where = f" ({place}{more})" if place and place not in self.action else ""
        # The place belongs to the order, not to what is said after it.
        order, *remarks = sentences_of(self.action.removesuffix("."))
        action = " ".join([f"{order.removesuffix('.')}{where}{'.' * bool(remarks)}", *remarks])
        return f"{action}: {self.effect}; effort: {self.effort}."


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
    """A check of the rubric with its outcome, so that a report can be judged again alone.

    `goal` is the sentence where it is met, `fault` the one where it is not, "" in older reports.
    `not_applicable` and `has_reservation` are as in CheckOutcome.
    """

    check: str
    kind: str
    goal: str
    fault: str = Field(default="", exclude_if=lambda fault: not fault)
    met: bool | None
    reason: str
    weight: float
    essential: bool = Field(default=False, exclude_if=lambda essential: not essential)
    evidence: tuple[str, ...]
    has_failed: bool = Field(default=False, exclude_if=lambda has_failed: not has_failed)
    not_applicable: RootCause | None = Field(default=None, exclude_if=lambda cause: cause is None)
    has_reservation: bool = Field(default=False, exclude_if=lambda reserved: not reserved)

    @property
    def statement(self) -> Statement:
        return statement_of(
            goal=self.goal,
            fault=self.fault,
            met=self.met,
            reason=self.reason,
            is_applicable=self.not_applicable is None,
        )

    @property
    def search_statement(self) -> Statement:
        """Return the statement where the check searched for a fault and recognised none."""
        return vain_search(goal=self.goal, reason=self.reason, has_reservation=self.has_reservation)


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
    # From the judges' scores to the final one, also by the rules that did not fire.
    steps: tuple[RuleStep, ...] = Field((), exclude_if=lambda steps: not steps)
    rationale: str
    dissent: str | None = None
    opinions: tuple[OpinionRow, ...] = ()
    # Answers on outcomes alone; they decide nothing (synthesis/second_hearing.py).
    second_hearing: tuple[OpinionRow, ...] = Field((), exclude_if=lambda rows: not rows)
    checks: tuple[CriterionCheck, ...] = ()
    evidence: tuple[str, ...] = ()
    remediation: tuple[Remediation, ...] = ()


class RecordedError(Frozen):
    """A failure of ours, or input that could not be read; `stage` is a node of the graph.

    `judge` and `criterion` say whose opinion on what is missing, where a judge failed.
    """

    stage: str
    code: str
    message: str
    judge: Persona | None = Field(None, exclude_if=lambda judge: judge is None)
    criterion: str | None = Field(None, exclude_if=lambda criterion: criterion is None)


class Integrity(Frozen):
    """Flag for a person. `spans` are words that the detectives found by patterns alone; what a model
    named beside them stands in `evidence`, tagged `integrity` and `screened`.
    """

    suspected: bool = False
    spans: tuple[str, ...] = ()


class Screening(Frozen):
    """Screening of the prose that judges read, by a model, for words to the graders.

    `key` is a digest of the question: the same key, the same answer. `characters` were shown to the
    model, `left_out` were more than it reads. Of the places `named`, `dropped` were not shown to it
    or were too many; `places` are withheld from the judges, and flagged. `unfounded`: it named so
    much that nothing was withheld.
    """

    model: str
    key: str
    characters: int
    left_out: int = 0
    named: int = 0
    dropped: int = 0
    places: tuple[str, ...] = ()
    failure: FailureKind | None = None


class Usage(Frozen):
    """Token counts from the provider; `cost_usd` is null when no price is known.

    `answer_forms`: the form in which each model was asked for its answer. `refused`: what its
    endpoint refused beside other forms, such as a temperature, and was then asked without.
    """

    calls: int = 0
    reused: int = 0
    prompt_tokens: int = 0
    cached_tokens: int = 0
    completion_tokens: int = 0
    cost_usd: float | None = None
    answer_forms: dict[str, AnswerForm] = Field(
        default_factory=dict, exclude_if=lambda forms: not forms
    )
    refused: dict[str, tuple[str, ...]] = Field(
        default_factory=dict, exclude_if=lambda parts: not parts
    )


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
    # From the criteria to the overall score and the points.
    steps: tuple[RuleStep, ...] = Field((), exclude_if=lambda steps: not steps)
    criteria: tuple[CriterionResult, ...]
    # The changes that raise most, at most three.
    next_steps: tuple[NextStep, ...] = Field((), exclude_if=lambda steps: not steps)
    evidence: tuple[Evidence, ...]
    facts: Facts
    integrity: Integrity
    # Only where a model screened the prose.
    screening: Screening | None = Field(None, exclude_if=lambda screening: screening is None)
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
