"""python -m courtroom as a person runs it: one clear line for bad input, exit codes, nothing stray
on stdout.
"""

import json
import subprocess
import sys

import pytest

from courtroom.cli import MODEL_VARIABLES, VARIABLES, main
from tests.factories.student_project import student_repository


@pytest.fixture(scope="module")
def repository(tmp_path_factory):
    return student_repository(tmp_path_factory.mktemp("cli"))


@pytest.fixture
def no_models(monkeypatch):
    for name in [*MODEL_VARIABLES.values(), *VARIABLES.values()]:
        monkeypatch.delenv(name, raising=False)


def here(capsys, *arguments):
    """The command in this process: exit code, stdout, stderr."""
    code: object
    try:
        code = main(list(map(str, arguments)))
    except SystemExit as left:
        code = left.code
    printed = capsys.readouterr()
    return code, printed.out, printed.err


def courtroom(*arguments):
    return subprocess.run(
        [sys.executable, "-m", "courtroom", *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "required: REPO"),
        (["http://example.org/x"], "url_not_https"),
        (["https://127.0.0.1/x"], "url_private_address"),
        (["/nowhere/at/all"], "url_not_https"),
        (["/nowhere/at/all", "--allow-local"], "repository_not_found"),
        (["REPO", "--allow-local", "--ref=--upload-pack=x"], "repository_ref"),
        (["REPO", "--allow-local", "--pdf", "/nowhere.pdf"], "pdf_missing"),
        (["REPO", "--allow-local", "--rubric", "no_such"], "rubric"),
        (["REPO", "--allow-local", "--rubric", "/nowhere.json"], "No such file"),
        (["REPO", "--allow-local", "--constitution", "anarchy"], "rubric_constitution_unknown"),
        (["REPO", "--allow-local", "--known", "/nowhere.json"], "No such file"),
        (["REPO", "--allow-local", "--judges", "llm"], "bench_no_model"),
        (["REPO", "--allow-local", "--json", "/nowhere/at/all.json"], "No such file"),
    ],
)
def test_bad_input_is_one_line_on_stderr_and_exit_code_two(
    repository, arguments, words, capsys, no_models
):
    code, out, err = here(capsys, *[repository if a == "REPO" else a for a in arguments], "--quiet")
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert words in err


def test_a_known_record_that_is_none_is_refused(repository, tmp_path, capsys):
    broken = tmp_path / "known.json"
    broken.write_text('{"schema": "something/else"}')
    code, _, err = here(capsys, repository, "--allow-local", "--quiet", "--known", broken)
    assert (code, "record_unreadable" in err) == (2, True)


@pytest.mark.processes
def test_a_verdict_exits_zero_with_the_markdown_alone_on_stdout(repository, tmp_path):
    record = tmp_path / "report.json"
    done = courtroom(repository, "--allow-local", "--json", record)
    assert (done.returncode, done.stdout[:1]) == (0, "#")
    assert json.loads(record.read_text())["status"] == "verdict"
    assert "repo_investigator" in done.stderr


def test_quiet_says_nothing_on_stderr_and_markdown_can_go_to_a_file(repository, tmp_path, capsys):
    printed = here(
        capsys, repository, "--allow-local", "--quiet", "--markdown", tmp_path / "report.md"
    )
    assert printed == (0, "", "")
    assert (tmp_path / "report.md").read_text().startswith("#")


def test_known_gives_the_same_record_without_asking_anyone_again(repository, tmp_path, capsys):
    first, second = tmp_path / "first.json", tmp_path / "second.json"
    here(capsys, repository, "--allow-local", "--quiet", "--json", first)
    code, *_ = here(
        capsys, repository, "--allow-local", "--quiet", "--known", first, "--json", second
    )
    one, two = json.loads(first.read_text()), json.loads(second.read_text())
    assert (code, two["digest"], two["usage"]["reused"]) == (0, one["digest"], 30)


def test_what_needs_a_person_exits_three_and_the_report_is_written_all_the_same(
    repository, tmp_path, capsys
):
    record = tmp_path / "report.json"
    rubric = tmp_path / "rubric.json"
    rubric.write_text(
        json.dumps(
            {"dimensions": [{"id": "taste", "name": "Taste", "forensic_instruction": "Is it?"}]}
        )
    )
    code, *_ = here(
        capsys, repository, "--allow-local", "--quiet", "--rubric", rubric, "--json", record
    )
    assert code == 3
    assert [c["final_score"] for c in json.loads(record.read_text())["criteria"]] == [None]
