"""Decisions of a draft's rules on all benches: page, parts of the editor, CSV, and the review."""

from __future__ import annotations

import csv
import io
from typing import Any

import pytest
from django.contrib.auth.models import User

from grading.rubrics.actions import publish_rubric_version
from tests.factories.people import OrganizationFactory, everywhere
from tests.rubrics.rubric_forms import (
    client_of,
    draft_in,
    page,
    page_faults,
    posted_form,
    settled,
    stored,
    teacher,
)

pytestmark = pytest.mark.django_db
CAP = "constitution.rules.security_override.cap"


@pytest.fixture
def organization():
    return OrganizationFactory(name="Ours")


@pytest.fixture
def ada(organization) -> User:
    return teacher(organization)


@pytest.fixture
def draft(organization, ada):
    return draft_in(organization, ada)


def typed(draft, /, **changes: str) -> dict[str, Any]:
    """Return what the editor's page posts with the changes typed."""
    return posted_form(draft, **{"constitution.preset": "default", **changes})


def part(ada, draft, name: str, /, **changes: str):
    return client_of(ada).post(page(draft, "decisions"), typed(draft, part=name, **changes))


def lines(answer) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(answer.text)))


# -- refusals -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "value", "sentence"),
    [
        (
            "evidence_confidence",
            "9",
            "Select a valid choice. 9 is not one of the available choices.",
        ),
        ("unsupported", "x", "Select a valid choice. x is not one of the available choices."),
        ("score", "6", "Select a valid choice. 6 is not one of the available choices."),
        ("against", "x", "Select a valid choice. x is not one of the available choices."),
        ("words", "w" * 201, "Ensure this value has at most 200 characters (it has 201)."),
        ("words", "\0", "Null characters are not allowed."),
    ],
)
def test_unknown_choice_gets_an_error_and_no_table(ada, draft, name, value, sentence):
    query = {f"table-{name}": value}
    answer = client_of(ada).get(page(draft, "decisions"), query)
    file = client_of(ada).get(page(draft, "decisions"), query | {"part": "csv"})

    assert (answer.status_code, page_faults(answer.text)) == (200, [])
    assert ("<table" in answer.text, answer.text.count(sentence)) == (False, 2)
    assert (file.status_code, file.headers["Content-Type"]) == (400, "text/plain")
    assert file.text.endswith(f": {sentence}")


def test_invalid_rules_are_named_and_the_table_is_about_the_saved_ones(ada, draft):
    answer = part(ada, draft, "table", **{CAP: "9"})
    [problem] = answer.context["rule_problems"]
    assert problem == (
        CAP,
        "Security override, Security evidence caps the score at",
        "This must be less than or equal to 5.",
    )
    assert "this is about the rules of" in " ".join(answer.text.split())
    assert len(answer.context["table"].rows) == 125


def test_stored_rules_with_a_problem_have_no_table(ada, draft):
    with everywhere():
        broken = draft.rubric.versions.create(
            organization=draft.organization, number=2, document={"constitution": "unknown"}
        )
    answer = client_of(ada).get(page(broken, "decisions"))
    file = client_of(ada).get(page(broken, "decisions"), {"part": "csv"})
    assert (answer.status_code, "<table" in answer.text) == (200, False)
    assert "there is no table yet" in answer.text
    assert (file.status_code, file.text.partition(":")[0]) == (400, "The JSON")


def test_invalid_json_has_no_fields_to_name(ada, draft):
    sent = {"seen": typed(draft)["seen"], "note": "", "text": "{", "part": "table"}
    answer = client_of(ada).post(page(draft, "decisions"), sent)
    assert [name for name, _label, _message in answer.context["rule_problems"]] == ["text"]


# -- the table ------------------------------------------------------------------------------------


def test_table_has_the_typed_rules_beside_the_published_ones(ada, draft):
    with everywhere():
        publish_rubric_version(version=draft, by=ada)
        following = draft.rubric.versions.create(
            organization=draft.organization, number=2, document=settled()
        )
    changed = {CAP: "1", "table-security": "on"}
    table = part(ada, following, "table", **changed).context["table"]

    assert (len(table.rows), table.changed) == (125, 106)
    assert table.against == "version 1, published"
    [row] = [row for row in table.rows if row.now.bench == (5, 5, 5)]
    assert (row.before.score, row.now.score, row.change) == (3, 1, "3 → 1")
    assert stored(following).document == following.document


def test_filters_leave_the_rows_that_fit(ada, draft):
    chosen = {"table-rule": "variance_re_evaluation", "table-score": "5", "table-defense": "1"}
    answer = part(ada, draft, "table", **chosen)
    rows = answer.context["table"].rows
    assert [row.now.bench for row in rows] == [(p, 1, 5) for p in range(1, 6)]


def test_only_changed_rows_are_left(ada, draft):
    saved = {"table-against": "saved", "table-rows": "result"}
    assert part(ada, draft, "table", **saved).context["table"].rows == ()
    rows = part(ada, draft, "table", **{**saved, CAP: "4", "table-security": "on"}).context["table"]
    assert {(row.before.score, row.now.score) for row in rows.rows} == {(3, 4)}


def test_cap_above_the_score_does_not_decide(ada, draft):
    rows = part(ada, draft, "table", **{"table-security": "on"}).context["table"].rows
    by_bench = {row.now.bench: row.rule for row in rows}
    assert by_bench[1, 1, 1] == "Weighted average"
    assert by_bench[5, 5, 5] == "Security override"


def test_file_has_the_rows_of_the_filters(ada, draft):
    answer = part(ada, draft, "csv", **{"table-prosecutor": "1", "table-security": "on"})
    rows = lines(answer)
    assert answer.headers["Content-Disposition"].endswith('-v1-decisions.csv"')
    assert (len(rows), {row["Prosecutor"] for row in rows}) == (25, {"1"})
    assert rows[0] | {"Compared with": ""} == {
        "Prosecutor": "1",
        "Defense": "1",
        "Tech Lead": "1",
        "Circumstances": "confirmed security evidence",
        "Score": "1",
        "Decided by": "Weighted average",
        "Rules that apply": "Weighted average; Security override",
        "Heard again": "no",
        "Dissent explained": "no",
        "Compared with": "",
        "Its score": "1",
        "Its rule": "Weighted average",
        "Change": "",
    }


def test_editor_without_javascript_shows_the_table_and_keeps_what_was_typed(ada, draft):
    changes = {"do": "decisions", CAP: "4", "note": "Because", "table-prosecutor": "5"}
    answer = client_of(ada).post(page(draft), typed(draft, **changes))
    assert (answer.status_code, page_faults(answer.text)) == (200, [])
    assert len(answer.context["decisions"]["table"].rows) == 25
    assert 'value="Because"' in answer.text
    assert stored(draft).document == draft.document


def test_page_of_a_published_version_shows_its_decisions(ada, draft):
    with everywhere():
        publish_rubric_version(version=draft, by=ada)
    answer = client_of(ada).get(page(draft, "decisions"))
    assert (answer.text.count("<tr"), page_faults(answer.text)) == (126, [])


# -- the review -----------------------------------------------------------------------------------


def review(ada, draft, **changes: str) -> list[str]:
    answer = part(ada, draft, "review", **changes)
    return [warning.title for warning in answer.context["warnings"]]


def test_preset_has_no_warning(ada, draft):
    answer = part(ada, draft, "review")
    assert answer.context["warnings"] == []
    assert [remark.title for remark in answer.context["remarks"]] == [
        "Rehearing and The Tech Lead decides never both matter",
        "Rehearing and Weighted average never meet",
        "The Tech Lead decides and Weighted average never meet",
    ]


def test_rule_that_never_applies_is_named(ada, draft):
    changes = {"constitution.rules.functionality_weight.applies_to": "every_criterion"}
    assert review(ada, draft, **changes) == ["Weighted average never applies"]


def test_rule_without_an_effect_is_named(ada, draft):
    assert review(ada, draft, **{CAP: "5"}) == ["Security override never changes a result"]


def test_benches_that_no_rule_decides_are_named(ada, draft):
    data = typed(draft, part="review")
    del data["constitution.rules.weighted_average.applies"]
    answer = client_of(ada).post(page(draft, "decisions"), data)
    assert [warning.title for warning in answer.context["warnings"]] == [
        "110 benches decided by no rule of yours"
    ]
    assert "1, 1, 1; 1, 1, 2;" in answer.text


def test_condition_on_facts_is_no_reason_for_a_warning(ada, draft):
    pytest.importorskip("cel_expr_python")
    guard = "known.facts.commit_count && facts.commit_count > 3"
    assert review(ada, draft, **{"constitution.rules.security_override.when": guard}) == []


def test_review_counts_what_changes_in_which_circumstances(ada, draft):
    changes = part(ada, draft, "review", **{CAP: "4"}).context["changes"]
    assert [words for words, _count in changes] == ["confirmed security evidence"]


# -- queries --------------------------------------------------------------------------------------


def test_number_of_queries_does_not_grow_with_versions(ada, draft, django_assert_max_num_queries):
    with everywhere():
        for number in range(2, 6):
            draft.rubric.versions.create(
                organization=draft.organization, number=number, document=settled()
            )
    client = client_of(ada)
    with django_assert_max_num_queries(9):
        client.post(page(draft, "decisions"), typed(draft, part="table"))
