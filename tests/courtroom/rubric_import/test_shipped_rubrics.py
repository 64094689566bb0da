"""The shipped rubrics are sound data, and the published schemas are those of the models."""

import json

import pytest

from courtroom.detectives.targeting import DETECTIVES, owed
from courtroom.models.rubric import Rubric
from courtroom.rubric_import.read_rubric import shipped_rubric
from courtroom.rubric_import.shipped_rubrics import FOLDER, SHIPPED
from courtroom.schemas import PUBLISHED, schema_text
from courtroom.synthesis.constitutions import PRESETS

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
    "sandboxed_clone",
    "unsafe_call",
    "structured_output",
    "persona_overlap",
    "synthesis_rules",
    "pdf_concept",
    "pdf_paths",
    "diagram",
    "code_pattern",
    "feedback_log",
    "communication_log",
}
LANGGRAPH = {
    "reducer",
    "graph_topology",
    "sandboxed_clone",
    "structured_output",
    "persona_overlap",
    "synthesis_rules",
}


@pytest.fixture(params=SHIPPED)
def rubric(request):
    return shipped_rubric(request.param)


def test_the_self_audit_has_the_ten_criteria_of_the_course_in_their_order():
    assert tuple(c.id for c in shipped_rubric("self_audit").criteria) == SELF_AUDIT


def test_the_points_rubric_adds_up_to_a_hundred_and_leaves_out_feedback_that_never_happened():
    criteria = shipped_rubric("points").criteria
    assert [(c.id, c.max_points, c.exclude_when) for c in criteria] == [
        ("development_progress", 35, None),
        ("feedback_implementation", 20, "no_exchange"),
        ("proactive_communication", 20, None),
        ("agent_feedback_relevance", 25, None),
    ]


def test_every_criterion_in_points_has_four_levels_at_100_60_20_and_0_percent():
    for criterion in shipped_rubric("points").criteria:
        assert [level.points / (criterion.max_points or 1) for level in criterion.levels] == [
            1.0,
            0.6,
            0.2,
            0.0,
        ]


def test_only_the_orchestration_of_the_graph_is_an_architecture_criterion():
    assert [c.id for c in shipped_rubric("self_audit").criteria if c.architecture] == [
        "graph_orchestration"
    ]


def test_the_general_rubric_knows_nothing_of_agent_graphs():
    general = shipped_rubric("general")
    assert {check.kind for check in general.checks} & LANGGRAPH == set()
    assert "langgraph" not in general.model_dump_json().lower()


def test_the_shipped_rubrics_use_every_kind_of_check_that_needs_no_names_of_ones_own():
    assert {check.kind for name in SHIPPED for check in shipped_rubric(name).checks} == KINDS


def test_each_criterion_is_decided_by_four_to_nine_checks(rubric):
    assert {c.id: len(c.checks) for c in rubric.criteria if not 4 <= len(c.checks) <= 9} == {}


def test_each_criterion_has_words_for_every_judge(rubric):
    for criterion in rubric.criteria:
        words = [criterion.instruction, criterion.success_pattern, criterion.failure_pattern]
        assert all([*words, *criterion.judicial_logic.model_dump().values()]), criterion.id


def test_each_check_says_what_to_do_when_it_is_not_met(rubric):
    assert [check.id for check in rubric.checks if not check.advice] == []


def test_unsafe_calls_count_against_a_submission_and_are_security_evidence(rubric):
    unsafe = [check for check in rubric.checks if check.kind == "unsafe_call"]
    assert [c.id for c in unsafe if c.polarity != "negative" or "security" not in c.tags] == []


def test_only_what_counts_against_a_submission_is_tagged_security(rubric):
    assert [c.id for c in rubric.checks if "security" in c.tags and c.polarity == "positive"] == []


def test_each_names_a_constitution_that_ships(rubric):
    assert rubric.constitution in PRESETS


def test_each_check_is_owed_by_exactly_one_detective(rubric):
    targets = owed(rubric)
    assert tuple(targets) == DETECTIVES
    assert sorted(c.id for checks in targets.values() for c in checks) == sorted(
        c.id for c in rubric.checks
    )


def test_a_rubric_file_is_what_its_model_reads_back(rubric):
    written = json.loads((FOLDER / f"{rubric.id}.json").read_text(encoding="utf-8"))
    assert Rubric.model_validate(written).digest == rubric.digest


def test_a_parameter_that_came_later_and_is_null_changes_no_digest():
    """Else every stored report would be one of another rubric after an update of the site."""

    class Later(Rubric):
        since_then: str | None = None

    rubric = shipped_rubric("points")
    same = Later.model_validate(rubric.model_dump())
    assert same.model_dump()["since_then"] is None
    assert same.digest == rubric.digest


@pytest.mark.parametrize("name", PUBLISHED)
def test_the_published_schema_is_current(name):
    """`python -m courtroom.schemas` writes it anew."""
    assert (FOLDER / name).read_text(encoding="utf-8") == schema_text(PUBLISHED[name])
