"""The dossier: one typed model of everything that the detectives can establish (DESIGN 6).

A fact that could not be established is null, and `unknown` holds the reason under its name. It is
never false.
"""

from __future__ import annotations

from typing import Any, Literal

from pydantic import ConfigDict, Field, model_validator

from courtroom.analysis.security.committed_secrets import redacted
from courtroom.models.fact_model import FactModel, Place
from courtroom.models.graph_run import GraphRunFact, KeyFault
from courtroom.models.output_facts import ClaimedScore, EarlierAudit, OwnAudit, ShownFact
from courtroom.models.project_facts import (
    CommittedSecret,
    Deferral,
    ExchangeFact,
    GraphShape,
    HistoryFact,
    LogEntry,
    MinMaxFact,
    ProjectFact,
    ReceivedFinding,
    SubmissionScope,
    UnsafeCall,
    WrittenAnswer,
)
from courtroom.models.state_flow_facts import StateFlowFact

NOT_EXAMINED = "not examined yet"
NO_SITE = "no site that keeps rounds of peers took part"
PDF_TERMS = ("Dialectical Synthesis", "Fan-In / Fan-Out", "Metacognition", "State Synchronization")
TermUse = Literal["substantive", "mentioned", "absent"]
# The judges' code, the Chief Justice's, and what else the graph's nodes and the main block reach.
WorkPart = Literal["graph", "judges", "justice"]


class StateClass(Place):
    name: str
    kind: Literal["TypedDict", "BaseModel", "dataclass", "dict", "none"]


class Reducer(Place):
    """`reducer` as written in the source, for example operator.ior.

    `applies`: the operator by which a function of the repository merges its two arguments, or
    own_reducers.MERGED_BY_KEY, "" where that is not plain.
    """

    field: str
    reducer: str
    applies: str = Field(default="", exclude_if=lambda operator: not operator)


class ConditionalEdge(FactModel):
    """A routed edge: every node its router can return. JSON keys are `from` and `to`.

    `never` are those of `to` to which no run takes this way, as far as is known. `merged` are the
    words of the router that its map tells apart and that lead to one node all the same.
    """

    from_: str = Field(alias="from")
    to: tuple[str, ...]
    never: tuple[str, ...] = Field(default=(), exclude_if=lambda names: not names)
    merged: tuple[str, ...] = Field(default=(), exclude_if=lambda words: not words)
    line: int | None = None
    path: str | None = None

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)


class OptionalNode(Place):
    """Node that a graph has only where this line adds it."""

    node: str


class WiredGraph(FactModel):
    """A graph as the code builds it; START and END have these names.

    `edge_paths` and `edge_lines` hold, edge by edge, the file and 1-based line that made it.
    `unresolved` describes in words what the reader could not follow. Nothing unresolved is guessed.
    `optional_nodes` are those of `nodes` that only some runs add, with what decides it.
    """

    path: str
    state_graph_line: int = Field(ge=1)
    nodes: tuple[str, ...]
    edges: tuple[tuple[str, str], ...]
    conditional: tuple[ConditionalEdge, ...]
    edge_paths: tuple[str, ...] = ()
    edge_lines: tuple[int, ...] = ()
    unresolved: tuple[str, ...] = ()
    optional_nodes: tuple[OptionalNode, ...] = Field((), exclude_if=lambda nodes: not nodes)


class Subgraph(WiredGraph):
    """A graph that runs at a node of another. `at`: the path to it, node by node from the main
    graph.

    Two with the same path are alternatives, or run one after the other inside one node.
    """

    at: tuple[str, ...] = Field(min_length=1)
    shape: GraphShape


class GraphFact(WiredGraph):
    """The graph that the entry point runs.

    `nodes` and `edges` are its own; `subgraphs` hold what is inside its nodes.
    """

    subgraphs: tuple[Subgraph, ...] = ()


class LayerOrder(FactModel):
    """Nodes of a layer that run in parallel, and those that run before or after them."""

    together: tuple[str, ...]
    before: tuple[str, ...]
    after: tuple[str, ...]


class NamedPlace(Place):
    name: str


class CountingRoute(NamedPlace):
    """Route that asks whether there is evidence under its keys, and not whether it tells a failure.

    `report` is where code of the detectives makes evidence of a failure.
    """

    keys: tuple[str, ...]
    report: Place


class UnreachedLayer(NamedPlace):
    """Function of the judges or the Chief Justice that no run reaches.

    `is_node`: it takes the state, as a node does. `rules` are those of the verdict that the layer's
    code holds, and that no run applies.
    """

    part: Literal["judges", "justice"]
    is_node: bool
    rules: tuple[str, ...] = Field((), exclude_if=lambda rules: not rules)


class EscapingError(NamedPlace):
    """Error, by the name of its class, that leaves the function of a node, which stands there."""

    node: str


class CloneFunction(NamedPlace):
    """`address`: the parameter that holds the address, by its name; null where none does.

    `is_uncalled`: no code that runs calls it, so that its precautions protect nothing; `losses` say
    what of its clone a call of it would lose. `escaping` are the errors of a failing clone that end
    a run, and `refused` those for an address that it refuses. `runner` is the function by which it
    runs git, at the line of the process, where that takes no deadline. `in_temporary_directory`:
    its folder is one of TemporaryDirectory, wherever that is made. `is_repeated`: a clone that
    fails is tried again in a loop of attempts. `others` are further functions that clone: what is
    known of this one is not of them. `refusal`: an exception for a refused address that ends no
    run, "" where nothing catches one; null where not known. `documented`: addresses beside https
    and git@ that its docstring, README or Makefile names.
    """

    address: str | None = Field(default=None, exclude_if=lambda address: address is None)
    is_uncalled: bool = Field(default=False, exclude_if=lambda is_uncalled: not is_uncalled)
    losses: tuple[str, ...] = Field((), exclude_if=lambda losses: not losses)
    escaping: tuple[EscapingError, ...] = Field((), exclude_if=lambda errors: not errors)
    refused: tuple[EscapingError, ...] = Field((), exclude_if=lambda errors: not errors)
    runner: NamedPlace | None = Field(None, exclude_if=lambda runner: runner is None)
    in_temporary_directory: bool = Field(default=False, exclude_if=lambda is_in: not is_in)
    is_repeated: bool = Field(default=False, exclude_if=lambda is_repeated: not is_repeated)
    others: tuple[NamedPlace, ...] = Field((), exclude_if=lambda others: not others)
    refusal: str | None = Field(None, exclude_if=lambda name: name is None)
    documented: tuple[Literal["ssh", "path"], ...] = Field((), exclude_if=lambda forms: not forms)


class TestedPlace(Place):
    """Line that runs where a test holds."""

    test: str


class StructuredOutputCall(Place):
    """Call that binds a model to a schema.

    `by_judge`: the call stands in the judges' code; null where that code is not known. `holds`:
    classes of the repository that the schema's fields hold, in turn; `fields`: the fields of all.
    `of_tools`: bind_tools gets a variable, which holds tools and no schema. `unbound`: calls of the
    same model beside it whose answer is cut out of text. `bypassed`: branches that leave the model
    unbound. `is_idle`: no run reaches it.
    """

    # `schema` shadows a deprecated BaseModel attribute, hence the alias.
    schema_: str = Field(alias="schema")
    by_judge: bool | None = Field(default=None, exclude_if=lambda by_judge: by_judge is None)
    holds: tuple[str, ...] = Field(default=(), exclude_if=lambda holds: not holds)
    fields: tuple[str, ...] = Field(default=(), exclude_if=lambda fields: not fields)
    of_tools: bool = Field(default=False, exclude_if=lambda of_tools: not of_tools)
    unbound: tuple[Place, ...] = Field(default=(), exclude_if=lambda places: not places)
    bypassed: tuple[TestedPlace, ...] = Field(default=(), exclude_if=lambda places: not places)
    is_idle: bool = Field(default=False, exclude_if=lambda is_idle: not is_idle)

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)


class FramedPrompts(Place):
    """Text that all judges get beside their own, and the largest share that two then have in common."""

    shared: float


class PersonaPrompt(Place):
    """Prompt of one persona.

    `own_words`: number of words of its text that no other persona's prompt has in the same order.
    `mostly_own`: most of its words are in no other persona's prompt in any order, as in a short text.
    """

    persona: str
    own_words: int | None = None
    mostly_own: bool | None = None


class RulesFact(FactModel):
    """Synthesis rules that are implemented in code, not only named in a comment.

    The reason of a null rule is in `Facts.unknown` under `rules.<its name>`.
    """

    security_override: bool | None
    fact_supremacy: bool | None
    functionality_weight: bool | None
    dissent: bool | None
    variance_re_evaluation: bool | None


class LooseCap(Place):
    """Line by which no cap for security holds, in one sentence.

    `is_lifted`: it can lift a score above the cap before it. Otherwise it is a cap under a condition
    that does not look for security, or sets a score instead of capping it.
    """

    sentence: str
    is_lifted: bool


class OpinionModel(Place):
    """Class of an opinion, with the lowest and the highest score that it lets through."""

    name: str
    fields: tuple[str, ...]
    lowest: int
    highest: int


class IdleRule(Place):
    """Rule that changes no score: no three scores of judges and no flag make it count."""

    rule: Literal["security_override", "fact_supremacy", "functionality_weight"]
    function: str


class UnheldRule(Place):
    """Rule that the code begins or has, and that never acts: `why` says so as the end of a sentence."""

    rule: str
    why: str


class FailingLine(Place):
    """Line that fails whenever it runs; `why` says so as the end of a sentence.

    `name` is what nothing defines there; another function may set it at the line `set_at` of the
    same file, to a constant if `is_constant`. `nodes` are those of the graph of which every run
    fails here; null in reports that were stored before they were looked for. `file` is what the line
    opens and the repository lacks. `instead` are judges that a route may choose in the place of
    `nodes`. `caught_at` is the line of the handler in which the error ends,
    `after_failure` that of a `try` that fails, or is passed over, wherever the line runs, and
    `where_empty` the key of a parameter that holds nothing there.
    `returns_before` are returns by which a run of `nodes` may end before it comes here. `at_hand` is
    the code by which the function itself reads a value of this name. `closed_by` says why no run
    comes to the line.
    """

    part: WorkPart
    function: str
    why: str
    file: str | None = None
    name: str | None = None
    set_at: int | None = None
    is_constant: bool = False
    nodes: tuple[str, ...] | None = None
    instead: tuple[str, ...] = ()
    caught_at: int | None = None
    after_failure: int | None = None
    where_empty: str | None = None
    returns_before: tuple[Place, ...] = ()
    at_hand: str | None = None
    closed_by: str | None = Field(default=None, exclude_if=lambda text: text is None)


class FailingCode(FactModel):
    """Lines that fail in the functions that a run reaches; `functions` counts those by part."""

    functions: dict[WorkPart, int]
    lines: tuple[FailingLine, ...]


class DiagramFact(FactModel):
    """A diagram found by text and geometry, in the report (`page`) or the repository (`path`,
    `line`).

    `names` are the texts in its boxes; `arrows` are empty where no direction is drawn.
    `beside_code` compares it with the graph of the code (analysis of diagrams says what each value
    means). It is null where the code has no graph or the drawing shows no flow.
    """

    drawn_as: Literal["drawing", "characters", "mermaid", "plantuml", "picture"]
    page: int | None = None
    path: str | None = None
    line: int | None = None
    names: tuple[str, ...]
    arrows: tuple[tuple[str, str], ...] = ()
    side_by_side: tuple[tuple[str, ...], ...] = ()
    beside_code: (
        Literal[
            "agrees", "split_not_in_code", "line_where_code_splits", "incomplete", "other_subject"
        ]
        | None
    )


class Facts(FactModel):
    # The order of the fields is that of the published schema.
    # history
    commit_count: int | None = None
    bulk_upload: bool | None = None
    author_count: int | None = None
    history: HistoryFact | None = None
    # git's own check refused the form of some object, so the clone was made without that check
    malformed_objects: bool | None = None
    # state
    state_class: StateClass | None = None
    reducers: tuple[Reducer, ...] | None = None
    pydantic_models: tuple[str, ...] | None = None
    # topology
    graph: GraphFact | None = None
    # class of the work's own named as LangGraph's, else a call that runs functions in parallel,
    # where LangGraph builds no graph; the ways through it are not followed
    own_runner: NamedPlace | None = None
    graph_shape: GraphShape | None = None
    graph_run: GraphRunFact | None = None
    # Where the graph was not run: lists that a node doubles whenever it runs.
    doubled_alone: tuple[KeyFault, ...] | None = None
    detectives_parallel: bool | None = None
    judges_parallel: bool | None = None
    fan_in_before_judges: bool | None = None
    fan_in_before_justice: bool | None = None
    conditional_error_route: bool | None = None
    # by the fact, the layers of which only some nodes run in parallel
    partly_parallel: dict[Literal["detectives_parallel", "judges_parallel"], LayerOrder] | None = (
        None
    )
    # nodes of detectives that always return an empty update, with the function that makes it
    empty_detectives: tuple[NamedPlace, ...] | None = None
    # nodes of detectives and judges that run functions side by side inside themselves
    concurrent_calls: tuple[NamedPlace, ...] | None = None
    # routes for which evidence of a failure counts as any other
    counting_routes: tuple[CountingRoute, ...] | None = None
    state_flow: StateFlowFact | None = None
    # tools and safety
    clone_function: CloneFunction | None = None
    clone_in_tempdir: bool | None = None
    clone_timeout: bool | None = None
    clone_errors_handled: bool | None = None
    url_validated: bool | None = None
    # where the product makes a tempfile.TemporaryDirectory, in a function that something leads to
    temporary_directories: tuple[Place, ...] | None = None
    os_system_calls: tuple[Place, ...] | None = None
    shell_true_calls: tuple[Place, ...] | None = None
    eval_exec_calls: tuple[Place, ...] | None = None
    unsafe_calls: tuple[UnsafeCall, ...] | None = None
    committed_secrets: tuple[CommittedSecret, ...] | None = None
    possible_unsafe_calls: tuple[UnsafeCall, ...] | None = None
    possible_secrets: tuple[CommittedSecret, ...] | None = None
    # judges and justice
    structured_output_calls: tuple[StructuredOutputCall, ...] | None = None
    # parsers that fit a judge's answer into a schema, beside the calls that bind the model itself
    parsed_answers: tuple[StructuredOutputCall, ...] | None = None
    structured_output_retry: bool | None = None
    # loops that repeat a call after an answer that cannot be read, and after no other failure
    narrow_retries: tuple[Place, ...] | None = None
    # loops that repeat a request which fails, and test no answer
    blind_retries: tuple[Place, ...] | None = None
    # judges that do not repeat their call, where another one does
    judges_asking_once: tuple[NamedPlace, ...] | None = None
    # calls of the judges' model whose failure ends the run; empty where each is caught
    uncaught_answers: tuple[Place, ...] | None = None
    # functions of the judges' nodes where no judge calls a model; empty where there are none
    plain_judges: tuple[NamedPlace, ...] | None = None
    persona_prompts: tuple[PersonaPrompt, ...] | None = None
    persona_prompts_distinct: bool | None = None
    # of the two prompts with the most text in common, the share of it
    persona_prompts_shared: float | None = None
    # a text around distinct prompts with which more than half of the words that the work
    # spells out for two judges are the same
    persona_prompts_framed: tuple[FramedPrompts, ...] | None = None
    justice_deterministic: bool | None = None
    rules: RulesFact | None = None
    # why no cap for security holds; empty where one does, or where there is none
    loose_caps: tuple[LooseCap, ...] | None = None
    # rules that are in the code and change no score
    idle_rules: tuple[IdleRule, ...] | None = None
    # loops of the Tech Lead's weight over all opinions but the Tech Lead's, of which it takes one
    lone_lead_weights: tuple[Place, ...] | None = None
    # rules that the code begins, or has, and why they never act as their names say
    unheld_rules: tuple[UnheldRule, ...] | None = None
    # the class of an opinion that has a score
    opinion_model: OpinionModel | None = None
    # where a plain mean of the judges' scores becomes the verdict
    averaged_scores: tuple[Place, ...] | None = None
    # keys of groups of opinions that begin with the judge's name: no two judges meet in one
    lone_groups: tuple[Place, ...] | None = None
    # where a caller of the graph averages the judges' scores anew, in place of that verdict
    second_verdicts: tuple[Place, ...] | None = None
    # what the conditions of the cap for security read: evidence, what judges say and score, or both
    # where either is enough
    security_ground: Literal["evidence", "either", "opinions", "none"] | None = None
    # what the texts of dissents hold: what judges argue, their scores alone, or fixed words
    dissent_content: Literal["arguments", "scores", "fixed", "none"] | None = None
    # what the texts of remediation hold: what judges argue or detectives report, the rubric, or fixed words
    remediation_content: Literal["findings", "rubric", "fixed"] | None = None
    # where a part of it is fixed words, though another holds what judges argue or detectives report
    fixed_remediations: tuple[Place, ...] | None = None
    # where all the Chief Justice's executive summaries are fixed words
    fixed_summaries: tuple[Place, ...] | None = None
    markdown_report: bool | None = None
    # functions of a run that make a Markdown report which no code writes to a file or shows whole
    unwritten_reports: tuple[NamedPlace, ...] | None = None
    # what a run reaches, and the judges or the Chief Justice where no run does
    failing_code: FailingCode | None = None
    unreached_layers: tuple[UnreachedLayer, ...] | None = None
    # committed PDF files of no byte, beside those of the audits
    empty_reports: tuple[str, ...] | None = None
    # the report
    pdf_pages: int | None = None
    pdf_characters: int | None = None
    pdf_images: int | None = None
    pdf_terms: dict[str, TermUse] | None = None
    pdf_claimed_paths: tuple[str, ...] | None = None
    pdf_hallucinated_paths: tuple[str, ...] | None = None
    pdf_code_names: tuple[str, ...] | None = None
    pdf_missing_names: tuple[str, ...] | None = None
    pdf_claims: dict[str, Literal["confirmed", "contradicted", "open"]] | None = None
    # the pages that write the flow of an agent graph with arrows between names
    pdf_flows: tuple[int, ...] | None = None
    pdf_diagram: Literal["accurate", "parallel_shown", "generic", "linear", "none"] | None = None
    diagrams: tuple[DiagramFact, ...] | None = None
    # working together
    minmax: MinMaxFact | None = None
    communication_entries: tuple[LogEntry, ...] | None = None
    deferrals: tuple[Deferral, ...] | None = None
    received_findings: tuple[ReceivedFinding, ...] | None = None
    written_answers: tuple[WrittenAnswer, ...] | None = None
    exchange: ExchangeFact | None = None
    # what the work shows of itself
    own_audits: tuple[OwnAudit, ...] | None = None
    unread_outputs: tuple[str, ...] | None = None
    # files of 0 bytes that are called an audit or a report
    empty_outputs: tuple[str, ...] | None = None
    audits_without_judgement: tuple[ShownFact, ...] | None = None
    unjudged_criteria: tuple[ShownFact, ...] | None = None
    disagreeing_outputs: tuple[ShownFact, ...] | None = None
    # verdicts on security below what each of three judges gave
    undercut_verdicts: tuple[ShownFact, ...] | None = None
    misplaced_audits: tuple[ShownFact, ...] | None = None
    earlier_audits: tuple[EarlierAudit, ...] | None = None
    claimed_scores: tuple[ClaimedScore, ...] | None = None
    assumed_evidence: tuple[ShownFact, ...] | None = None
    assumed_pictures: tuple[ShownFact, ...] | None = None
    guarded_evidence: tuple[ShownFact, ...] | None = None
    # whose `found` is as constant, while its content shows what was read
    varied_evidence: tuple[ShownFact, ...] | None = None
    separate_score_ranges: tuple[ShownFact, ...] | None = None
    made_up_scores: tuple[ShownFact, ...] | None = None
    # those of them for which the answer is not requested again
    scores_at_once: tuple[ShownFact, ...] | None = None
    # and of judges that ask no model where theirs cannot be made
    unasked_scores: tuple[ShownFact, ...] | None = None
    # and of the Chief Justice in place of an opinion that is absent
    absent_opinion_scores: tuple[ShownFact, ...] | None = None
    # models that refuse a verdict with fewer opinions than all
    full_panels: tuple[ShownFact, ...] | None = None
    # scores of an answer that are forced into the scale before a schema could refuse them
    bent_scores: tuple[ShownFact, ...] | None = None
    # any project
    scope: SubmissionScope | None = None
    project: ProjectFact | None = None
    file_count: int | None = None
    python_file_count: int | None = None
    unreadable_files: tuple[str, ...] | None = None
    # why a fact above is null, by its name
    unknown: dict[str, str] = Field(default_factory=dict)

    @model_validator(mode="before")
    @classmethod
    def _unmentioned_is_not_examined(cls, document: Any) -> Any:
        """Accept a report that was stored before a fact existed."""
        if not isinstance(document, dict):
            return document

        unmentioned = sorted(cls.model_fields.keys() - document.keys() - {"unknown"})
        return document | {
            "unknown": dict.fromkeys(unmentioned, NOT_EXAMINED) | document.get("unknown", {})
        }

    @model_validator(mode="after")
    def _every_null_has_a_reason(self) -> Facts:
        # "Not established" must always say why; a null without a reason could pass for a "no".
        nulls = _null_names(self, self.rules)
        if nulls != set(self.unknown):
            missing, stray = sorted(nulls - set(self.unknown)), sorted(set(self.unknown) - nulls)
            message = (
                f"null facts without a reason: {missing}; reasons without a null fact: {stray}"
            )
            raise ValueError(message)

        return self

    def with_exchange(self, exchange: ExchangeFact | None) -> Facts:
        """Return these facts with the present peer exchange; None where no site takes part."""
        reasons = {name: reason for name, reason in self.unknown.items() if name != "exchange"}
        if exchange is None:
            reasons["exchange"] = NO_SITE
        return self.model_copy(update={"exchange": exchange, "unknown": reasons})


def establish(facts: dict[str, Any], reasons: dict[str, str]) -> Facts:
    """Make the dossier from the established facts; every other fact is null, with its reason.

    Text quoted from reports and documents is kept without the secrets in it.
    """
    names = [name for name in Facts.model_fields if name != "unknown" and facts.get(name) is None]
    names += [
        f"rules.{rule}" for rule, value in (facts.get("rules") or {}).items() if value is None
    ]
    unknown = {name: reasons.get(name, NOT_EXAMINED) for name in names}
    return Facts.model_validate(_without_secrets({**facts, "unknown": unknown}))


def _null_names(facts: Facts, rules: RulesFact | None) -> set[str]:
    """Return the names of the facts that are null, those of single rules with their prefix."""
    nulls = {name for name in Facts.model_fields if getattr(facts, name) is None}
    if rules is not None:
        nulls |= {
            f"rules.{name}" for name in RulesFact.model_fields if getattr(rules, name) is None
        }
    return nulls


def _without_secrets(value: Any) -> Any:
    if isinstance(value, str):
        return redacted(value)
    if isinstance(value, dict):
        return {key: _without_secrets(item) for key, item in value.items()}
    return [_without_secrets(item) for item in value] if isinstance(value, list | tuple) else value
