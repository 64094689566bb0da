"""Import and export: any layout becomes a draft or is refused beside its field."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from grading.core.enums import RubricState
from grading.core.errors import RubricKnown, RubricRefused
from grading.engine import audits as engine_audits
from grading.engine import rubrics as engine_rubrics
from grading.models import Activity, Rubric, RubricVersion
from grading.rubrics.actions import (
    adopt_rubric_version,
    adopt_shipped_rubric,
    duplicate_version,
    import_rubric,
    publish_rubric_version,
)
from tests.factories.people import OrganizationFactory, everywhere, staff_user
from tests.factories.work import (
    AssignmentFactory,
    RubricFactory,
    RubricVersionFactory,
    rubric_document,
)

pytestmark = pytest.mark.django_db
IMPORT = "/admin/grading/rubric/import/"
# A layout as courses write it: rules and levels as sentences, points, keys without a meaning here.
WILD = {
    "rubric_metadata": {"rubric_name": "Week 2: Peers", "version": "1.0"},
    "dimensions": [
        {
            "id": "development_progress",
            "name": "Development Progress",
            "target_artifact": "github_repo",
            "levels": "35 pts: Complete (atomic commits). 7 pts: Superficial.",
            "metric": "commits",
        },
        {"name": "Manners", "description": "Be kind", "score_5": "Kind", "score_1": "Rude"},
    ],
    "synthesis_rules": {"security_override": "caps at 3", "max_total": 100},
}


@pytest.fixture
def organization():
    return OrganizationFactory(name="Ours")


@pytest.fixture
def ada(organization) -> User:
    user = staff_user(organization)
    user.is_staff = True
    user.save()
    return user


@pytest.fixture
def client(ada) -> Client:
    client = Client()
    client.force_login(ada)
    return client


def text_of(document: Any) -> str:
    return json.dumps(document, indent=1, ensure_ascii=False)


def versions() -> list[RubricVersion]:
    with everywhere():
        return list(RubricVersion.objects.select_related("rubric", "based_on").order_by("pk"))


def posted(client: Client, organization, **fields: Any):
    return client.post(IMPORT, {"into": f"o{organization.pk}", "text": "", **fields})


def errors(answer) -> dict[str, list[str]]:
    return dict(answer.context["form"].errors)


def page(version: RubricVersion, name: str) -> str:
    return reverse(f"admin:grading_rubricversion_{name}", args=[version.pk])


@pytest.mark.parametrize(
    ("fields", "messages"),
    [
        ({}, {"file": ["Choose a file, or paste the text below."]}),
        ({"text": "x" * 1_000_001}, {"text": ["The limit is 1 MB."]}),
        ({"file": b"x" * 1_000_001}, {"file": ["The limit is 1 MB."]}),
        ({"file": b"{}\xff"}, {"file": ["The file is not UTF-8 text: byte 3 cannot be read."]}),
        (
            {"text": "{\r\n,"},
            {
                "text": [
                    (
                        "The rubric is not valid JSON: line 2, column 1: "
                        "Expecting property name enclosed in double quotes."
                    )
                ]
            },
        ),
        (
            {"file": b'{"dimensions": [7]}'},
            {
                "text": [
                    (
                        "The rubric contains no criterion that can be judged. "
                        "Each one needs a name or id, and a description or checks."
                    )
                ]
            },
        ),
        (
            {"text": text_of(rubric_document() | {"name": "a\0b"})},
            {
                "text": [
                    (
                        "The rubric does not fit its schema: line 3, name: "
                        "The character U+0000 cannot be used."
                    )
                ]
            },
        ),
        (
            {
                "text": text_of(
                    rubric_document("one")
                    | {
                        "constitution": {
                            "id": "own",
                            "rules": [{"kind": "security_override", "when": "spred > 1"}],
                        }
                    }
                )
            },
            {
                "text": [
                    (
                        "The rubric does not fit its schema: line 40, constitution.rules.0.when: "
                        "Character 1: There is nothing named spred; perhaps spread is meant."
                    )
                ]
            },
        ),
        (
            {"into": "r999999"},
            {"into": ["Select a valid choice. r999999 is not one of the available choices."]},
        ),
    ],
)
def test_invalid_import_is_refused_beside_its_field_and_the_text_stays(
    fields, messages, client, organization
):
    # A wrong target needs a text, or the missing text would be refused first.
    sent = {"text": "kept"} | fields if "into" in fields else fields
    if "file" in sent:
        sent = sent | {"file": SimpleUploadedFile("rubric.json", sent["file"])}
    answer = posted(client, organization, **sent)

    assert errors(answer) == messages
    assert versions() == []
    typed = (
        fields.get("file", b"").decode("latin-1")
        if "text" in messages and "file" in fields
        else sent.get("text", "")
    )
    assert answer.context["form"]["text"].value().replace("\r\n", "\n") == typed.replace(
        "\r\n", "\n"
    )


def test_guard_is_checked_alone():
    assert engine_audits.check_guard("spread > 1") is None
    assert engine_audits.check_guard("true && spred > 1") == (
        8,
        "There is nothing named spred; perhaps spread is meant.",
    )


def test_rubric_of_another_organization_is_no_choice(client, organization):
    theirs = RubricFactory()
    answer = posted(client, organization, into=f"r{theirs.pk}", text=text_of(WILD))
    assert list(errors(answer)) == ["into"]
    assert theirs.name not in client.get(IMPORT).text
    assert versions() == []


def test_foreign_layout_becomes_a_draft_with_notes_by_line(client, organization, ada):
    upload = SimpleUploadedFile("week2.json", text_of(WILD).encode())
    answer = posted(client, organization, file=upload)
    (draft,) = versions()

    assert (answer.status_code, answer.url) == (302, page(draft, "imported"))
    assert (draft.state, draft.rubric.slug, draft.note) == (
        "draft",
        "week-2-peers",
        "Imported from week2.json",
    )
    assert [c["id"] for c in draft.document["criteria"]] == ["development_progress", "manners"]
    with everywhere():
        logged = Activity.objects.get(verb="rubric.imported")
    assert (logged.actor, logged.detail["source"]) == (ada, "week2.json")
    notes = [(note["line"], note["where"], note["text"]) for note in logged.detail["notes"]]
    assert notes == [
        (7, "dimensions.0", '{ "id": "development_progress",'),
        (12, "dimensions.0.metric", '"metric": "commits"'),
        (14, "dimensions.1", '{ "name": "Manners",'),
        (14, "dimensions.1", '{ "name": "Manners",'),
        (22, "synthesis_rules.security_override", '"security_override": "caps at 3",'),
        (23, "synthesis_rules.max_total", '"max_total": 100'),
    ]
    text = client.get(answer.url).text
    assert text.count('<th scope="row">') == len(notes)
    assert "Not used: there is no typed rule for it." in text


def test_same_document_makes_a_second_draft_only_on_request(client, organization):
    posted(client, organization, text=text_of(WILD))
    (first,) = versions()
    again = posted(client, organization, text=text_of(WILD))
    assert versions() == [first]
    assert errors(again) == {"text": ["This rubric already exists as Week 2: Peers v1 (draft)."]}
    assert page(first, "change") in again.text
    assert "Not used: there is no typed rule for it." in again.text
    posted(client, organization, text=text_of(WILD), again="on")

    assert [version.number for version in versions()] == [1, 2]


def test_import_goes_to_the_chosen_rubric_and_changes_nothing_else(client, organization):
    published = RubricVersionFactory(rubric__organization=organization)
    answer = posted(client, organization, into=f"r{published.rubric_id}", text=text_of(WILD))

    assert answer.status_code == 302
    assert [(v.rubric_id, v.number, v.state) for v in versions()] == [
        (published.rubric_id, 1, "published"),
        (published.rubric_id, 2, "draft"),
    ]


def test_published_document_is_a_duplicate_too(organization, ada):
    document = engine_rubrics.settled_rubric(rubric_document())
    first = import_rubric(organization=organization, text=text_of(document), by=ada)
    publish_rubric_version(version=first, by=ada)
    with pytest.raises(RubricKnown) as refused:
        import_rubric(organization=organization, text=text_of(rubric_document()), by=ada)
    assert (refused.value.code, refused.value.version_id) == ("rubric_known", first.pk)


@pytest.mark.parametrize("identity", ["!!!", "x" * 200, "Ünï côdé", "a/../b"])
def test_any_rubric_id_gives_a_slug(identity, organization):
    document = rubric_document() | {"id": identity, "name": "n" * 300}
    version = import_rubric(
        organization=organization, text=text_of(document), by=None, source="s" * 400
    )

    assert version.document["id"] == identity
    assert 0 < len(version.rubric.slug) <= 80


def test_exported_rubric_is_imported_with_the_same_digest(client, organization, ada):
    shipped = adopt_shipped_rubric(organization=organization, name="self_audit", by=ada)
    answer = client.get(page(shipped, "export"))
    name = shipped.document["id"].replace("_", "-")
    assert answer["Content-Disposition"] == f'attachment; filename="{name}-v1.json"'
    copy = import_rubric(organization=OrganizationFactory(), text=answer.text, by=None)

    assert engine_rubrics.document_digest(copy.document) == shipped.digest
    assert copy.document == shipped.document
    with everywhere():
        assert Activity.objects.get(verb="rubric.imported").detail["notes"] == []


def test_duplicate_is_a_draft_with_the_same_document(client, organization, ada):
    shipped = adopt_shipped_rubric(organization=organization, name="points", by=ada)
    assert client.get(page(shipped, "duplicate")).status_code == 405
    answer = client.post(page(shipped, "duplicate"))
    copy = versions()[-1]

    assert answer.url == page(copy, "change")
    assert (copy.state, copy.number, copy.based_on, copy.note) == (
        "draft",
        2,
        shipped,
        "Copy of version 1",
    )
    assert copy.document == shipped.document
    named = duplicate_version(version=copy, by=ada, why="For the autumn")
    assert (named.number, named.based_on, named.note) == (3, copy, "For the autumn")


def test_version_of_another_organization_is_answered_as_missing(client):
    theirs = RubricVersionFactory(rubric__name="Zwickau")
    for name in ("difference", "duplicate", "export", "imported"):
        answers = [
            client.post(reverse(f"admin:grading_rubricversion_{name}", args=[pk]))
            for pk in (theirs.pk, 10**9)
        ]
        assert [(answer.status_code, answer.url) for answer in answers] == [(302, "/admin/")] * 2

    assert versions() == [theirs]


@pytest.mark.parametrize("state", [RubricState.PUBLISHED, RubricState.SUPERSEDED])
def test_assignment_uses_the_adopted_version(state, ada):
    assignment = AssignmentFactory()
    before = assignment.rubric_version
    version = RubricVersionFactory(rubric__organization=assignment.organization, state=state)
    # Adopting twice is logged once.
    for _ in range(2):
        adopted = adopt_rubric_version(assignment=assignment, version=version, by=ada)

    assert adopted.rubric_version == version
    with everywhere():
        (logged,) = Activity.objects.filter(verb="assignment.rubric_adopted")
    assert (logged.cohort_id, logged.detail["before"], logged.detail["after"]) == (
        assignment.cohort_id,
        str(before),
        str(version),
    )


def test_draft_or_foreign_version_is_not_adopted(ada):
    assignment = AssignmentFactory()
    draft = RubricVersionFactory(rubric__organization=assignment.organization, draft=True)
    for unfit in (draft, RubricVersionFactory()):
        with pytest.raises(
            RubricRefused, match="Only a published rubric of this organization can be used"
        ):
            adopt_rubric_version(assignment=assignment, version=unfit, by=ada)
    with everywhere():
        assert (
            Rubric.objects.filter(versions__assignments=assignment).get()
            == assignment.rubric_version.rubric
        )
