"""Absence of what a check is about: established, not established, or nothing that was read."""

from typing import get_args

import pytest

from courtroom.checks.diagram import Diagram
from courtroom.checks.failing_code import FailingCode
from courtroom.checks.file_exists import FileExists
from courtroom.checks.graph_run import GraphRun
from courtroom.checks.graph_topology import GraphTopology
from courtroom.checks.pdf_concept import PdfConcept
from courtroom.checks.pdf_paths import PdfPaths
from courtroom.checks.persona_overlap import PersonaOverlap
from courtroom.checks.registry import reads_report, subjects_of
from courtroom.checks.sandboxed_clone import SandboxedClone
from courtroom.checks.structured_output import StructuredOutput
from courtroom.checks.subjects import absence_of, unreached
from courtroom.checks.synthesis_rules import SynthesisRules
from courtroom.models.check import UnknownCheck
from courtroom.models.facts import RulesFact, establish
from courtroom.models.root_cause import RootCauseCode
from courtroom.rubric_import.read_rubric import shipped_rubric
from courtroom.synthesis.advice.work import Work
from courtroom.synthesis.remediation import ADVICE
from tests.courtroom.surveys import CHECK_FIELDS, detected, survey

PLAIN = {"name": "prosecutor", "path": "src/judges.py", "line": 12}
NO_JUDGES = {
    "structured_output_calls": [],
    "structured_output_retry": False,
    "failing_code": {"functions": {"judges": 0, "justice": 0}, "lines": []},
}
PROMPT = {"persona": "Defense", "path": "src/prompts.py", "line": 1}
TEMPLATE = PROMPT | {"own_words": 4, "mostly_own": False}
MODEL_CALL = {"path": "src/judges.py", "line": 3, "schema": "Opinion"}


def check(model, **fields):
    return model(**CHECK_FIELDS, **fields)


CONCEPT = check(PdfConcept, term="Metacognition")
RETRY = check(StructuredOutput, aspect="retry")
TIMEOUT = check(SandboxedClone, aspect="timeout")
PARALLEL = check(GraphTopology, aspect="detectives_parallel")
JUDGES_PARALLEL = check(GraphTopology, aspect="judges_parallel")
DISTINCT = check(PersonaOverlap, aspect="distinct")
DISSENT = check(SynthesisRules, aspect="dissent")
REASONS = check(SynthesisRules, aspect="dissent_reasons")
BY_EVIDENCE = check(SynthesisRules, aspect="security_by_evidence")
NO_RULES = dict.fromkeys(RulesFact.model_fields, False)
ACCURATE = check(Diagram, aspect="accurate")


def code_of(tried, **facts):
    """Return the root cause of the check where these are the only facts; else None."""
    document = establish(facts, {}).model_dump(mode="json", by_alias=True)
    absence = absence_of(subjects_of(tried), document)
    return absence and absence.cause.code


@pytest.mark.parametrize(
    ("tried", "facts", "code"),
    [
        (CONCEPT, {"pdf_pages": 0}, "no_report"),
        (check(PdfPaths, aspect="claims_any"), {"pdf_pages": 0}, "no_report"),
        (ACCURATE, {"pdf_pages": 0, "pdf_diagram": "none"}, "no_report"),
        (ACCURATE, {"pdf_pages": 3, "pdf_diagram": "none"}, "no_diagram"),
        (
            ACCURATE,
            {"pdf_pages": 3, "pdf_diagram": "parallel_shown", "detectives_parallel": False},
            "no_graph",
        ),
        (PARALLEL, {"detectives_parallel": False}, "no_graph"),
        (check(GraphRun, faults=("idle",)), {"detectives_parallel": False}, "no_graph"),
        (TIMEOUT, {"clone_in_tempdir": False}, "no_clone"),
        (RETRY, {"structured_output_calls": [], "plain_judges": [PLAIN]}, "no_model"),
        (RETRY, NO_JUDGES, "no_judges"),
        (DISTINCT, {"persona_prompts": []}, "no_prompts"),
        (DISTINCT, {"persona_prompts": [], "plain_judges": [PLAIN]}, "no_model"),
        (DISTINCT, {"persona_prompts": [PROMPT], "plain_judges": [PLAIN]}, "no_model"),
        (DISTINCT, NO_JUDGES | {"persona_prompts": []}, "no_judges"),
        (DISTINCT, {"persona_prompts": [TEMPLATE] * 3}, "no_prompts"),
        (DISSENT, NO_JUDGES | {"justice_deterministic": False}, "no_synthesis"),
        (REASONS, {"rules": NO_RULES}, "no_dissent"),
        (BY_EVIDENCE, {"rules": NO_RULES}, "no_cap"),
    ],
)
def test_established_absence_is_a_root_cause(tried, facts, code):
    assert code_of(tried, **facts) == code


@pytest.mark.parametrize(
    "tried",
    [
        *(CONCEPT, ACCURATE, PARALLEL, JUDGES_PARALLEL, TIMEOUT, RETRY, DISTINCT, DISSENT),
        *(REASONS, BY_EVIDENCE),
    ],
)
def test_nothing_is_absent_where_nothing_is_established(tried):
    assert code_of(tried) is None


@pytest.mark.parametrize(
    ("tried", "facts"),
    [
        (CONCEPT, {"pdf_pages": 3}),
        (ACCURATE, {"pdf_pages": 3, "pdf_diagram": "linear"}),
        (TIMEOUT, {"clone_in_tempdir": False, "clone_function": PLAIN}),
        (RETRY, NO_JUDGES | {"structured_output_calls": [MODEL_CALL]}),
        (RETRY, NO_JUDGES | {"failing_code": {"functions": {"judges": 2}, "lines": []}}),
        (RETRY, {"structured_output_calls": [], "plain_judges": []}),
        (DISTINCT, {"persona_prompts": [PROMPT], "plain_judges": []}),
        (DISTINCT, {"persona_prompts": [TEMPLATE | {"own_words": n} for n in (4, 4, 5)]}),
        (DISTINCT, {"persona_prompts": [TEMPLATE]}),
        # Short texts of their own are no template, and early reports do not say which they are.
        (DISTINCT, {"persona_prompts": [TEMPLATE, TEMPLATE | {"mostly_own": True}]}),
        (DISTINCT, {"persona_prompts": [PROMPT | {"own_words": 4}] * 3}),
        (DISSENT, {"justice_deterministic": True, "rules": NO_RULES}),
        (REASONS, {"rules": NO_RULES | {"dissent": True}}),
        (REASONS, {"rules": NO_RULES | {"dissent": None}}),
        (BY_EVIDENCE, {"rules": NO_RULES | {"security_override": True}}),
        (check(FileExists, any_of=("README.md",)), {"pdf_pages": 0, "detectives_parallel": False}),
    ],
)
def test_subject_that_is_there_is_no_root_cause(tried, facts):
    assert code_of(tried, **facts) is None


@pytest.mark.parametrize(
    "missing", ["structured_output_calls", "structured_output_retry", "failing_code"]
)
def test_judges_are_absent_only_where_all_their_code_was_followed(missing):
    left_facts = {name: value for name, value in NO_JUDGES.items() if name != missing}
    expected = "no_judges" if missing == "structured_output_calls" else None
    assert code_of(RETRY, **left_facts) == expected


def test_report_with_the_source_of_a_diagram_alone_says_so():
    drawn = {"drawn_as": "mermaid", "page": None, "path": "README.md"}
    facts = {"pdf_pages": 9, "pdf_diagram": "none", "diagrams": [drawn, drawn | {"page": 4}]}
    absence = absence_of(subjects_of(ACCURATE), facts)
    assert absence is not None
    assert absence.cause.sentence == (
        "The report has no diagram, only the mermaid source of one (page 4)."
    )


def test_report_with_a_flow_in_words_alone_says_so():
    facts = {"pdf_pages": 9, "pdf_diagram": "none", "pdf_flows": [7, 8]}
    absence = absence_of(subjects_of(ACCURATE), facts)
    assert absence is not None
    assert absence.cause.sentence == (
        "The report has no diagram, only a flow written with arrows (page 7 and page 8)."
    )


def test_root_cause_names_the_line_of_the_first_judge():
    document = {"plain_judges": [PLAIN, PLAIN | {"line": 30}]}
    absence = absence_of(subjects_of(RETRY), document)
    assert absence is not None
    assert absence.cause.sentence == (
        "The judges are plain Python code: no model is called (src/judges.py:12)."
    )
    assert (absence.clue.path, absence.clue.line_start) == ("src/judges.py", 12)


@pytest.mark.parametrize(
    ("tried", "states"),
    [
        (check(GraphTopology, aspect="exists"), "no_graph"),
        (check(SandboxedClone, aspect="exists"), "no_clone"),
        (check(StructuredOutput, aspect="called"), "no_model"),
        (check(PersonaOverlap, aspect="exist"), "no_prompts"),
        (check(Diagram, aspect="present"), "no_diagram"),
        (check(SynthesisRules, aspect="deterministic"), "no_synthesis"),
        (RETRY, None),
    ],
)
def test_check_that_states_a_root_cause_is_declared(tried, states):
    assert subjects_of(tried).states == states


def test_unknown_kind_has_no_subject():
    assert subjects_of(UnknownCheck(**CHECK_FIELDS, kind="later")).needed == ()


@pytest.mark.parametrize("name", ["self_audit", "general"])
def test_shipped_check_that_reads_the_report_needs_one(name):
    reading = [check for check in shipped_rubric(name).checks if reads_report(check)]
    assert {subjects_of(check).needed[:1] for check in reading} == {("report",)}


UNREACHED = [
    {"part": "judges", "name": "bench", "path": "src/judges.py", "line": 5, "is_node": True},
    {
        "part": "justice",
        "name": "Chief.rule",
        "path": "src/chief.py",
        "line": 9,
        "is_node": False,
        "rules": ["dissent"],
    },
]
IDLE_FACTS = {
    "graph": {"path": "src/graph.py", "state_graph_line": 3},
    "unreached_layers": UNREACHED,
    "rules": NO_RULES,
    "judges_parallel": False,
    "fan_in_before_justice": False,
    "structured_output_retry": True,
    "failing_code": {"functions": {"judges": 2, "justice": 2}, "lines": []},
}


@pytest.mark.parametrize(
    ("tried", "code"),
    [
        (JUDGES_PARALLEL, "idle_judges"),
        (check(StructuredOutput, aspect="handled"), "idle_judges"),
        (check(FailingCode, part="judges", every_run=True), "idle_judges"),
        (check(GraphTopology, aspect="fan_in_before_justice"), "idle_justice"),
        (check(FailingCode, part="justice"), "idle_justice"),
        (DISSENT, "idle_justice"),
    ],
)
def test_what_only_a_run_shows_hangs_on_the_layer_that_no_run_reaches(tried, code):
    finding = detected(tried, survey(facts=IDLE_FACTS))
    absence = absence_of(subjects_of(tried), IDLE_FACTS, finding.reason)
    assert (finding.met, absence and absence.cause.code) == (False, code)
    wired = {**IDLE_FACTS, "unreached_layers": None, "rules": {**NO_RULES, "dissent": True}}
    again = detected(tried, survey(facts=wired))
    assert absence_of(subjects_of(tried), wired, again.reason) is None


def test_what_else_is_wrong_with_a_layer_that_no_run_reaches_is_its_own_fault():
    cap = check(SynthesisRules, aspect="security_override")
    finding = detected(cap, survey(facts=IDLE_FACTS))
    assert finding.reason == "No rule caps the score for security."
    assert absence_of(subjects_of(cap), IDLE_FACTS, finding.reason) is None


@pytest.mark.parametrize(
    ("tried", "facts", "end"),
    [
        (RETRY, {}, " No run reaches these judges."),
        (
            check(SynthesisRules, aspect="deterministic"),
            {"justice_deterministic": True},
            " No run reaches this code.",
        ),
        (REASONS, {"dissent_content": "arguments"}, " No run reaches this code."),
    ],
)
def test_what_the_code_of_an_unreached_layer_holds_is_met_with_a_reservation(tried, facts, end):
    finding = detected(tried, survey(facts=IDLE_FACTS | facts))
    assert (finding.met, finding.has_reservation) == (True, True)
    assert finding.reason.endswith(end)


@pytest.mark.parametrize(
    ("graph", "begin"),
    [({"path": "g.py"}, "No node of the graph and no entry point"), (None, "No entry point")],
)
def test_root_cause_of_an_unreached_layer_names_its_place_and_the_code_to_wire(graph, begin):
    facts = {"unreached_layers": UNREACHED, "graph": graph}
    absence = unreached("judges", facts)
    assert absence is not None
    assert absence.cause.sentence == f"{begin} runs the judges (src/judges.py:5)."
    assert unreached("justice", {"unreached_layers": UNREACHED[:1]}) is None
    names = Work(IDLE_FACTS, {}, {}).names
    assert names["idle_judges"] == "bench (src/judges.py:5)"
    assert names["idle_justice"] == "a node that calls Chief.rule (src/chief.py:9)"


def test_each_root_cause_has_its_advice():
    assert set(ADVICE) == set(get_args(RootCauseCode))
