"""Checks on the history turn its commits into one finding."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from courtroom.analysis.git.history import Commit, History
from courtroom.analysis.project.commit_pace import history_fact
from courtroom.checks.commit_history import CommitHistory, finding_on_history
from tests.courtroom.surveys import CHECK_FIELDS


def commit(
    number, *, when="2026-01-01T09:00:00+00:00", subject="Add the parser of things", lines=10
):
    return Commit(
        f"{number:040d}", (), "Ada", "ada@example.org", when, subject, lines, ("things.py",)
    )


def history(*commits):
    return History(tuple(commits), len(commits), truncated=False)


def judged(aspect, *commits, **fields):
    return finding_on_history(
        CommitHistory(**CHECK_FIELDS, aspect=aspect, **fields), history(*commits)
    )


def test_an_empty_history_meets_nothing():
    assert [judged(aspect).met for aspect in ("more_than", "not_bulk", "messages")] == [
        False,
        False,
        False,
    ]


@pytest.mark.parametrize(("count", "met"), [(3, False), (4, True)])
def test_more_than_three_means_four(count, met):
    finding = judged("more_than", *map(commit, range(1, count + 1)))
    assert (finding.met, [c.commit for c in finding.clues]) == (met, [f"{1:040d}", f"{count:040d}"])


def merge(number, *parents):
    shas = tuple(f"{parent:040d}" for parent in parents)
    return replace(commit(number), parents=shas, paths=(), python_lines_added=0)


def test_commits_that_are_no_work_are_named_and_not_counted():
    made = [commit(n, when=f"2026-01-0{n}T09:00:00+00:00") for n in range(1, 6)]
    bot, empty = replace(made[3], author_name="renovate[bot]"), replace(made[4], paths=())
    finding = judged("more_than", *made[:3], bot, empty, merge(6, 4, 5))
    assert (finding.met, finding.reason) == (
        False,
        (
            "There are 3 commits of work, and beside them 1 merge, 1 commit that changes no"
            " file and 1 commit of a bot."
        ),
    )


@pytest.mark.parametrize("aspect", ["more_than", "messages", "spread_over_time", "progression"])
def test_history_of_bots_alone_is_not_established(aspect):
    finding = judged(aspect, replace(commit(1), author_name="renovate[bot]"))
    assert (finding.met, finding.reason) == (
        None,
        (
            "The history has no commit of work, only 1 commit of a bot."
            " Nobody's own work can be told apart."
        ),
    )


def test_merges_are_no_evidence_of_good_messages():
    finding = judged(
        "messages", commit(1, subject="update"), commit(2), merge(3, 1, 2), merge(4, 3, 2)
    )
    assert (finding.met, finding.reason) == (
        False,
        (
            "Recognised 1 of 2 commit messages as naming nothing in particular that was changed:"
            " “update” (00000000)."
        ),
    )


def test_messages_that_say_enough_are_shown_by_one_of_them_and_not_by_their_exception():
    subjects = ("Add the graph", "Add judges", "Add tests", "Read a PDF", "update")
    finding = judged("messages", *(commit(n, subject=s) for n, s in enumerate(subjects, start=1)))
    assert (finding.met, finding.has_reservation) == (True, True)
    assert [clue.rationale for clue in finding.clues] == [
        "The message says more than a bare “fix” or “update”."
    ]


def test_good_messages_are_shown_by_the_last_that_names_several_things():
    subjects = ("Add the graph", "Let both judges cite evidence", "Retry", "Deat: bug fix")
    finding = judged("messages", *(commit(n, subject=s) for n, s in enumerate(subjects, start=1)))
    assert [clue.commit for clue in finding.clues] == [f"{2:040d}"]


def test_messages_that_only_name_changed_files_are_told_where_they_are_many():
    bare = replace(commit(1, subject="Update judges.py"), paths=("judges.py",))
    finding = judged("messages", bare, commit(2), commit(3))
    assert (finding.met, finding.has_reservation) == (True, True)
    assert (
        " Recognised 1 that only names what file was changed: “Update judges.py” (00000000)."
        in finding.reason
    )
    others = [commit(number, subject=f"Add part {number}") for number in range(2, 12)]
    assert judged("messages", bare, *others).has_reservation is False


def test_same_words_for_most_commits_do_not_tell_them_apart():
    finding = judged("messages", *(commit(n, subject="Improve the auditor") for n in range(1, 6)))
    assert (finding.met, finding.reason) == (
        False,
        (
            "All 5 commit messages say more than a bare “fix” or “update”."
            " Several commits have the same message: “Improve the auditor” (5)."
        ),
    )


def test_first_commit_that_brings_most_files_is_told():
    upload, *neighbours, last = [
        commit(n, when=f"2026-01-01T{8 + n:02}:00:00+00:00", lines=20) for n in range(1, 6)
    ]
    upload = replace(upload, paths=("a.py", "b.py", "c.py"))
    neighbours = [replace(other, paths=("a.py",)) for other in neighbours]
    finding = judged("not_bulk", upload, *neighbours, replace(last, paths=("d.py",)))
    assert (finding.met, finding.reason) == (
        True,
        (
            "00000000 (2026-01-01, commit 1 of 5, 3 Python files) and 00000000 (2026-01-01, commit 2 of 5, 1 Python file) added 40"
            " Python lines: 40 % of the 100 that all commits together added; a bulk upload would"
            " be more than 55 %. The first commit brought 3 of the 4 files that ever were in the work"
            " (a moved file counts twice, compiled ones and installed packages do not)."
        ),
    )


def test_empty_files_of_the_first_commit_are_told_apart():
    upload = replace(commit(1, lines=20), paths=("a.py", "b.py", "c.py"), empty_paths={"c.py"})
    neighbours = [replace(commit(n, lines=20), paths=("a.py",)) for n in (2, 3, 4, 5)]
    finding = judged("not_bulk", upload, *neighbours)
    assert "The first commit brought 2 with content, and 1 empty, of the 3 files" in finding.reason


@pytest.mark.parametrize(("lines", "met"), [((50, 40, 5, 5), False), ((25, 25, 25, 25), True)])
def test_two_commits_with_most_of_the_python_are_a_bulk_upload(lines, met):
    commits = [commit(n, lines=added) for n, added in enumerate(lines, start=1)]
    assert judged("not_bulk", *commits).met is met


def test_a_first_commit_that_lays_out_empty_files_brings_none():
    paths = ("a.py", "b.py", "c.py")
    layout = replace(commit(1, lines=0), paths=paths, empty_paths=frozenset(paths))
    neighbours = [
        replace(commit(n, lines=20), paths=(path,)) for n, path in enumerate(paths, start=2)
    ]
    assert "first commit" not in judged("not_bulk", layout, *neighbours).reason


def test_a_bulk_upload_says_where_it_lies_and_that_new_work_weighs():
    bulk = [
        replace(commit(n, lines=added, when=f"2026-01-0{n}T01:00:00+03:00"), sha=f"{n:08}")
        for n, added in enumerate((11, 3000, 20), start=1)
    ]
    small = [commit(n, lines=20) for n in range(4, 127)]
    reason = judged("not_bulk", *bulk).reason.partition(" The first commit")[0]
    assert reason == (
        "00000002 (2026-01-02, commit 2 of 3, 1 Python file) and 00000003 (2026-01-03, commit 3 of 3, 1 Python file) added 3020"
        " Python lines: 99.6 % of the 3031 that all commits together added; more than 55 % is a bulk"
        " upload. What is committed stays as it is; each new small commit lowers this share."
    )
    assert [judged("not_bulk", *bulk, *new).met for new in (small[1:], small)] == [False, True]


def test_the_share_never_reads_as_the_limit_that_it_passes():
    commits = [commit(n, lines=added) for n, added in enumerate((3001, 2500, 1500, 1500, 1500))]
    assert ": 55.1 % of the 10001 that" in judged("not_bulk", *commits).reason


def test_of_a_history_that_was_read_in_part_the_rest_is_told():
    newest = tuple(commit(n, subject=f"Add parser {'abc'[n]}") for n in range(3))
    read = History(newest, total=5, truncated=True)
    findings = {
        aspect: finding_on_history(CommitHistory(**CHECK_FIELDS, aspect=aspect, minimum=1), read)
        for aspect in ("more_than", "progression", "messages", "spread_over_time")
    }
    assert findings["more_than"].clues[0].rationale == ("The first commit of work that was read.")
    assert (findings["progression"].met, findings["progression"].reason) == (
        None,
        "The first stages were not read: only the newest 3 of 5 commits were.",
    )
    assert {aspect: findings[aspect].reason.split(". ")[-1] for aspect in findings} == {
        "more_than": "There are 5 commits of work.",
        "progression": findings["progression"].reason,
        "messages": "2 earlier commits were not read.",
        "spread_over_time": "2 earlier commits were not read.",
    }


def test_dates_that_authors_gave_to_work_of_one_sitting_are_told_beside_it():
    made = [
        replace(commit(n, when=f"2026-01-0{n}T09:00:00+00:00"), committed_at="2026-01-09T09:00:00Z")
        for n in (1, 2, 3)
    ]
    finding = judged("spread_over_time", *made, minimum=2)
    assert finding.reason.startswith(
        "3 commits of work lie on 1 day by when they were committed, and on 3 by the dates that"
        " authors gave, where at least 2 are needed;"
    )
    assert finding.clues[0].statement.split(" Add ")[0].partition(" ")[2] == (
        "2026-01-01T09:00:00+00:00 (committed 2026-01-09T09:00:00Z)"
    )


def test_without_python_nobody_can_tell_how_it_was_added():
    assert judged("not_bulk", commit(1, lines=0)).met is None


SUBJECTS = ("Set up the environment", "Add the clone tool", "Wire the graph", "Add the judges")


@pytest.mark.parametrize(
    ("subjects", "minimum", "met"),
    [
        (SUBJECTS, 4, True),
        ((*SUBJECTS[2:], *SUBJECTS[:2]), 3, False),
        ((*SUBJECTS[2:], *SUBJECTS[:2]), 2, True),
    ],
)
def test_stages_count_in_their_natural_order_only(subjects, minimum, met):
    commits = [commit(n, subject=subject) for n, subject in enumerate(subjects, start=1)]
    assert judged("progression", *commits, minimum=minimum).met is met


def test_stages_that_one_commit_brings_are_in_no_order():
    upload = replace(commit(1), paths=("uv.lock", "src/tools.py", "src/graph.py"))
    finding = judged("progression", upload, commit(2, subject="Add the judges"), minimum=3)

    assert (finding.met, [clue.rationale for clue in finding.clues]) == (
        False,
        ["This commit begins set-up, forensic tools and graph.", "This commit begins judges."],
    )


def test_set_up_that_an_earlier_message_names_is_told_with_it():
    named = replace(commit(1, subject="Env setup"), paths=("README.md", ".gitignore"))
    locked = replace(commit(2, subject="Go on"), paths=("uv.lock",))
    finding = judged("progression", named, locked, commit(3, subject="Set up more"), minimum=1)
    assert finding.reason.startswith(
        f"{locked.sha[:8]} begins set-up (which the message of {named.sha[:8]} names before it)."
    )


def test_graph_that_an_earlier_commit_outlines_is_said_to_go_beyond_it():
    path = "src/graph.py"
    outline = replace(commit(1), paths=(path,), bare_graphs=frozenset({path}))
    wired = replace(commit(2), subject="Go on", paths=(path,))
    finding = judged("progression", outline, wired, minimum=1)
    assert [clue.rationale for clue in finding.clues] == [
        "This commit begins the graph beyond its outline."
    ]


@pytest.mark.parametrize(
    ("order", "reason"),
    [
        (
            "0 1 2 3",
            (
                "{0} begins set-up, then {1} begins forensic tools, then {2} begins graph, then {3}"
                " begins judges: all four stages in this order."
            ),
        ),
        (
            "2 0 1 3",
            (
                "{0} begins graph, then {1} begins set-up, then {2} begins forensic tools, then {3}"
                " begins judges: of the order set-up, forensic tools, graph, judges, only set-up,"
                " forensic tools and judges follow each other."
            ),
        ),
        (
            "012 3",
            (
                "{0} begins set-up, forensic tools and graph, then {1} begins judges: no three in the"
                " order set-up, forensic tools, graph, judges."
            ),
        ),
        (
            "0 3 2 1",
            (
                "{0} begins set-up, then {1} begins judges, then {2} begins graph, then {3} begins"
                " forensic tools: no three in the order set-up, forensic tools, graph, judges."
            ),
        ),
        ("0123", "{0} begins set-up, forensic tools, graph and judges at once."),
        (
            "1 0",
            (
                "{0} begins forensic tools, then {1} begins set-up: no two in the order set-up, forensic"
                " tools, graph, judges. No commit was recognised that begins graph"
                " or judges."
            ),
        ),
        (
            "0",
            "{0} begins set-up. No commit was recognised that begins forensic tools, graph or judges.",
        ),
    ],
)
def test_the_stages_are_named_with_those_in_their_natural_order(order, reason):
    paths = ("uv.lock", "src/tools.py", "src/graph.py", "src/judges.py")
    commits = [
        replace(
            commit(n, subject="Go on", when=f"2026-01-0{n + 1}T09:00:00+00:00"),
            sha=f"{n:08}",
            paths=tuple(paths[int(i)] for i in part),
        )
        for n, part in enumerate(order.split())
    ]
    wanted = reason.format(*(row.sha for row in commits))
    assert judged("progression", *commits).reason == wanted


@pytest.mark.parametrize(
    ("gap", "words"),
    [(15, " These commits lie within 1 minute."), (700, " These commits lie within 35 minutes.")],
)
def test_stages_that_begin_within_an_hour_are_said_to(gap: int, words: str):
    start = datetime(2026, 1, 5, 9, tzinfo=UTC)
    commits = [
        commit(n, subject=subject, when=(start + timedelta(seconds=n * gap)).isoformat())
        for n, subject in enumerate(SUBJECTS)
    ]
    finding = judged("progression", *commits, minimum=4)
    assert (finding.met, finding.has_reservation) == (True, True)
    assert finding.reason.endswith(f"all four stages in this order.{words}")


def test_messages_that_say_nothing_are_shown():
    finding = judged("messages", commit(1, subject="update"), commit(2, subject="fix"), commit(3))
    assert (finding.met, [c.commit for c in finding.clues]) == (False, [f"{1:040d}", f"{2:040d}"])


def test_message_that_says_more_than_its_commit_holds_is_told_beside_the_others():
    empty = commit(2, subject="Implement the judges", lines=0)
    empty = replace(empty, paths=("judges.py",))
    finding = judged("messages", commit(1), empty)
    assert finding.reason.endswith(
        " One message says more than its commit holds: “Implement the judges” (00000000) adds no line"
        " of Python."
    )
    assert (finding.met, finding.has_reservation) == (True, True)
    assert finding.clues[-1].commit == empty.sha


def test_long_message_is_quoted_up_to_the_end_of_a_word():
    subject = (
        "Implement the judges of the tribunal, each with its own prompt and its own scale of scores"
    )
    claim = replace(commit(1, subject=subject, lines=1), paths=("judges.py",))
    finding = judged("messages", claim)
    assert "its own prompt and its own…” (00000000) adds 1 line of Python." in finding.reason
    assert finding.clues[-1].statement.endswith(", 1 Python line added")


@pytest.mark.parametrize(
    ("hours", "met"), [((0, 30, 60, 90), True), ((0, 0, 0, 90), False), ((0, 4, 8, 12), False)]
)
def test_work_is_spread_over_days_and_not_done_in_one_hour(hours, met):
    commits = [
        commit(n, when=f"2026-01-0{1 + h // 24}T{h % 24:02}:00:00+00:00")
        for n, h in enumerate(hours, start=1)
    ]
    assert judged("spread_over_time", *commits, minimum=2).met is met


@pytest.mark.parametrize(
    ("hours", "fault", "listed"),
    [
        ((0, 1, 2, 3), "The work came on one day.", (1, 4)),
        ((0, 48, 48, 48), "Too much of the work came within one hour.", (2, 4)),
    ],
)
def test_work_at_once_is_named_by_day_or_hour_and_shown_by_its_commits(hours, fault, listed):
    commits = [
        commit(n, when=f"2026-01-0{1 + h // 24}T{h % 24:02}:00:00+00:00")
        for n, h in enumerate(hours, start=1)
    ]
    finding = judged("spread_over_time", *commits, minimum=2)
    assert (finding.met, finding.fault) == (False, fault)
    assert [clue.commit for clue in finding.clues] == [f"{n:040d}" for n in listed]


@pytest.mark.parametrize(
    ("lines", "met", "reason"),
    [
        (
            (70, 10, 10, 10),
            True,
            (
                "4 commits of work lie on 2 days; 3 of them fall within one hour, but with only 30"
                " of the 100 Python lines (30 %)."
            ),
        ),
        (
            (10, 30, 30, 30),
            False,
            (
                "4 commits of work lie on 2 days; 3 of them fall within one hour, with 90 of the 100"
                " Python lines (90 %): more than 1 commit and 30 % of the lines in an hour are one"
                " sitting."
                " The hour begins with 00000000 and ends with 00000000."
            ),
        ),
        (
            (0, 0, 0, 0),
            False,
            (
                "4 commits of work lie on 2 days; 3 of them fall within one hour; more than 1 are"
                " one sitting. The hour begins with 00000000 and ends with 00000000."
            ),
        ),
    ],
)
def test_commits_of_one_hour_are_one_sitting_where_they_hold_much_of_the_python(lines, met, reason):
    times = ("01T09", "03T09", "03T09", "03T09")
    commits = [
        commit(n, when=f"2026-01-{time}:00:00+00:00", lines=added)
        for n, (time, added) in enumerate(zip(times, lines, strict=True), start=1)
    ]
    finding = judged("spread_over_time", *commits, minimum=2)
    assert (finding.met, finding.reason) == (met, reason)


@pytest.mark.parametrize(
    ("gap", "days", "met"), [(30, 20, True), (30, 19, False), (61, 0, True), (60, 4, False)]
)
def test_work_parted_into_commits_a_minute_apart_is_not_spread(gap, days, met):
    apart = [
        commit(n, when=f"2026-01-{n + 2:02}T09:00:00+00:00", lines=10) for n in range(1, 1 + days)
    ] or [commit(30, when="2026-01-03T09:00:00+00:00", lines=100)]
    begin = datetime(2026, 1, 1, 9, tzinfo=UTC)
    run = [
        commit(40 + n, when=(begin + n * timedelta(seconds=gap)).isoformat(), lines=1)
        for n in range(5)
    ]
    finding = judged("spread_over_time", *run, *apart, minimum=2)
    assert (finding.met, "come in a run, each within" in finding.reason) == (met, not met)
    if not met:
        assert finding.reason.startswith("5 of the commits (")
        assert "longest" not in str(finding)
        assert finding.fault == "Many commits came within a minute of each other."
        assert [clue.commit for clue in finding.clues] == [f"{40:040d}", f"{44:040d}"]


@pytest.mark.parametrize(("gap", "lines", "met"), [(30, 12, False), (30, 10, True), (61, 12, True)])
def test_run_of_commits_a_minute_apart_with_most_of_the_python_is_a_bulk_upload_in_parts(
    gap, lines, met
):
    begin = datetime(2026, 1, 1, 9, tzinfo=UTC)
    run = [
        commit(40 + n, when=(begin + n * timedelta(seconds=gap)).isoformat(), lines=lines)
        for n in range(5)
    ]
    later = [commit(n, when=f"2026-01-{n + 2:02}T09:00:00+00:00", lines=10) for n in range(1, 6)]
    work = history(*run, *later[: 4 if lines == 12 else 5])
    finding = judged("not_bulk", *work.commits)
    assert finding.met is met
    fact = history_fact(work)
    assert fact is not None
    assert fact["largest_run"] == (0 if gap > 60 else 0.6 if lines == 12 else 0.5)
    if not met:
        assert finding.fault == "A run of commits within minutes brought most of the Python code."
        assert finding.reason.startswith(
            "5 commits, each within a minute of the one before, from 00000000 to 00000000, added 60 of the"
            " 100 Python lines that all commits together added (60 %): a bulk upload in parts. The two"
            " largest commits, 00000000 (2026-01-01, commit 1 of 9, 1 Python file) and 00000000 (2026-01-01, commit 2 of 9, 1 Python file),"
            " added 24 (24 %). What is committed stays as it is; each new small commit lowers this share."
        )
        assert [clue.commit for clue in finding.clues] == [f"{40:040d}", f"{44:040d}"]


def test_of_several_runs_a_minute_apart_the_longest_is_named():
    begin = datetime(2026, 1, 1, 9, tzinfo=UTC)
    runs = [
        commit(
            10 * day + n, when=(begin + timedelta(days=day, seconds=30 * n)).isoformat(), lines=1
        )
        for day, count in ((1, 5), (2, 6))
        for n in range(count)
    ]
    last = commit(40, when="2026-01-05T09:00:00+00:00", lines=100)
    finding = judged("spread_over_time", *runs, last, minimum=2)
    assert (
        "come in 2 runs of 5 or more, the commits of a run each within a minute of the one before,"
        " the longest from" in finding.reason
    )
    assert [clue.commit for clue in finding.clues] == [f"{20:040d}", f"{25:040d}"]


def test_few_commits_that_brought_much_at_once_are_named_beside_the_busiest_hour():
    at = ("10T09:00", "10T09:20", "10T09:40", "11T09:00", "11T09:00:58", "12T09:00", "13T09:00")
    added = (0, 1, 0, 30, 40, 29, 0)
    commits = [
        commit(n, when=f"2026-01-{when}", lines=lines)
        for n, (when, lines) in enumerate(zip(at, added, strict=True), start=1)
    ]
    finding = judged("spread_over_time", *commits, minimum=2)
    assert (finding.met, finding.has_reservation, finding.reason) == (
        True,
        True,
        (
            "7 commits of work lie on 4 days; 3 of them fall within one hour, but with only 1 of the"
            " 100 Python lines (1 %). 2 commits of Python within 1 minute, from 00000000 to 00000000, brought"
            " 70 of the 100 Python lines (70 %)."
        ),
    )


def test_one_commit_alone_is_no_full_hour():
    commits = [
        commit(n, when=f"2026-01-1{n}T09:00", lines=lines)
        for n, lines in enumerate((90, 5, 5), start=1)
    ]
    assert "brought" not in judged("spread_over_time", *commits, minimum=2).reason


def test_installed_packages_are_named_and_have_no_share():
    own = [commit(n, when=f"2026-01-0{n}T09:00:00+00:00") for n in range(1, 6)]
    packages = replace(commit(6, lines=0), installed_lines_added=5000, paths=(".venv/a/graph.py",))
    finding = judged("not_bulk", *own, packages)
    assert finding.met is True
    assert finding.reason.endswith(
        "Not counted: 5000 Python lines of installed packages, added by 00000000."
    )


def test_copies_within_a_commit_are_named_and_have_no_share():
    own = [commit(n, when=f"2026-01-0{n}T09:00:00+00:00") for n in range(1, 6)]
    copied = replace(own[1], copied_lines_added=5000)
    finding = judged("not_bulk", own[0], copied, *own[2:])
    assert finding.met is True
    assert finding.reason.endswith(
        "Not counted: 5000 Python lines of files that are copies of others in their commit (00000000)."
    )


def test_messages_that_their_commits_do_not_bear_out_are_told():
    subjects = ("Describe one change: e.g. add a helper", "Update README.md", "Add the parser")
    made = [commit(n, subject=subject) for n, subject in enumerate(subjects, start=1)]
    finding = judged("messages", *made)
    assert (finding.met, finding.has_reservation, finding.clues[0].commit) == (
        True,
        True,
        made[2].sha,
    )
    assert finding.reason == (
        "All 3 commit messages say more than a bare “fix” or “update”. One message tells what to write"
        " in its place: “Describe one change: e.g. add a helper” (00000000). One message names a file"
        " that its commit does not touch: “Update README.md” (00000000) leaves README.md alone."
    )


def test_commits_that_lie_apart_are_told_as_such():
    commits = [commit(n, when=f"2026-01-0{n}T09:00:00+00:00") for n in (1, 2, 3)]
    assert judged("spread_over_time", *commits, minimum=2).reason == (
        "3 commits of work lie on 3 days; no two of them fall within one hour."
    )


def test_of_several_busy_hours_one_with_much_python_counts():
    times = ("01T09", "01T09", "01T09", "03T09", "03T09")
    commits = [
        commit(n, when=f"2026-01-{time}:00:00+00:00", lines=40 if time == "03T09" else 1)
        for n, time in enumerate(times, start=1)
    ]
    finding = judged("spread_over_time", *commits, minimum=2)
    assert "2 of them fall within one hour, with 80 of the 83 Python lines" in finding.reason


def test_messages_of_several_commits_are_named_up_to_three():
    again = [subject for subject in ("Add a", "Add b", "Add c", "Add d") for _ in range(2)]
    made = [commit(n, subject=text) for n, text in enumerate(["Add a parser", "Add a", *again])]
    assert judged("messages", *made).reason.endswith(
        " Several commits have the same message: “Add a” (3), “Add b” (2), “Add c” (2) and 1 more."
    )
