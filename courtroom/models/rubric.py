"""What is asked: a rubric, its criteria, levels and checks. Data only; checks are read by the detectives.

A published rubric never changes; a verdict names its version and digest (DESIGN 7).
"""

from __future__ import annotations

from functools import cached_property
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator
from pydantic_core import PydanticCustomError

from courtroom.models.facts import TermUse
from courtroom.models.project_facts import UnsafeKind
from courtroom.models.record import digest_of
from courtroom.synthesis.rules import Constitution


class RubricModel(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class CheckBase(RubricModel):
    """`polarity` negative: finding it counts against the criterion. `weight` is relative within its criterion.

    `essential`: a judge who looks for substance (Tech Lead, Prosecutor) does not go above 3 without it.
    `effort`: meeting it shows effort, which the Defense credits.
    """

    id: str = Field(min_length=1, pattern=r"^[a-z0-9_.-]+$")
    goal: str = Field(min_length=1)
    weight: float = Field(default=1, gt=0)
    polarity: Literal["positive", "negative"] = "positive"
    essential: bool = False
    effort: bool = False
    tags: tuple[str, ...] = ()
    advice: str = ""
    snippet: str | None = None


class CommitHistory(CheckBase):
    kind: Literal["commit_history"] = "commit_history"
    aspect: Literal["more_than", "not_bulk", "progression", "messages", "spread_over_time"]
    minimum: int = Field(default=3, ge=0)


class FileExists(CheckBase):
    """Any path of the tree matches any of the globs (`**` crosses folders)."""

    kind: Literal["file_exists"] = "file_exists"
    any_of: tuple[str, ...] = Field(min_length=1)


class TextContains(CheckBase):
    """Any text file matching `paths` holds any of the words, case apart, white space normalised."""

    kind: Literal["text_contains"] = "text_contains"
    paths: tuple[str, ...] = ("**",)
    any_of: tuple[str, ...] = Field(min_length=1)


class PythonClass(CheckBase):
    """A class of this name (any name when empty), inheriting from `base` also through the repository's own classes."""

    kind: Literal["python_class"] = "python_class"
    any_of: tuple[str, ...] = ()
    base: tuple[str, ...] = ()
    fields: tuple[str, ...] = ()


class PythonCall(CheckBase):
    """A call of any of these dotted names, aliases resolved; `keyword`: with this argument given."""

    kind: Literal["python_call"] = "python_call"
    any_of: tuple[str, ...] = Field(min_length=1)
    keyword: str | None = None


class PythonImport(CheckBase):
    kind: Literal["python_import"] = "python_import"
    any_of: tuple[str, ...] = Field(min_length=1)


class ReducerCheck(CheckBase):
    """The graph's state has at least `minimum` reducers; with `any_of`, of these (last part of the dotted name)."""

    kind: Literal["reducer"] = "reducer"
    any_of: tuple[str, ...] = ()
    minimum: int = Field(default=1, ge=1)


class GraphTopology(CheckBase):
    kind: Literal["graph_topology"] = "graph_topology"
    aspect: Literal[
        "exists",
        "detectives_parallel",
        "judges_parallel",
        "fan_in_before_judges",
        "fan_in_before_justice",
        "conditional_error_route",
    ]


class SandboxedClone(CheckBase):
    kind: Literal["sandboxed_clone"] = "sandboxed_clone"
    aspect: Literal["exists", "in_tempdir", "timeout", "errors_handled", "url_validated"]


class UnsafeCallCheck(CheckBase):
    """Use with negative polarity; a check tagged `security` makes its evidence security evidence.

    Calls are looked for in the code outside tests, committed secrets in every text file.
    """

    kind: Literal["unsafe_call"] = "unsafe_call"
    any_of: tuple[UnsafeKind | Literal["committed_secret"], ...] = (
        "os_system",
        "shell_true",
        "eval_exec",
    )


class StructuredOutput(CheckBase):
    kind: Literal["structured_output"] = "structured_output"
    aspect: Literal["called", "schema", "retry"]
    schemas: tuple[str, ...] = ()


class PersonaOverlap(CheckBase):
    """`told`: each of at least `minimum` personas has at least `words` words that no other one shares."""

    kind: Literal["persona_overlap"] = "persona_overlap"
    aspect: Literal["exist", "distinct", "told"]
    minimum: int = Field(default=3, ge=2)
    words: int = Field(default=60, ge=1)


class SynthesisRules(CheckBase):
    kind: Literal["synthesis_rules"] = "synthesis_rules"
    aspect: Literal[
        "deterministic",
        "security_override",
        "fact_supremacy",
        "functionality_weight",
        "dissent",
        "variance_re_evaluation",
        "markdown_report",
    ]


class PdfConcept(CheckBase):
    """The report uses the term at least this far: `substantive` means it explains how the architecture does it."""

    kind: Literal["pdf_concept"] = "pdf_concept"
    term: str
    use: TermUse = "substantive"


class PdfPaths(CheckBase):
    """`claims_any`: the report names files; `none_hallucinated`: at most `maximum` of them do not exist;
    `claims_hold`: at most `maximum` of all it says of the code, files and features, is not so;
    `claims_supported`: at least `minimum` of it was found to be so."""

    kind: Literal["pdf_paths"] = "pdf_paths"
    aspect: Literal["claims_any", "none_hallucinated", "claims_hold", "claims_supported"]
    maximum: int = Field(default=0, ge=0)
    minimum: int = Field(default=1, ge=1)


class Diagram(CheckBase):
    """`present`: an image or a drawing; `parallel`: it shows both splits; `accurate`: it matches the code's graph."""

    kind: Literal["diagram"] = "diagram"
    aspect: Literal["present", "parallel", "accurate"]


class CodePattern(CheckBase):
    """An ast-grep pattern in any language that ast-grep reads."""

    kind: Literal["code_pattern"] = "code_pattern"
    language: str
    pattern: str = Field(min_length=1)
    paths: tuple[str, ...] = ("**",)


class FeedbackLog(CheckBase):
    """Audits of peers, of oneself, by peers, or either way; `deferred`: work put off with a stated reason.

    Each is looked for in the repository, and among what the site knows that keeps the rounds of peers. Of what is
    known there, `share` (all, when null) is asked: of the findings received that are `answered` (where the site knows
    of none: that answers are written down in the repository) or `fixed`, or of those that the student's own auditor
    stated about peers, that the site's audit confirms (`relevant`).
    """

    kind: Literal["feedback_log"] = "feedback_log"
    aspect: Literal[
        "generated",
        "self",
        "received",
        "exchanged",
        "deferred",
        "answered",
        "fixed",
        "relevant",
    ]
    share: float | None = Field(default=None, gt=0, le=1)


class CommunicationLog(CheckBase):
    """The log has at least `minimum` dated entries, of any kind or about one, in the repository or on the site."""

    kind: Literal["communication_log"] = "communication_log"
    about: Literal["anything", "progress", "blocker", "design"] = "anything"
    minimum: int = Field(default=1, ge=1)


Check = Annotated[
    CommitHistory
    | FileExists
    | TextContains
    | PythonClass
    | PythonCall
    | PythonImport
    | ReducerCheck
    | GraphTopology
    | SandboxedClone
    | UnsafeCallCheck
    | StructuredOutput
    | PersonaOverlap
    | SynthesisRules
    | PdfConcept
    | PdfPaths
    | Diagram
    | CodePattern
    | FeedbackLog
    | CommunicationLog,
    Field(discriminator="kind"),
]


class Level(RubricModel):
    id: str
    name: str
    points: float = Field(ge=0)
    description: str = ""


class JudicialLogic(RubricModel):
    prosecutor: str = ""
    defense: str = ""
    tech_lead: str = ""


class Criterion(RubricModel):
    """`levels` run from best to worst. `architecture`: the Tech Lead's word weighs most here.

    `exclude_when` names a fact that takes the criterion out of both sums (DESIGN 7: No Exchange).
    """

    id: str = Field(min_length=1)
    name: str = Field(min_length=1)
    target_artifact: str = "github_repo"
    instruction: str = ""
    success_pattern: str = ""
    failure_pattern: str = ""
    judicial_logic: JudicialLogic = JudicialLogic()
    weight: float = Field(default=1, gt=0)
    max_points: float | None = Field(default=None, gt=0)
    levels: tuple[Level, ...] = ()
    checks: tuple[Check, ...] = ()
    architecture: bool = False
    exclude_when: Literal["no_exchange"] | None = None

    @property
    def passages(self) -> str:
        """What stands for a check on the report's passages about it, which none of its checks asked for."""
        return f"passages:{self.id}"


class Rubric(RubricModel):
    """`constitution` is the name of a preset (justice/constitutions.py) or a constitution of its own."""

    id: str = Field(min_length=1)
    name: str
    version: str
    grading_target: str = ""
    criteria: tuple[Criterion, ...] = Field(min_length=1)
    constitution: Constitution | str = "default"

    @model_validator(mode="after")
    def _ids_are_unique(self) -> Rubric:
        for kind, ids in (
            ("criterion", [c.id for c in self.criteria]),
            ("check", [k.id for k in self.checks]),
        ):
            twice = sorted({i for i in ids if ids.count(i) > 1})
            if twice:
                raise PydanticCustomError(
                    "ids_not_unique",
                    "{level} ids must be unique: {twice}",
                    {"level": kind, "twice": ", ".join(twice), "ids": twice},
                )
        return self

    @property
    def checks(self) -> tuple[Check, ...]:
        return tuple(check for criterion in self.criteria for check in criterion.checks)

    @cached_property
    def digest(self) -> str:
        """What is null is left out: a parameter that a later edition adds, null by default, changes no digest."""
        return digest_of(self.model_dump(mode="json", exclude_none=True))
