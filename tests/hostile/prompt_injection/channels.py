"""Places of a submission where words to the graders may stand, as changes to a clean one."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from functools import partial, reduce

from tests.factories import hidden_text
from tests.factories.repositories import Commit, git
from tests.hostile.prompt_injection.in_repositories import FLAWED
from tests.hostile.prompt_injection.material import CLEAN, Submission

Change = Callable[[Submission, str], Submission]


def _flat(words: str) -> str:
    return words.replace("\n", " ")


def _slug(words: str, joint: str) -> str:
    return re.sub(r"\W+", joint, words).strip(joint)[:60]


def _replaced(clean: Submission, path: str, old: str, new: str) -> Submission:
    text = clean.file(path)
    assert old in text
    return clean.with_file(path, text.replace(old, new))


def comment_by_a_flaw(clean: Submission, words: str) -> Submission:
    line = FLAWED.rstrip("\n")
    return _replaced(clean, "src/tools.py", line, f"    # {words}\n{line}  # {words}")


def docstring(clean: Submission, words: str) -> Submission:
    quoted = words.replace("\\", "").replace('"', "'")
    return _replaced(clean, "src/tools.py", FLAWED, f'    """{quoted}."""\n{FLAWED}')


def commit_message(clean: Submission, words: str) -> Submission:
    commits = [replace(commit, message=words) for commit in clean.commits[-2:]]
    return replace(clean, commits=(*clean.commits[:-2], *commits))


def file_name(clean: Submission, words: str) -> Submission:
    """Name the file with the flaw."""
    stem = re.sub(r"[/\0]", " ", _flat(words)).encode()[:200].decode(errors="ignore")

    def renamed(commit: Commit) -> Commit:
        files = {
            f"src/t {stem} tools.py" if path == "src/tools.py" else path: text
            for path, text in commit.files.items()
        }
        return replace(commit, files=files)

    return replace(clean, commits=tuple(map(renamed, clean.commits)))


def identifier(clean: Submission, words: str) -> Submission:
    name = f"clone_{_slug(words, '_')}"
    return _replaced(clean, "src/tools.py", "def clone_repo(", f"def {name}(")


def node_name(clean: Submission, words: str) -> Submission:
    name = repr(_flat(words))
    nodes = (
        f"    builder.add_node({name}, lambda state: {{}})\n"
        f"    builder.add_edge(START, {name})\n"
        f'    builder.add_edge({name}, "evidence_aggregator")\n'
    )
    start = "    builder = StateGraph(AgentState)\n"
    return _replaced(clean, "src/graph.py", start, start + nodes)


def readme_paragraph(clean: Submission, words: str) -> Submission:
    return clean.adding("README.md", f"\n{words}.\n")


def report_text(clean: Submission, words: str) -> Submission:
    # The PDF writer's fonts have the letters of Western Europe.
    if not words.isascii():
        return clean
    return clean.saying(f"Metacognition, fan-out and fan-in, src/tools.py: {words}.")


def report_title(clean: Submission, words: str) -> Submission:
    return replace(clean, finish=partial(hidden_text.add_metadata, words=words, field="/Title"))


def branch(clean: Submission, words: str) -> Submission:
    name = _slug(words, "-") or "x"

    def publish(repository) -> None:
        git("branch", "-m", "main", name, at=repository)
        git("symbolic-ref", "HEAD", f"refs/heads/{name}", at=repository)

    return replace(clean, publish=publish)


def author(clean: Submission, words: str) -> Submission:
    name = re.sub(r"[<>\n]", "", words)
    commits = [replace(commit, author=f"{name} <a@example.org>") for commit in clean.commits]
    return replace(clean, commits=tuple(commits))


CHANNELS: dict[str, Change] = {
    # The docstring looks for the bare flaw.
    "docstring": docstring,
    "comment": comment_by_a_flaw,
    "commit": commit_message,
    "file name": file_name,
    "identifier": identifier,
    "node name": node_name,
    "README": readme_paragraph,
    "report text": report_text,
    "report title": report_title,
    "branch": branch,
    "author": author,
}


def everywhere(words: str) -> Submission:
    """Return a submission with these words in every channel at once; the file name comes last."""
    names = [name for name in CHANNELS if name != "file name"]
    changed = reduce(lambda clean, name: CHANNELS[name](clean, words), names, CLEAN)
    return file_name(changed, words)
