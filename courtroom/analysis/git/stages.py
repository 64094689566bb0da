"""Stages of the work (set-up, tools, graph, judges) and the commits that begin them."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from courtroom.analysis.git.git_process import read_git
from courtroom.analysis.python.source_files import is_installed, is_test_path
from courtroom.models.errors import ChildFailed

if TYPE_CHECKING:
    from courtroom.analysis.git.history import Commit, History

CODE_SUFFIXES = frozenset({".py", ".ipynb", ".js", ".ts"})
# Words that name a stage in a commit message or in a path.
STAGES = {
    "setup": r"set ?up|init(ial\w*)?|scaffold\w*|bootstrap\w*|skeleton|structure|environment"
    r"|dependenc\w+|config\w*|pyproject|requirements|uv|gitignore|env|readme|package",
    "tools": r"tools?|tooling|forensics?|detectives?|investigators?|pars(er|ing|e)|ast|clon\w+"
    r"|pdf|git",
    "graph": r"graphs?|langgraph|stategraph|orchestrat\w+|workflow|pipeline|wir(e|ing)|nodes|fan",
    "judges": r"judg\w+|judicial|prosecutor|defen[sc]e|tech|justice|supreme|verdict|synthesis"
    r"|personas?",
}
_STAGE_WORDS = {name: re.compile(rf"(?:{words})", re.IGNORECASE) for name, words in STAGES.items()}
# Words that name the set-up and nothing else.
_SETUP = re.compile(r"\b(?:set[ -]?up|scaffold\w*|bootstrap\w*)\b", re.IGNORECASE)
# A node is no graph, and a Chief Justice is no judge.
_BESIDE = re.compile(r"nodes|justice|supreme|verdict|synthesis", re.IGNORECASE)
# What a hosting service writes into a new repository.
_NEW_REPOSITORY_FILE = re.compile(r"readme.*|licen[sc]e.*|\.git\w+", re.IGNORECASE)
# In a graph that is laid out no node has a name of a detective or a judge.
_NODE = re.compile(r"\badd_node\(")
# Nodes that are objects, as "detective >> judge".
_WIRED = re.compile(r"^[ \t]{0,40}\w{1,60} >> \w", re.MULTILINE)
_GRAPH = re.compile(r"\bStateGraph[(:]")
_LANGGRAPH = re.compile(r"^[ \t]{0,40}(?:from|import) langgraph\b", re.MULTILINE)
_NAMED_NODE = re.compile(r"\badd_node\(\s*[\"']([\w -]{1,80})[\"']")
_PART = re.compile(
    r"detect|investig|analy|inspect|judg|prosecut|defen[cs]|tech|justice|repo|doc|vision|pdf|git"
    r"|forensic|diagram|code|clone",
    re.IGNORECASE,
)
# Versions of the graph that are read until one has such a node.
MOST_GRAPHS = 12
GRAPH_BYTES = 2 * 1024 * 1024
# Versions of files of detectives and judges that are read for functions that do nothing yet.
MOST_STUBS = 12
# An import of the work's tools, in a file of detectives.
_DETECTIVE = re.compile(r"detectives?|investigators?", re.IGNORECASE)
_TOOLS_IMPORT = re.compile(
    r"^[ \t]{0,40}from (?!lang)[\w.]{0,100}(?:tool|forensic)\w{0,40}[\w.]{0,100} import\b",
    re.MULTILINE,
)
_SIDES = (re.compile(r"def \w{0,40}prosecut"), re.compile(r"def \w{0,40}defen[cs]e"))
_EMPTY_LINES = ("pass", "...", "return", "return state", "return {}", "return None")
_EMPTY_CALLS = ("print(", "raise NotImplementedError")
_EMPTY_VALUE = re.compile(r"(\w{1,40})(?:: [\w\[\], ]{1,80})? = (?:\{\}|\[\]|dict\(\)|list\(\))")


@dataclass(frozen=True, slots=True)
class Stage:
    """Beginning of a stage of the work (setup, tools, graph, judges): its first commit.

    `has_node_alone` is true for a graph of which it brings nodes alone, in files of their own;
    `has_detectives_alone` for tools of which it brings detectives alone; `has_outline` for a graph of
    which an earlier commit brings the outline. `named_by` is an earlier commit whose message calls it
    the set-up, without files of one; "" for none.
    """

    name: str
    sha: str
    subject: str
    has_node_alone: bool = False
    has_detectives_alone: bool = False
    has_outline: bool = False
    named_by: str = ""

    def part(self, name: str) -> str:
        """Return what the commit begins, by a name of the stage: a node alone is no graph yet."""
        if self.has_detectives_alone:
            return "detectives (counted as forensic tools)"
        if self.has_node_alone:
            return "nodes of the graph"
        begun = "the graph beyond its outline" if self.has_outline else name
        sign = (
            f" (which the message of {self.named_by[:8]} names before it)" if self.named_by else ""
        )
        return f"{begun}{sign}"


def progression(history: History) -> tuple[Stage, ...]:
    """Return the stages of the work in the order they began.

    A stage begins with the commit in which its files first hold something, also when one commit
    brings several; a stage without files of its own begins with the first code that a message names
    so. Empty files begin the set-up at most; a graph without a detective or a judge, a README and
    an example that tests read begin none; a few lines of Python, or a test, begin one only where
    the message names it, without empty files beside it, or nothing better does. A Chief Justice
    begins the judges only where no file of theirs does, and detectives that import the tools begin
    these only where no file of tools does.
    """
    by_files: dict[str, Stage] = {}
    by_justice: dict[str, Stage] = {}
    by_little: dict[str, Stage] = {}
    by_message: dict[str, Stage] = {}
    places: dict[str, int] = {}
    has_outline = False
    has_tools = any(map(_brings_tools, history.commits))
    for place, commit in enumerate(history.commits):
        if commit.is_merge:
            continue
        places[commit.sha] = place
        paths = {path for path in commit.paths if not _is_blank(path, commit)}
        paths -= commit.client_paths if has_tools else set()
        has_code = any(PurePosixPath(path).suffix in CODE_SUFFIXES for path in paths)
        named = [s for s in _stages_in(commit.subject) if has_code or (s == "setup" and paths)]
        full, little = _stages_brought(paths, commit)
        # Beside empty files a few lines are a part of the layout, whatever the message names.
        full |= little.intersection(named) if not _lays_out(commit) else set()
        if "setup" in _stages_in(commit.subject) and _lays_out(commit):
            full.add("setup")
        beside = full - {stage for stage, is_own in map(_stage_and_part, paths) if is_own and stage}
        beside -= {"judges"} if commit.bench_paths else set()
        justice = beside & {"judges"}
        tools = [path for path in paths if _stage_of_file(path) == "tools"]
        has_detectives_alone = bool(tools) and all(map(_is_of_detectives, tools))
        in_words = {"graph"} if "nodes" in commit.subject.lower().split() else set()
        groups: tuple[tuple[dict[str, Stage], Iterable[str], set[str]], ...] = (
            (by_files, full - justice, beside),
            (by_justice, justice, set()),
            (by_little, little, set()),
            (by_message, named, in_words),
        )
        for stages, names, nodes in groups:
            for name in names:
                is_graph = name == "graph"
                has_node_alone = is_graph and name in nodes
                is_alone = name == "tools" and has_detectives_alone
                has_more = is_graph and has_outline
                stage = Stage(name, commit.sha, commit.subject, has_node_alone, is_alone, has_more)
                stages.setdefault(name, stage)
        has_outline |= bool(commit.bare_graphs)

    begun = {**by_message, **by_little, **by_justice, **by_files}
    if "setup" in begun:
        shas = (c.sha for c in history.commits if c.sha in places and _SETUP.search(c.subject))
        begun["setup"] = replace(
            begun["setup"], named_by=_earlier(shas, begun["setup"].sha, places)
        )
    order = list(STAGES)
    return tuple(
        sorted(begun.values(), key=lambda stage: (places[stage.sha], order.index(stage.name)))
    )


def _earlier(shas: Iterable[str], sha: str, places: Mapping[str, int]) -> str:
    """Return the first commit where it comes before another one, else ""."""
    first = next(iter(shas), sha)
    return first if places[first] < places[sha] else ""


def _is_blank(path: str, commit: Commit) -> bool:
    """Return whether a file is no sign of a stage, whatever its folder and the message name."""
    name = PurePosixPath(path).name
    is_marker = name == "__init__.py" and path in commit.thin_paths
    is_empty = path in commit.empty_paths and _stage_of_file(path) != "setup"
    is_new = bool(_NEW_REPOSITORY_FILE.fullmatch(name))
    is_other = "fixtures" in PurePosixPath(path).parts or is_installed(path)
    return is_marker or is_empty or is_new or is_other or path in commit.bare_graphs


def _brings_tools(commit: Commit) -> bool:
    """Return whether the commit brings tools in a file that is not called after detectives alone."""
    paths = (path for path in commit.paths if not (commit.is_merge or _is_blank(path, commit)))
    full, _ = _stages_brought((p for p in paths if not _is_of_detectives(p)), commit)
    return "tools" in full


def _is_of_detectives(path: str) -> bool:
    """Return whether a file is called after detectives, and after no tool."""
    rest = _DETECTIVE.sub("", path)
    return rest != path and _stage_of_file(rest) != "tools"


def _lays_out(commit: Commit) -> bool:
    """Return whether the commit brings empty files, or folders that an empty file keeps."""
    names = {PurePosixPath(path).name for path in commit.empty_paths}
    return any(name == ".gitkeep" or not _NEW_REPOSITORY_FILE.fullmatch(name) for name in names)


def _stages_brought(paths: Iterable[str], commit: Commit) -> tuple[set[str], set[str]]:
    """Return the stages of the files, and those of tests and of a few lines of Python."""
    full: set[str] = set()
    little: set[str] = set()
    for path in paths:
        stage = _stage_of_file(path)
        if stage is None:
            continue
        is_little = stage != "setup" and (path in commit.thin_paths or is_test_path(path))
        (little if is_little else full).add(stage)
    return full, little


def _stage_of_file(path: str) -> str | None:
    return _stage_and_part(path)[0]


def _stage_and_part(path: str) -> tuple[str | None, bool]:
    """Return the stage of a file by its name, else by the nearest folder that names one.

    Only code belongs to a later stage than the setup: a document about the graph is no graph. The
    second value is true where a word names the stage that names nothing beside it.
    """
    pure = PurePosixPath(path)
    stem = "" if pure.stem == "__init__" else pure.stem
    for part in (stem, *reversed(pure.parts[:-1])):
        stages = _stages_in(part)
        if stages and (stages[0] == "setup" or pure.suffix in CODE_SUFFIXES):
            return stages[0], stages[0] in _stages_in(_BESIDE.sub("", part))
    return None, False


def _stages_in(text: str) -> list[str]:
    """Return the stages that the text's words name, in order."""
    # ChiefJustice and git_tools count as two words each.
    words = re.findall(r"[A-Z]?[a-z]+|[A-Z]+", text)
    named = (
        name for word in words for name, stage in _STAGE_WORDS.items() if stage.fullmatch(word)
    )
    return list(dict.fromkeys(named))


# -- graphs by the names of their nodes -----------------------------------------------------------


def with_graphs_read(git_dir: Path, commits: Sequence[Commit]) -> tuple[Commit, ...]:
    """Return the commits with `bare_graphs`, where a later commit brings a detective or a judge.

    So is a graph without a node, or not LangGraph's, before the first commit that adds a node to
    one. A graph that cannot be read, or none of whose nodes is ever called so, is bare in none. One
    that has such a node is not thin, however few its lines are.
    """
    versions = [
        (commit.sha, path)
        for commit in commits
        if not commit.is_merge
        for path in commit.paths
        if path.endswith(".py") and not _is_blank(path, commit)
        if _stage_of_file(path) == "graph" and not is_test_path(path)
    ]
    bare: set[tuple[str, str]] = set()
    for sha, path in versions[:MOST_GRAPHS]:
        text = _text_at(git_dir, sha, path)
        has_nodes = (_NODE.search(text) or _WIRED.search(text)) and _LANGGRAPH.search(text)
        if _GRAPH.search(text) and not has_nodes:
            bare.add((sha, path))
            continue
        names = _node_names(text)
        is_laid_out = any(map(_PART.search, names))
        if is_laid_out or not names:
            filled = {(sha, path)} if is_laid_out else set()
            return tuple(_with_graphs(commit, bare, filled) for commit in commits)
        bare.add((sha, path))
    return tuple(commits)


def _with_graphs(
    commit: Commit, bare: Collection[tuple[str, str]], filled: Collection[tuple[str, str]]
) -> Commit:
    bare_graphs = frozenset(path for sha, path in bare if sha == commit.sha)
    thin_paths = commit.thin_paths.difference(path for sha, path in filled if sha == commit.sha)
    return replace(commit, bare_graphs=bare_graphs, thin_paths=thin_paths)


def _text_at(git_dir: Path, sha: str, path: str) -> str:
    """Return a file's text after a commit, "" where it was deleted or is too large."""
    try:
        content = read_git(git_dir, ["cat-file", "blob", f"{sha}:{path}"], output_bytes=GRAPH_BYTES)
    except ChildFailed:
        return ""
    return content.decode(errors="replace")


def _node_names(text: str) -> list[str]:
    """Return the names of the nodes of a graph, none where one is not written as a literal."""
    names = _NAMED_NODE.findall(text)
    is_readable = "StateGraph(" in text and len(names) == len(_NODE.findall(text))
    return names if is_readable else []


# -- functions that do nothing yet ----------------------------------------------------------------


def with_stubs_read(git_dir: Path, commits: Sequence[Commit]) -> tuple[Commit, ...]:
    """Return the commits with files among `thin_paths` whose detectives or judges do nothing yet.

    A file is read from its first commit on, until one of its functions does more than return the
    state. It is then among `bench_paths` where two sides have a function in it. Detectives are among
    `client_paths` where one that a commit brings imports tools.
    """
    filled: set[str] = set()
    read = 0
    changed: list[Commit] = []
    for commit in commits:
        stubs: set[str] = set()
        benches: set[str] = set()
        is_client = False
        for path in () if commit.is_merge else commit.paths:
            stage = _stage_of_file(path)
            is_kept = stage in {"tools", "judges"} and path.endswith(".py") and path not in filled
            if not is_kept or read >= MOST_STUBS or _is_blank(path, commit) or is_test_path(path):
                continue
            read += 1
            text = _text_at(git_dir, commit.sha, path)
            is_client |= _is_of_detectives(path) and bool(_TOOLS_IMPORT.search(text))
            if _has_stubs_alone(text, stage):
                stubs.add(path)
                continue
            filled.add(path)
            if stage == "judges" and all(side.search(text) for side in _SIDES):
                benches.add(path)
        thin_paths = commit.thin_paths | stubs
        clients = frozenset(filter(_is_of_detectives, commit.paths if is_client else ()))
        bench_paths = frozenset(benches)
        changed.append(
            replace(commit, thin_paths=thin_paths, bench_paths=bench_paths, client_paths=clients)
        )
    return tuple(changed)


def _has_stubs_alone(text: str, stage: str | None) -> bool:
    """Return whether the text has functions that are named after the stage, and none does more."""
    bodies: list[list[str]] = []
    is_inside = False
    for line in text.splitlines():
        if line and not line[0].isspace() and line[0] not in ")#":
            words = line.removeprefix("async ").split("(")[0].split()
            is_named = len(words) > 1 and stage in _stages_in(words[1])
            if is_named and words[0] == "class":
                return False
            is_inside = is_named and words[0] == "def"
            if is_inside:
                bodies.append([])
        if is_inside:
            bodies[-1].append(line)
    return bool(bodies) and all(map(_is_stub, bodies))


def _is_stub(lines: Sequence[str]) -> bool:
    """Return whether a function has nothing but its docstring, and ends or gives the state back."""
    starts = (number for number, line in enumerate(lines, 1) if line.rstrip().endswith(":"))
    is_text = False
    empty_lines = set(_EMPTY_LINES)
    for line in lines[next(starts, 0) :]:
        statement = line.partition("  #")[0].strip()
        if value := _EMPTY_VALUE.fullmatch(statement):
            empty_lines |= {statement, f"return {value[1]}"}
        marks = statement.count('"""') + statement.count("'''")
        is_code = not (is_text or marks) and statement and not statement.startswith("#")
        if is_code and statement not in empty_lines and not statement.startswith(_EMPTY_CALLS):
            return False
        is_text ^= marks % 2 == 1
    return True
