"""Links to repositories, commits, files and lines at their hosts, and where there must be none."""

from __future__ import annotations

from typing import Any

import pytest

from grading.engine.report import Location
from grading.report_pages.location_links import Work, link_commit, link_location, link_repository
from grading.templatetags.place_tags import file_link, lines_link, linked
from tests.factories.example_report import COMMIT, REPO_URL

OWN_HOST = {
    "commit": "/c/{commit}",
    "file": "/tree/{path}?id={commit}",
    "line": "#n{first}",
    "lines": "#n{first}..{last}",
    "plain": "",
}


def address(repo_url: str = REPO_URL, **location: Any) -> str | None:
    return link_location(Location(commit=COMMIT, **location), Work(repo_url, COMMIT)).address


@pytest.mark.parametrize(
    "repo_url",
    [
        "http://github.com/a/b",
        "https://elsewhere.example/a/b",
        "https://github.com.elsewhere.example/a/b",
        "/srv/git/a",
        "file:///srv/git/a",
        "javascript:alert(1)",
        "[withheld]",
        "https://[::1/a",
        "",
    ],
)
def test_unknown_hosts_and_local_paths_get_no_link(repo_url: str) -> None:
    assert address(repo_url, path="a.py", line_start=1) is None
    assert link_commit(COMMIT, repo_url).address is None


@pytest.mark.parametrize("path", ["../../other/repo", "a/../b", "./a", "/etc/passwd", "a//b", "a/"])
def test_a_path_that_a_browser_would_resolve_gets_no_link(path: str) -> None:
    assert address(path=path) is None


@pytest.mark.parametrize("commit", [None, "", "main", "[withheld]", "abc", "../../../x"])
def test_without_a_commit_there_is_no_link(commit: str | None) -> None:
    location = Location(path="a.py", commit=commit)
    assert link_location(location, Work(REPO_URL, commit)).address is None
    assert link_commit(commit or "", REPO_URL).address is None


@pytest.mark.parametrize(
    "repo_url", ["/srv/git/a", "http://127.0.0.1/a", "javascript:alert(1)", ""]
)
def test_only_an_https_repository_is_linked(repo_url: str) -> None:
    assert link_repository(repo_url).address is None
    assert link_repository(REPO_URL).address == REPO_URL


@pytest.mark.parametrize(
    ("location", "words", "address"),
    [
        (
            {"path": "src/a b.py", "line_start": 3, "line_end": 5, "commit": COMMIT},
            "src/a b.py:3-5",
            f"{REPO_URL}/blob/{COMMIT}/src/a%20b.py#L3-L5",
        ),
        (
            {"path": "a.py", "line_start": 3, "line_end": 3, "commit": COMMIT},
            "a.py:3",
            f"{REPO_URL}/blob/{COMMIT}/a.py#L3",
        ),
        ({"path": "a.py", "line_start": 3, "line_end": 3}, "a.py:3", None),
        ({"path": "a?#.py", "commit": COMMIT}, "a?#.py", f"{REPO_URL}/blob/{COMMIT}/a%3F%23.py"),
        (
            {"path": "README.md", "line_start": 3, "commit": COMMIT},
            "README.md:3",
            f"{REPO_URL}/blob/{COMMIT}/README.md?plain=1#L3",
        ),
        ({"page": 4}, "PDF, page 4", None),
        ({"commit": COMMIT}, f"commit {COMMIT[:10]}", f"{REPO_URL}/commit/{COMMIT}"),
        ({}, "Whole project", None),
    ],
)
def test_location_has_words_and_a_link_to_its_lines(
    location: dict[str, Any], words: str, address: str | None
) -> None:
    link = link_location(Location(**location), Work(REPO_URL, COMMIT))
    assert (link.words, link.address) == (words, address)


@pytest.mark.parametrize(
    ("repo_url", "file", "commit"),
    [
        (
            "https://gitlab.com/group/sub/b.git",
            f"https://gitlab.com/group/sub/b/-/blob/{COMMIT}/a.py#L3-5",
            f"https://gitlab.com/group/sub/b/-/commit/{COMMIT}",
        ),
        (
            "https://bitbucket.org/a/b/",
            f"https://bitbucket.org/a/b/src/{COMMIT}/a.py#lines-3:5",
            f"https://bitbucket.org/a/b/commits/{COMMIT}",
        ),
        (
            "https://codeberg.org/a/b",
            f"https://codeberg.org/a/b/src/commit/{COMMIT}/a.py#L3-L5",
            f"https://codeberg.org/a/b/commit/{COMMIT}",
        ),
        (
            "https://www.github.com/a/b",
            f"https://www.github.com/a/b/blob/{COMMIT}/a.py#L3-L5",
            f"https://www.github.com/a/b/commit/{COMMIT}",
        ),
    ],
)
def test_each_host_has_its_own_addresses(repo_url: str, file: str, commit: str) -> None:
    assert address(repo_url, path="a.py", line_start=3, line_end=5) == file
    assert link_commit(COMMIT, repo_url).address == commit


def test_the_operator_names_further_hosts(settings: Any) -> None:
    settings.REPOSITORY_HOSTS = {"git.example.edu": OWN_HOST}
    repo_url = "https://git.example.edu/people/a.git"
    assert address(repo_url, path="a b.md", line_start=3, line_end=5) == (
        f"https://git.example.edu/people/a/tree/a%20b.md?id={COMMIT}#n3..5"
    )
    assert link_commit(COMMIT, repo_url).address == f"https://git.example.edu/people/a/c/{COMMIT}"


def test_words_of_a_link_are_escaped() -> None:
    link = file_link(Work(REPO_URL, COMMIT), '"><script>x</script>')
    assert link == (
        f'<a href="{REPO_URL}/blob/{COMMIT}/%22%3E%3Cscript%3Ex%3C/script%3E" '
        'rel="noreferrer noopener">&quot;&gt;&lt;script&gt;x&lt;/script&gt;</a>'
    )
    assert linked(link_commit(COMMIT, "/srv/git/a")) == COMMIT[:10]


def test_each_line_of_a_file_has_its_link() -> None:
    links = lines_link(Work(REPO_URL, COMMIT), "a.py", [3, 9])
    file = f"{REPO_URL}/blob/{COMMIT}/a.py"
    assert links == (
        f'<a href="{file}#L3" rel="noreferrer noopener">a.py:3</a>,'
        f'<a href="{file}#L9" rel="noreferrer noopener">9</a>'
    )
    assert lines_link(Work(), "a.py", [3, 9]) == "a.py:3,9"
    assert lines_link(Work(), "a.py", []) == "a.py"


def test_places_lead_to_the_audited_code_and_to_the_page_of_the_pdf() -> None:
    work = Work(REPO_URL, COMMIT, "/audit/")
    lines = Location(path="a b.py", line_start=3, line_end=5)
    assert link_location(lines, work).code == "/audit/code/?path=a+b.py&first=3&last=5#cited"
    assert link_location(Location(path="a.py"), work).code == "/audit/code/?path=a.py"
    page = link_location(Location(page=4), work)
    assert (page.address, page.code) == ("/audit/pdf/?page=4", None)
    assert link_location(Location(page=4), Work(REPO_URL, COMMIT)).address is None
