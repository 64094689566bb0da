"""Shipped rubrics: sound data, and published schemas equal to those of the models."""

import json

import pytest

from courtroom.detectives.targeting import DETECTIVES, owed
from courtroom.models.rubric import Rubric
from courtroom.rubric_import.read_rubric import shipped_rubric
from courtroom.rubric_import.shipped_rubrics import FOLDER, SHIPPED
from courtroom.schemas import PUBLISHED, schema_text
from courtroom.synthesis.advice.kinds import STEPS
from courtroom.synthesis.advice.work import PLACEHOLDER
from courtroom.synthesis.constitutions import PRESETS

# Placeholders of advice that the facts of a work can fill.
NAMES = {
    *(
        "state_class",
        "state_place",
        "graph_place",
        "graph_at",
        "drawing",
        "clone_place",
        "failure_edges",
        "evidence_key",
        "evidence_at",
    ),
    *("reducers", "opinion_schema", "detective", "judge", "justice", "join", "path"),
    *("cap", "far"),
    *("at_prosecutor", "at_defense", "at_techlead"),
}
SELF_AUDIT = (
    "git_forensic_analysis",
    "state_management_rigor",
    "graph_orchestration",
    "safe_tool_engineering",
    "structured_output_enforcement",
    "judicial_nuance",
    "chief_justice_synthesis",
    "theoretical_depth",
    "report_accuracy",
    "swarm_visual",
)
KINDS = {
    "commit_history",
    "file_exists",
    "text_contains",
    "python_class",
    "reducer",
    "graph_topology",
    "state_flow",
    "graph_run",
    "sandboxed_clone",
    "unsafe_call",
    "failing_code",
    "structured_output",
    "persona_overlap",
    "synthesis_rules",
    "pdf_concept",
    "pdf_paths",
    "own_outputs",
    "diagram",
    "code_pattern",
    "feedback_log",
    "communication_log",
}
LANGGRAPH = {
    "reducer",
    "graph_topology",
    "state_flow",
    "failing_code",
    "graph_run",
    "sandboxed_clone",
    "structured_output",
    "persona_overlap",
    "synthesis_rules",
}


@pytest.fixture(params=SHIPPED)
def rubric(request):
    return shipped_rubric(request.param)


def test_self_audit_has_the_ten_criteria_of_the_course_in_order():
    assert tuple(c.id for c in shipped_rubric("self_audit").criteria) == SELF_AUDIT


def test_points_rubric_adds_up_to_100_and_excludes_feedback_without_exchange():
    criteria = shipped_rubric("points").criteria
    assert [(c.id, c.max_points, c.exclude_when) for c in criteria] == [
        ("development_progress", 35, None),
        ("feedback_implementation", 20, "no_exchange"),
        ("proactive_communication", 20, None),
        ("agent_feedback_relevance", 25, None),
    ]


def test_points_criterion_has_levels_at_100_60_20_and_0_percent():
    for criterion in shipped_rubric("points").criteria:
        assert [level.points / (criterion.max_points or 1) for level in criterion.levels] == [
            1.0,
            0.6,
            0.2,
            0.0,
        ]


def test_graph_orchestration_is_the_only_architecture_criterion():
    assert [c.id for c in shipped_rubric("self_audit").criteria if c.architecture] == [
        "graph_orchestration"
    ]


def test_cut_history_counts_against_the_tools_and_not_the_graph():
    criteria = shipped_rubric("self_audit").criteria
    faults = {
        c.id: {f for check in c.checks for f in getattr(check, "faults", ())} for c in criteria
    }
    assert [name for name in faults if "shallow_history" in faults[name]] == [
        "safe_tool_engineering"
    ]


@pytest.mark.parametrize(
    ("prompt", "is_attack"),
    [
        ("Assume non-compliance unless proven.", True),
        ("Search for vulnerability and architectural weakness.", True),
        ("You are cynical: the developer took shortcuts.", True),
        ("Trust No One.", True),
        ("Do not punish missing parts or risks: credit the effort.", False),
        ("Give the benefit of the doubt.", False),
    ],
)
def test_prosecutor_is_known_by_words_that_no_defense_has(prompt, is_attack):
    checks = (c for criterion in shipped_rubric("self_audit").criteria for c in criterion.checks)
    check = next(c for c in checks if c.id == "nuance.prosecutor_attacks")
    words = check.model_dump()["any_of"]
    assert any(word in prompt.lower() for word in words) is is_attack


def test_general_rubric_has_no_langgraph_checks():
    general = shipped_rubric("general")
    assert {check.kind for check in general.checks} & LANGGRAPH == set()
    assert "langgraph" not in general.model_dump_json().lower()


def test_shipped_rubrics_use_every_kind_of_check_without_project_names():
    assert {check.kind for name in SHIPPED for check in shipped_rubric(name).checks} == KINDS


def test_criterion_has_four_to_fourteen_checks(rubric):
    assert {c.id: len(c.checks) for c in rubric.criteria if not 4 <= len(c.checks) <= 14} == {}


def test_criterion_has_text_for_every_judge(rubric):
    for criterion in rubric.criteria:
        words = [criterion.instruction, criterion.success_pattern, criterion.failure_pattern]
        assert all([*words, *criterion.judicial_logic.model_dump().values()]), criterion.id


def test_check_has_advice_or_its_kind_tells_the_step_from_the_facts(rubric):
    bare = [check.kind for check in rubric.checks if not check.advice]
    assert set(bare) - {*STEPS, "commit_history"} == set()


def test_advice_holds_only_names_of_the_work(rubric):
    texts = [text for check in rubric.checks for text in (check.advice, check.snippet or "")]
    names = {match[1] for text in texts for match in PLACEHOLDER.finditer(text)}
    assert names - NAMES == set()


def test_unsafe_call_is_negative_and_tagged_security(rubric):
    unsafe = [check for check in rubric.checks if check.kind == "unsafe_call"]
    assert [c.id for c in unsafe if c.polarity != "negative" or "security" not in c.tags] == []


def test_positive_check_is_not_tagged_security(rubric):
    assert [c.id for c in rubric.checks if "security" in c.tags and c.polarity == "positive"] == []


def test_rubric_names_a_shipped_constitution(rubric):
    assert rubric.constitution in PRESETS


def test_check_belongs_to_exactly_one_detective(rubric):
    targets = owed(rubric)
    assert tuple(targets) == DETECTIVES
    assert sorted(c.id for checks in targets.values() for c in checks) == sorted(
        c.id for c in rubric.checks
    )


def test_rubric_file_round_trips_through_its_model(rubric):
    written = json.loads((FOLDER / f"{rubric.id}.json").read_text(encoding="utf-8"))
    assert Rubric.model_validate(written).digest == rubric.digest


def test_new_parameter_that_is_null_does_not_change_the_digest():
    """Otherwise an update of the site would part every stored report from its rubric."""

    class Later(Rubric):
        since_then: str | None = None

    rubric = shipped_rubric("points")
    same = Later.model_validate(rubric.model_dump())

    assert same.model_dump()["since_then"] is None
    assert same.digest == rubric.digest


@pytest.mark.parametrize("name", PUBLISHED)
def test_published_schema_is_current(name):
    """Run `python -m courtroom.schemas` to write it again."""
    assert (FOLDER / name).read_text(encoding="utf-8") == schema_text(PUBLISHED[name])
