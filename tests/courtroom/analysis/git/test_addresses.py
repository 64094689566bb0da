"""Refused addresses with their codes; accepted ones rebuilt and pinned."""

from __future__ import annotations

import pytest

from courtroom.analysis.git.repository_addresses import (
    CheckedUrl,
    check_url,
    is_public,
    system_addresses,
    with_scheme,
)
from courtroom.models.errors import UrlRefused


def resolver(**addresses: tuple[str, ...]):
    return lambda host: addresses[host.split(".")[0]]


def code_of(url: str, **more) -> str:
    with pytest.raises(UrlRefused) as refused:
        check_url(url, **{"allow_local": False, "resolve": lambda _: ("140.82.121.3",), **more})
    return refused.value.code


@pytest.mark.parametrize(
    "url", ["ext::sh", "http::http://127.0.0.1/a", "git@github.com:a/b", "fd::17"]
)
def test_remote_helper_or_scp_address_is_refused_even_with_local_paths(url):
    assert code_of(url, allow_local=True) == "url_not_https"


@pytest.mark.parametrize(
    "url", ["http://127.0.0.2/a", "http://10.0.0.1/a", "http://github.com/a", "file://host/a"]
)
def test_local_addresses_allow_no_other_private_ones(url):
    assert code_of(url, allow_local=True) == "url_not_https"


def test_host_with_one_private_address_among_public_ones_is_refused():
    mixed = resolver(evil=("140.82.121.3", "10.0.0.1"))
    assert code_of("https://evil.example/a", resolve=mixed) == "url_private_address"


@pytest.mark.parametrize("error", [OSError("no such host"), TimeoutError()])
def test_host_that_does_not_resolve_in_time_is_unresolvable(error):
    def fail(host: str) -> tuple[str, ...]:
        raise error

    assert code_of("https://github.com/a/b", resolve=fail) == "url_unresolvable"


def test_host_without_addresses_is_unresolvable():
    assert code_of("https://github.com/a/b", resolve=lambda _: ()) == "url_unresolvable"


def test_accepted_address_is_rebuilt_and_pinned_to_every_address_it_resolved_to():
    both = resolver(github=("140.82.121.3", "2606:50c0:8000::64"))
    checked = check_url("HTTPS://GitHub.com./You/Project.git", allow_local=False, resolve=both)
    assert checked == CheckedUrl(
        "https://github.com/You/Project.git",
        "https",
        "github.com:443:140.82.121.3,[2606:50c0:8000::64]",
    )


def test_international_name_is_checked_as_the_network_sees_it():
    punycode = "xn--bcher-kva.example"
    checked = check_url(
        "https://bücher.example/a", allow_local=False, resolve={punycode: ("1.1.1.1",)}.__getitem__
    )
    assert checked.url == f"https://{punycode}/a"


def test_public_literal_address_is_its_own_resolution():
    assert (
        check_url("https://140.82.121.3/a", allow_local=False).pin
        == "140.82.121.3:443:140.82.121.3"
    )


def test_systems_resolver_knows_this_machine():
    assert system_addresses("127.0.0.1") == ("127.0.0.1",)


@pytest.mark.parametrize(
    ("address", "public"),
    [
        ("8.8.8.8", True),
        ("2606:4700::1111", True),
        ("192.88.99.1", False),
        ("240.0.0.1", False),
        ("::", False),
    ],
)
def test_only_globally_routable_addresses_are_public(address, public):
    assert is_public(address) is public


def test_local_addresses_are_accepted_when_allowed(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a:b").mkdir()
    spellings = [
        "work",
        str(tmp_path / "work"),
        f"file://{tmp_path}/work",
        "a:b",
        "http://localhost:8000/x.git",
    ]
    checked = [check_url(url, allow_local=True) for url in [*spellings, "http://127.0.0.1/x"]]
    work = CheckedUrl(str(tmp_path / "work"), "file", None)
    assert checked == [
        work,
        work,
        work,
        CheckedUrl(str(tmp_path / "a:b"), "file", None),
        CheckedUrl("http://localhost:8000/x.git", "http", "localhost:8000:127.0.0.1"),
        CheckedUrl("http://127.0.0.1:80/x", "http", "127.0.0.1:80:127.0.0.1"),
    ]


@pytest.mark.parametrize("is_local", [False, True])
@pytest.mark.parametrize(
    ("typed", "address"),
    [
        ("github.com/you/x", "https://github.com/you/x"),
        ("GitHub.com/you/x.git", "https://GitHub.com/you/x.git"),
        ("www.git.example.org/x", "https://www.git.example.org/x"),
        *(
            (same, same)
            for same in (
                "https://github.com/you/x",
                "http://github.com/you/x",
                "git@github.com:you/x",
                "ssh.example.org:you/x",
                "you/x",
                "github.com",
                "github.com/",
                "/srv/git.example.org/x",
                "./git.example.org/x",
                "127.0.0.1/x",
                "ext::sh -c x.y/z",
                "",
            )
        ),
    ],
)
def test_address_without_a_scheme_is_completed_and_nothing_else(typed, address, is_local):
    assert with_scheme(typed, allow_local=is_local) == address


def test_folder_on_this_machine_stays_a_path_where_paths_are_allowed(tmp_path, monkeypatch):
    (tmp_path / "repos.d" / "x").mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    assert with_scheme("repos.d/x", allow_local=True) == "repos.d/x"
    assert with_scheme("repos.d/x", allow_local=False) == "https://repos.d/x"
