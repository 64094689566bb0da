"""The function that clones the audited repository, and how carefully it does it."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from courtroom.analysis.python.call_graph import Place, Reach
from courtroom.analysis.python.names import Names
from courtroom.analysis.python.source_files import CallSite, SourceFile
from courtroom.analysis.python.tree_walk import constant_text, keyword_of, walk, words_of

CLONE_METHODS = frozenset({"clone_from"})
CLONE_FUNCTIONS = frozenset({"pygit2.clone_repository", "dulwich.porcelain.clone"})
TEMPORARY = frozenset({"tempfile.TemporaryDirectory", "tempfile.mkdtemp"})
WAITING = ("communicate", "wait", "wait_for", "result")
STARTERS = frozenset({"run", "Popen", "call", "check_call", "check_output", *WAITING})
TIMEOUTS = ("timeout", "kill_after_timeout")
URL_WORDS = frozenset({"url", "repo", "repository", "uri", "remote", "link"})
SURE_VALIDATORS = frozenset(
    words_of("valid validate validated validates validation validator sanitize sanitise")
)
VALIDATORS = SURE_VALIDATORS | frozenset(words_of("check is ensure verify assert allowed"))
ADDRESS_WORDS = frozenset(words_of("url uri github address host scheme"))
REPOSITORY_WORDS = frozenset({"repo", "repository"})
ERROR_WORDS = frozenset({"error", "errors", "problems", "issues", "failures"})
MAX_CALLER_ROUNDS = 2


@dataclass(frozen=True, slots=True)
class CloneReading:
    """`place` is null when nothing clones. `lines`: for each careful habit, by fact name, where it is kept."""

    place: Place | None = None
    lines: dict[str, list[tuple[SourceFile, int]]] = field(default_factory=dict)


def read_clone(names: Names, reach: Reach, in_use: Iterable[Place]) -> CloneReading:
    """Of several functions that clone, one that is really used and is named after it; `in_use` are those that run."""
    clones = list(_clone_calls(names))
    if not clones:
        return CloneReading()
    running = list(in_use)
    used = {place.key for place in running}
    clones.sort(
        key=lambda clone: (
            clone[0].key not in used,
            "test" in clone[0].source.path,
            not _says_clone(clone[0]),
        )
    )
    place, call = clones[0]
    around = _around(names, place)
    lines = {
        "clone_in_tempdir": list(_temporary(names, around)),
        "clone_timeout": list(_timeouts(reach, place, call)),
        "clone_errors_handled": list(_handlers(place, call, around)),
        "url_validated": [*_validations(place, call, around), *_refusals(running)],
    }
    return CloneReading(place, lines)


def _clone_calls(names: Names) -> Iterator[tuple[Place, ast.Call]]:
    for source in names.codebase.production:
        if "clone" not in source.text:
            continue
        commands = _clone_commands(source)
        for site, dotted in names.calls(source):
            if site.function is None:
                continue
            if _is_clone(site, dotted, commands.get(id(site.function.node), set())):
                yield Place(source, site.function), site.node


def _clone_commands(source: SourceFile) -> dict[int, set[str]]:
    """By function, the local names that hold the words of a git clone command."""
    found: dict[int, set[str]] = {}
    lines = source.text.split("\n")
    for site in source.functions:
        node = site.node
        if not any("clone" in line for line in lines[node.lineno - 1 : node.end_lineno]):
            continue
        for inner in walk(node):
            if (
                isinstance(inner, ast.Assign | ast.AnnAssign)
                and inner.value
                and _is_clone_words(inner.value)
            ):
                targets = inner.targets if isinstance(inner, ast.Assign) else [inner.target]
                names = {target.id for target in targets if isinstance(target, ast.Name)}
                found.setdefault(id(node), set()).update(names)
    return found


def _is_clone(site: CallSite, dotted: str, commands: set[str]) -> bool:
    func = site.node.func
    if dotted in CLONE_FUNCTIONS or dotted.endswith("git.clone"):
        return True
    if isinstance(func, ast.Attribute) and func.attr in CLONE_METHODS:
        return True
    starred = (one.value if isinstance(one, ast.Starred) else one for one in site.node.args)
    return any(
        _named(one) in commands or _is_clone_words(one) for one in starred
    ) or _is_clone_words(
        ast.List([one for one in site.node.args if isinstance(one, ast.Constant)], ast.Load())
    )


def _is_clone_words(node: ast.expr) -> bool:
    if isinstance(node, ast.List | ast.Tuple):
        words = [constant_text(member) for member in node.elts]
        return "clone" in words and any(word and word.endswith("git") for word in words)
    if isinstance(node, ast.BinOp):
        return _is_clone_words(node.left)
    parts = node.values if isinstance(node, ast.JoinedStr) else [node]
    text = constant_text(parts[0]) if parts else None
    return bool(text and text.strip().startswith("git clone"))


def _around(names: Names, place: Place) -> list[Place]:
    """The function, its class when that holds its directory, and who calls it, two steps up."""
    found = {place.key: place}
    if place.site.owner is not None:
        for site in place.source.functions:
            if site.owner is place.site.owner:
                found.setdefault((place.source.path, site.node.lineno), Place(place.source, site))
    wanted = {place.name}
    for _ in range(MAX_CALLER_ROUNDS):
        callers = [one for one in _callers(names, wanted) if one.key not in found]
        found.update((one.key, one) for one in callers)
        wanted = {one.name for one in callers}
    return list(found.values())


def _callers(names: Names, wanted: set[str]) -> Iterator[Place]:
    for source in names.codebase.production:
        if any(name in source.text for name in wanted):
            for site in source.functions:
                if site.mentions & wanted:
                    yield Place(source, site)


def _temporary(names: Names, around: list[Place]) -> Iterator[tuple[SourceFile, int]]:
    nodes = {id(place.site.node) for place in around}
    for source in {place.source.path: place.source for place in around}.values():
        for site, dotted in names.calls(source):
            if (
                dotted in TEMPORARY
                and site.function is not None
                and id(site.function.node) in nodes
            ):
                yield source, site.node.lineno


def _timeouts(reach: Reach, place: Place, call: ast.Call) -> Iterator[tuple[SourceFile, int]]:
    """A limit on the very call, on the wrapper's call it goes through, or on waiting for the process."""
    if _has_timeout(call):
        yield place.source, call.lineno
    wrappers = [one for one in reach.behind([place]) if one.name == _called_name(call)]
    for home in [place, *wrappers]:
        for site in home.source.calls:
            if (
                site.function is home.site
                and site.node is not call
                and _called_name(site.node) in STARTERS
            ):
                is_git = home is not place or _called_name(site.node) in WAITING
                if is_git and _has_timeout(site.node):
                    yield home.source, site.node.lineno


def _has_timeout(call: ast.Call) -> bool:
    value = keyword_of(call, *TIMEOUTS)
    return value is not None and not (isinstance(value, ast.Constant) and value.value is None)


def _called_name(call: ast.Call) -> str:
    func = call.func
    return (
        func.attr
        if isinstance(func, ast.Attribute)
        else func.id
        if isinstance(func, ast.Name)
        else ""
    )


def _handlers(
    place: Place, call: ast.Call, around: list[Place]
) -> Iterator[tuple[SourceFile, int]]:
    """A try around the clone (or around the call of its function), or a look at the return code."""
    for one in around:
        is_clone = one.key == place.key
        for node in walk(one.site.node):
            if isinstance(node, ast.Try) and node.handlers:
                inside = {id(inner) for statement in node.body for inner in walk(statement)}
                calls = [n for s in node.body for n in walk(s) if isinstance(n, ast.Call)]
                if id(call) in inside or (
                    not is_clone and any(_called_name(n) == place.name for n in calls)
                ):
                    yield one.source, node.handlers[0].lineno
            elif is_clone and isinstance(node, ast.If) and _asks_return_code(node.test):
                yield one.source, node.lineno


def _asks_return_code(test: ast.expr) -> bool:
    return any(isinstance(node, ast.Attribute) and node.attr == "returncode" for node in walk(test))


def _validations(
    place: Place, call: ast.Call, around: list[Place]
) -> Iterator[tuple[SourceFile, int]]:
    """The address is tested before it is cloned: by a validating function, or by a test that refuses it."""
    members = [
        one
        for one in around
        if one.site.owner is None or one.key == place.key or one.site.node.name != "__exit__"
    ]
    for one in members:
        last = call.lineno if one.key == place.key else None
        for node in walk(one.site.node):
            line = getattr(node, "lineno", 0)
            if last is not None and line > last:
                continue
            if (isinstance(node, ast.Call) and _validates(node)) or (
                isinstance(node, ast.If) and _refuses(node) and _tests_address(node.test)
            ):
                yield one.source, line


def _says_clone(place: Place) -> bool:
    owner = place.site.owner.name if place.site.owner else ""
    return "clone" in words_of(f"{owner} {place.name}")


def _refusals(running: list[Place]) -> Iterator[tuple[SourceFile, int]]:
    """A function of the graph tests the repository's address and puts an error on record when it does not fit."""
    for place in running:
        for node in walk(place.site.node):
            if isinstance(node, ast.If) and _notes_error(node) and _tests_address(node.test):
                yield place.source, node.lineno


def _notes_error(node: ast.If) -> bool:
    """The branch adds to a list of errors, or sets an error; what it tests is called a repository."""
    tested = {word for inner in walk(node.test) for word in words_of(_named(inner))}
    if not tested & REPOSITORY_WORDS:
        return False
    for inner in (inner for statement in node.body for inner in walk(statement)):
        noted = (
            inner.func if isinstance(inner, ast.Call) and _called_name(inner) == "append" else None
        )
        owner = noted.value if isinstance(noted, ast.Attribute) else None
        if owner is not None and set(words_of(_named(owner))) & ERROR_WORDS:
            return True
    return False


def _validates(call: ast.Call) -> bool:
    """validate_repo_url(url), is_valid_github_url(url): by the words of its name and what it is given."""
    words = set(words_of(_called_name(call)))
    given = any(set(words_of(_named(argument))) & URL_WORDS for argument in call.args)
    return given and bool(words & SURE_VALIDATORS or (words & VALIDATORS and words & ADDRESS_WORDS))


def _named(node: ast.AST) -> str:
    return (
        node.id
        if isinstance(node, ast.Name)
        else node.attr
        if isinstance(node, ast.Attribute)
        else ""
    )


def _refuses(node: ast.If) -> bool:
    """One branch of the test ends in raise or return."""
    return any(
        branch and isinstance(branch[-1], ast.Raise | ast.Return)
        for branch in (node.body, node.orelse)
    )


def _tests_address(test: ast.expr) -> bool:
    """The form of an address is asked: its beginning, its parts, a pattern, its host."""
    for node in walk(test):
        if isinstance(node, ast.Call):
            func = node.func
            subject = _named(func.value) if isinstance(func, ast.Attribute) else ""
            if _called_name(node) == "startswith" and set(words_of(subject)) & URL_WORDS:
                return True
            if _called_name(node) in {
                "match",
                "fullmatch",
                "search",
                "urlparse",
                "urlsplit",
            } and any(set(words_of(_named(argument))) & URL_WORDS for argument in node.args):
                return True
        elif isinstance(node, ast.Attribute) and node.attr in {"scheme", "netloc", "hostname"}:
            return True
        elif isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.In | ast.NotIn):
            named = set(words_of(_named(node.comparators[0])))
            if constant_text(node.left) and named & URL_WORDS:
                return True
    return False
