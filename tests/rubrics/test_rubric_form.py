"""The editor's form: a rubric becomes texts and the same rubric again; invalid texts stay."""

import copy
from typing import Any

import pytest
from django.http import QueryDict

from grading.engine import audits as engine_audits
from grading.engine import rubrics as engine_rubrics
from grading.rubrics.editor import check_words, constitution_form
from grading.rubrics.editor.editor_page import describe_field, page_of, totals_of
from grading.rubrics.editor.field_errors import errors_by_field
from grading.rubrics.editor.generated_ids import fill_empty_ids
from grading.rubrics.editor.item_buttons import apply_item_button
from grading.rubrics.editor.panels import criterion_panel
from grading.rubrics.editor.parameter_fields import Shape, form_layout
from grading.rubrics.editor.rubric_form import document_of, form_texts, new_check, posted_form_texts
from tests.factories.work import rubric_document
from tests.rubrics.rubric_forms import form_data


def shipped(name: str) -> dict[str, Any]:
    return engine_audits.shipped_rubric(name).document


def reposted(texts: dict[str, Any], **changes: Any) -> dict[str, Any]:
    """The texts after it was sent, with some fields typed anew."""
    fields = QueryDict(mutable=True)
    for name, value in (form_data(texts) | changes).items():
        fields.setlist(name, value if isinstance(value, list) else [value])
    return posted_form_texts(fields)


@pytest.mark.parametrize("name", engine_audits.SHIPPED_RUBRICS)
def test_unchanged_form_gives_the_same_rubric(name):
    document = shipped(name)
    assert engine_rubrics.settled_rubric(document_of(reposted(form_texts(document)))) == document


@pytest.mark.parametrize("name", engine_rubrics.preset_constitutions())
def test_custom_rules_keep_their_order(name):
    document = shipped("general") | {
        "constitution": {**engine_rubrics.preset_constitutions()[name], "id": "our-own"}
    }
    assert engine_rubrics.settled_rubric(document_of(reposted(form_texts(document)))) == document


@pytest.mark.parametrize("name", engine_audits.SHIPPED_RUBRICS)
def test_document_digest_equals_the_rubrics_digest(name):
    shipped_rubric = engine_audits.shipped_rubric(name)
    assert engine_rubrics.document_digest(shipped_rubric.document) == shipped_rubric.digest


def test_every_kind_of_check_has_the_fields_of_its_model():
    layout = form_layout()
    assert (list(layout.checks), len(layout.rules)) == (list(engine_rubrics.check_labels()), 7)
    empty = {
        kind: document_of({**form_texts({}), "criteria": [criterion_with(kind)]})
        for kind in layout.checks
    }
    complaints = {
        kind: sorted(
            fault.place[-1]
            for fault in engine_rubrics.rubric_faults(document)
            if fault.place[:4] == ("criteria", 0, "checks", 0)
        )
        for kind, document in empty.items()
    }
    required = {
        kind: sorted(p.name for p in fields if p.required) for kind, fields in layout.checks.items()
    }

    # An empty check of each kind misses exactly the fields that its form marks as required.
    assert complaints == required


def criterion_with(kind: str) -> dict[str, Any]:
    [criterion] = form_texts(rubric_document("tidy"))["criteria"]
    return criterion | {"checks": [new_check(kind)]}


def test_field_has_the_shape_and_bounds_of_its_model():
    fields = {p.name: p for p in form_layout().checks["unsafe_call"]}
    assert (fields["any_of"].shape, len(fields["any_of"].choices)) == (Shape.CHOICES, 8)
    cap = next(p for p in form_layout().rules["security_override"] if p.name == "cap")

    assert (cap.shape, cap.minimum, cap.maximum, cap.is_integer, cap.default) == (
        Shape.NUMBER,
        1,
        5,
        True,
        "3",
    )
    weak = next(p for p in form_layout().rules["fact_supremacy"] if p.name == "weak_below")
    assert (weak.shape, weak.minimum, weak.maximum, weak.required) == (Shape.NUMBER, 0, 1, False)


@pytest.mark.parametrize(
    ("typed", "errors"),
    [
        ({"criteria.0.weight": "heavy"}, {"criteria.0.weight": ("This must be a number.",)}),
        ({"criteria.0.weight": "inf"}, {"criteria.0.weight": ("This must be a number.",)}),
        ({"criteria.0.weight": "-1"}, {"criteria.0.weight": ("This must be greater than 0.",)}),
        ({"criteria.1.name": " "}, {"criteria.1.name": ("This field is required.",)}),
        (
            {"criteria.1.id": "tidy"},
            {f"criteria.{n}.id": ("This ID is used twice.",) for n in (0, 1)},
        ),
        (
            {"criteria.0.checks.0.any_of": "\n \n"},
            {"criteria.0.checks.0.any_of": ("This field is required.",)},
        ),
        (
            {"criteria.0.checks.2.aspect": ""},
            {"criteria.0.checks.2.aspect": ("This field is required.",)},
        ),
        (
            {"criteria.0.checks.0.id": "Ä b"},
            {
                "criteria.0.checks.0.id": (
                    "Use only lowercase letters, digits, dots, hyphens and underscores.",
                )
            },
        ),
        (
            {"criteria.0.checks.0.concern": "style"},
            {"criteria.0.checks.0.concern": ("This must be 'risk', 'effort' or 'function'.",)},
        ),
        (
            {"criteria.0.checks.0.kind": "guess"},
            {"criteria.0.checks.0": ("Choose a kind of check.",)},
        ),
        (
            {"criteria.0.checks.0.goal": "a\0b"},
            {"criteria.0.checks.0.goal": ("The character U+0000 cannot be used.",)},
        ),
        (
            {"constitution.rules.security_override.cap": "7"},
            {
                "constitution.rules.security_override.cap": (
                    "This must be less than or equal to 5.",
                )
            },
        ),
        (
            {"constitution.quorum": "2.5"},
            {"constitution.quorum": ("This must be a whole number.",)},
        ),
        (
            {"constitution.preset": "no such", "constitution.was": "no such"},
            {
                "constitution.preset": (
                    (
                        "There is no constitution 'no such'. There are: default, weighted-average, "
                        "overrides, opinions-only, points-based, governance."
                    ),
                )
            },
        ),
    ],
)
def test_fault_stands_beside_its_field_and_the_text_stays(typed, errors):
    texts = reposted(form_texts(rubric_document()), **typed)
    assert errors_by_field(engine_rubrics.rubric_faults(document_of(texts)), texts) == errors
    kept = form_data(texts)

    assert {name: kept[name] for name in typed if name != "constitution.was"} == {
        name: text for name, text in typed.items() if name != "constitution.was"
    }


def test_concern_of_a_check_is_kept_and_may_be_left_to_its_kind():
    def concern_in(**changes):
        posted = document_of(reposted(form_texts(rubric_document()), **changes))
        return posted["criteria"][0]["checks"][0].get("concern")

    path = "criteria.0.checks.0.concern"
    assert (concern_in(**{path: "risk"}), concern_in(**{path: ""})) == ("risk", None)


def test_fault_of_a_check_is_kept_and_may_be_left_to_its_kind():
    def fault_in(text):
        changes = {"criteria.0.checks.0.fault": text}
        posted = document_of(reposted(form_texts(rubric_document()), **changes))
        assert engine_rubrics.rubric_faults(posted) == ()
        return engine_rubrics.settled_rubric(posted)["criteria"][0]["checks"][0].get("fault")

    assert (fault_in("There is no README"), fault_in("")) == ("There is no README", None)


def test_comma_is_a_decimal_point():
    document = shipped("general")
    texts = reposted(form_texts(document), **{"criteria.0.weight": "1,5"})
    assert document_of(texts)["criteria"][0]["weight"] == 1.5


def test_items_keep_the_order_of_the_page_whatever_their_names():
    fields = QueryDict(
        "criteria.n7.name=First&criteria.0.name=Second&criteria.n7.id=first&criteria=x&criteria.0=y"
    )
    assert [item["name"] for item in posted_form_texts(fields)["criteria"]] == ["First", "Second"]


def test_contradicting_names_raise_no_error():
    posted_form_texts(
        QueryDict("criteria=x&criteria.0.name=y&constitution=z&name.a.b=c&" + "a." * 300 + "b=c")
    )


def test_texts_of_another_kind_return_with_that_kind():
    texts = form_texts(rubric_document("tidy"))
    there = reposted(texts, **{"criteria.0.checks.0.kind": "diagram"})
    assert there["criteria"][0]["checks"][0]["leftovers"] == {"any_of": ["README*"]}
    back = reposted(there, **{"criteria.0.checks.0.kind": "file_exists"})

    assert document_of(back) == document_of(texts)


def test_new_check_has_the_default_ticks_and_no_tick_means_the_default():
    check = new_check("unsafe_call")
    # The defaults of the model, not all choices.
    assert check["any_of"] == ["os_system", "shell_true", "eval_exec"]
    document = rubric_document("tidy")
    document["criteria"][0]["checks"] = [
        {"id": "u", "kind": "unsafe_call", "goal": "g", "any_of": ["tls_unverified"]}
    ]
    texts = reposted(form_texts(document), **{"criteria.0.checks.0.any_of": []})

    assert "any_of" not in document_of(texts)["criteria"][0]["checks"][0]


def test_text_of_another_kind_is_no_choice():
    texts = reposted(
        form_texts(rubric_document("tidy")), **{"criteria.0.checks.0.kind": "unsafe_call"}
    )
    check = texts["criteria"][0]["checks"][0]

    assert (check["any_of"], check["leftovers"]) == ([], {"any_of": ["README*"]})


# -- item buttons --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("order", "open_path", "criteria", "checks"),
    [
        ("up criteria.1", "criteria.0", ["tested", "tidy"], None),
        ("up criteria.0", "criteria.0", ["tidy", "tested"], None),
        ("down criteria.0", "criteria.1", ["tested", "tidy"], None),
        ("down criteria.1", "criteria.1", ["tidy", "tested"], None),
        ("remove criteria.0", "criteria.0", ["tested"], None),
        ("add criteria", "criteria.2", ["tidy", "tested", ""], None),
        (
            "remove criteria.0.checks.1",
            "criteria.0.checks.0",
            None,
            ["tidy.readme", "tidy.history"],
        ),
        (
            "up criteria.0.checks.2",
            "criteria.0.checks.1",
            None,
            ["tidy.readme", "tidy.history", "tidy.source"],
        ),
        *(
            (nonsense, None, ["tidy", "tested"], None)
            for nonsense in (
                "",
                "up",
                "up criteria",
                "up criteria.9",
                "up criteria.x",
                "add name",
                "add criteria.9.checks",
                "burn criteria.0",
                "remove constitution.rules.0",
                "add criteria.0.judicial_logic",
                "up criteria.-1",
            )
        ),
    ],
)
def test_item_button_changes_its_item(order, open_path, criteria, checks):
    texts = form_texts(rubric_document())
    assert apply_item_button(texts, order) == open_path
    if criteria is not None:
        assert [item["id"] for item in texts["criteria"]] == criteria
    if checks is not None:
        assert [item["id"] for item in texts["criteria"][0]["checks"]] == checks


def test_level_is_added_to_its_criterion():
    texts = form_texts(rubric_document())
    assert apply_item_button(texts, "add criteria.1.levels") == "criteria.1.levels.0"
    assert [len(item["levels"]) for item in texts["criteria"]] == [0, 1]


def test_item_without_id_gets_an_unused_one():
    texts = form_texts(rubric_document("tidy"))
    for order in (
        "add criteria",
        "add criteria.1.checks",
        "add criteria.1.checks",
        "add criteria.1.levels",
    ):
        apply_item_button(texts, order)
    texts["criteria"][1]["name"] = "Tidy!"
    texts["criteria"][1]["levels"][0]["name"] = "Very Good"
    fill_empty_ids(texts)
    new = texts["criteria"][1]

    assert (new["id"], [check["id"] for check in new["checks"]], new["levels"][0]["id"]) == (
        "tidy_2",
        ["tidy_2.file_exists", "tidy_2.file_exists_2"],
        "very_good",
    )


# -- the constitution ---------------------------------------------------------------------------


def test_changed_value_of_a_preset_makes_custom_rules():
    before = form_texts(rubric_document())
    after = document_of(reposted(before, **{"constitution.rules.security_override.cap": "2"}))[
        "constitution"
    ]
    default = copy.deepcopy(dict(engine_rubrics.preset_constitutions()["default"]))
    default["rules"][0]["cap"] = 2

    assert engine_rubrics.settled_rubric(rubric_document() | {"constitution": after})[
        "constitution"
    ] == default | {"id": "default-changed"}


def test_another_preset_brings_its_values():
    texts = reposted(form_texts(rubric_document()), **{"constitution.preset": "governance"})
    assert document_of(texts)["constitution"] == "governance"
    assert (
        texts["constitution"]["quorum"],
        constitution_form.rules_in_force(texts["constitution"]),
    ) == (
        "3",
        [
            "security_override",
            "fact_supremacy",
            "functionality_weight",
            "variance_re_evaluation",
            "dissent_requirement",
            "weighted_average",
        ],
    )


def test_custom_rules_do_not_keep_the_name_of_a_preset():
    own = {"constitution.preset": "own", "constitution.quorum": "3"}
    texts = reposted(form_texts(rubric_document()), **own)
    assert document_of(texts)["constitution"]["id"] == "default-changed"


# -- the summary --------------------------------------------------------------------------------


def test_points_are_summed_exactly_and_other_texts_count_zero():
    texts = form_texts(rubric_document("a", "b", "c", "d"))
    for criterion, points in zip(
        texts["criteria"], ("0.1", "0,2", "many", "1e999999999"), strict=True
    ):
        criterion["max_points"] = points
    totals = totals_of(texts)

    assert (totals.criteria, totals.checks, totals.weight, totals.points) == (4, 12, "4", "0.3")
    assert totals_of(form_texts(rubric_document())).points is None


@pytest.mark.parametrize(
    ("maximum", "levels", "warning"),
    [
        ("35", ["35", "7"], ""),
        ("35", [], ""),
        ("", [], ""),
        ("35,0", ["35"], ""),
        ("35", ["30,5", "x"], "The best level is worth 30.5 points, the criterion 35."),
        (
            "",
            ["5"],
            "The levels have points, but the criterion has no maximum: it will be worth 0 points.",
        ),
    ],
)
def test_levels_that_differ_from_the_points_raise_a_warning(maximum, levels, warning):
    [criterion] = form_texts(rubric_document("tidy"))["criteria"]
    criterion["max_points"] = maximum
    criterion["levels"] = [
        {"id": "", "name": "", "points": points, "description": ""} for points in levels
    ]

    assert criterion_panel(criterion, "criteria.0", {}).points_warning == warning


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("", "The rubric"),
        ("criteria", "Criteria"),
        ("criteria.0.judicial_logic.defense", "Criterion 1, Defense"),
        ("constitution.preset", "Preset"),
        ("criteria.2.checks.0.goal", "Criterion 3, check 1, Goal"),
        (
            "constitution.rules.security_override.cap",
            "Security override, Security evidence caps the score at",
        ),
    ],
)
def test_field_path_is_described_in_words(name, words):
    assert describe_field(name) == words


def test_every_parameter_of_a_check_has_its_meaning_and_a_control() -> None:
    schema = engine_rubrics.rubric_schema()["$defs"]
    kinds = {
        model["properties"]["kind"]["const"]: set(model["properties"]) - {"kind"}
        for model in schema.values()
        if "goal" in model.get("properties", {}) and "kind" in model["properties"]
    }
    layout = form_layout().checks
    assert {kind: {p.name for p in fields} for kind, fields in layout.items()} == kinds
    # A box says it all in its label.
    silent = [
        f"{kind}.{p.name}"
        for kind, fields in layout.items()
        for p in fields
        if not p.help and p.shape != Shape.FLAG
    ]
    assert silent == []


def test_every_kind_of_check_is_in_a_group_with_its_meaning() -> None:
    listed = page_of(form_texts({}), "", {})["kinds"]
    entries = [entry for group in listed.values() for entry in group]
    assert {kind for kind, _, _ in entries} == set(form_layout().checks)
    assert check_words.OTHER not in listed
    assert [kind for kind, _, about in entries if not about] == []


def test_custom_rules_without_a_change_are_the_preset():
    texts = reposted(form_texts(rubric_document()), **{"constitution.preset": "own"})
    assert document_of(texts)["constitution"] == "default"


# -- presets are recognised by their rules -------------------------------------------------------


def preset(name: str, **changes: object) -> dict[str, object]:
    return {**engine_rubrics.preset_constitutions()[name], **changes}


@pytest.mark.parametrize(
    ("constitution", "preset_text"),
    [
        (preset("default"), "default"),
        (preset("default", id="default-changed"), "default"),
        (preset("default", id="our-own"), "own"),
        (preset("default", id="default-changed", rules=[]), "own"),
        (preset("points-based", id="default-changed"), "own"),
    ],
)
def test_stored_rules_equal_to_a_preset_show_its_name(constitution, preset_text):
    assert constitution_form.form_texts(constitution)["preset"] == preset_text


@pytest.mark.parametrize("name", list(engine_rubrics.preset_constitutions()))
def test_fields_as_a_browser_posts_them_keep_the_preset(name):
    """A browser posts the default of every select, also where the preset leaves it out."""
    tree: dict[str, Any] = {"preset": [name], "was": [name], "rules": {}}
    texts = constitution_form.form_texts(name)
    layout = form_layout()
    for field in layout.constitution:
        tree[field.name] = _sent(field, texts[field.name])
    for kind, rule in texts["rules"].items():
        sent = {f.name: _sent(f, rule[f.name]) for f in layout.rules[kind]}
        tree["rules"][kind] = sent | {"applies": [rule["applies"]]}
    posted = constitution_form.posted_form_texts(tree)
    assert constitution_form.document_of(posted) == name


def _sent(field, text):
    if isinstance(text, list):
        return text
    return [text or field.default if field.shape == "choice" else text]
