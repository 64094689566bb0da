"""Earlier versions of the work's own audits in a history."""

from __future__ import annotations

from collections.abc import Mapping

from courtroom.analysis.git.history import read_history
from courtroom.analysis.git.snapshot import Snapshot
from courtroom.analysis.project.audit_versions import EarlierAudit, earlier_audits
from courtroom.detectives.repo_investigator import _history_facts
from courtroom.inputs import _history
from courtroom.models.case import Limits
from courtroom.models.errors import ChildFailed
from tests.factories.repositories import Commit, make_repository

PATH = "audit/report_onself_generated/audit.md"


def audit(overall: str, argument: str = "The graph has two joins.") -> str:
    sections = (
        f"\n## {name} Management\n\n**Score:** 3/5\n\n- **Prosecutor** (Score: 3): {argument}\n"
        for name in ("State", "Graph")
    )
    return f"# Audit Report\n\n**Overall Score:** {overall}/5.0\n{''.join(sections)}"


def versions_of(folder, *contents: Mapping[str, str | None]) -> tuple[EarlierAudit, ...]:
    commits = [Commit(f"Step {number}", files) for number, files in enumerate(contents)]
    head = make_repository(folder, commits)
    history = read_history(Snapshot(folder, head, None, malformed_objects=False), Limits())
    return earlier_audits(folder, history.commits)


def test_version_that_a_later_commit_replaced_is_read(tmp_path):
    texts = (audit("3.0"), audit("3.0", "It has none."), audit("3.4", "It has none."))
    first_audit, second_audit = versions_of(tmp_path / "a.git", *({PATH: text} for text in texts))
    assert (first_audit.overall, first_audit.score, first_audit.maximum) == ("3.0/5.0", 3.0, 5.0)
    assert first_audit.next_commit == second_audit.commit
    # The score alone was changed by the last commit.
    assert (first_audit.edited_to, second_audit.edited_to) == ("", "3.4/5.0")


def test_audit_that_a_commit_removed_is_read_as_it_was(tmp_path):
    (version,) = versions_of(
        tmp_path / "a.git", {PATH: audit("3.2")}, {PATH: None, "a.py": "a = 1"}
    )
    assert (version.path, version.overall, version.edited_to) == (PATH, "3.2/5.0", "")


def test_audit_of_one_version_and_one_of_a_peer_have_no_earlier_one(tmp_path):
    peer = PATH.replace("onself", "onpeer")
    assert not versions_of(
        tmp_path / "a.git", {PATH: audit("3.0"), peer: audit("3.0")}, {peer: audit("4.0")}
    )


def test_versions_that_git_cannot_read_are_unknown_with_a_reason(tmp_path, monkeypatch):
    def fail(*_arguments):
        raise ChildFailed("child_died", "git could not read the repository.")

    monkeypatch.setattr("courtroom.inputs.earlier_audits", fail)
    head = make_repository(tmp_path / "a.git", [Commit("Step", {PATH: audit("3.0")})])
    history = _history(Snapshot(tmp_path / "a.git", head, None, malformed_objects=False), Limits())
    facts, reasons = _history_facts(history)
    assert "earlier_audits" not in facts
    assert reasons["earlier_audits"] == "git could not read the earlier versions of the audits."
