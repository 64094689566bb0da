"""Checks on how the work was committed: how many commits, in which steps, with which messages, over what time."""

from __future__ import annotations

from collections.abc import Sequence

from courtroom.analysis.git.history import (
    Commit,
    History,
    history_facts,
    progression,
    weak_messages,
    without_empty,
)
from courtroom.analysis.project.commit_pace import deferrals_of, pace_of
from courtroom.detectives.findings import Clue, Finding, absent, present
from courtroom.models.errors import ExaminationFailed
from courtroom.models.rubric import CommitHistory

# A quarter of messages may be hasty before the history stops explaining itself.
WEAK_SHARE = 0.25
# More of all commits than this within one hour is work handed over, not work under way.
SITTING_SHARE = 0.3
STAGE_ORDER = ("setup", "tools", "graph", "judges")


def finding_on_history(check: CommitHistory, history: History) -> Finding:
    """Raises nothing: an unread history never gets here. Commits that change no file are left out."""
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


def deferred_in_commits(history: History | ExaminationFailed) -> Finding | None:
    """Commits that put work off with a reason; None when there are none to show."""
    if isinstance(history, ExaminationFailed):
        return None
    deferring = {one["commit"] for one in deferrals_of(history)}
    clues = [
        commit_clue(c, "Puts work off, with a reason.")
        for c in history.commits
        if c.sha in deferring
    ]
    return present(f"{len(clues)} commits put work off with a reason.", clues) if clues else None


def commit_clue(commit: Commit, rationale: str) -> Clue:
    lines = f", {commit.python_lines_added} Python lines added" if commit.python_lines_added else ""
    return Clue(
        rationale=rationale,
        statement=f"{commit.sha[:10]} {commit.authored_at} {commit.subject}{lines}",
        commit=commit.sha,
    )


def _more_than(minimum: int, history: History) -> Finding:
    first, last = history.commits[0], history.commits[-1]
    clues = [commit_clue(first, "The first commit.")]
    if last.sha != first.sha:
        clues.append(commit_clue(last, "The last commit."))
    return present(f"The history has {history.total} commits.", clues, met=history.total > minimum)


def _not_bulk(history: History) -> Finding:
    facts, reasons = history_facts(history)
    largest = sorted(history.commits, key=lambda c: c.python_lines_added, reverse=True)[:2]
    clues = [
        commit_clue(c, "One of the two commits that brought the most Python.") for c in largest
    ]
    if facts.get("bulk_upload") is None:
        return Finding(
            met=None, reason=reasons.get("bulk_upload", "It could not be told how code was added.")
        )
    if facts["bulk_upload"]:
        return present(
            "The two largest commits brought more than 55 % of all Python lines.", clues, met=False
        )
    return present("No two commits brought more than 55 % of all Python lines.", clues)


def _progression(minimum: int, history: History) -> Finding:
    stages = progression(history)
    in_turn = _longest_rise([STAGE_ORDER.index(stage.name) for stage in stages])
    begun = ", ".join(stage.name for stage in stages) or "none"
    reason = f"Stages of the work in the order they began: {begun}; {in_turn} of them in their natural order."
    by_sha = {commit.sha: commit for commit in history.commits}
    clues = [commit_clue(by_sha[s.sha], f"Begins the stage: {s.name}.") for s in stages]
    if not clues:
        return absent(
            reason,
            f"Read {len(history.commits)} commits for stages of work: none could be told apart.",
        )
    return present(reason, clues, met=in_turn >= minimum)


def _longest_rise(places: Sequence[int]) -> int:
    """The length of the longest part, gaps allowed, that only rises."""
    best: list[int] = []
    for index, place in enumerate(places):
        best.append(1 + max((best[i] for i in range(index) if places[i] < place), default=0))
    return max(best, default=0)


def _messages(history: History) -> Finding:
    weak = weak_messages(history)
    count = len(history.commits)
    reason = f"{len(weak)} of {count} commit messages do not say what was changed."
    met = len(weak) <= WEAK_SHARE * count
    if weak:
        return present(
            reason,
            [commit_clue(c, "The message does not say what was changed.") for c in weak],
            met=met,
        )
    return present(
        reason, [commit_clue(history.commits[-1], "A message that says what was changed.")], met=met
    )


def _spread(minimum: int, history: History) -> Finding:
    pace, count = pace_of(history), len(history.commits)
    met = pace.days >= minimum and pace.busiest_hour <= max(1, SITTING_SHARE * count)
    reason = (
        f"{count} commits on {pace.days} days; the busiest hour holds {pace.busiest_hour} of them."
    )
    ends = [
        commit_clue(history.commits[0], "The first commit."),
        commit_clue(history.commits[-1], "The last commit."),
    ]
    return present(reason, ends, met=met)
