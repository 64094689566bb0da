"""Rubrics that courses write: read as far as possible, with a note for each unused part."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from courtroom.models.errors import RubricRefused
from courtroom.rubric_import.json_lines import lines_of
from courtroom.rubric_import.read_rubric import read_rubric, shipped_rubric


def refusal(text):
    with pytest.raises(RubricRefused) as refused:
        read_rubric(text)
    return refused.value.code, refused.value.message


def read(**data):
    return read_rubric(json.dumps(data, indent=1))


def only_criterion(**fields):
    return read(dimensions=[fields]).rubric.criteria[0]


def messages(imported, where):
    return [note.message for note in imported.notes if note.where == where]


# -- refusals -------------------------------------------------------------------------------------


def test_empty_file_is_refused():
    assert refusal(" \n") == ("rubric_empty", "The rubric is empty.")


def test_invalid_json_is_refused_with_line_and_column():
    assert refusal('{\n "dimensions": [,]\n}') == (
        "rubric_invalid_json",
        "The rubric is not valid JSON: line 2, column 17: Expecting value.",
    )


def test_deep_nesting_is_refused():
    assert refusal("[" * 100_000)[0] == "rubric_invalid_json"


def test_huge_text_is_refused_before_it_is_parsed():
    assert refusal(" " * 1_000_001)[0] == "rubric_too_large"


@pytest.mark.parametrize(
    "text", ["{}", "[]", "3", '"words"', "null", '{"dimensions": []}', '{"dimensions": [7, {}]}']
)
def test_json_without_criteria_is_refused(text):
    assert refusal(text)[0] == "rubric_without_criteria"


def test_our_format_with_faults_is_refused_with_their_lines():
    text = (
        '{"id": "x", "name": "X", "version": "1",\n'
        ' "criteria": [\n  {"id": "a", "name": "A", "nam": "A"}]}'
    )

    assert refusal(text) == (
        "rubric_invalid",
        (
            "The rubric does not fit its schema: line 3, criteria.0.nam: "
            "Extra inputs are not permitted."
        ),
    )


@pytest.mark.parametrize(
    ("language", "pattern", "fault"),
    [
        ("go", "a(); b()", "'a(); b()' is not a single piece of go code, so it is not a pattern."),
        (
            "klingon",
            "x",
            "klingon is not a supported language for patterns; supported are python, ",
        ),
    ],
)
def test_impossible_pattern_is_refused_with_its_line(language, pattern, fault):
    check = {
        "kind": "code_pattern",
        "id": "p",
        "goal": "g",
        "language": language,
        "pattern": pattern,
    }
    rubric = {
        "id": "x",
        "name": "X",
        "version": "1",
        "criteria": [{"id": "a", "name": "A", "checks": [check]}],
    }
    code, message = refusal(json.dumps(rubric, indent=1))

    assert code == "rubric_invalid"
    assert message.startswith(
        f"The rubric does not fit its schema: line 15, criteria.0.checks.0.pattern: {fault}"
    )


def test_unknown_name_is_refused(tmp_path):
    with pytest.raises(RubricRefused) as refused:
        shipped_rubric(str(tmp_path / "none.json"))
    assert refused.value.code == "rubric_unknown"


# -- our own format -------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["self_audit", "points", "general"])
def test_shipped_rubric_is_unchanged_by_reading(name):
    shipped = shipped_rubric(name)
    imported = read_rubric(shipped.model_dump_json())
    assert (imported.rubric.digest, imported.notes) == (shipped.digest, ())


def test_rubric_is_loaded_by_its_path(tmp_path):
    path = tmp_path / "mine.json"
    path.write_text(shipped_rubric("points").model_dump_json(), encoding="utf-8")
    assert shipped_rubric(str(path)).digest == shipped_rubric("points").digest


# -- rubrics that courses write -------------------------------------------------------------------


def test_known_id_gets_the_shipped_checks_with_a_note():
    imported = read(dimensions=[{"id": "graph_orchestration", "forensic_instruction": "Look."}])
    shipped = next(
        c for c in shipped_rubric("self_audit").criteria if c.id == "graph_orchestration"
    )
    criterion = imported.rubric.criteria[0]

    assert (criterion.checks, criterion.architecture) == (shipped.checks, True)
    assert messages(imported, "dimensions.0") == [
        f"Uses the {len(shipped.checks)} shipped checks of graph_orchestration."
    ]


def test_known_name_with_another_id_gets_the_shipped_checks():
    criterion = only_criterion(id="DEV", name="Development Progress", description="Look.")
    assert (criterion.id, len(criterion.checks)) == ("DEV", 9)


def test_unknown_criterion_keeps_its_text_and_has_no_checks():
    criterion = only_criterion(
        id="taste", name="Taste", description="Is it good?", success_pattern="Yes"
    )

    assert (criterion.instruction, criterion.success_pattern, criterion.checks) == (
        "Is it good?",
        "Yes",
        (),
    )


def test_missing_id_is_made_from_the_name_in_any_script():
    assert only_criterion(name="Code Quality!", description="x").id == "code_quality"
    assert only_criterion(name="የኮድ ጥራት", description="x").id == "የኮድ_ጥራት"


def test_repeated_id_is_changed_with_a_note():
    imported = read(
        dimensions=[{"id": "a", "description": "one"}, {"id": "a", "description": "two"}]
    )
    assert [c.id for c in imported.rubric.criteria] == ["a", "a-2"]
    assert messages(imported, "dimensions.1")[-1] == "The id 'a' is already used: it becomes 'a-2'."


def test_shipped_checks_go_to_one_criterion_only():
    imported = read(
        dimensions=[
            {"id": "judicial_nuance"},
            {"id": "x", "name": "Judicial Nuance and Dialectics"},
        ]
    )
    shipped = next(c for c in shipped_rubric("self_audit").criteria if c.id == "judicial_nuance")
    assert [c.checks for c in imported.rubric.criteria] == [shipped.checks, ()]


LEVELS = [
    ("full", "Full", 35, "all of it"),
    ("part", "Part", 21, "some of it"),
    ("none", "None", 0, ""),
]


@pytest.mark.parametrize(
    "levels",
    [
        [{"id": i, "name": n, "points": p, "description": d} for i, n, p, d in LEVELS],
        {n: {"score": p, "description": d} for _, n, p, d in LEVELS},
        "0 pts: None. 35 pts: Full (all of it). 21 pts: Part (some of it).",
    ],
)
def test_levels_are_parsed_from_a_list_an_object_and_a_sentence(levels):
    criterion = only_criterion(name="A", description="x", levels=levels)
    assert [(v.id, v.name, v.points, v.description) for v in criterion.levels] == LEVELS
    assert criterion.max_points == 35


def test_tiers_with_bare_points_are_levels():
    assert [
        (v.name, v.points)
        for v in only_criterion(name="A", description="x", tiers={"B": 7, "A": 35}).levels
    ] == [
        ("A", 35),
        ("B", 7),
    ]


def test_levels_without_points_are_left_out_with_a_note():
    imported = read(dimensions=[{"name": "A", "description": "x", "levels": {"Good": "nice"}}])
    assert imported.rubric.criteria[0].levels == ()
    assert messages(imported, "dimensions.0.levels") == ["Not used: levels without points."]


def test_levels_make_the_constitution_points_based():
    assert (
        read(dimensions=[{"name": "A", "description": "x", "tiers": {"B": 7}}]).rubric.constitution
        == "points-based"
    )
    assert read(dimensions=[{"name": "A", "description": "x"}]).rubric.constitution == "default"


@pytest.mark.parametrize(
    "fields",
    [{"exclude_from_total_if_level": "no_exchange"}, {"tiers": {"Ignored": 4, "No Exchange": 0}}],
)
def test_level_named_no_exchange_excludes_by_the_fact(fields):
    assert only_criterion(name="Feedback Implementation", **fields).exclude_when == "no_exchange"


def test_judicial_logic_is_per_persona_or_for_all_or_for_the_one_it_names():
    own = only_criterion(
        name="A", description="x", judicial_logic={"prosecutor": "p", "Tech Lead": {"focus": ["t"]}}
    )
    shared = only_criterion(name="A", description="x", judicial_logic="be fair")
    named = only_criterion(name="A", description="x", statute="Tech Lead: score low")

    assert own.judicial_logic.model_dump() == {
        "prosecutor": "p",
        "defense": "",
        "tech_lead": "focus: t",
    }
    assert shared.judicial_logic.model_dump() == dict.fromkeys(
        ("prosecutor", "defense", "tech_lead"), "be fair"
    )
    assert named.judicial_logic.model_dump() == {
        "prosecutor": "",
        "defense": "",
        "tech_lead": "score low",
    }


def test_judicial_logic_at_the_top_applies_to_criteria_without_their_own():
    imported = read(
        judicial_logic={"defense": "credit"}, dimensions=[{"name": "A", "description": "x"}]
    )
    assert imported.rubric.criteria[0].judicial_logic.defense == "credit"


def test_target_is_translated_and_unknown_one_is_noted():
    imported = read(
        dimensions=[
            {"name": n, "description": "x", "target_artifact": n}
            for n in ("docs", "vision", "moon")
        ]
    )

    assert [c.target_artifact for c in imported.rubric.criteria] == [
        "pdf_report",
        "pdf_images",
        "moon",
    ]
    message = "Unknown target 'moon': the criterion is judged from all evidence."
    assert messages(imported, "dimensions.2").count(message) == 1


def test_criteria_are_read_from_an_object_by_id_a_bare_list_and_sentences():
    by_id = read_rubric(
        '{"criteria": {"style": {"description": "x"}, "speed": "Is it fast?"}}'
    ).rubric
    bare = read_rubric('[{"id": "a", "description": "x"}, "Is it fast?"]').rubric

    assert [(c.id, c.instruction) for c in by_id.criteria] == [
        ("style", "x"),
        ("speed", "Is it fast?"),
    ]
    assert [(c.id, c.instruction) for c in bare.criteria] == [
        ("a", "x"),
        ("is_it_fast", "Is it fast?"),
    ]


def test_texts_per_score_become_the_patterns():
    criterion = only_criterion(
        name="A", description="x", score_1="bad", score_3="middling", score_5="good"
    )
    assert (criterion.success_pattern, criterion.failure_pattern) == ("good", "bad")
    assert criterion.instruction == "x\nmiddling"


def test_unused_part_is_noted_with_its_line():
    text = (
        '{\n "dimensions": [\n  {"id": "a", "description": "x",\n'
        '   "metric": "m"}\n ],\n "extra": 1\n}'
    )
    notes = [(n.line, n.where) for n in read_rubric(text).notes if n.message.startswith("Not used")]
    assert notes == [(4, "dimensions.0.metric"), (6, "extra")]


def test_synthesis_rule_in_words_is_replaced_by_a_typed_rule():
    imported = read(
        dimensions=[{"name": "A", "description": "x"}],
        synthesis_rules={"fact_supremacy": "y", "mood": "z"},
    )
    replaced = "Not used as written: the constitution 'default' has a typed rule for it."

    assert messages(imported, "synthesis_rules.fact_supremacy") == [replaced]
    assert messages(imported, "synthesis_rules.mood") == [
        "Not used: there is no typed rule for it."
    ]


def test_metadata_names_the_rubric_and_a_missing_version_is_noted():
    imported = read(
        rubric_meta={"name": "My Rubric"}, dimensions=[{"name": "A", "description": "x"}]
    )

    assert (imported.rubric.id, imported.rubric.name, imported.rubric.version) == (
        "my_rubric",
        "My Rubric",
        "1",
    )
    assert messages(imported, "rubric_meta") == ["The rubric has no version: a default is used."]


JSON = st.recursive(
    st.none() | st.booleans() | st.floats(allow_nan=False) | st.integers() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                [
                    "dimensions",
                    "criteria",
                    "id",
                    "name",
                    "levels",
                    "weight",
                    "points",
                    "judicial_logic",
                    "x",
                ]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=20,
)


@settings(deadline=None)
@given(JSON)
def test_any_json_is_read_or_refused(data):
    try:
        imported = read_rubric(json.dumps(data))
    except RubricRefused:
        return
    assert imported.rubric.criteria


@settings(deadline=None)
@given(JSON)
def test_every_place_of_a_json_text_has_a_line(data):
    text = json.dumps(data, indent=1)
    places = list(paths_in(data))
    assert sorted(lines_of(text), key=repr) == sorted(set(places), key=repr)


def paths_in(data, place=()):
    yield place
    children = (
        data.items()
        if isinstance(data, dict)
        else enumerate(data)
        if isinstance(data, list)
        else ()
    )
    for key, value in children:
        yield from paths_in(value, (*place, key))
