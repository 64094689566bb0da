"""Frozen inputs of the courtroom. They hold nothing of a tenant or a database."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, SecretStr

from courtroom.models.audit_report import AuditReport, Screening
from courtroom.models.judge_answer import JudicialOpinion, Persona
from courtroom.models.model_providers import OPENAI
from courtroom.models.project_facts import ExchangeFact
from courtroom.models.repository_access import RepositoryAccess
from courtroom.models.rubric import Rubric
from courtroom.synthesis.rules import Constitution

# Bytes.
MEBIBYTE = 1024 * 1024


class CaseModel(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Limits(CaseModel):
    """Sizes in bytes, times in seconds. The numbers were measured on hostile input
    (docs/architecture.md).
    """

    clone_seconds: float = 120
    repository_bytes: int = 300 * MEBIBYTE
    tree_entries: int = 20_000
    path_bytes: int = 1024
    commits: int = 5000
    source_file_bytes: int = 512 * 1024
    source_bytes: int = 50 * MEBIBYTE
    pdf_bytes: int = 25 * MEBIBYTE
    pdf_pages: int = 200
    pdf_text_characters: int = 2_000_000
    child_memory_bytes: int = 1024 * MEBIBYTE
    child_cpu_seconds: int = 60
    child_seconds: float = 90


class Case(CaseModel):
    """One submission to audit.

    `repo_url` is https; a path, file:// or http://127.0.0.1 only with `allow_local`. `commit` is
    audited whatever `ref` points to by now; None for the newest commit of `ref`. `exchange` is
    what a site with peer rounds records about this student; None where no such site takes part.
    `keep_sources` asks for the texts of the files, in the event of the contents. `access` opens a
    private repository; it is no part of what a case is written as.
    """

    repo_url: str
    ref: str | None = None
    commit: str | None = None
    pdf: Path | None = None
    rubric: Rubric
    constitution: Constitution
    allow_local: bool = False
    exchange: ExchangeFact | None = None
    keep_sources: bool = False
    access: RepositoryAccess | None = Field(default=None, exclude=True, repr=False)
    limits: Limits = Limits()


class Price(CaseModel):
    """US dollars for a million tokens of one model, from the provider's price list."""

    input: float = Field(ge=0)
    cached_input: float = Field(ge=0)
    output: float = Field(ge=0)


Temperature = Annotated[float, Field(ge=0, le=2)]


class BenchSettings(CaseModel):
    """Settings of the judges.

    `kind`: `heuristic` needs nothing; `llm` needs a model for each persona at an OpenAI-compatible
    endpoint. A model may name another provider (`anthropic:...`, see model_providers.py).
    `api_key` and `base_url` are those of `provider`; another takes its own from the environment,
    which is the operator's: a bench that someone else pays does not use it (`uses_environment`).
    `public_only` refuses connections to addresses that are not public, for a `base_url` that a
    stranger chose.
    `temperatures` are the provider's default for a persona that has none. `batch`: one call for
    each judge and criterion, or one call of a judge for all criteria. `warm_up`: of the judges that
    read the same, one goes first, for a provider that caches prefixes. `exhibit_characters`: room
    of a criterion's exhibits. `may_ask`: some judges may name places to read instead of a score.
    `screen`: `screening_model`, else the Tech Lead's, screens the prose before the judges read it.
    `debate`: a second round in which each judge sees the arguments of the other judges.
    `budget_usd` is for this audit; it needs a price for every model, by the model's name.
    `vision_model` looks at the pictures of a report (OpenAI-compatible endpoints only).
    """

    kind: Literal["heuristic", "llm"] = "heuristic"
    models: dict[Persona, str] = Field(default_factory=dict)
    vision_model: str | None = None
    provider: str = OPENAI
    api_key: SecretStr | None = None
    base_url: str | None = None
    uses_environment: bool = True
    public_only: bool = False
    concurrency: int = Field(default=30, ge=1)
    deadline_seconds: float = Field(default=60, gt=0)
    max_completion_tokens: int = Field(default=1200, ge=64)
    temperatures: dict[Persona, Temperature] = Field(default_factory=dict)
    exhibit_characters: int = Field(default=24_000, ge=1000, le=400_000)
    may_ask: bool = True
    screen: bool = True
    screening_model: str | None = None
    batch: Literal["per_criterion", "per_judge"] = "per_criterion"
    warm_up: bool = False
    debate: bool = False
    prices: dict[str, Price] = Field(default_factory=dict)
    budget_usd: float | None = Field(default=None, ge=0)
    fence_secret: SecretStr = SecretStr("courtroom")


class Known(CaseModel):
    """Earlier results that need not be computed or bought again.

    An opinion or a screening is used only under the same `key`. The report's evidence is used only
    for the same commit, PDF, rubric digest, peer exchange and version of the courtroom.
    """

    report: AuditReport | None = None
    opinions: tuple[JudicialOpinion, ...] = ()
    screenings: tuple[Screening, ...] = ()
