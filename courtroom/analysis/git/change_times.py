"""Times at which the history changed each source, rubric and document."""

from __future__ import annotations

from courtroom.analysis.git.history import History

_SUFFIXES = (".py", ".json", ".md")


def change_times(history: History) -> dict[str, tuple[str, ...]]:
    """Return by path when its commits were made, oldest first, in ISO 8601; "" where unknown.

    Nothing where only the newest commits were read.
    """
    times: dict[str, list[str]] = {}
    for commit in () if history.truncated else history.commits:
        for path in commit.paths:
            if path.endswith(_SUFFIXES):
                times.setdefault(path, []).append(commit.committed_at)
    return {path: tuple(made) for path, made in times.items()}
