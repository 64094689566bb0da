"""The editor's page: valid drafts are saved, invalid ones stay typed, nothing is overwritten."""

from __future__ import annotations

import json
import re

import pytest
from django.contrib.auth.models import User
from django.urls import reverse

from grading.core.enums import RubricState
from grading.models import Activity, Rubric, RubricVersion
from grading.rubrics.actions import adopt_shipped_rubric, draft_rubric_version
from tests.factories.people import OrganizationFactory, everywhere
from tests.factories.work import (
    AssignmentFactory,
    AuditFactory,
    RubricFactory,
    RubricVersionFactory,
    rubric_document,
)
from tests.rubrics.rubric_forms import (
    client_of,
    draft_in,
    field,
    page,
    page_faults,
    posted_form,
    stored,
    teacher,
)

pytestmark = pytest.mark.django_db


@pytest.fixture
def organization():
    return OrganizationFactory(name="Ours")


@pytest.fixture
def ada(organization) -> User:
    return teacher(organization)


@pytest.fixture
def draft(organization, ada):
    return draft_in(organization, ada)


# -- refusals -----------------------------------------------------------------------------------


def test_invalid_value_is_refused_beside_its_field_and_typed_texts_stay(ada, draft):
    typed = {"criteria.0.name": "Tidier <b>", "criteria.0.weight": "heavy", "note": "Because"}
    answer = client_of(ada).post(page(draft), posted_form(draft, **typed))

    assert (answer.status_code, answer.context["session"].faults) == (
        200,
        {"criteria.0.weight": ("This must be a number.",)},
    )
    assert [field(answer, name) for name in typed] == ["Tidier &lt;b&gt;", "heavy", "Because"]
    assert 'aria-describedby="criteria.0.weight.errors "' in answer.text
    assert stored(draft).document == draft.document


def test_too_long_note_is_refused_beside_its_field(ada, draft):
    answer = client_of(ada).post(page(draft), posted_form(draft, note="x" * 301))
    assert answer.context["session"].faults == {
        "note": ("The limit is 300 characters; this text has 301.",)
    }


def test_post_from_another_form_is_refused(ada, draft):
    assert client_of(ada).post(page(draft), {"name": "x"}).status_code == 400


@pytest.mark.parametrize("name", ["change", "publish"])
def test_version_of_another_institution_is_answered_as_missing(name, draft, organization):
    client = client_of(teacher(OrganizationFactory()))
    for method in (client.get, client.post):
        there = method(page(draft, name), posted_form(draft))
        nowhere = method(
            reverse(f"admin:grading_rubricversion_{name}", args=[10**9]), posted_form(draft)
        )
        assert [(a.status_code, a.headers["Location"]) for a in (there, nowhere)] == [
            (302, "/admin/")
        ] * 2

    assert stored(draft).state == RubricState.DRAFT


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("{", 1, "Expecting property name enclosed in double quotes."),
        ('{\n "id": "x"\n "name": "y"}', 3, "Expecting ',' delimiter."),
        ("[" * 100_000, 1, "It is nested too deeply, or has a number that is too long."),
        (
            '{"id": "x", "name": "X",\n "version": "1", "criteria": [\n{"id": "a"}]}',
            3,
            "This field is required.",
        ),
        (
            (
                '{"id": "x", "name": "X",\n "version": "1", "grade": 1, '
                '"criteria": [{"id": "a", "name": "A"}]}'
            ),
            2,
            "A rubric has no field with this name here.",
        ),
        (
            (
                '{"id": "x", "name": "X", "version": "1", "\\ud800": 1, '
                '"criteria": [{"id": "a", "name": "A"}]}'
            ),
            1,
            "It has a character that cannot be used.",
        ),
        (
            '{"id": "x", "name": "X", "version": "1", '
            '"criteria": [{"id": "a", "name": "A", "weight": 1' + "0" * 400 + "}]}",
            1,
            "This must be a number.",
        ),
        ("[]", 1, "This must be an object."),
        ("NaN", 1, "This must be an object."),
    ],
)
@pytest.mark.parametrize("do", ["save", "form"])
def test_json_view_names_the_line_and_keeps_the_text(ada, draft, text, line, message, do):
    answer = client_of(ada).post(
        page(draft), {"seen": posted_form(draft)["seen"], "text": text, "note": "", "do": do}
    )
    [marked] = answer.context["marked"]

    assert (marked.fault.line, marked.message) == (line, message)
    assert answer.context["session"].text == text
    assert stored(draft).document == draft.document


# -- saving and showing ---------------------------------------------------------------------------------


def test_saved_draft_is_settled_and_logged(ada, draft):
    changes = {"criteria.0.checks.0.any_of": "README*\r\nreadme/**", "note": "Second thoughts"}
    assert client_of(ada).post(page(draft), posted_form(draft, **changes)).headers[
        "Location"
    ] == page(draft)
    saved = stored(draft)

    assert (saved.document["criteria"][0]["checks"][0]["any_of"], saved.note, saved.state) == (
        ["README*", "readme/**"],
        "Second thoughts",
        RubricState.DRAFT,
    )
    with everywhere():
        assert list(
            Activity.objects.filter(verb="rubric.edited").values_list("actor", flat=True)
        ) == [ada.pk]


def test_unchanged_draft_is_not_logged(ada, draft):
    client_of(ada).post(page(draft), posted_form(draft))
    with everywhere():
        assert not Activity.objects.filter(verb="rubric.edited").exists()


def test_button_without_javascript_keeps_typed_texts_and_saves_nothing(ada, draft):
    answer = client_of(ada).post(
        page(draft), posted_form(draft, do="down criteria.0", **{"criteria.0.name": "Typed"})
    )
    titles = [panel.title for panel in answer.context["criteria"]]

    assert 'value="down criteria.1" data-do="down" autofocus' in answer.text
    assert (titles, [panel.is_open for panel in answer.context["criteria"]]) == (
        ["Tested", "Typed"],
        [False, True],
    )
    assert stored(draft).document == draft.document


def test_form_and_json_are_two_views_of_the_typed_rubric(ada, draft):
    as_json = client_of(ada).post(page(draft), posted_form(draft, do="json", name="Typed"))
    text = as_json.context["session"].text
    assert json.loads(text)["name"] == "Typed"
    back = {"seen": posted_form(draft)["seen"], "note": "", "text": text, "do": "form"}

    assert field(client_of(ada).post(page(draft), back), "name") == "Typed"
    assert client_of(ada).post(page(draft), back | {"do": "save"}).status_code == 302
    assert stored(draft).document["name"] == "Typed"


def test_draft_that_the_form_cannot_hold_opens_as_json(ada, draft):
    with everywhere():
        RubricVersion.objects.filter(pk=draft.pk).update(document={"dimensions": [{"id": "x"}]})
    assert client_of(ada).get(page(draft)).context["session"].view == "json"


def test_published_version_is_read_only(ada, organization):
    version = adopt_shipped_rubric(organization=organization, name="points", by=ada)
    answer = client_of(ada).get(page(version))

    assert (
        answer.status_code,
        'name="do"' in answer.text,
        "Development Progress" in answer.text,
    ) == (
        200,
        False,
        True,
    )


def test_page_lists_the_use_of_the_version(ada, organization):
    version = RubricVersionFactory(rubric=RubricFactory(organization=organization))
    assignment = AssignmentFactory(cohort__organization=organization, rubric_version=version)
    AuditFactory(submission__assignment=assignment, done=True)
    text = client_of(ada).get(page(version)).text
    audits = f"/admin/grading/audit/?rubric_version__id__exact={version.pk}"
    text = " ".join(text.split())

    assert (
        f'and <a href="{audits}" >1 audit</a>.' in text,
        f">{assignment.title}</a>)" in text,
    ) == (
        True,
        True,
    )
    assert client_of(ada).get(audits).context["cl"].result_count == 1
    row = (
        client_of(ada)
        .get(reverse("admin:grading_rubricversion_changelist"))
        .context["cl"]
        .result_list[0]
    )
    assert (row.assignment_count, row.audit_count) == (1, 1)


@pytest.mark.parametrize(("start", "criteria"), [("empty", 0), ("newest", 2), ("points", 4)])
def test_new_draft_starts_from_the_chosen_document(ada, draft, start, criteria):
    sent_ = {"rubric": draft.rubric_id, "note": "New", "start": start}
    answer = client_of(ada).post(reverse("admin:grading_rubricversion_add"), sent_)
    with everywhere():
        new = RubricVersion.objects.get(number=2)
    assert (answer.headers["Location"], len(new.document["criteria"]), new.note) == (
        page(new),
        criteria,
        "New",
    )
    opened = client_of(ada).get(page(new))

    assert (opened.status_code, opened.context["session"].view) == (200, "form")


def test_largest_shipped_rubric_fits_into_one_post(ada, organization, settings):
    published = adopt_shipped_rubric(organization=organization, name="self_audit", by=ada)
    with everywhere():
        big = draft_rubric_version(rubric=published.rubric, document=published.document, by=ada)
    fields = posted_form(big)

    # Rubrics may grow to four times the size before Django refuses the post.
    assert 700 < len(fields) < settings.DATA_UPLOAD_MAX_NUMBER_FIELDS / 4
    assert client_of(ada).post(page(big), fields).status_code == 302
    assert stored(big).document == published.document


def test_larger_rubric_needs_no_more_queries(ada, organization, django_assert_max_num_queries):
    costs = []
    for criteria in (["one"], ["one", "two", "three"]):
        rubric = RubricFactory(organization=organization)
        version = RubricVersionFactory(
            rubric=rubric, draft=True, document=rubric_document(*criteria)
        )
        with django_assert_max_num_queries(40) as counted:
            assert client_of(ada).get(page(version)).status_code == 200
        costs.append(len(counted))

    # The number of criteria must not matter.
    assert costs[0] == costs[1]


def test_wrong_guard_is_marked_under_the_faulty_character(ada, draft):
    pytest.importorskip("cel_expr_python", reason="requirements/guards.txt is not installed")
    name = "constitution.rules.security_override.when"
    answer = client_of(ada).post(page(draft), posted_form(draft, **{name: "spread >= nothing"}))
    assert list(answer.context["session"].faults) == [name]
    assert 'spread &gt;= nothing\n<span class="before">spread &gt;= </span>^</pre>' in answer.text
    assert (
        client_of(ada).post(page(draft), posted_form(draft, **{name: "spread >= 2"})).status_code
        == 302
    )
    assert stored(draft).document["constitution"]["rules"][0]["when"] == "spread >= 2"


def test_new_item_gets_the_keyboard_focus(ada, draft):
    answer = client_of(ada).post(page(draft), posted_form(draft, do="add criteria.1.checks"))
    # Two elements with autofocus would leave the choice to the browser.
    assert answer.text.count("autofocus") == 1
    assert re.search(r'name="criteria\.1\.checks\.3\.goal"[^>]* autofocus', answer.text)


def test_every_control_has_its_label_and_nothing_is_inline(ada, organization):
    published = adopt_shipped_rubric(organization=organization, name="points", by=ada)
    with everywhere():
        version = draft_rubric_version(rubric=published.rubric, document=published.document, by=ada)
    wrong = posted_form(
        version, **{"criteria.0.weight": "heavy", "criteria.0.levels.0.points": "?", "version": ""}
    )
    client = client_of(ada)
    pages = [
        client.get(page(version)),
        client.get(page(published)),
        client.post(page(version), wrong),
    ]
    pages += [
        client.post(page(version), posted_form(version, do="json")),
        client.get(page(version, "publish")),
    ]

    assert [faults for answer in pages for faults in page_faults(answer.text)] == []


def test_new_rubric_opens_the_form_of_its_first_draft(ada, organization):
    fields = {"organization": organization.pk, "name": "New", "slug": "new"}
    answer = client_of(ada).post(reverse("admin:grading_rubric_add"), fields, follow=True)
    with everywhere():
        rubric = Rubric.objects.get(slug="new")
    assert answer.request["QUERY_STRING"] == f"rubric={rubric.pk}"
    assert answer.context["adminform"].form["rubric"].value() == str(rubric.pk)


def test_boxes_are_posted_in_their_stored_order(ada, organization):
    """Another order would make an untouched draft another rubric."""
    shipped = adopt_shipped_rubric(organization=organization, name="self_audit", by=ada)
    with everywhere():
        version = draft_rubric_version(rubric=shipped.rubric, document=shipped.document, by=ada)
    text = client_of(ada).get(page(version)).text
    ticked = re.findall(
        r'name="criteria\.(\d+)\.checks\.(\d+)\.any_of" value="(\w+)" checked', text
    )
    boxes: dict[tuple[int, int], list[str]] = {}
    for criterion, check, value in ticked:
        boxes.setdefault((int(criterion), int(check)), []).append(value)

    assert boxes
    for (criterion, check), values in boxes.items():
        # The order of a list is part of the digest.
        assert version.document["criteria"][criterion]["checks"][check]["any_of"] == values
