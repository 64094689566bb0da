"""python -m courtroom as users run it: exit codes, one line for bad input, clean stdout."""

import json
import subprocess
import sys

import pytest

from courtroom.cli import MODEL_VARIABLES, VARIABLES, main
from courtroom.models.audit_report import AuditReport
from courtroom.rendering.verdict_explanation import explain
from courtroom.synthesis.constitutions import PRESETS
from courtroom.synthesis.sufficient_evidence import NO_CODE
from tests.factories.private_git_server import serve_private
from tests.factories.repositories import Commit, make_repository
from tests.factories.student_project import student_repository


@pytest.fixture(scope="module")
def repository(tmp_path_factory):
    return student_repository(tmp_path_factory.mktemp("cli"))


@pytest.fixture
def no_models(monkeypatch):
    for name in [*MODEL_VARIABLES.values(), *VARIABLES.values()]:
        monkeypatch.delenv(name, raising=False)


def run_here(capsys, *arguments):
    """Run the command in this process; return exit code, stdout, stderr."""
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
        (["nowhere.invalid/you/x", "--allow-local"], "url_unresolvable"),
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
def test_bad_input_gives_one_line_on_stderr_and_exit_code_two(
    repository, arguments, words, capsys, no_models
):
    code, out, err = run_here(
        capsys, *[repository if a == "REPO" else a for a in arguments], "--quiet"
    )
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert words in err


@pytest.mark.parametrize(
    ("arguments", "stage", "code", "message"),
    [
        (["/nowhere/at/all"], "clone", "repository_not_found", "/nowhere/at/all"),
        (["https://me:pass@127.0.0.1/x"], "address", "url_credentials", "https://127.0.0.1/x"),
        (["REPO", "--pdf", "NOTES"], "pdf", "pdf_not_a_pdf", None),
        (["/nowhere/at/all", "--pdf", "NOTES"], "pdf", "pdf_not_a_pdf", None),
    ],
)
def test_refused_submission_leaves_a_record_without_a_verdict(
    repository, arguments, stage, code, message, tmp_path, capsys
):
    (tmp_path / "notes.txt").write_text("no PDF")
    names = {"REPO": repository, "NOTES": tmp_path / "notes.txt"}
    record, page = tmp_path / "report.json", tmp_path / "report.md"
    sarif, junit = tmp_path / "report.sarif", tmp_path / "report.xml"
    exit_code, out, err = run_here(
        capsys,
        *[names.get(a, a) for a in arguments],
        *("--allow-local", "--quiet", "--json", record, "--markdown", page),
        *("--sarif", sarif, "--junit", junit),
    )

    written = json.loads(record.read_text())
    assert (exit_code, out, written["message"] in err) == (2, "", True)
    assert (written["schema"], written["status"]) == ("automaton-auditor/refused@1", "refused")
    assert (written["stage"], written["code"]) == (stage, code)
    assert written["repo_url"] == message or message is None
    assert written["ended_at"].endswith("+00:00")
    assert "No verdict" in page.read_text()
    texts = [path.read_text() for path in (record, page, sarif, junit)]
    assert not [text for text in texts if "me:pass" in text]
    (run,) = json.loads(sarif.read_text())["runs"]
    assert (run["results"], run["invocations"][0]["executionSuccessful"]) == ([], False)
    assert 'errors="1"' in junit.read_text()


def test_invalid_known_report_is_refused(repository, tmp_path, capsys):
    broken = tmp_path / "known.json"
    broken.write_text('{"schema": "something/else"}')
    code, _, err = run_here(capsys, repository, "--allow-local", "--quiet", "--known", broken)
    assert (code, "record_unreadable" in err) == (2, True)


@pytest.mark.processes
def test_verdict_exits_zero_with_only_markdown_on_stdout(repository, tmp_path):
    record = tmp_path / "report.json"
    done = courtroom(repository, "--allow-local", "--json", record)
    assert (done.returncode, done.stdout[:1]) == (0, "#")
    assert json.loads(record.read_text())["status"] == "verdict"
    assert "repo_investigator" in done.stderr


@pytest.mark.processes
def test_head_is_the_commit_of_the_default_branch(repository, tmp_path, capsys):
    records = [tmp_path / "default.json", tmp_path / "head.json"]
    for record, ref in zip(records, ([], ["--ref", "HEAD"]), strict=True):
        code, _, _ = run_here(
            capsys, repository, "--allow-local", "--quiet", "--json", record, *ref
        )
        assert code == 0

    default, head = (json.loads(record.read_text("utf-8")) for record in records)
    assert head["commit"] == default["commit"]


def test_other_spelling_of_head_is_no_ref(repository, capsys):
    code, _, err = run_here(capsys, repository, "--allow-local", "--quiet", "--ref", "HEAD~0")
    assert code == 2
    assert "repository_ref_unknown" in err


def test_process_that_is_refused_exits_with_two():
    assert courtroom("http://example.org/x", "--quiet").returncode == 2


def test_quiet_run_writes_nothing_on_stderr_and_markdown_to_a_file(repository, tmp_path, capsys):
    printed = run_here(
        capsys, repository, "--allow-local", "--quiet", "--markdown", tmp_path / "report.md"
    )
    assert printed == (0, "", "")
    assert (tmp_path / "report.md").read_text().startswith("#")


@pytest.mark.parametrize("constitution", PRESETS)
def test_work_without_code_exits_three_and_says_what_to_do(constitution, tmp_path, capsys):
    make_repository(tmp_path / "images.git", [Commit("Begin", {"a.png": b"\x89PNG\0"})])
    options = ("--allow-local", "--quiet", "--constitution", constitution)
    code, out, err = run_here(capsys, tmp_path / "images.git", *options)
    assert (code, err) == (3, "")
    assert out.count(NO_CODE) >= 2
    assert "**Overall score: none**. No verdict: nothing could be scored." in out


def test_graph_is_drawn_with_its_routes_without_an_audit(capsys):
    code, out, err = run_here(capsys, "--graph")
    assert (code, out.splitlines()[0], err) == (0, "graph TD;", "")
    drawn = {line.strip(" \t;") for line in out.splitlines()}
    assert drawn >= {
        "evidence_aggregator -.-> insufficient_evidence",
        "evidence_aggregator -.-> error_collector",
        "error_collector -.-> prosecutor",
        "judge_collector -.-> rehearing",
        "judge_collector -.-> second_hearing",
        "insufficient_evidence --> __end__",
        "chief_justice --> __end__",
    }


def test_explain_prints_how_each_score_came_about(repository, tmp_path, capsys):
    record = tmp_path / "report.json"
    code, out, err = run_here(
        capsys, repository, "--allow-local", "--quiet", "--explain", "--json", record
    )
    report = AuditReport.model_validate_json(record.read_bytes())
    assert (code, out, err) == (0, explain(report), "")
    assert out.splitlines()[0].startswith("1. ")
    assert "   weighted average: weights Prosecutor 1, Defense 1, Tech Lead 2 → (1 x " in out
    assert f"rounded half up to one decimal: {report.overall_score:.1f}." in out

    code, again, _ = run_here(capsys, "resynthesise", record, "--explain")
    assert (code, again) == (0, f"The verdict is the same.\n\n{out}")


def test_known_report_gives_the_same_record_and_reuses_all_opinions(repository, tmp_path, capsys):
    first, second = tmp_path / "first.json", tmp_path / "second.json"
    run_here(capsys, repository, "--allow-local", "--quiet", "--json", first)
    code, *_ = run_here(
        capsys, repository, "--allow-local", "--quiet", "--known", first, "--json", second
    )
    first_report, second_report = json.loads(first.read_text()), json.loads(second.read_text())

    assert (code, second_report["digest"], second_report["usage"]["reused"]) == (
        0,
        first_report["digest"],
        sum(len(criterion["opinions"]) for criterion in first_report["criteria"]),
    )


def test_needs_review_exits_three_and_still_writes_the_report(repository, tmp_path, capsys):
    record = tmp_path / "report.json"
    rubric = tmp_path / "rubric.json"
    rubric.write_text(
        json.dumps(
            {"dimensions": [{"id": "taste", "name": "Taste", "forensic_instruction": "Is it?"}]}
        )
    )
    code, *_ = run_here(
        capsys, repository, "--allow-local", "--quiet", "--rubric", rubric, "--json", record
    )

    assert code == 3
    assert [c["final_score"] for c in json.loads(record.read_text())["criteria"]] == [None]


@pytest.mark.parametrize(("threshold", "code"), [("1", 0), ("5", 4)])
def test_score_below_the_threshold_exits_four_with_every_file_written(
    repository, threshold, code, tmp_path, capsys
):
    names = {"json": "{", "markdown": "# Audit", "sarif": "{", "junit": "<?xml"}
    files = [word for name in names for word in (f"--{name}", tmp_path / name)]
    printed = run_here(
        capsys, repository, "--allow-local", "--quiet", "--fail-under", threshold, *files
    )
    assert printed == (code, "", "")
    starts = {name: (tmp_path / name).read_text()[: len(names[name])] for name in names}
    assert starts == names


@pytest.mark.parametrize("threshold", ["0.9", "5.1", "nan", "high"])
def test_threshold_that_is_no_score_is_refused(threshold, capsys):
    code, out, err = run_here(capsys, "REPO", "--fail-under", threshold)
    assert (code, out, "is no score from 1 to 5" in err) == (2, "", True)


TOKEN = "ghp-canary-91b2"


@pytest.fixture
def private(tmp_path):
    make_repository(tmp_path / "served" / "x.git", [Commit(files={"main.py": "print()\n"})])
    with serve_private(tmp_path / "served") as server:
        server.is_allowed = lambda name, token, _: (name, token) == ("oauth2", TOKEN)
        yield server


def test_private_repository_is_audited_with_a_token_that_is_printed_nowhere(
    private, tmp_path, capsys
):
    (tmp_path / "token").write_text(f"{TOKEN}\n")
    options = ["--allow-local", "--token-file", tmp_path / "token", "--json", tmp_path / "r.json"]
    code, out, err = run_here(capsys, f"{private.url}/x.git", "--rubric", "general", *options)
    printed = out + err + (tmp_path / "r.json").read_text()
    assert (code in (0, 3), TOKEN in printed, f"{private.url}/x.git" in printed) == (
        True,
        False,
        True,
    )


@pytest.mark.parametrize(
    ("text", "code"),
    [("wrong", "repository_access_refused"), ("", "url_token"), ("two\nlines", "url_token")],
)
def test_token_that_opens_nothing_is_bad_input(private, tmp_path, capsys, text, code):
    (tmp_path / "token").write_text(text)
    options = ["--allow-local", "--token-file", tmp_path / "token"]
    result, out, err = run_here(capsys, f"{private.url}/x.git", *options)
    assert (result, out, f"[{code}]" in err) == (2, "", True)
