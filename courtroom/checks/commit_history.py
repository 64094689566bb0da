"""The kind `commit_history`: number, stages, messages and pace of the commits."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

from pydantic import Field

from courtroom.checks.kind import CheckKind, Label
from courtroom.checks.result import Clue, Finding, absent, could_not_look, present
from courtroom.models.check import CheckBase
from courtroom.models.errors import ExaminationFailed

if TYPE_CHECKING:
    from courtroom.analysis.git.history import Commit, History
    from courtroom.checks.sources import Sources
    from courtroom.replay.stored_report import StoredReport

# A quarter of messages may be hasty before the history stops explaining itself.
WEAK_SHARE = 0.25
# More of all commits than this within one hour is work handed over, not work under way.
SITTING_SHARE = 0.3
# The order in which the course builds such a system.
STAGE_ORDER = ("setup", "tools", "graph", "judges")
IS_BULK = "The two largest commits brought more than 55 % of all Python lines."


class CommitHistory(CheckBase):
    kind: Literal["commit_history"] = "commit_history"
    aspect: Literal["more_than", "not_bulk", "progression", "messages", "spread_over_time"]
    minimum: int = Field(default=3, ge=0)


def _detect(check: CommitHistory, sources: Sources) -> Finding:
    if sources.history is None:
        return could_not_look("The history was not read.")
    if isinstance(sources.history, ExaminationFailed):
        return could_not_look(sources.history.message)
    return finding_on_history(check, sources.history)


def finding_on_history(check: CommitHistory, history: History) -> Finding:
    """The answer from a history that was read. Commits that change no file are left out."""
    from courtroom.analysis.git.history import without_empty

    # A commit without a change says nothing about the work.
    history = without_empty(history)
    if not history.commits:
        return absent("The branch has no commits.", "Read the history of the branch: it is empty.")
    match check.aspect:
        case "more_than":
            return _more_than(check.minimum, history)
        case "not_bulk":
            return _not_bulk(history)
        case "progression":
            return _progression(check.minimum, history)
        case "messages":
            return _messages(history)
        case "spread_over_time":
            return _spread(check.minimum, history)


def commit_clue(commit: Commit, rationale: str) -> Clue:
    lines = f", {commit.python_lines_added} Python lines added" if commit.python_lines_added else ""
    return Clue(
        rationale=rationale,
        statement=f"{commit.sha[:10]} {commit.authored_at} {commit.subject}{lines}",
        commit=commit.sha,
    )


def _more_than(minimum: int, history: History) -> Finding:
    first, last = history.commits[0], history.commits[-1]
    # The two ends show how far apart the work began and ended.
    clues = [commit_clue(first, "The first commit.")]
    if last.sha != first.sha:
        clues.append(commit_clue(last, "The last commit."))
    return present(f"The history has {history.total} commits.", clues, met=history.total > minimum)


def _not_bulk(history: History) -> Finding:
    from courtroom.analysis.git.history import history_facts

    facts, reasons = history_facts(history)
    largest = sorted(history.commits, key=lambda c: c.python_lines_added, reverse=True)[:2]
    clues = [
        commit_clue(c, "One of the two commits that brought the most Python.") for c in largest
    ]

    if facts.get("bulk_upload") is None:
        unknown = "The history does not show how the code was added."
        return could_not_look(reasons.get("bulk_upload", unknown))
    if facts["bulk_upload"]:
        return present(IS_BULK, clues, met=False)
    return present("No two commits brought more than 55 % of all Python lines.", clues)


def _progression(minimum: int, history: History) -> Finding:
    from courtroom.analysis.git.history import progression

    stages = progression(history)
    in_order = _longest_rise([(STAGE_ORDER.index(stage.name), stage.sha) for stage in stages])
    listed = ", ".join(stage.name for stage in stages) or "none"
    reason = (
        f"Stages of the work, in the order they began: {listed};"
        f" {in_order} of them are in the expected order."
    )
    by_sha = {commit.sha: commit for commit in history.commits}
    begun = {s.sha: [other.name for other in stages if other.sha == s.sha] for s in stages}
    clues = [
        commit_clue(by_sha[sha], f"Begins the stage: {', '.join(names)}.")
        for sha, names in begun.items()
    ]

    if not clues:
        searched = f"Read {len(history.commits)} commits for stages of work: none was recognised."
        return absent(reason, searched)
    return present(reason, clues, met=in_order >= minimum)


def _longest_rise(stages: Sequence[tuple[int, str]]) -> int:
    """The length of the longest part, gaps allowed, that rises from commit to commit.

    Stages that one commit brings are in no order.
    """
    best: list[int] = []
    for index, (place, sha) in enumerate(stages):
        earlier = zip(stages[:index], best, strict=True)
        best.append(
            1 + max((n for (other, at), n in earlier if other < place and at != sha), default=0)
        )
    return max(best, default=0)


def _messages(history: History) -> Finding:
    from courtroom.analysis.git.history import weak_messages

    weak = weak_messages(history)
    count = len(history.commits)
    reason = f"{len(weak)} of {count} commit messages do not say what was changed."
    met = len(weak) <= WEAK_SHARE * count
    if weak:
        clues = [commit_clue(c, "The message does not say what was changed.") for c in weak]
        return present(reason, clues, met=met)
    last = commit_clue(history.commits[-1], "A message that says what was changed.")
    return present(reason, [last], met=met)


def _spread(minimum: int, history: History) -> Finding:
    from courtroom.analysis.project.commit_pace import pace_of

    pace, count = pace_of(history), len(history.commits)
    # Of three commits three tenths are less than one: one in the busiest hour is always allowed.
    met = pace.days >= minimum and pace.busiest_hour <= max(1, SITTING_SHARE * count)
    reason = (
        f"{count} commits on {pace.days} days; the busiest hour holds {pace.busiest_hour} of them."
    )
    ends = [
        commit_clue(history.commits[0], "The first commit."),
        commit_clue(history.commits[-1], "The last commit."),
    ]
    return present(reason, ends, met=met)


def _replay(check: CommitHistory, report: StoredReport) -> Finding | None:
    """A report keeps of its commits only whether they were a bulk upload."""
    if check.aspect != "not_bulk":
        return None
    is_bulk = report.fact("bulk_upload")
    if is_bulk is None:
        return report.unknown("bulk_upload")
    verb = "brought" if is_bulk else "did not bring"
    return absent(
        f"The two largest commits {verb} more than 55 % of all Python lines.",
        "Read the lines that every commit added.",
        met=not is_bulk,
    )


KIND = CheckKind(
    model=CommitHistory,
    detective="RepoInvestigator",
    detect=_detect,
    replay=_replay,
    label=Label(
        title="History of commits",
        about="How the work grew: number, pace, stages and messages of commits.",
    ),
    concern="effort",
    order=10,
)
