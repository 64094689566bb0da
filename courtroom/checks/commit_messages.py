"""Messages of commits as clues, and the finding on them: which say what was changed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from courtroom.checks.phrases import listed, named, number_of
from courtroom.checks.result import Clue, Finding, present

if TYPE_CHECKING:
    from courtroom.analysis.git.history import Commit, History

# A quarter of messages may be hasty, or in the same words, before the history stops explaining
# itself.
WEAK_SHARE = 0.25
# From this share on messages that only name files are told.
BARE_SHARE = 0.1
# So many commits may share a message; of a long one the beginning is quoted.
MOST_ALIKE, QUOTED = 3, 80
MOST_REPEATED = 3


def commit_clue(commit: Commit, rationale: str) -> Clue:
    added = number_of(commit.python_lines_added, "Python line")
    lines = f", {added} added" if commit.python_lines_added else ""
    is_later = commit.committed_at and commit.committed_at[:10] != commit.authored_at[:10]
    committed = f" (committed {commit.committed_at})" if is_later else ""
    return Clue(
        rationale=rationale,
        statement=f"{commit.sha[:10]} {commit.authored_at}{committed} {commit.subject}{lines}",
        commit=commit.sha,
    )


def unread_commits(work: History) -> str:
    """Sentence, with a space before it, on the commits before those that were read."""
    left = work.total - len(work.commits)
    verb = "was" if left == 1 else "were"
    return f" {number_of(left, 'earlier commit')} {verb} not read." if left else ""


def finding_on_messages(work: History) -> Finding:
    from courtroom.analysis.git import history as messages
    from courtroom.analysis.git import message_claims
    from courtroom.analysis.git.commit_kinds import repeated_messages

    weak = messages.weak_messages(work)
    count = len(work.commits)
    again = repeated_messages(work)
    claims = message_claims.overclaimed_messages(work)
    templates = message_claims.template_messages(work)
    untouched = message_claims.untouched_files(work)
    on_files = messages.messages_on_files(work)
    on_files = on_files if len(on_files) > BARE_SHARE * count else ()
    alike = max(again.values(), default=0)
    reason = (
        _message_sentence(weak, count)
        + _bare(on_files)
        + unread_commits(work)
        + _repeated(again)
        + _more_than_held(claims)
        + _unfilled(templates)
        + _not_touched(untouched)
    )
    are_weak = len(weak) > WEAK_SHARE * count
    met = not are_weak and alike <= max(MOST_ALIKE, WEAK_SHARE * count)
    fault = (
        "Many commit messages do not say what was changed."
        if are_weak
        else "Many commits have the same message."
    )
    clues = [
        commit_clue(c, "The message names nothing in particular that was changed.") for c in weak
    ]
    if met or not weak:
        astray = {commit.sha for commit in (*weak, *claims, *templates, *dict(untouched))}
        shas = {commit.sha for commit in weak}
        rest = [c for c in work.commits if c.sha not in astray]
        telling = messages.telling_message(rest or [c for c in work.commits if c.sha not in shas])
        clues = [commit_clue(telling, "The message says more than a bare “fix” or “update”.")]
    if claims:
        notes = f"The message says more than the commit holds: {_held(claims[0])}."
        clues.append(commit_clue(claims[0], notes))
    finding = present(reason, clues, met=met, fault=fault)
    is_held = not (weak or again or claims or on_files or templates or untouched)
    return replace(finding, has_reservation=not is_held)


def _bare(commits: Sequence[Commit]) -> str:
    """Sentence, with a space before it, on messages that only name files as changed."""
    largest = max(commits, key=lambda commit: commit.python_lines_added, default=None)
    if largest is None:
        return ""
    example = f"{_quoted(largest.subject)} ({largest.sha[:8]})"
    if len(commits) == 1:
        return f" Recognised 1 that only names what file was changed: {example}."
    return f" Recognised {len(commits)} that only name what files were changed, such as {example}."


def _quoted(message: str) -> str:
    """The message, or its beginning up to a word's end."""
    if len(message) <= QUOTED:
        return f"“{message}”"
    return f"“{message[:QUOTED].rpartition(' ')[0] or message[:QUOTED]}…”"


def _more_than_held(commits: Sequence[Commit]) -> str:
    """Sentence, with a space before it, on messages that say more than their commits hold."""
    words = [f"{_quoted(c.subject)} ({c.sha[:8]}) adds {_held(c)}" for c in commits]
    which = "One message says" if len(words) == 1 else f"{len(words)} messages say"
    its = "its commit holds" if len(words) == 1 else "their commits hold"
    return f" {which} more than {its}: {named(words)}." if words else ""


def _unfilled(commits: Sequence[Commit]) -> str:
    """Sentence, with a space before it, on messages that are templates still."""
    words = named([f"{_quoted(commit.subject)} ({commit.sha[:8]})" for commit in commits])
    is_one = len(commits) == 1
    which = "One message tells" if is_one else f"{len(commits)} messages tell"
    return f" {which} what to write in its place: {words}." if words else ""


def _not_touched(commits: Sequence[tuple[Commit, str]]) -> str:
    """Sentence, with a space before it, on messages about files that their commits leave alone."""
    words = [f"{_quoted(c.subject)} ({c.sha[:8]}) leaves {name} alone" for c, name in commits]
    if not words:
        return ""
    which = "One message names a file" if len(words) == 1 else f"{len(words)} messages name a file"
    its = "its commit does" if len(words) == 1 else "their commits do"
    return f" {which} that {its} not touch: {named(words)}."


def _held(commit: Commit) -> str:
    lines = commit.python_lines_added
    return f"{number_of(lines, 'line')} of Python" if lines else "no line of Python"


def _repeated(messages: Mapping[str, int]) -> str:
    """Sentence, with a space before it, on the messages that several commits have, most first."""
    first = list(messages.items())[:MOST_REPEATED]
    left = len(messages) - len(first)
    words = [f"{_quoted(text)} ({count})" for text, count in first]
    if left:
        words.append(f"{left} more")
    return f" Several commits have the same message: {listed(words)}." if words else ""


def _message_sentence(weak: Sequence[Commit], count: int) -> str:
    if not weak:
        subject = (
            "The only commit message says" if count == 1 else f"All {count} commit messages say"
        )
        return f"{subject} more than a bare “fix” or “update”."
    quoted = named([f"{_quoted(c.subject)} ({c.sha[:8]})" for c in weak])
    of_all = f"{len(weak)} of {number_of(count, 'commit message')}"
    return f"Recognised {of_all} as naming nothing in particular that was changed: {quoted}."
