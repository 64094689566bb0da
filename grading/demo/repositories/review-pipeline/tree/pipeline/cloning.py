"""Clone with GitPython."""

import tempfile
from pathlib import Path

from git import GitCommandError, Repo


def commit_subjects(repo_url: str) -> list[str]:
    if not repo_url.startswith("https://"):
        raise ValueError(f"only https addresses are cloned, not {repo_url}")
    with tempfile.TemporaryDirectory() as folder:
        try:
            repo = Repo.clone_from(repo_url, Path(folder) / "clone", kill_after_timeout=90)
        except GitCommandError as error:
            raise ValueError(f"git failed with code {error.status}") from error
        return [str(commit.summary) for commit in repo.iter_commits(reverse=True)]
