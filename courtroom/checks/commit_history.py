"""The kind `commit_history`: number, stages, messages and pace of the commits."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from itertools import combinations
from typing import TYPE_CHECKING, Literal

from pydantic import Field

from courtroom.checks.commit_messages import commit_clue, finding_on_messages, unread_commits
from courtroom.checks.kind import CheckKind, Label
from courtroom.checks.phrases import listed, named, number_of
from courtroom.checks.result import Finding, absent, could_not_look, present, reader_failed
from courtroom.models.check import CheckBase
from courtroom.models.errors import ExaminationFailed

if TYPE_CHECKING:
    from courtroom.analysis.git.history import Commit, History
    from courtroom.analysis.git.stages import Stage
    from courtroom.checks.sources import Sources
    from courtroom.replay.stored_report import StoredReport

# More of all commits and of their Python than this within one hour is work handed over, not work
# under way.
SITTING_SHARE = 0.3
# More of all commits than this in runs a minute apart were parted after the work.
RUNS_SHARE = 0.2
# The number of lines that would end a bulk upload is left out: it asks for padding.
NEW_WORK = "What is committed stays as it is; each new small commit lowers this share."
# The order in which the course builds such a system.
STAGE_ORDER = ("setup", "tools", "graph", "judges")
# One more than the longest part of the stages in order has.
_MORE_THAN = ("two", "three", "four")
# A first commit with more than this share of all files is told: the work before it is not shown.
IMPORTED_SHARE = 0.5
FIRST, LAST = "The first commit of work.", "The last commit of work."
RUN_NOTES = ("The first commit of that run.", "The last commit of that run.")
LONGEST_NOTES = ("The first commit of the longest run.", "The last commit of the longest run.")
WITHIN_MINUTES = "each within a minute of the one before"
# Python files of a commit, in the words on it.
FILES = re.compile(r", (\d{1,9}) Python files?\)")
PARTED = "A run of commits within minutes brought most of the Python code."


class CommitHistory(CheckBase):
    kind: Literal["commit_history"] = "commit_history"
    aspect: Literal["more_than", "not_bulk", "progression", "messages", "spread_over_time"]
    minimum: int = Field(default=3, ge=0)


def _detect(check: CommitHistory, sources: Sources) -> Finding:
    if sources.history is None:
        return could_not_look("The history was not read.")
    if isinstance(sources.history, ExaminationFailed):
        return reader_failed(sources.history)
    return finding_on_history(check, sources.history)


def finding_on_history(check: CommitHistory, history: History) -> Finding:
    """The answer from a history that was read, by its work: merges and the like are left out."""
    from courtroom.analysis.git.commit_kinds import work_of

    if not history.commits:
        return absent("The branch has no commits.", "Read the history of the branch: it is empty.")
    work = work_of(history)
    if not work.commits:
        return could_not_look(f"{_counted(history, work)} Nobody's own work can be told apart.")
    match check.aspect:
        case "more_than":
            return _more_than(check.minimum, history, work)
        case "not_bulk":
            return _not_bulk(history, work)
        case "progression":
            return _progression(check.minimum, history)
        case "messages":
            return finding_on_messages(work)
        case "spread_over_time":
            return _spread(check.minimum, work)


def _more_than(minimum: int, history: History, work: History) -> Finding:
    first, last = work.commits[0], work.commits[-1]
    # The two ends show how far apart the work began and ended.
    clues = [commit_clue(first, _note_on_first(work))]
    if last.sha != first.sha:
        clues.append(commit_clue(last, LAST))
    return present(_counted(history, work), clues, met=work.total > minimum)


def _note_on_first(work: History) -> str:
    return "The first commit of work that was read." if work.truncated else FIRST


def _counted(history: History, work: History) -> str:
    """Sentence on the number of commits of work, and on those of other kinds."""
    from courtroom.analysis.git.commit_kinds import is_bot, repeats

    merges = sum(commit.is_merge for commit in history.commits)
    changing = [commit for commit in history.commits if commit.paths and not commit.is_merge]
    bots = sum(is_bot(*commit.author) for commit in changing)
    again = [pair for pair in repeats(history) if not is_bot(*pair.commit.author)]
    kinds = (
        (merges, "merge", "merges"),
        (
            len(history.commits) - merges - len(changing),
            "commit that changes no file",
            "commits that change no file",
        ),
        (bots, "commit of a bot", "commits of bots"),
        (len(again), "repeat of an earlier commit", "repeats of earlier commits"),
    )
    others = listed(number_of(count, *nouns) for count, *nouns in kinds if count)
    if not work.total:
        return f"The history has no commit of work, only {others}."
    beside = f", and beside them {others}" if work.total < history.total and others else ""
    are = "is" if work.total == 1 else "are"
    return f"There {are} {number_of(work.total, 'commit')} of work{beside}."


def _not_bulk(history: History, work: History) -> Finding:
    from courtroom.analysis.git.history import BULK_COMMITS, history_facts, once
    from courtroom.analysis.project.commit_pace import files_of_first_commit

    facts, reasons = history_facts(history)
    if facts.get("bulk_upload") is None:
        unknown = "The history does not show how the code was added."
        return could_not_look(reasons.get("bulk_upload", unknown))

    brought, ever = files_of_first_commit(history) or (0, 0)
    imported = ""
    if brought > IMPORTED_SHARE * ever:
        files = number_of(ever, "file")
        empty = len(set(history.commits[0].empty_paths))
        beside = f" with content, and {empty} empty," if empty else ""
        imported = (
            f"The first commit brought {brought}{beside} of the {files} that ever were in the work (a"
            " moved file counts twice, compiled ones and installed packages do not)."
        )
    commits = [commit for commit in once(history) if commit.python_lines_added]
    most = sorted(commits, key=lambda c: c.python_lines_added, reverse=True)[:BULK_COMMITS]
    largest = sorted(most, key=commits.index)
    clues = [
        commit_clue(c, "One of the two commits that brought the most Python.") for c in largest
    ]
    every = sum(commit.python_lines_added for commit in commits)
    is_bulk = facts["bulk_upload"]
    run, held = ([], 0) if is_bulk else _parted_upload(history, every)
    if run:
        clues = [commit_clue(run[0], RUN_NOTES[0]), commit_clue(run[-1], RUN_NOTES[1])]
    parts = (
        _share_of_run(run, held, every) if run else "",
        _share_of(largest, every, work, is_alone=not run),
        NEW_WORK if is_bulk or run else "",
        imported,
        _installed(history),
        _copied(history),
    )
    met = not is_bulk and not run
    return present(" ".join(filter(None, parts)), clues, met=met, fault=PARTED if run else "")


def _installed(history: History) -> str:
    """Sentence on the commits that brought installed packages."""
    commits = [commit for commit in history.commits if commit.installed_lines_added]
    if not commits:
        return ""
    lines = sum(commit.installed_lines_added for commit in commits)
    names = named([commit.sha[:8] for commit in commits])
    return (
        f"Not counted: {number_of(lines, 'Python line')} of installed packages, added by {names}."
    )


def _copied(history: History) -> str:
    """Sentence on the commits that brought the same file several times."""
    commits = [commit for commit in history.commits if commit.copied_lines_added]
    copied = sum(commit.copied_lines_added for commit in commits)
    if not copied:
        return ""
    lines = number_of(copied, "Python line")
    names = named([commit.sha[:8] for commit in commits])
    return f"Not counted: {lines} of files that are copies of others in their commit ({names})."


def _parted_upload(history: History, every: int) -> tuple[Sequence[Commit], int]:
    """Return the run of commits a minute apart that brought most of the Python, with its lines."""
    from courtroom.analysis.git.history import BULK_SHARE
    from courtroom.analysis.project.commit_pace import largest_run

    run, lines = largest_run(history)
    return (run, lines) if lines > BULK_SHARE * every else ([], 0)


def _share_of_run(run: Sequence[Commit], lines: int, every: int) -> str:
    """The sentence on the run that decides, which comes before all that it is in spite of."""
    from courtroom.analysis.git.history import BULK_SHARE

    return (
        f"{len(run)} commits, {WITHIN_MINUTES}, from {run[0].sha[:8]} to"
        f" {run[-1].sha[:8]}, added {lines} of the {every} Python lines that all commits together added"
        f" ({_percent(lines, every, limit=BULK_SHARE)} %): a bulk upload in parts."
    )


def _share_of(largest: Sequence[Commit], every: int, work: History, *, is_alone: bool) -> str:
    """The sentence on the share that these commits have in `every` Python line that was added."""
    from courtroom.analysis.git.history import BULK_SHARE

    lines = sum(commit.python_lines_added for commit in largest)
    names = listed(_with_place(commit, work) for commit in largest)
    share = f"{_percent(lines, every, limit=BULK_SHARE)} %"
    if not is_alone:
        return f"The two largest commits, {names}, added {lines} ({share})."
    limit = f"more than {BULK_SHARE * 100:g} %"
    is_bulk = lines > BULK_SHARE * every
    bulk = f"{limit} is a bulk upload" if is_bulk else f"a bulk upload would be {limit}"
    return (
        f"{names} added {number_of(lines, 'Python line')}: {share} of"
        f" the {every} that all commits together added; {bulk}."
    )


def _with_place(commit: Commit, work: History) -> str:
    from courtroom.analysis.python.source_files import is_installed

    place = next((n for n, c in enumerate(work.commits, 1) if c.sha == commit.sha), None)
    number = f", commit {place} of {len(work.commits)}" if place else ""
    own = [path for path in commit.paths if path.endswith(".py") and not is_installed(path)]
    files = number_of(len(own), "Python file")
    return f"{commit.sha[:8]} ({commit.authored_at[:10]}{number}, {files})"


def _progression(minimum: int, history: History) -> Finding:
    from courtroom.analysis.git.stages import progression

    if history.truncated:
        newest = f"{len(history.commits)} of {history.total}"
        return could_not_look(
            f"The first stages were not read: only the newest {newest} commits were."
        )
    stages = progression(history)
    orders = _longest_orders(stages)
    by_sha = {commit.sha: commit for commit in history.commits}
    begun = {s.sha: [_part(other) for other in stages if other.sha == s.sha] for s in stages}
    clues = [
        commit_clue(by_sha[sha], f"This commit begins {listed(parts)}.")
        for sha, parts in begun.items()
    ]

    if not clues:
        commits = number_of(len(history.commits), "commit")
        searched = f"Read {commits} for stages of work: none was recognised."
        return absent(f"No stage of the work shows in {commits}.", searched)
    starts = [f"{sha[:8]} begins {listed(parts)}" for sha, parts in begun.items()]
    at_once = " at once" if len(begun) == 1 < len(stages) else ""
    order = f"{', then '.join(starts)}{at_once}{_order_of(orders, stages)}."
    begins = [by_sha[sha] for sha in begun]
    close = _closeness(begins) if len(begins) > 1 else ""
    left = [name for name in STAGE_ORDER if name not in {stage.name for stage in stages}]
    missing = f" No commit was recognised that begins {_words(left, 'or')}." if left else ""
    finding = present(order + close + missing, clues, met=len(orders[0]) >= minimum)
    return replace(finding, has_reservation=bool(close))


def _closeness(commits: Sequence[Commit]) -> str:
    """Sentence, with a space before it, on stages that all begin within an hour; else ""."""
    from courtroom.analysis.project.commit_pace import SITTING

    times = sorted(datetime.fromisoformat(commit.authored_at) for commit in commits)
    span = times[-1] - times[0]
    return f" These commits lie within {_minutes(span)}." if span <= SITTING else ""


def _minutes(span: timedelta) -> str:
    return number_of(max(1, math.ceil(span.total_seconds() / 60)), "minute")


def _order_of(orders: Sequence[Sequence[str]], stages: Sequence[Stage]) -> str:
    """The end of the sentence on the stages that come in the order of STAGE_ORDER."""
    count = len(orders[0])
    if count == len(STAGE_ORDER):
        return ": all four stages in this order"
    order = ", ".join(map(_word, STAGE_ORDER))
    if len({stage.sha for stage in stages}) == 1:
        return ""
    # Several parts of this length say no more than that none is longer.
    if count == 1 or len(orders) > 1:
        return f": no {_MORE_THAN[count - 1]} in the order {order}"
    return f": of the order {order}, only {_words(orders[0])} follow each other"


def _words(stages: Iterable[str], last: str = "and") -> str:
    return listed(map(_word, stages), last)


def _part(stage: Stage) -> str:
    return stage.part(_word(stage.name))


def _word(stage: str) -> str:
    return {"setup": "set-up", "tools": "forensic tools"}.get(stage, stage)


def _longest_orders(stages: Sequence[Stage]) -> list[list[str]]:
    """The longest parts, gaps allowed, whose names come in the order of STAGE_ORDER.

    Stages that one commit brings are in no order.
    """
    parts = (part for n in range(len(stages), 0, -1) for part in combinations(stages, n))
    apart = (part for part in parts if len({stage.sha for stage in part}) == len(part))
    names = ([stage.name for stage in part] for part in apart)
    rising = [row for row in names if row == sorted(set(row), key=STAGE_ORDER.index)]
    return [row for row in rising if len(row) == len(rising[0])] or [[]]


def _spread(minimum: int, work: History) -> Finding:
    from courtroom.analysis.project.commit_pace import busiest_commits, pace_of

    pace, count = pace_of(work), len(work.commits)
    # Of three commits three tenths are less than one: one in the busiest hour is always allowed.
    most = int(max(1, SITTING_SHARE * count))
    every = sum(commit.python_lines_added for commit in work.commits)
    hour = busiest_commits(work, most, SITTING_SHARE * every)
    is_sitting, held = _python_of(hour, most, every)
    lie = "lies" if count == 1 else "lie"
    reason = f"{number_of(count, 'commit')} of work {lie} on {number_of(pace.days, 'day')}"
    dated = len({commit.authored_at[:10] for commit in work.commits})
    if dated != pace.days:
        reason += f" by when they were committed, and on {dated} by the dates that authors gave"
    if pace.days < minimum:
        reason += f", where at least {minimum} are needed"
    if len(hour) == 1 < count and pace.days >= minimum:
        reason += "; no two of them fall within one hour"
    elif pace.days >= minimum or len(hour) > most:
        fall = "falls" if len(hour) == 1 else "fall"
        reason += f"; {len(hour)} of them {fall} within one hour{held}"
    reason += "."
    first, last, notes = work.commits[0], work.commits[-1], (_note_on_first(work), LAST)
    if pace.days >= minimum and is_sitting:
        first, last = hour[0], hour[-1]
        reason += f" The hour begins with {first.sha[:8]} and ends with {last.sha[:8]}."
        notes = ("The first commit of that hour.", "The last commit of that hour.")
    parts = [reason]
    run, words, run_notes = _quick_run(work)
    if run and pace.days >= minimum and not is_sitting:
        first, last, notes = run[0], run[-1], run_notes
        parts = [words, reason]
    elif run:
        parts.append(words)
    full = "" if is_sitting else _fullest_hour(work, every)
    clues = [commit_clue(first, notes[0]), commit_clue(last, notes[1])]
    met = pace.days >= minimum and not is_sitting and not run
    fault = _pace_fault(minimum, pace.days, is_sitting=is_sitting)
    finding = present(" ".join(parts) + full + unread_commits(work), clues, met=met, fault=fault)
    return replace(finding, has_reservation=bool(full))


def _fullest_hour(work: History, every: int) -> str:
    """Sentence, with a space before it, on a few commits that brought much of the Python at once.

    A commit alone is no hour of work: the check for a bulk upload weighs it.
    """
    from courtroom.analysis.project.commit_pace import fullest_hour

    hour, span = fullest_hour(work)
    lines = sum(commit.python_lines_added for commit in hour)
    if len(hour) == 1 or lines <= SITTING_SHARE * every:
        return ""
    return (
        f" {len(hour)} commits of Python within {_minutes(span)}, from {hour[0].sha[:8]} to {hour[-1].sha[:8]}, brought"
        f" {lines} of the {every} Python lines ({_percent(lines, every, limit=SITTING_SHARE)} %)."
    )


def _quick_run(work: History) -> tuple[Sequence[Commit], str, tuple[str, str]]:
    """Return the longest run of commits a minute apart, where many lie in such runs, a sentence,
    and what the ends of the run are.
    """
    from courtroom.analysis.project.commit_pace import LEAST_RUN, quick_runs

    runs = quick_runs(work)
    count = sum(map(len, runs))
    if count <= RUNS_SHARE * len(work.commits):
        return (), "", LONGEST_NOTES
    longest = max(runs, key=len)
    every = sum(commit.python_lines_added for commit in work.commits)
    lines = sum(commit.python_lines_added for run in runs for commit in run)
    held = (
        f", with {_percent(lines, every, limit=RUNS_SHARE)} % of the Python lines" if every else ""
    )
    share = _percent(count, len(work.commits), limit=RUNS_SHARE)
    within = WITHIN_MINUTES
    is_only = len(runs) == 1
    form = (
        f"a run, {within},"
        if is_only
        else f"{len(runs)} runs of {LEAST_RUN} or more, the commits of a run {within}, the longest"
    )
    words = (
        f"{count} of the commits ({share} %{held}) come in {form} from {longest[0].sha[:8]} to"
        f" {longest[-1].sha[:8]} at {longest[0].authored_at[:16].replace('T', ' ')}."
    )
    return longest, words, RUN_NOTES if is_only else LONGEST_NOTES


def _python_of(hour: Sequence[Commit], most: int, every: int) -> tuple[bool, str]:
    """Return whether the commits of one hour are one sitting, and words on their Python."""
    if len(hour) <= most:
        return False, ""
    if not every:
        return True, f"; more than {most} are one sitting"
    lines = sum(commit.python_lines_added for commit in hour)
    is_sitting = lines > SITTING_SHARE * every
    share = f"{lines} of the {every} Python lines ({_percent(lines, every, limit=SITTING_SHARE)} %)"
    commits = number_of(most, "commit")
    limit = f"more than {commits} and {SITTING_SHARE * 100:g} % of the lines in an hour"
    if not lines:
        return False, f", but with none of the {every} Python lines"
    if not is_sitting:
        return False, f", but with only {share}"
    return True, f", with {share}: {limit} are one sitting"


def _percent(part: int, whole: int, *, limit: float) -> str:
    """Percent to a tenth, rounded half up, or away from a limit that it would wrongly reach."""
    tenths, most = 1000 * part / whole, 1000 * limit
    rounded = math.floor(tenths + 0.5)
    if (rounded > most) != (tenths > most):
        rounded = math.ceil(tenths)
    return f"{rounded / 10:g}"


def _pace_fault(minimum: int, days: int, *, is_sitting: bool) -> str:
    if days >= minimum:
        return (
            "Too much of the work came within one hour."
            if is_sitting
            else "Many commits came within a minute of each other."
        )
    return f"The work came on {'one day' if days == 1 else f'{days} days'}."


def _replay(check: CommitHistory, report: StoredReport) -> Finding | None:
    """A report keeps of its commits whether they were a bulk upload, whole or in parts."""
    if check.aspect != "not_bulk":
        return None
    is_bulk = report.fact("bulk_upload")
    if is_bulk is None:
        return report.unknown("bulk_upload")
    from courtroom.analysis.git.history import BULK_SHARE

    share = (report.fact("history") or {}).get("largest_run") or 0
    if not is_bulk and share > BULK_SHARE:
        reason = "One run of commits within minutes brought more than 55 % of all Python lines."
        return absent(reason, "Read the lines that every commit added.", fault=PARTED)
    verb = "brought" if is_bulk else "did not bring"
    return absent(
        f"The two largest commits {verb} more than 55 % of all Python lines.",
        "Read the lines that every commit added.",
        met=not is_bulk,
    )


def _fault(check: CommitHistory) -> str:
    return {
        "more_than": f"The history has fewer than {number_of(check.minimum + 1, 'commit')} of work.",
        "not_bulk": "Two commits brought most of the Python code.",
        "progression": (
            f"Fewer than {number_of(check.minimum, 'stage')} of the work show in the commits in order."
        ),
        "messages": "Many commit messages do not tell one change from another.",
        "spread_over_time": "Too much of the work came at once.",
    }[check.aspect]


KIND = CheckKind(
    model=CommitHistory,
    detective="RepoInvestigator",
    detect=_detect,
    replay=_replay,
    fault=_fault,
    label=Label(
        title="History of commits",
        about="How the work grew: number, pace, stages and messages of commits.",
    ),
    concern="effort",
    order=10,
)
