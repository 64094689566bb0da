"""Commands of a README that fail as they stand: what they need is not there, or is refused.

Only what is certain counts: a command that leaves parts to the reader is left out, and so is a
program whose arguments are read in a way that is not known here.
"""

from __future__ import annotations

import posixpath
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from courtroom.analysis.langgraph.state_flow.broken_imports import broken_imports
from courtroom.analysis.langgraph.state_flow.flow_fault import FlowFault
from courtroom.analysis.project.argument_parsers import ParserReading, read_parser
from courtroom.analysis.project.documented_commands import (
    Command,
    Start,
    commands_in,
    python_start,
)
from courtroom.analysis.project.entry_points import names_in_manifest
from courtroom.analysis.python.missing_modules import certain_imports
from courtroom.analysis.python.source_files import SourceFile
from courtroom.analysis.python.symbol_table import SymbolTable
from courtroom.analysis.python.tree_walk import called_name

README = re.compile(r"readme(?:\.\w{1,10})?", re.IGNORECASE)
PYPROJECT = "pyproject.toml"
# What may give a package another name than its folder has.
_MAPPED = re.compile(
    r"package.dir|sources|force-include|only-include|\bfrom\s{0,4}=|maturin|flit|scikit-build|workspace"
)
LONGEST = 80
# Ways by which a program may read the words behind its name.
_READS_WORDS = re.compile(
    r"\b(?:argv|argparse|optparse|getopt|click|typer|fire|docopt|absl|tyro|hydra|jsonargparse"
    r"|simple_parsing|CliApp|cli_parse_args|plac|cyclopts|prompt_toolkit|orig_argv)\b"
)
_COMPOSE = ("docker-compose.yml", "docker-compose.yaml", "compose.yml", "compose.yaml")
_COPIES = frozenset({"cp", "copy", "Copy-Item"})
_SAMPLE = re.compile(r"example|sample|template|\.dist$", re.IGNORECASE)
# What a README makes before it uses it.
_MAKES = re.compile(r"(?:>|\s-o|--output-file)[ =]?\s*([\w./-]{1,120})")
_OPEN_PATH = re.compile(r"[<>{}$*\[\]]")
_HELP = frozenset({"-h", "--help", "--version"})
_OPEN_VALUE = re.compile(r"invalid choice: '(?:[^']*[<{\[$.][^']*|[A-Z_ -]+)'")


@dataclass(frozen=True, slots=True)
class _CommandReader:
    """The tree that commands of a README are held against; `texts` are those that say what is run."""

    symbols: SymbolTable
    readme: str
    texts: Mapping[str, str]
    # Whether a program may read the words behind its name, by the file that is started.
    _reads_words: dict[str, bool] = field(default_factory=dict)

    def faults(self) -> Iterator[tuple[Command, str]]:
        """Yield the commands that fail, with what follows them in the sentence."""
        paths = self.symbols.codebase.paths
        folders = frozenset(
            "/".join(path.split("/")[:depth])
            for path in paths
            for depth in range(1, path.count("/") + 1)
        )
        # Some systems take other letters, and the text may lead to the folder of a file.
        there = {posixpath.basename(path).lower() for path in paths | folders}
        made = frozenset(_MAKES.findall(self.texts[self.readme]))
        for command in commands_in(self.texts[self.readme], folders):
            wanted = [needed for needed in _needed(command) if not made & set(needed)]
            lacking = next(
                (names for names in wanted if there.isdisjoint(_file_names(names))), None
            )
            start = python_start(command)
            if lacking is not None:
                yield command, f"needs {lacking[0]}, which the repository does not have"
            elif start is not None and (why := self._why_failing(command, start)):
                yield command, why

    def _why_failing(self, command: Command, start: Start) -> str:
        """Return why Python does not run what is started as it is started; "" where it may."""
        source = self._target(start)
        module = start.module.removesuffix(".py").replace("/", ".")
        if source is None and module != start.module and self._is_module(module):
            return f"names a file after -m, where Python takes a module: write `python -m {module}`"
        if source is None:
            package = re.split(r"[./]", start.module)[0]
            is_own = any(path.startswith(f"{package}/") for path in self.symbols.codebase.files)
            is_lacking = is_own and not self._is_module(start.module)
            why = f"needs a module {start.module}, which the repository does not have"
            return why if start.module and is_lacking else ""
        if start.path and (line := self._failing_import(source)):
            return (
                f"fails at the import in {source.path}:{line}: Python looks for modules beside this"
                " file, not at the root"
            )
        if not start.arguments and "argparse" not in source.text:
            return ""
        parser = read_parser(source) or self._imported_parser(source)
        if parser is not None:
            return _why_refused(command, start, parser)
        if source.path not in self._reads_words:
            self._reads_words[source.path] = self._may_read_words(source)
        is_known = not (self.symbols.codebase.unreadable or self._reads_words[source.path])
        return f"has arguments, and {source.path} reads none" if is_known else ""

    def _target(self, start: Start) -> SourceFile | None:
        stem = start.module.replace(".", "/")
        wanted = (start.path, f"{stem}.py", f"{stem}/__main__.py")
        files = self.symbols.codebase.files
        return next((files[path] for path in wanted if path in files), None)

    def _is_module(self, module: str) -> bool:
        """Return whether files of the tree may be the module."""
        stem = module.replace(".", "/")
        return any(
            path.startswith((f"{stem}.", f"{stem}/")) for path in self.symbols.codebase.paths
        )

    def _failing_import(self, source: SourceFile) -> int:
        """Return the line of an import that needs the root on Python's path; 0 without one.

        What is installed, or told where to look, may find it.
        """
        paths, folder = self.symbols.codebase.paths, posixpath.dirname(source.path)
        is_told = "sys.path" in source.text or any("PYTHONPATH" in t for t in self.texts.values())
        is_packaged = "build-system" in self.texts.get("pyproject.toml", "")
        if not folder or is_told or is_packaged or {"setup.py", "setup.cfg"} & paths:
            return 0
        for node in certain_imports(source.tree):
            package = (node.module or "").partition(".")[0]
            beside = f"{folder}/{package}"
            is_beside = any(path.startswith((f"{beside}/", f"{beside}.")) for path in paths)
            is_own = (node.module or "") in self.symbols.by_module and not is_beside
            if node.level or is_own:
                return node.lineno
        return 0

    def _imported_parser(self, source: SourceFile) -> ParserReading | None:
        """Return the parser in the file of a function that the started file imports and calls."""
        if _READS_WORDS.search(source.text):
            return None
        called = {called_name(call.node) for call in source.calls}
        modules = {
            module.path: module
            for name, dotted in source.imports.items()
            if name in called
            if (module := self.symbols.find_module(dotted.rpartition(".")[0], source)) is not None
        }
        parsers = [parser for module in modules.values() if (parser := read_parser(module))]
        return parsers[0] if len(parsers) == 1 else None

    def _may_read_words(self, source: SourceFile) -> bool:
        reached, stack = {source.path}, [source]
        while stack:
            here = stack.pop()
            if _READS_WORDS.search(here.text):
                return True
            for dotted in (*here.imported_modules, *here.star_imports):
                for name in (dotted, dotted.rpartition(".")[0]):
                    module = self.symbols.find_module(name, here) if name else None
                    if module is not None and module.path not in reached:
                        reached.add(module.path)
                        stack.append(module)
        return False


def readme_among(paths: Iterable[str]) -> str:
    """Return the README at the root, "" where there is none."""
    return next((path for path in sorted(paths) if README.fullmatch(path)), "")


def command_faults(symbols: SymbolTable, texts: Mapping[str, str]) -> list[FlowFault]:
    """Return the commands of the README at the root that fail; those that fail alike are one fault.

    `texts` are the README and the other files that say what is run, by path.
    """
    readme = readme_among(texts)
    if not readme:
        return []
    alike: dict[str, FlowFault] = {}
    for command, why in _CommandReader(symbols, readme, texts).faults():
        if why in alike:
            places = (*alike[why].places, (readme, command.line))
            alike[why] = replace(alike[why], places=places)
        else:
            sentence = f"the README's command `{_shown(command.text)}` {why}"
            alike[why] = FlowFault("failing_command", sentence, readme, command.line)
    return list(alike.values())


def broken_starts(
    symbols: SymbolTable, texts: Mapping[str, str], earlier: Iterable[FlowFault]
) -> Iterator[FlowFault]:
    """Yield what fails when a file is started as the README says, but for the `earlier` faults."""
    readme = readme_among(texts)
    reported = {(fault.path, fault.line) for fault in earlier}
    folders = frozenset(posixpath.dirname(path) for path in symbols.codebase.paths)
    for command in commands_in(texts[readme], folders) if readme else ():
        start = python_start(command)
        source = symbols.codebase.files.get(start.path) if start is not None else None
        broken = broken_imports(symbols, [source]) if source is not None else ()
        fault = next(iter(broken), None)
        if fault is not None and (fault.path, fault.line) not in reported:
            reported.add((fault.path, fault.line))
            sentence = f"the README's command `{_shown(command.text)}` fails: {fault.sentence}"
            place = (fault.path, fault.line)
            yield FlowFault("failing_command", sentence, readme, command.line, places=(place,))


def missing_scripts(symbols: SymbolTable, texts: Mapping[str, str]) -> Iterator[FlowFault]:
    """Yield the commands that pyproject.toml declares by a module that no file of the tree can be."""
    text = texts.get(PYPROJECT, "")
    if _MAPPED.search(text):
        return
    for script, line in names_in_manifest(PYPROJECT, text):
        module = script.partition(":")[0].strip()
        stem = module.replace(".", "/")
        is_there = any(
            f"/{path}".endswith((f"/{stem}.py", f"/{stem}/__init__.py"))
            for path in symbols.codebase.paths
        )
        if module and not is_there and not _is_asked_for(module.partition(".")[0], text):
            sentence = (
                f"{PYPROJECT} declares a command by `{script}`, and the repository has no module"
                f" `{module}`"
            )
            yield FlowFault("broken_command", sentence, PYPROJECT, line)


def _is_asked_for(package: str, manifest: str) -> bool:
    """Return whether a manifest that can be read asks for a package of this name."""
    try:
        project = tomllib.loads(manifest).get("project", {})
        poetry = tomllib.loads(manifest).get("tool", {}).get("poetry", {})
        wanted = [*project.get("dependencies", ()), *poetry.get("dependencies", ())]
        for extra in project.get("optional-dependencies", {}).values():
            wanted += extra
    except (ValueError, AttributeError, TypeError):
        return True  # what it asks for is not known
    names = {re.split(r"[^\w.-]", str(name), maxsplit=1)[0].lower() for name in wanted}
    names = {name.replace("-", "_") for name in names}
    return package.lower() in names


def _shown(text: str) -> str:
    """Return the beginning of a command, as a span of code holds it."""
    text = text.replace("`", "'")
    return text if len(text) <= LONGEST else f"{text[:LONGEST].rpartition(' ')[0]} …"


def _file_names(paths: Iterable[str]) -> Iterator[str]:
    return (posixpath.basename(path).lower() for path in paths)


def _why_refused(command: Command, start: Start, parser: ParserReading) -> str:
    if command.is_synopsis or _HELP & set(start.arguments):
        return ""
    message = " ".join(parser.refusal(start.arguments).split())[:200]
    is_cut_short = "..." in start.arguments and "required" in message
    if not message or is_cut_short or _OPEN_VALUE.search(message):
        return ""
    return f"is refused by the parser of {parser.path}:{parser.line} with “{message}”"


def _needed(command: Command) -> Iterator[Sequence[str]]:
    """Yield the files that a command needs, each as paths of which one has to be there."""
    words, start = command.words, python_start(command)
    if words[:2] == ("docker", "compose") or words[0] == "docker-compose":
        if {"-f", "--file"}.isdisjoint(words):
            yield [command.placed(name) for name in _COMPOSE]
    elif start is not None and start.path:
        yield [start.path]
    for path in _named_files(words):
        if not _OPEN_PATH.search(path) and (place := command.placed(path)):
            yield [place]


def _named_files(words: Sequence[str]) -> Sequence[str]:
    """Return the files that are there before a command, as it names them."""
    if "pip" in words[:4] and "install" in words:
        return [after for word, after in pairwise(words) if word == "-r"]
    if words[0] in _COPIES and len(words) == 3:
        # Other files may be what the program has made.
        return [words[1]] if _SAMPLE.search(words[1]) else []
    if "pytest" in words[:5]:
        paths = (word.partition("::")[0] for word in words)
        return [path for path in paths if path.endswith(".py")]
    if "streamlit" in words[:4]:
        return [word for word in words if word.endswith(".py")]
    script = words[1:2] if words[0] in ("bash", "sh") else words[:1]
    return [path for path in script if path.endswith(".sh")]
