"""Private repositories over real HTTP and real ssh: who opens them, what is refused, and where no secret may be."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from courtroom.analysis.git.clone import ACCESS_REFUSED, LOGIN
from courtroom.analysis.git.host_keys import PUBLISHED, fingerprint_of, scan_host_key
from courtroom.analysis.git.repository_addresses import check_url
from courtroom.analysis.git.snapshot import probe_repository, take_snapshot
from courtroom.models.case import Case, Limits
from courtroom.models.errors import CourtroomError
from courtroom.models.repository_access import DeployKey, HttpsToken
from courtroom.rubric_import.read_rubric import shipped_rubric
from courtroom.synthesis.constitutions import preset
from tests.factories.private_git_server import serve_private
from tests.factories.repositories import Commit, make_repository
from tests.factories.ssh_server import new_host_key, new_pair, public_half, serve_ssh

TOKEN = "glpat-canary-3c9f51"
ACCESS = HttpsToken("oauth2", TOKEN)
HISTORY = [Commit("First", {"README.md": "one\n"})]


@pytest.fixture
def private(tmp_path):
    make_repository(tmp_path / "served" / "ada.git", HISTORY)
    with serve_private(tmp_path / "served") as server:
        server.is_allowed = lambda name, token, _path: (name, token) == ("oauth2", TOKEN)
        yield server


def refusal(url: str, access: Any) -> tuple[str, str]:
    with pytest.raises(CourtroomError) as refused:
        probe_repository(url, ref=None, allow_local=True, access=access)
    notes = getattr(refused.value, "__notes__", [])
    assert TOKEN not in f"{refused.value!r} {refused.value.__cause__!r} {notes}"
    return refused.value.code, refused.value.message


def snapshot(url: str, into: Path, access: Any) -> Any:
    return take_snapshot(url, ref=None, into=into, limits=Limits(), allow_local=True, access=access)


def test_token_opens_a_private_repository_and_stays_out_of_the_clone(private, tmp_path):
    taken = snapshot(f"{private.url}/ada.git", tmp_path / "taken", ACCESS)
    probed = probe_repository(f"{private.url}/ada.git", ref=None, allow_local=True, access=ACCESS)
    assert (probed, len(private.seen) > 0) == (taken.commit, True)
    assert files_with(TOKEN, tmp_path) == []


def files_with(secret: str, folder: Path) -> list[Path]:
    return [
        path
        for path in folder.rglob("*")
        if path.is_file() and secret.encode() in path.read_bytes()
    ]


def test_without_an_access_it_says_how_to_give_one(private):
    assert refusal(f"{private.url}/ada.git", None) == ("repository_login_required", LOGIN)
    assert "Give access" in LOGIN


@pytest.mark.parametrize("token", ["another", "glpat-expired"])
def test_wrong_or_revoked_token_is_a_lost_right_and_not_a_missing_repository(private, token):
    url = f"{private.url}/ada.git"
    expected = ("repository_access_refused", ACCESS_REFUSED)
    assert refusal(url, HttpsToken("oauth2", token)) == expected
    private.is_allowed = lambda *_: False
    assert refusal(url, ACCESS) == expected


def test_repository_that_is_gone_is_a_lost_right_too(private):
    assert refusal(f"{private.url}/ben.git", ACCESS)[0] == "repository_access_refused"


def test_redirect_does_not_take_the_token_to_another_host(private, tmp_path):
    with serve_private(tmp_path / "served") as other:
        private.moved_to = other.url.removesuffix("/private")
        assert refusal(f"{private.url}/ada.git", ACCESS)[0] == "repository_redirected"
        assert (other.seen, private.seen) == ([], [])


def test_redirect_after_the_login_does_not_take_the_token_along(private, tmp_path):
    with serve_private(tmp_path / "served") as other:
        elsewhere = other.url.removesuffix("/private")
        private.asked = lambda: setattr(private, "moved_to", elsewhere)
        assert refusal(f"{private.url}/ada.git", ACCESS)[0] == "repository_redirected"
        assert other.seen == []


def test_public_repository_never_gets_the_token(tmp_path, private):
    public = private.url.removesuffix("/private")
    taken = snapshot(f"{public}/ada.git", tmp_path / "taken", ACCESS)
    assert (len(taken.commit), private.seen) == (40, [])


def test_token_for_an_address_is_not_offered_to_another_one(private, tmp_path):
    """A submodule's host, say: git is told of one origin."""
    with serve_private(tmp_path / "served") as other:
        other.is_allowed = private.is_allowed
        key = DeployKey(PUBLISHED["github.com"], "no key")
        assert refusal(f"{other.url}/ada.git", key)[0] == "repository_access_refused"
        assert other.seen == []


def test_submodules_and_files_of_lfs_are_not_fetched(tmp_path):
    with serve_private(tmp_path / "served") as private, serve_private(tmp_path / "served") as other:
        files = {
            ".gitmodules": f'[submodule "x"]\n\tpath = x\n\turl = {other.url}/x.git\n',
            ".lfsconfig": f"[lfs]\n\turl = {other.url}/lfs\n",
            ".gitattributes": "*.bin filter=lfs diff=lfs merge=lfs -text\n",
            "data.bin": "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n",
        }
        make_repository(tmp_path / "served" / "mods.git", [Commit("First", files)])
        private.is_allowed = other.is_allowed = lambda *_: True
        snapshot(f"{private.url}/mods.git", tmp_path / "taken", ACCESS)
        assert (len(private.seen) > 0, other.seen) == (True, [])


@pytest.mark.parametrize("text", ["", "two\nlines", "nul\0"])
def test_token_that_is_not_one_line_is_refused(text):
    with pytest.raises(ValueError, match="one line"):
        HttpsToken("oauth2", text)
    with pytest.raises(ValueError, match="one line"):
        HttpsToken(text, "token")


def test_no_representation_shows_a_secret():
    rubric = shipped_rubric("general")
    case = Case(
        repo_url="https://git.example/a/b",
        rubric=rubric,
        constitution=preset("default"),
        access=ACCESS,
    )
    key = DeployKey(PUBLISHED["github.com"], TOKEN)
    visible = f"{case!r} {case.model_dump_json()} {ACCESS!r} {key!r} {case.model_copy(update={})!r}"
    assert (TOKEN in visible, case.access) == (False, ACCESS)


def test_nothing_that_other_processes_can_read_holds_the_token(private, tmp_path):
    """While git waits for an answer, every argument and variable on the machine is read."""
    visible: list[str] = []
    private.asked = lambda: visible.extend(arguments_and_variables())
    snapshot(f"{private.url}/ada.git", tmp_path / "taken", ACCESS)
    assert any("git" in text for text in visible)
    assert [text for text in visible if TOKEN in text] == []


def arguments_and_variables() -> list[str]:
    texts = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdecimal() and folder.name != str(os.getpid()):
            for name in ("cmdline", "environ"):
                try:
                    texts.append((folder / name).read_text(errors="replace"))
                except OSError:
                    continue
    return texts


# -- ssh -------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def pair() -> tuple[str, str]:
    return new_pair()


@pytest.fixture
def ssh(tmp_path, pair):
    make_repository(tmp_path / "keys" / "ada.git", HISTORY)
    with serve_ssh(tmp_path / "keys") as server:
        server.allowed = [pair[1]]
        yield server


def test_deploy_key_opens_a_repository_over_ssh(ssh, pair, tmp_path):
    access = DeployKey(ssh.host_key, pair[0])
    taken = snapshot(ssh.url("ada.git"), tmp_path / "taken", access)
    probed = probe_repository(ssh.url("ada.git"), ref=None, allow_local=True, access=access)
    assert (taken.commit, set(ssh.commands)) == (probed, {"git-upload-pack '/ada.git'"})
    body = pair[0].splitlines()[1]
    assert files_with(body, tmp_path) == []


def test_other_host_key_gets_nothing(ssh, pair):
    access = DeployKey(public_half(new_host_key()), pair[0])
    assert refusal(ssh.url("ada.git"), access)[0] == "repository_host_key_differs"
    assert ssh.commands == []


def test_key_that_the_host_does_not_know_is_a_lost_right(ssh, pair):
    ssh.allowed = []
    access = DeployKey(ssh.host_key, pair[0])
    assert refusal(ssh.url("ada.git"), access) == ("repository_access_refused", ACCESS_REFUSED)


def test_repository_that_is_not_there_is_a_lost_right_over_ssh(ssh, pair):
    access = DeployKey(ssh.host_key, pair[0])
    assert refusal(ssh.url("ben.git"), access)[0] == "repository_access_refused"


def test_server_that_is_not_there_is_unreachable_over_ssh(pair):
    access = DeployKey(PUBLISHED["github.com"], pair[0])
    assert refusal("ssh://git@127.0.0.1:1/ada.git", access)[0] == "repository_unreachable"


def test_ssh_address_without_a_key_is_refused_before_anything_connects(ssh):
    assert refusal(ssh.url("ada.git"), None)[0] == "url_not_https"
    assert refusal(ssh.url("ada.git"), ACCESS)[0] == "url_not_https"
    assert ssh.commands == []


def test_host_key_is_read_from_the_server(ssh):
    url = check_url(ssh.url("ada.git"), allow_local=True, allow_ssh=True)
    assert scan_host_key(url) == ssh.host_key


def test_nothing_that_other_processes_can_read_holds_the_key(ssh, pair, tmp_path, monkeypatch):
    visible: list[str] = []
    monkeypatch.setattr(type(ssh), "commands", _Watching(visible), raising=False)
    del ssh.__dict__["commands"]
    snapshot(ssh.url("ada.git"), tmp_path / "taken", DeployKey(ssh.host_key, pair[0]))
    assert any("ssh" in text for text in visible)
    lines = pair[0].splitlines()[1:-1]
    assert [text for text in visible for line in lines if line in text] == []


class _Watching(list[str]):
    """List of commands that reads the machine's processes whenever one is run."""

    def __init__(self, visible: list[str]) -> None:
        super().__init__()
        self._shown = visible

    def append(self, command: str) -> None:
        super().append(command)
        self._shown.extend(arguments_and_variables())


# As the hosts publish them (host_keys.py names the pages).
FINGERPRINTS = {
    "github.com": "SHA256:+DiY3wvvV6TuJJhbpZisF/zLDA0zPMSvHdkr4UvCOqU",
    "gitlab.com": "SHA256:eUXGGm1YGsMAS7vkcx6JOJdOGHPem5gQp4taiCfCLB8",
    "bitbucket.org": "SHA256:ybgmFkzwOSotHTHLJgHO0QN8L0xErw6vd0VhFA9m3SM",
    "codeberg.org": "SHA256:mIlxA9k46MmM6qdJOdMnAQpzGxF4WIVVL+fj+wZbw0g",
}


def test_shipped_host_keys_have_the_published_fingerprints():
    assert {host: fingerprint_of(key) for host, key in PUBLISHED.items()} == FINGERPRINTS


@pytest.mark.parametrize(
    ("url", "code"),
    [
        ("git@localhost:a/b", "url_private_address"),
        ("git@10.0.0.1:a/b", "url_private_address"),
        ("ssh://git@169.254.169.254/latest", "url_private_address"),
        ("ssh://git@127.0.0.1:22/a/b", "url_private_address"),
        ("ssh://git@intern.example:22/a/b", "url_private_address"),
        ("ssh://git@git.example:6379/a/b", "url_port"),
        ("ssh://git:secret@git.example/a/b", "url_credentials"),
        ("ssh://-oProxyCommand=x@git.example/a/b", "url_malformed"),
        ("ssh://git@git.example/a/b;touch x", "url_malformed"),
        ("ssh://git@git.example/$(touch x)", "url_malformed"),
        ("ssh://git@[::1]/a/b", "url_malformed"),
        ("-oProxyCommand=x:a/b", "url_malformed"),
        ("git@git.example:", "url_not_https"),
        ("ext::sh", "url_not_https"),
    ],
)
def test_ssh_address_that_leads_elsewhere_is_refused(url, code):
    addresses = {"git.example": ("93.184.216.34",), "intern.example": ("10.1.2.3",)}
    with pytest.raises(CourtroomError) as refused:
        check_url(url, allow_local=False, allow_ssh=True, resolve=lambda host: addresses[host])
    assert refused.value.code == code


@pytest.mark.parametrize("url", ["git@git.example:you/x.git", "ssh://git@git.example/you/x.git"])
def test_ssh_address_is_pinned_to_what_its_host_resolved_to(url):
    checked = check_url(
        url, allow_local=False, allow_ssh=True, resolve=lambda _: ("93.184.216.34",)
    )
    assert (checked.url, checked.protocol, checked.host, checked.address) == (
        "ssh://git@git.example:22/you/x.git",
        "ssh",
        "git.example",
        "93.184.216.34",
    )
