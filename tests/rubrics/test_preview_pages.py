"""Pages of a preview and of putting the previewed version into force."""

import re

import pytest

from grading.core.enums import BulkVerb, Role, RubricState
from grading.engine import previews
from grading.engine.rubrics import document_digest
from grading.models import BulkRun
from tests.factories.people import staff_user
from tests.factories.preview_works import document, judged_assignment
from tests.factories.work import RubricVersionFactory
from tests.web_client.page_checks import faults_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis")]


@pytest.fixture
def assignment(judged):
    return judged


@pytest.fixture
def cohort(assignment):
    return assignment.cohort


@pytest.fixture
def teacher(client, cohort):
    client.force_login(staff_user(cohort.organization))
    return client


def draft_of(assignment, change):
    """Return a draft of the assignment's rubric after `change`."""
    text = document(version="2")
    change(text)
    rubric = assignment.rubric_version.rubric
    return RubricVersionFactory(rubric=rubric, number=2, draft=True, document=text)


def lenient(text):
    """Give the last level points, and add a check that needs the repository."""
    text["criteria"][0]["levels"][2]["points"] = 30
    tests = {
        "id": "safe.tests",
        "kind": "file_exists",
        "goal": "There are tests",
        "any_of": ["tests/**"],
    }
    text["criteria"][1]["checks"].append(tests)


def address(assignment, version, rest=""):
    place = f"/o/{assignment.organization.slug}/c/{assignment.cohort.slug}/a/{assignment.slug}"
    return f"{place}/preview/{version.pk}/{rest}"


def words(response):
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", response.content.decode()))


def figures(page):
    return {
        re.sub(r"<[^>]+>", "", name): re.sub(r"<[^>]+>", "", value)
        for name, value in re.findall(
            r"<div><dt>(.*?)</dt>\s*<dd class=\"figure\">(.*?)</dd>\s*</div>",
            re.sub(r"\s+", " ", page.content.decode()),
        )
    }


def test_changed_results_are_counted_drawn_and_listed(assignment, teacher):
    page = teacher.get(address(assignment, draft_of(assignment, lenient)))
    assert figures(page) == {
        "Higher": "2",
        "Lower": "0",
        "Newly passing": "1",
        "Newly failing": "0",
        "Needs review": "0 → 0",
        "With overrides (they stay)": "0",
    }
    text = words(page)

    assert "2 of 3 results would change" in text
    assert "“There are tests” needs the repository in 3 audits." in text
    assert "Student 000 2.5, 30 of 100 points 2.5, 60 of 100 points would pass" in text
    assert "Tidy: 2 (None, 0 points) → 2 (None, 30 points)" in text
    drawn = re.findall(r'aria-label="(By [^"]+|Mean [^"]+)"', page.content.decode())
    spread = (
        "30 to 39 %: 1 before, 0 after; 60 to 69 %: 1 before, 1 after; "
        "90 to 100 %: 1 before, 2 after"
    )
    assert drawn == [
        f"By percent of the points: {spread}",
        "Mean 2.67 before, 2.67 after",
        "Mean 4.33 before, 4.33 after",
    ]


def test_pages_have_no_faults(assignment, teacher):
    draft, broken = (
        draft_of(assignment, lenient),
        judged_assignment(works=(), cohort=assignment.cohort),
    )
    pages = [
        teacher.get(address(assignment, draft, "?pass_score=none")),
        teacher.get(address(broken, draft)),
        teacher.get(address(assignment, draft, "adopt/")),
        teacher.post(address(assignment, draft, "adopt/"), sent(draft, confirmed="")),
    ]

    assert [faults_of(page.content.decode()) for page in pages] == [[]] * 4


def test_pass_mark_comes_from_the_address_and_a_wrong_one_is_reported(assignment, teacher):
    draft = draft_of(assignment, lenient)
    higher = teacher.get(address(assignment, draft, "?pass_percent=70"))
    wrong = teacher.get(address(assignment, draft, "?pass_percent=700&rules=none"))
    assert (figures(higher)["Newly passing"], figures(wrong)["Newly passing"]) == ("1", "1")
    assert list(wrong.context["form"].errors) == ["rules", "pass_percent"]
    assert 'value="700"' in wrong.content.decode()


def test_unfinished_draft_shows_its_faults(assignment, teacher):
    def broken(text):
        text["criteria"][0]["checks"][0]["any_of"] = []

    page = teacher.get(address(assignment, draft_of(assignment, broken)))

    assert "This draft is unfinished criteria / 1 / checks / 1 / any_of" in words(page)
    assert "Next steps" not in words(page)


def test_assignment_without_verdicts_has_nothing_to_preview(cohort, teacher):
    assignment = judged_assignment(works=(), cohort=cohort)
    assert "No submission for this assignment has a verdict yet" in words(
        teacher.get(address(assignment, assignment.rubric_version))
    )


def test_assistant_can_preview_but_not_publish(assignment, client):
    client.force_login(staff_user(assignment.organization, Role.ASSISTANT))
    draft = draft_of(assignment, lenient)
    page = client.get(address(assignment, draft))
    assert (page.status_code, "Next steps" in words(page)) == (200, False)
    assert client.get(address(assignment, draft, "adopt/")).status_code == 404


def test_preview_with_other_rules_cannot_be_published(assignment, teacher):
    page = teacher.get(address(assignment, draft_of(assignment, lenient), "?rules=opinions-only"))
    assert "choose them in a draft" in words(page)
    assert "adopt/" not in page.content.decode()


def sent(version, **fields):
    given = {
        "seen": document_digest(version.document),
        "adopt": "on",
        "resynthesise": "on",
        "confirmed": "3",
    }
    return given | fields


def test_changed_or_unpreviewed_draft_is_not_published(assignment, teacher):
    draft = draft_of(assignment, lenient)
    begun = sent(draft)
    draft.document["name"] = "Another"
    draft.save()
    for fields, sentence in (
        (begun, "This draft was saved by someone else"),
        (sent(draft, seen=""), "Open the preview first"),
    ):
        page = teacher.post(address(assignment, draft, "adopt/"), fields)
        assert sentence in words(page)
    draft.refresh_from_db()

    assert (draft.state, BulkRun.objects.count()) == (RubricState.DRAFT, 0)


def test_changed_number_of_audits_is_refused_and_changes_nothing(assignment, teacher):
    draft = draft_of(assignment, lenient)
    page = teacher.post(address(assignment, draft, "adopt/"), sent(draft, confirmed="2"))
    assert "There are 3 audits now, but you confirmed 2" in words(page)
    draft.refresh_from_db()
    assignment.refresh_from_db()

    assert (draft.state, assignment.rubric_version.number) == (RubricState.DRAFT, 1)


def test_confirmed_draft_is_published_adopted_and_applied(assignment, teacher):
    draft = draft_of(assignment, lenient)
    page = teacher.get(address(assignment, draft, f"adopt/?seen={document_digest(draft.document)}"))
    assert "A small rubric v1, the published version, becomes superseded" in words(page)
    done = teacher.post(address(assignment, draft, "adopt/"), sent(draft))
    run = BulkRun.objects.get()
    assignment.refresh_from_db()
    draft.refresh_from_db()

    assert (done.status_code, done.url) == (
        302,
        f"/o/{assignment.organization.slug}/bulk/{run.pk}/",
    )
    assert (run.verb, run.rubric_version, run.total) == (BulkVerb.RESYNTHESISE, draft, 3)
    assert (assignment.rubric_version, draft.state) == (draft, RubricState.PUBLISHED)


def test_draft_can_be_published_alone(assignment, teacher):
    draft = draft_of(assignment, lenient)
    done = teacher.post(
        address(assignment, draft, "adopt/"), sent(draft, adopt="", resynthesise="")
    )
    assignment.refresh_from_db()
    draft.refresh_from_db()

    assert (done.url, draft.state) == (
        f"/{address(assignment, draft).split('/preview')[0][1:]}/",
        RubricState.PUBLISHED,
    )
    assert (assignment.rubric_version.number, BulkRun.objects.count()) == (1, 0)


@pytest.mark.parametrize(("seconds", "is_refused"), [(0, True), (5, False)])
def test_result_has_no_preview_once_the_guards_took_their_time(
    teacher, assignment, monkeypatch, seconds, is_refused
):
    def guard(text):
        rules = [{"kind": "weighted_average", "when": "known.facts.commit_count"}]
        text["constitution"] = {"id": "own", "rules": rules}

    monkeypatch.setattr(previews, "GUARD_SECONDS", seconds)
    page = teacher.get(address(assignment, draft_of(assignment, guard))).text

    reason = "The guards of the rules take too long for a preview. Make them simpler."
    assert (reason in page) is is_refused
