"""Pages of accesses: given by a form, shown without their secret, confirmed, tried, granted and revoked."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import urlsplit

import pytest
from django.test import Client
from django.urls import reverse
from django_scopes import scope

from courtroom.models.repository_access import HttpsToken
from grading.core.enums import AccessKind
from grading.engine.access_trials import fingerprint_of
from grading.engine.repository_access import location_of, unsealed
from grading.models import Activity, RepositoryAccess, RepositoryGrant
from grading.repositories import actions
from grading.repositories.queries import proof_branch
from tests.factories.people import everywhere, staff_user
from tests.factories.repositories import git
from tests.factories.repository_accesses import TOKEN, RepositoryAccessFactory, access_of
from tests.factories.ssh_server import new_host_key, serve_ssh

pytestmark = pytest.mark.django_db
ADAS = "private/course/ada"


def client_of(user: Any) -> Client:
    client = Client()
    client.force_login(user)
    return client


def own_page(student: Any) -> str:
    return reverse("repositories", args=[student.organization.slug, student.cohort.slug])


def send(client: Client, page: str, **values: Any) -> Any:
    return client.post(page, values, follow=True)


def accesses() -> list[RepositoryAccess]:
    with everywhere():
        return list(RepositoryAccess.objects.all())


def log() -> list[tuple[str, str]]:
    with everywhere():
        rows = Activity.objects.filter(verb__startswith="repository.").order_by("pk")
        return [(row.verb, row.detail["place"]) for row in rows]


def errors_on(answer: Any) -> str:
    return " ".join(re.findall(r'class="errorlist[^>]*>(.*?)</ul>', answer.text, re.DOTALL))


def test_token_is_tried_sealed_and_never_shown_again(private, host, ada):
    client = client_of(ada.user)
    sent = {"do": "token", "address": f"{private.url}/course/ada.git", "token": TOKEN}
    answer = send(client, own_page(ada), **sent)
    (access,) = accesses()
    assert (access.kind, access.host, access.path, access.owner) == (
        AccessKind.TOKEN,
        host,
        ADAS,
        ada.user,
    )
    pages = [answer, client.get(own_page(ada)), client.get(answer.redirect_chain[-1][0])]
    texts = " ".join(page.text for page in pages)
    assert (TOKEN in texts, access.sealed_secret in texts, f"{host}/{ADAS}" in texts) == (
        False,
        False,
        True,
    )
    assert (TOKEN in access.sealed_secret, unsealed(access)) == (
        False,
        HttpsToken("oauth2", TOKEN),
    )
    assert log() == [("repository.linked", f"{host}/{ADAS}")]


@pytest.mark.parametrize(
    ("address", "token", "sentence"),
    [
        ("{url}/course/ada.git", "wrong", "The host does not open this repository"),
        ("{url}/course/nobody.git", TOKEN, "The host does not open this repository"),
        ("git@gitlab.com:ada/work.git", TOKEN, "Give the whole address of one repository"),
        ("https://gitlab.com", TOKEN, "Give the whole address of one repository"),
        ("https://10.0.0.1/ada/work", TOKEN, "private network"),
        ("https://ada:secret@gitlab.com/ada/work", TOKEN, "user name or password"),
        ("{url}/course/ada.git", "two\nlines", "A token is one line"),
    ],
)
def test_token_that_opens_nothing_is_not_stored(private, ada, address, token, sentence):
    sent = {"do": "token", "address": address.format(url=private.url), "token": token}
    answer = send(client_of(ada.user), own_page(ada), **sent)
    assert (sentence in errors_on(answer), accesses()) == (True, [])
    assert token not in answer.text or token == "wrong"


def test_second_token_for_an_address_replaces_the_first(private, ada):
    client, address = client_of(ada.user), f"{private.url}/course/ada.git"
    for _ in range(2):
        send(client, own_page(ada), do="token", address=address, token=TOKEN)
    assert len(accesses()) == 1


def test_accesses_of_a_student_are_limited(private, ada, monkeypatch):
    monkeypatch.setattr(actions, "MOST_OF_STUDENT", 1)
    access_of(ada, path="another")
    address = f"{private.url}/course/ada.git"
    answer = send(client_of(ada.user), own_page(ada), do="token", address=address, token=TOKEN)
    assert ("There are 1 accesses" in answer.text, len(accesses())) == (True, 1)


def test_revoking_deletes_the_secret_and_says_so_in_the_log(host, ada):
    access = access_of(ada, host=host, path=ADAS)
    page = f"{own_page(ada)}{access.pk}/"
    answer = send(client_of(ada.user), page, do="revoke")
    assert (answer.redirect_chain, accesses()) == ([(own_page(ada), 302)], [])
    assert log() == [("repository.revoked", f"{host}/{ADAS}")]


def test_trial_of_a_revoked_token_is_shown_as_refused(private, host, ada):
    access = access_of(ada, host=host, path=ADAS)
    page, client = f"{own_page(ada)}{access.pk}/", client_of(ada.user)
    assert f"{host} opens {ADAS}" in send(client, page, do="try").text
    private.is_allowed = lambda *_: False
    answer = send(client, page, do="try")
    assert "does not open this repository" in answer.text
    assert "refused" in client.get(own_page(ada)).text


def test_classmate_and_staff_see_nothing_of_an_access(host, ada, ben):
    access = access_of(ada, host=host, path=ADAS)
    page = f"{own_page(ada)}{access.pk}/"
    for user in (ben.user, staff_user(ada.organization)):
        client = client_of(user)
        answers = [client.get(page).status_code, client.post(page, {"do": "revoke"}).status_code]
        assert answers == [404, 404]
    assert accesses() == [access]


# -- deploy keys -----------------------------------------------------------------------------------


@pytest.fixture
def ssh(served):
    with serve_ssh(served) as server:
        yield server


def test_deploy_key_opens_once_its_host_key_was_confirmed(ssh, ada):
    client = client_of(ada.user)
    answer = send(client, own_page(ada), do="key", address=ssh.url("course/ada.git"))
    (access,) = accesses()
    page = answer.redirect_chain[-1][0]
    assert (access.is_ready, access.public_key in answer.text) == (False, True)
    assert "PRIVATE KEY" not in answer.text

    ssh.allowed = [" ".join(access.public_key.split()[:2])]
    fingerprint = re.findall(r'name="fingerprint" value="([^"]+)"', answer.text)[0]
    other = send(client, page, do="confirm", fingerprint="SHA256:another")
    assert ("Compare it again" in other.text, accesses()[0].is_ready) == (True, False)
    send(client, page, do="confirm", fingerprint=fingerprint)
    assert (accesses()[0].is_ready, "opens course/ada" in send(client, page, do="try").text) == (
        True,
        True,
    )
    assert [verb for verb, _ in log()] == ["repository.linked", "repository.host_key_confirmed"]


def test_changed_host_key_gets_no_login(served, ada):
    with serve_ssh(served) as first:
        client = client_of(ada.user)
        send(client, own_page(ada), do="key", address=first.url("course/ada.git"))
    (access,) = accesses()
    page = f"{own_page(ada)}{access.pk}/"
    send(
        client,
        page,
        do="confirm",
        fingerprint=fingerprint_of(access.host_key),
    )
    with serve_ssh(served, host_key=new_host_key(), port=first.port) as second:
        second.allowed = [" ".join(access.public_key.split()[:2])]
        answer = send(client, page, do="try")
        assert ("another host key" in answer.text, second.commands) == (True, [])

        send(client, page, do="read")
        (renewed,) = accesses()
        assert (renewed.host_key, renewed.is_ready) == (second.host_key, False)
        send(client, page, do="confirm", fingerprint=fingerprint_of(second.host_key))
        assert "opens course/ada" in send(client, page, do="try").text


def test_key_of_a_known_host_needs_no_confirmation(ada, monkeypatch):
    from courtroom.analysis.git import repository_addresses

    monkeypatch.setattr(repository_addresses, "system_addresses", lambda _: ("140.82.121.4",))
    send(client_of(ada.user), own_page(ada), do="key", address="git@github.com:ada/work.git")
    (access,) = accesses()
    assert (access.is_ready, access.place, access.username) == (True, "github.com/ada/work", "git")


@pytest.mark.parametrize(
    "address", ["https://github.com/ada/work", "git@localhost:ada/work", "git@10.0.0.1:a/b", "x"]
)
def test_key_for_an_address_without_ssh_or_of_a_private_network_is_not_made(ada, address, settings):
    settings.ALLOW_LOCAL_REPOSITORIES = False
    answer = send(client_of(ada.user), own_page(ada), do="key", address=address)
    assert (errors_on(answer) != "", accesses()) == (True, [])


# -- the organization's ----------------------------------------------------------------------------


@pytest.fixture
def teacher(ada):
    return client_of(staff_user(ada.organization))


@pytest.fixture
def shared(ada, host) -> RepositoryAccess:
    made: RepositoryAccess = RepositoryAccessFactory.create(
        organization=ada.organization, host=host, path="private/course"
    )
    return made


def page_of(access: RepositoryAccess) -> str:
    return reverse("shared-repository", args=[access.organization.slug, access.pk])


def test_teacher_gives_a_token_for_a_group_or_a_host(ada, teacher):
    page = reverse("shared-repositories", args=[ada.organization.slug])
    for address in ("https://gitlab.example.edu/course-2026", "https://gitlab.example.edu"):
        answer = send(teacher, page, do="token", address=address, token=TOKEN)
        assert TOKEN not in answer.text
    assert {access.path for access in accesses()} == {"course-2026", ""}
    assert all(access.student is None for access in accesses())


def test_teacher_assigns_and_withdraws_repositories(ada, ben, teacher, shared, private):
    lines = f"{ada.email}, {private.url}/course/ada.git\n{ben.email} {private.url}/course/ben\n"
    answer = send(teacher, page_of(shared), do="assign", students=lines)
    assert "2 repositories assigned" in answer.text
    with everywhere():
        grants = {grant.student: grant for grant in RepositoryGrant.objects.all()}
    assert {holder.pk: grant.path for holder, grant in grants.items()} == {
        ada.pk: ADAS,
        ben.pk: "private/course/ben",
    }
    send(teacher, page_of(shared), grant=grants[ben].pk)
    with everywhere():
        assert [grant.student for grant in RepositoryGrant.objects.all()] == [ada]
    assert [verb for verb, _ in log()] == [
        "repository.granted",
        "repository.granted",
        "repository.grant_withdrawn",
    ]


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("nobody@example.org {url}/course/ada", "Nobody on a roster"),
        ("{email} https://elsewhere.example/course/ada", "Line 1 is no address"),
        ("{email} {other}/course/ada", "Line 1 is not below"),
        ("{email}", "Line 1 is no address"),
    ],
)
def test_assignment_beside_the_access_is_refused(ada, teacher, shared, private, line, sentence):
    other = private.url.removesuffix("/private")
    text = line.format(email=ada.email, url=private.url, other=other)
    answer = send(teacher, page_of(shared), do="assign", students=text)
    assert sentence in errors_on(answer)
    with everywhere():
        assert not RepositoryGrant.objects.exists()


def test_student_shows_by_a_branch_that_a_repository_is_theirs(private, served, ada, ben, shared):
    address = f"{private.url}/course/ada.git"
    answer = send(client_of(ada.user), own_page(ada), do="proof", address=address)
    with scope(organization=ada.organization):
        location = location_of(address)
        assert location is not None
        branch, bens = proof_branch(ada, location), proof_branch(ben, location)
    assert (f"HEAD:{branch}" in answer.text, branch == bens) == (True, False)

    git("branch", branch, "HEAD", at=served / "course" / "ada.git")
    refused = send(client_of(ben.user), own_page(ben), do="proof", address=address)
    assert "We did not find this branch" in refused.text
    send(client_of(ada.user), own_page(ada), do="proof", address=address)
    git("branch", "-D", branch, at=served / "course" / "ada.git")
    with everywhere():
        grants = [(grant.student, grant.path) for grant in RepositoryGrant.objects.all()]
    assert grants == [(ada, ADAS)]


def test_proof_says_the_same_of_repositories_that_exist_and_that_do_not(private, ada, shared):
    sentences = set()
    for name in ("ben", "nobody"):
        address = f"{private.url}/course/{name}.git"
        answer = send(client_of(ada.user), own_page(ada), do="proof", address=address)
        sentences.add(re.sub("auditor-[0-9a-f]+", "BRANCH", errors_on(answer)))
    assert len(sentences) == 1


def test_access_that_was_sealed_with_a_lost_key_proves_nothing(private, ada, shared, settings):
    settings.SECRET_KEY = "another-" * 8
    address = f"{private.url}/course/ada.git"
    answer = send(client_of(ada.user), own_page(ada), do="proof", address=address)
    assert "Ask your teacher to store it again" in errors_on(answer)


def test_address_that_no_access_covers_is_never_asked(private, ada):
    RepositoryAccessFactory.create(organization=ada.organization, host="elsewhere.example")
    address = f"{private.url}/course/ada.git"
    answer = send(client_of(ada.user), own_page(ada), do="proof", address=address)
    assert ("no access for this address" in answer.text, private.seen) == (True, [])


def test_page_of_the_course_leads_to_the_repositories(ada):
    page = reverse("cohort", args=[ada.organization.slug, ada.cohort.slug])
    links = re.findall(r'href="([^"]+)"', client_of(ada.user).get(page).text)
    assert own_page(ada) in {urlsplit(link).path for link in links}
