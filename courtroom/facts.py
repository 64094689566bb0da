"""The dossier: one typed model of everything the detectives can establish (DESIGN 6).

A fact that could not be established is null and `unknown` holds the reason under its name; it is never false.
"""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

NOT_EXAMINED = "not examined yet"
PDF_TERMS = ("Dialectical Synthesis", "Fan-In / Fan-Out", "Metacognition", "State Synchronization")
TermUse = Literal["substantive", "mentioned", "absent"]


class FactModel(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Place(FactModel):
    path: str
    line: int = Field(ge=1)


class StateClass(Place):
    name: str
    kind: Literal["TypedDict", "BaseModel", "dataclass", "dict", "none"]


class Reducer(Place):
    """`reducer` as written in the source, for example operator.ior."""

    field: str
    reducer: str


class ConditionalEdge(FactModel):
    """A routed edge: every node its router can return. JSON keys are `from` and `to`."""

    from_: str = Field(alias="from")
    to: tuple[str, ...]
    line: int | None = None

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)


class GraphFact(FactModel):
    """The graph the entry point really builds; START and END by these names.

    `edge_lines` holds, edge by edge, the 1-based line that made it; `unresolved` names, in words,
    what the reader could not follow. Nothing unresolved is guessed.
    """

    path: str
    state_graph_line: int = Field(ge=1)
    nodes: tuple[str, ...]
    edges: tuple[tuple[str, str], ...]
    conditional: tuple[ConditionalEdge, ...]
    edge_lines: tuple[int, ...] = ()
    unresolved: tuple[str, ...] = ()


class NamedPlace(Place):
    name: str


class StructuredOutputCall(Place):
    # `schema` shadows a deprecated BaseModel attribute, hence the alias.
    schema_: str = Field(alias="schema")

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)


class PersonaPrompt(Place):
    persona: str


class RulesFact(FactModel):
    """Which synthesis rules are implemented in code (not only named in a comment)."""

    security_override: bool
    fact_supremacy: bool
    functionality_weight: bool
    dissent: bool
    variance_re_evaluation: bool


class UnsafeCall(Place):
    """A call a safe tool would not make. `call` is the dotted name as resolved through imports."""

    call: str
    argument_is_literal: bool | None = None


class Facts(FactModel):
    # history
    commit_count: int | None = None
    bulk_upload: bool | None = None
    author_count: int | None = None
    # state
    state_class: StateClass | None = None
    reducers: tuple[Reducer, ...] | None = None
    pydantic_models: tuple[str, ...] | None = None
    # topology
    graph: GraphFact | None = None
    detectives_parallel: bool | None = None
    judges_parallel: bool | None = None
    fan_in_before_judges: bool | None = None
    fan_in_before_justice: bool | None = None
    conditional_error_route: bool | None = None
    # tools and safety
    clone_function: NamedPlace | None = None
    clone_in_tempdir: bool | None = None
    clone_timeout: bool | None = None
    clone_errors_handled: bool | None = None
    url_validated: bool | None = None
    os_system_calls: tuple[Place, ...] | None = None
    shell_true_calls: tuple[Place, ...] | None = None
    eval_exec_calls: tuple[Place, ...] | None = None
    # judges and justice
    structured_output_calls: tuple[StructuredOutputCall, ...] | None = None
    structured_output_retry: bool | None = None
    persona_prompts: tuple[PersonaPrompt, ...] | None = None
    persona_prompts_distinct: bool | None = None
    justice_deterministic: bool | None = None
    rules: RulesFact | None = None
    markdown_report: bool | None = None
    # the report
    pdf_pages: int | None = None
    pdf_characters: int | None = None
    pdf_images: int | None = None
    pdf_terms: dict[str, TermUse] | None = None
    pdf_claimed_paths: tuple[str, ...] | None = None
    pdf_hallucinated_paths: tuple[str, ...] | None = None
    pdf_claims: dict[str, Literal["confirmed", "contradicted", "open"]] | None = None
    pdf_diagram: Literal["accurate", "parallel_shown", "generic", "linear", "none"] | None = None
    # sizes
    file_count: int | None = None
    python_file_count: int | None = None
    unreadable_files: tuple[str, ...] | None = None
    # why a fact above is null, by its name
    unknown: dict[str, str] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _every_null_has_a_reason(self) -> Facts:
        nulls = {name for name in type(self).model_fields if getattr(self, name) is None}
        if nulls != set(self.unknown):
            missing, stray = sorted(nulls - set(self.unknown)), sorted(set(self.unknown) - nulls)
            message = f"null facts without a reason: {missing}; reasons without a null fact: {stray}"
            raise ValueError(message)
        return self


def establish(known: dict[str, Any], reasons: dict[str, str]) -> Facts:
    """Make the dossier from what is known; every other fact is null with its reason, or NOT_EXAMINED."""
    names = [name for name in Facts.model_fields if name != "unknown"]
    unknown = {name: reasons.get(name, NOT_EXAMINED) for name in names if known.get(name) is None}
    return Facts.model_validate({**known, "unknown": unknown})
