"""Facts of projects in any language, and the general rubric's checks on them."""

from __future__ import annotations

from pathlib import Path

import pytest

from courtroom.analysis.git.snapshot import Snapshot
from courtroom.analysis.survey import Survey, survey_repository
from courtroom.checks.code_pattern import CodePattern
from courtroom.checks.communication_log import CommunicationLog
from courtroom.checks.feedback_log import FeedbackLog
from courtroom.checks.registry import Check
from courtroom.checks.unsafe_call import UnsafeCallCheck
from courtroom.detectives.evidence_aggregator import aggregate
from courtroom.detectives.repo_investigator import investigate
from courtroom.detectives.targeting import owed
from courtroom.inputs import read_repository
from courtroom.models.case import Limits
from courtroom.models.evidence import Evidence
from courtroom.models.facts import establish
from courtroom.models.project_facts import MinMaxFact
from courtroom.models.rubric import Rubric
from courtroom.rubric_import.read_rubric import shipped_rubric
from tests.courtroom.analysis.security.test_committed_secrets import GITHUB
from tests.factories.repositories import Commit, make_repository

GO: dict[str, str | bytes | None] = {
    "README.md": "# Queue\n\nInstall with go install, run with queue.\n",
    "LICENSE": "Apache\n",
    "go.mod": "module example.org/queue\n\nrequire github.com/stretchr/testify v1.9.0\n",
    "go.sum": "",
    ".golangci.yml": "run: {}\n",
    ".github/workflows/test.yml": "run: go test ./...\n",
    "cmd/queue/main.go": 'package main\n\nimport "fmt"\n\nfunc main() {\n\tif err := run(); err != nil {\n\t\tpanic(err)\n\t}\n\tfmt.Println("done")\n}\n',
    "queue/queue_test.go": 'package queue\n\nimport "testing"\n\nfunc TestPush(t *testing.T) { t.Error("no") }\n',
}
TYPESCRIPT: dict[str, str | bytes | None] = {
    "package.json": '{"scripts": {"test": "vitest"}, "devDependencies": {"vitest": "^2", "eslint": "^9", "typescript": "^5"}}',
    "package-lock.json": "{}",
    "tsconfig.json": '{"compilerOptions": {"strict": true}}',
    "src/app.ts": "export function run(code: string) {\n  return eval(code);\n}\n",
    "src/View.tsx": "export const View = () => <b>{eval('1')}</b>;\n",
    "src/__tests__/app.test.ts": "test('runs', () => { expect(run('1')).toBe(1); });\n",
    "assets/logo.png": b"\x89PNG\0\0",
    "node_modules/x/index.js": "eval('1');\n",
}
GO_PANIC = CodePattern(id="panic", goal="g", language="go", pattern="panic($REASON)")
TS_EVAL = CodePattern(id="eval", goal="g", language="TypeScript", pattern="eval($CODE)")


def snapshot_of(files: dict[str, str | bytes | None], folder: Path) -> Snapshot:
    commit = make_repository(folder / "r.git", [Commit(files=files)])
    return Snapshot(folder / "r.git", commit, None, malformed_objects=False)


def survey(files: dict[str, str | bytes | None], folder: Path, *checks: Check) -> Survey:
    return survey_repository(snapshot_of(files, folder), checks, Limits())


def places(result: Survey, check: str) -> list[tuple[str, int | None]]:
    return [(location.path, location.line_start) for location in result.locations[check]]


def test_go_project_is_read_as_one(tmp_path):
    result = survey(GO, tmp_path, GO_PANIC)
    assert result.facts["project"] == {
        "languages": [
            {"language": "Go", "files": 2, "lines": 15},
            {"language": "Markdown", "files": 1, "lines": 3},
            {"language": "YAML", "files": 2, "lines": 2},
        ],
        # go.mod too: the suffix of no language may be that of one.
        "code_files": 3,
        "tests": 1,
        "test_folders": ["queue"],
        "test_frameworks": [
            {"tool": "go test", "path": "queue/queue_test.go"},
            {"tool": "testify", "path": "go.mod"},
        ],
        "manifests": ["go.mod"],
        "locks": ["go.sum"],
        "ci": [".github/workflows/test.yml"],
        "quality_tools": [{"tool": "golangci-lint", "path": ".golangci.yml"}],
        "readme": "README.md",
        "licence": "LICENSE",
    }
    assert places(result, "panic") == [("cmd/queue/main.go", 7)]
    assert result.facts["python_file_count"] == 0


def test_typescript_project_is_read_as_one_without_its_packages(tmp_path):
    project = survey(TYPESCRIPT, tmp_path).facts["project"]
    assert [row["language"] for row in project["languages"]] == ["TypeScript", "JSON"]
    assert (project["tests"], project["test_folders"]) == (1, ["src/__tests__"])
    assert [row["tool"] for row in project["test_frameworks"]] == ["vitest"]
    assert [row["tool"] for row in project["quality_tools"]] == ["eslint", "typescript"]
    assert (project["manifests"], project["locks"]) == (["package.json"], ["package-lock.json"])
    assert (project["readme"], project["licence"], project["ci"]) == (None, None, [])


def test_pattern_is_found_in_every_dialect_of_its_language(tmp_path):
    result = survey(TYPESCRIPT, tmp_path, TS_EVAL)
    assert places(result, "eval") == [("src/View.tsx", 1), ("src/app.ts", 2)]


@pytest.mark.parametrize(
    ("language", "pattern", "reason"),
    [
        ("klingon", "x", "klingon is not a supported language for patterns"),
        ("go", "a(); b()", "'a(); b()' is not a single piece of go code, so it is not a pattern"),
    ],
)
def test_unsearchable_pattern_is_unanswered(tmp_path, language, pattern, reason):
    result = survey(GO, tmp_path, CodePattern(id="p", goal="g", language=language, pattern=pattern))
    assert result.locations == {}
    assert result.unanswered["p"].startswith(reason)


EXCHANGE: dict[str, str | bytes | None] = {
    "audit/report_onpeer_generated/b.md": "# Audit of a peer\n\n## Graph\n\n**Score:** 3/5\n\nDeferred because of time.\n",
    "audit/report_bypeer_received/c.md": "# Audit\n\n## Safe Tools\n\n**Score:** 2/5\n\n**Remediation:** Add a timeout to the clone in src/tools.py\n",
    "audit/report_bypeer_received/d.pdf": b"%PDF-1.7\0" + b"0" * 100,
    "docs/feedback.md": "# Feedback\n\n- Safe Tools: added the timeout to the clone in src/tools.py\n",
    "audit/proactive_communication.md": "- 2026-02-20 stuck on the clone\n- 2026-02-21 finished it\n",
    "docs/decisions.md": "Retries are deferred because the interface would change.\n",
    "docs/manual.md": "| answer | add |\n|---|---|\n| Deferred, because … | the reason |\n",
}


def test_peer_exchange_checks_are_answered_from_facts(tmp_path):
    logs: list[CommunicationLog] = [
        CommunicationLog(id="all", goal="g"),
        CommunicationLog(id="blocker", goal="g", about="blocker"),
    ]
    result = survey(EXCHANGE, tmp_path, *logs)
    assert {check.id: places(result, check.id) for check in logs} == {
        "all": [("audit/proactive_communication.md", 1), ("audit/proactive_communication.md", 2)],
        "blocker": [("audit/proactive_communication.md", 1)],
    }
    facts = establish(dict(result.facts), dict(result.reasons))
    assert facts.minmax == MinMaxFact(
        generated=("audit/report_onpeer_generated/b.md",),
        self_=(),
        received=("audit/report_bypeer_received/c.md",),
        scored=("audit/report_onpeer_generated/b.md",),
        unread=("audit/report_bypeer_received/d.pdf",),
    )
    assert [d.path for d in facts.deferrals or ()] == ["docs/decisions.md"]
    assert [(f.criterion, f.file) for f in facts.received_findings or ()] == [
        ("Safe Tools", "src/tools.py")
    ]
    assert [(a.path, a.line, a.findings) for a in facts.written_answers or ()] == [
        ("docs/feedback.md", 3, (0,))
    ]


def test_a_report_by_a_peer_about_another_work_was_not_received(tmp_path):
    report = "# Audit\n\n**Repository:** https://github.com/{}\n\n## Graph\n\n**Score:** 3/5\n\n## State\n\n**Score:** 3/5\n"
    files: dict[str, str | bytes | None] = {
        "audit/report_onself_generated/a.md": report.format("ada/auditor") + " " * 200,
        "audit/report_bypeer_received/own.md": report.format("ada/auditor"),
        "audit/report_bypeer_received/fork.md": report.format("bo/auditor"),
        "audit/report_bypeer_received/other.md": report.format("bo/courtroom"),
    }
    minmax = survey(files, tmp_path).facts["minmax"]
    assert minmax["generated"] == ["audit/report_bypeer_received/other.md"]
    assert minmax["received"] == [
        "audit/report_bypeer_received/fork.md",
        "audit/report_bypeer_received/own.md",
    ]


def evidence_on(
    files: dict[str, str | bytes | None], folder: Path, *checks: Check
) -> tuple[Evidence, ...]:
    snapshot = snapshot_of(files, folder)
    rubric = shipped_rubric("general")
    asking = rubric.model_copy(
        update={"criteria": (rubric.criteria[0].model_copy(update={"checks": checks}),)}
    )
    testimony = investigate(read_repository(snapshot, checks, Limits()), snapshot, checks)
    return aggregate([testimony], snapshot, asking, None).evidence


def test_committed_secret_is_evidence_at_its_line_without_its_value(tmp_path):
    files: dict[str, str | bytes | None] = {"src/conf.py": f"x = 1\nTOKEN = '{GITHUB}'\n"}
    check = UnsafeCallCheck(
        id="s", goal="g", polarity="negative", any_of=("committed_secret",), tags=("security",)
    )
    (item,) = evidence_on(files, tmp_path, check)
    assert (item.found, item.tags, item.location.path, item.location.line_start) == (
        True,
        ("security",),
        "src/conf.py",
        2,
    )
    assert item.content == "TOKEN = '[redacted: GitHub token]'"
    assert item.rationale == "src/conf.py:2 has a committed secret: GitHub token."


def test_deferral_in_a_commit_message_counts(tmp_path):
    message = "Postpone retries because the interface would change"
    commit = make_repository(tmp_path / "r.git", [Commit(message, {"a.md": "x\n"})])
    snapshot = Snapshot(tmp_path / "r.git", commit, None, malformed_objects=False)
    check = FeedbackLog(id="deferred", goal="g", aspect="deferred")
    testimony = investigate(read_repository(snapshot, [check], Limits()), snapshot, [check])
    assert [outcome.met for outcome in testimony.outcomes] == [True]
    assert testimony.facts["deferrals"] == [{"commit": commit, "text": message}]


def answered(
    rubric: Rubric, files: dict[str, str | bytes | None], folder: Path
) -> dict[str, bool | None]:
    snapshot = snapshot_of(files, folder)
    checks = owed(rubric)["RepoInvestigator"]
    testimony = investigate(read_repository(snapshot, checks, Limits()), snapshot, checks)
    return {outcome.check: outcome.met for outcome in testimony.outcomes}


def test_general_rubric_leaves_nothing_open_on_go_and_typescript(tmp_path):
    outcomes = [
        answered(shipped_rubric("general"), files, tmp_path / name)
        for name, files in (("go", GO), ("ts", TYPESCRIPT))
    ]
    assert [[check for check, met in result.items() if met is None] for result in outcomes] == [
        [],
        [],
    ]
    go, typescript = outcomes
    assert (
        go["testing.exists"],
        go["deps.lock"],
        go["ci.workflow"],
        go["security.no_javascript_eval"],
    ) == (
        True,
        True,
        True,
        True,
    )
    assert (typescript["testing.asserts"], typescript["docs.readme"], typescript["ci.linter"]) == (
        True,
        False,
        True,
    )


def test_code_in_an_encoding_with_zero_bytes_counts_as_code(tmp_path):
    result = survey({"main.py": "x = 1\n".encode("utf-16"), "a.heic": b"\0"}, tmp_path)
    assert result.facts["project"]["code_files"] == 1
