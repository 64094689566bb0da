"""Searches of the sources for checks that point at a place: files, words, classes, calls, logs.

They run inside the confined child. Each kind of check names its function (courtroom/checks/).
"""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from typing import Any

from courtroom.analysis import code_patterns
from courtroom.analysis.git.blobs import BINARY_PROBE, BlobReader, text_of
from courtroom.analysis.langgraph.judging.persona_names import PersonaText
from courtroom.analysis.locations import SourceLocation
from courtroom.analysis.project.aside_kinds import is_named_by
from courtroom.analysis.project.globs import matches
from courtroom.analysis.project.log_locations import communication_locations
from courtroom.analysis.python.source_files import SourceFile
from courtroom.analysis.python.symbol_table import ClassSite, SymbolTable
from courtroom.analysis.python.tree_walk import (
    as_written,
    keyword_of,
    last_name,
    line_of_call,
    words_of,
)

MOST_LOCATIONS = 50
LONGEST_CLASS = 40
# Words of a goal up to this length name nothing: "for", "the".
SHORT_WORD = 3

# The parameters of a check, as JSON.
Check = Mapping[str, Any]


class NotAnswerable(Exception):
    """The check could not be answered; the message is the reason, for the reader."""


@dataclass
class Searches:
    """`facts` and `reasons` are what was established already: the logs are not read twice."""

    names: SymbolTable
    reader: BlobReader
    facts: Mapping[str, Any] = field(default_factory=dict)
    reasons: Mapping[str, str] = field(default_factory=dict)
    prompts: Sequence[PersonaText] = ()

    def answer_all(
        self, requests: Iterable[Mapping[str, Any]]
    ) -> tuple[dict[str, list[SourceLocation]], dict[str, str]]:
        """Locations by check id, and the reason for each check that could not be answered.

        A request is {search: "module:function" of the check's kind, check: its parameters}.
        """
        locations: dict[str, list[SourceLocation]] = {}
        unanswered: dict[str, str] = {}
        for request in requests:
            check = request["check"]
            try:
                search = search_function(request["search"])
                locations[check["id"]] = search(self, check)[:MOST_LOCATIONS]
            except (NotAnswerable, code_patterns.PatternsMissing) as reason:
                unanswered[check["id"]] = str(reason)
            except Exception as error:  # noqa: BLE001 -- one check's failure costs only its own answer
                unanswered[check["id"]] = f"the search itself failed ({type(error).__name__})"
        return locations, unanswered

    def texts(self, globs: Sequence[str]) -> Iterable[tuple[str, str]]:
        """The text files that match, in the tree's order; binary and oversized ones are skipped."""
        for path in self.paths(globs):
            content = self.reader.read(path)
            if content is not None and b"\0" not in content[:BINARY_PROBE]:
                yield path, text_of(content)

    def paths(self, globs: Sequence[str]) -> Iterable[str]:
        """The paths that match, in the tree's order.

        What is not the product matches only patterns that ask for its kind, as `tests/**` does.
        """
        aside = self.names.codebase.aside or {}
        for path in self.reader.blobs:
            kind = aside.get(path)
            if matches(path, globs) and (
                kind is None
                or any(is_named_by(glob, kind) and matches(path, (glob,)) for glob in globs)
            ):
                yield path


@cache
def search_function(reference: str) -> Callable[[Searches, Check], list[SourceLocation]]:
    """The function that a kind of check names as its search. Only the parent names one."""
    module, _, name = reference.partition(":")
    function: Callable[[Searches, Check], list[SourceLocation]]
    function = getattr(import_module(module), name)
    return function


def line_at(text: str, offset: int) -> int:
    """The 1-based line an offset lies on, lines ending where Python's parser ends them."""
    before = text[:offset]
    return before.count("\n") + before.count("\r") - before.count("\r\n") + 1


def find_files(searches: Searches, check: Check) -> list[SourceLocation]:
    return [SourceLocation(path, None, None) for path in searches.paths(check["any_of"])]


def find_words(searches: Searches, check: Check) -> list[SourceLocation]:
    wanted = ["\\s+".join(map(re.escape, words.split())) for words in check["any_of"]]
    goal = {word for word in words_of(check["goal"]) if len(word) > SHORT_WORD}
    if check.get("prompt_of"):
        # "Flawless" is no word on flaws.
        pattern = re.compile(rf"(?:{'|'.join(wanted)})(?!less)", re.IGNORECASE)
        places = _find_in_prompts(searches, check["prompt_of"], pattern)
        return sorted(places, key=lambda place: goal.isdisjoint(words_of(place.note)))
    pattern = re.compile("|".join(wanted), re.IGNORECASE)
    locations: list[SourceLocation] = []
    for path, text in searches.texts(check["paths"]):
        hits = list(pattern.finditer(text))
        hit = next((hit for hit in hits if _says_goal(hit, goal)), hits[0] if hits else None)
        if hit is not None:
            first, last = line_at(text, hit.start()), line_at(text, hit.end())
            words = " ".join(_whole_words(text, hit).split())
            locations.append(SourceLocation(path, first, last, f"contains “{words}”"))
        # Enough to show; a large tree is not read to its end.
        if len(locations) >= MOST_LOCATIONS:
            break
    return locations


def _find_in_prompts(
    searches: Searches, persona: str, pattern: re.Pattern[str]
) -> list[SourceLocation]:
    """Return every hit in the texts that were recognised as prompts of a persona."""
    _established(searches, "persona_prompts")
    prompts = [prompt for prompt in searches.prompts if prompt.persona == persona]
    hits = [hit for prompt in prompts for hit in _hits_in_prompt(searches, prompt, pattern)]
    written = [hit for hit, is_written in hits if is_written]
    # A line in other prompts too, such as a step of the scale, makes no tone.
    other_texts = [prompt.text for prompt in searches.prompts if prompt.persona != persona]
    common = frozenset(line.strip() for text in other_texts for line in text.splitlines())
    own = [hit for hit in written if not _lines_of(searches, hit) <= common]
    # A prompt may be recognised by its name and again by the function that sends it.
    return list(dict.fromkeys(own or written or [hit for hit, _ in hits]))


def _lines_of(searches: Searches, hit: SourceLocation) -> frozenset[str]:
    lines = text_of(searches.reader.read(hit.path) or b"").split("\n")
    first, last = hit.line_start or 1, hit.line_end or 0
    return frozenset(line.strip() for line in lines[first - 1 : last])


def _hits_in_prompt(
    searches: Searches, prompt: PersonaText, pattern: re.Pattern[str]
) -> Iterator[tuple[SourceLocation, bool]]:
    """Yield the hits at their own lines; at the first of the prompt where a run assembles them.

    The second value is true for words that stand at the place.
    """
    assembled = pattern.search(prompt.text)
    if assembled is None:
        return
    lines = text_of(searches.reader.read(prompt.path) or b"").split("\n")
    written = "\n".join(lines[prompt.line - 1 : prompt.end])
    hits = list(pattern.finditer(written))
    for hit in hits:
        first = prompt.line + written.count("\n", 0, hit.start())
        last = prompt.line + written.count("\n", 0, hit.end())
        words = " ".join(_whole_words(written, hit).split())
        yield SourceLocation(prompt.path, first, last, f"contains “{words}”"), True
    if not hits:
        words = " ".join(_whole_words(prompt.text, assembled).split())
        place = SourceLocation(prompt.path, prompt.line, prompt.line, f"contains “{words}”")
        yield place, False


def _says_goal(hit: re.Match[str], goal: set[str]) -> bool:
    """Return true for a hit with a word of the goal: it shows it best."""
    return not goal.isdisjoint(words_of(hit.group()))


def _whole_words(text: str, hit: re.Match[str]) -> str:
    """Return the hit with the rest of its first and last word."""
    before = re.search(r"\w{0,30}\Z", text[max(0, hit.start() - 30) : hit.start()])
    after = re.match(r"\w{0,30}", text[hit.end() : hit.end() + 30])
    return f"{before.group() if before else ''}{hit.group()}{after.group() if after else ''}"


def find_classes(searches: Searches, check: Check) -> list[SourceLocation]:
    """Return the classes, or where none has all fields the one that lacks the fewest of them."""
    places = [
        _class_place(searches.names, source, node, check["fields"])
        for source in searches.names.codebase.production
        for node in source.classes
        if _is_wanted_class(searches.names, source, node, check)
    ]
    whole = [place for place in places if not place.lacks]
    return (
        whole or sorted(places, key=lambda place: len(place.lacks))[:1]
        if check["any_of"]
        else whole
    )


def _class_place(
    names: SymbolTable, source: SourceFile, node: ast.ClassDef, fields: Sequence[str]
) -> SourceLocation:
    named = _named_fields(names, source, node, fields)
    # A class may list records, by criterion, that have the fields.
    members = _listed_classes(names, source, node) if not any(named) else []
    in_members = [(m, _named_fields(names, m.source, m.node, fields)) for m in members]
    member, held = next(((m, row) for m, row in in_members if row and all(row)), (None, []))
    if member is not None:
        named = held
    lacks = [
        wanted.partition("|")[0] for wanted, name in zip(fields, named, strict=True) if not name
    ]
    end = min(node.end_lineno or node.lineno, node.lineno + LONGEST_CLASS - 1)
    fields_word = _fields("without", lacks) if lacks else _fields("with", named)
    holds = f", a list of {member.node.name}" if member is not None else ""
    note = f"class {node.name}{_bases(node)}{holds}{fields_word}"
    return SourceLocation(source.path, node.lineno, end, note, tuple(lacks))


def _named_fields(
    names: SymbolTable, source: SourceFile, node: ast.ClassDef, fields: Sequence[str]
) -> list[str]:
    """Return the class's names for the fields, "" where it lacks a field.

    "argument|rationale" are alternative names of a field: any of them will do.
    """
    own = names.field_names(source, node)
    return [next((name for name in wanted.split("|") if name in own), "") for wanted in fields]


def _listed_classes(names: SymbolTable, source: SourceFile, node: ast.ClassDef) -> list[ClassSite]:
    """Return the repository's classes of which a field of the class is a list."""
    annotations = [row.annotation for row in node.body if isinstance(row, ast.AnnAssign)]
    sites = [
        names.find_class(source, annotation.slice)
        for annotation in annotations
        if isinstance(annotation, ast.Subscript) and last_name(annotation.value) in {"list", "List"}
    ]
    return [site for site in sites if site is not None]


def _bases(node: ast.ClassDef) -> str:
    names = list(filter(None, map(as_written, node.bases)))
    return f"({', '.join(names)})" if names else ""


def _fields(word: str, names: Sequence[str]) -> str:
    if not names:
        return ""
    *first, last = names
    return f" {word} the " + (f"fields {', '.join(first)} and {last}" if first else f"field {last}")


def _is_wanted_class(
    names: SymbolTable, source: SourceFile, node: ast.ClassDef, check: Check
) -> bool:
    if check["any_of"] and node.name not in check["any_of"]:
        return False
    bases = names.base_names(source, node) if check["base"] else []
    return not check["base"] or any(
        _is_named(base, wanted) for base in bases for wanted in check["base"]
    )


def find_calls(searches: Searches, check: Check) -> list[SourceLocation]:
    locations: list[SourceLocation] = []
    for source in searches.names.codebase.production:
        for site, dotted in searches.names.calls(source):
            name = dotted or _attribute(site.node.func)
            if not any(_is_named(name, wanted) for wanted in check["any_of"]):
                continue
            if check["keyword"] is None or keyword_of(site.node, check["keyword"]) is not None:
                line = line_of_call(site.node)
                locations.append(SourceLocation(source.path, line, line, f"calls {name}"))
    return locations


def _attribute(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else ""


def _is_named(name: str, wanted: str) -> bool:
    """The whole dotted name, or its end; a builtin only by itself (model.eval() is not eval)."""
    if name == wanted:
        return True
    return not hasattr(builtins, wanted) and name.endswith(f".{wanted}")


def find_imports(searches: Searches, check: Check) -> list[SourceLocation]:
    locations: list[SourceLocation] = []
    for source in searches.names.codebase.production:
        for module, line in source.imported_modules.items():
            if any(
                module == wanted or module.startswith(f"{wanted}.") for wanted in check["any_of"]
            ):
                locations.append(SourceLocation(source.path, line, line, f"imports {module}"))
    return locations


def find_pattern(searches: Searches, check: Check) -> list[SourceLocation]:
    language, pattern = check["language"], check["pattern"]
    files = [
        (path, text)
        for path, text in searches.texts(check["paths"])
        if code_patterns.is_written_in(path, language)
    ]
    return [
        SourceLocation(path, first, last, "matches the pattern")
        for path, first, last in code_patterns.search(files, language, pattern)
    ]


def find_communication(searches: Searches, check: Check) -> list[SourceLocation]:
    return communication_locations(check["about"], _established(searches, "communication_entries"))


def _established(searches: Searches, fact: str) -> Any:
    if searches.facts.get(fact) is None:
        raise NotAnswerable(searches.reasons.get(fact, f"{fact} was not established"))
    return searches.facts[fact]
