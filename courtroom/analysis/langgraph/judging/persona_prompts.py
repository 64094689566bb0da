"""The judges' persona prompts, and how much of their text each pair shares.

A persona is found by name: a constant, a dict entry, a class or a function called after it, or a prompt file.
Where the persona itself is only a sentence, what is compared is the whole prompt assembled around it.
"""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath

from courtroom.analysis.langgraph.judging.judge_functions import Layers
from courtroom.analysis.langgraph.judging.text_overlap import own_words, plain_words, shared_text
from courtroom.analysis.python.call_graph import Place
from courtroom.analysis.python.names import Names
from courtroom.analysis.python.source_files import SourceFile
from courtroom.analysis.python.symbolic_execution.expressions import as_text
from courtroom.analysis.python.symbolic_execution.interpreter import Interpreter, OutOfFuel
from courtroom.analysis.python.symbolic_execution.values import (
    Class,
    Function,
    Instance,
    Items,
    Table,
    Template,
    Value,
    choices_of,
)
from courtroom.analysis.python.tree_walk import walk, words_of

FEWEST_WORDS = 8
# A persona shorter than this is a sentence in a common template (FACTS: then the assembled prompts are compared).
SENTENCE_WORDS = 25
SHARED_LIMIT = 0.5
FUEL = 40_000
PERSONAS: dict[str, frozenset[str]] = {
    "Prosecutor": frozenset({"prosecutor", "prosecution"}),
    "Defense": frozenset({"defense", "defence", "defender", "advocate"}),
    "TechLead": frozenset({"techlead", "lead"}),
}
SAID_WORDS = frozenset(
    {"argument", "rationale", "reason", "reasoning", "verdict", "summary", "error", "message"}
)
PROMPT_SUFFIXES = frozenset({".md", ".txt", ".yaml", ".yml", ".j2", ".jinja", ".jinja2", ".prompt"})


@dataclass(frozen=True, slots=True)
class PersonaText:
    """A persona's prompt as it stands at `path`:`line`; `text` has holes for what the run fills in."""

    persona: str
    path: str
    line: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class PersonaReading:
    """`shared` is the share of text of each pair, 0..1, by the two persona names.

    `own_words`: how many words of a persona's text stand in no other persona's.
    """

    prompts: list[PersonaText]
    shared: dict[tuple[str, str], float]
    own_words: dict[str, int]

    @property
    def are_distinct(self) -> bool:
        """Two personas at least, and no pair with more than half of its text in common."""
        return bool(self.shared) and max(self.shared.values()) <= SHARED_LIMIT


def read_personas(names: Names, layers: Layers, files: Mapping[str, str]) -> PersonaReading:
    """`files`: the texts of prompt files by path. Personas come in the order Prosecutor, Defense, TechLead."""
    found = [*_in_code(names), *_in_files(files)]
    prompts = [best for persona in PERSONAS if (best := _best(found, persona)) is not None]
    compared = {one.persona: one.text for one in prompts}
    if any(len(words) < SENTENCE_WORDS for words in map(plain_words, compared.values())):
        frame = _common_frame(names, layers.judges)
        compared = {persona: f"{text} {frame}" for persona, text in compared.items()}
    pairs = itertools.combinations(compared, 2)
    return PersonaReading(
        prompts,
        {pair: shared_text(compared[pair[0]], compared[pair[1]]) for pair in pairs},
        own_words({one.persona: one.text for one in prompts}),
    )


def persona_in(name: str) -> str | None:
    """The one persona an identifier names; None when it names none or several."""
    words = set(words_of(name))
    named = [persona for persona, own in PERSONAS.items() if words & own]
    return named[0] if len(named) == 1 else None


def _best(found: list[PersonaText], persona: str) -> PersonaText | None:
    """The longest text; what stands under the persona's own name before what a function assembles."""
    own = [
        one
        for one in found
        if one.persona == persona and len(plain_words(one.text)) >= FEWEST_WORDS
    ]
    return max(own, key=lambda one: len(plain_words(one.text)), default=None)


def _in_files(files: Mapping[str, str]) -> Iterator[PersonaText]:
    for path, text in files.items():
        persona = persona_in(PurePosixPath(path).stem)
        if persona is not None:
            yield PersonaText(persona, path, 1, text.count("\n") + 1, text)


def is_prompt_file(path: str) -> bool:
    pure = PurePosixPath(path.lower())
    words = set(words_of(" ".join(pure.parts[:-1]))) | set(words_of(pure.stem))
    return pure.suffix in PROMPT_SUFFIXES and bool(
        words & {"prompt", "prompts", "persona", "personas", "judges"}
    )


def _in_code(names: Names) -> Iterator[PersonaText]:
    for source in names.codebase.production:
        if "rosecut" not in source.text.lower():
            continue
        run = Interpreter(names, lambda _: True, FUEL, reads_data=False)
        try:
            module = run.module(source)
        except (OutOfFuel, RecursionError):
            continue
        named = list(_named_texts(source, module.scope.names))
        yield from named
        yield from _chosen_in_functions(run, source)
        told = {one.persona for one in named if len(plain_words(one.text)) >= SENTENCE_WORDS}
        yield from _texts_in_functions(run, source, told)


def _named_texts(source: SourceFile, values: Mapping[str, Value]) -> Iterator[PersonaText]:
    """Constants, entries of dicts and attributes of classes that are called after a persona."""
    for statement in source.tree.body:
        if isinstance(statement, ast.ClassDef):
            yield from _in_class(source, statement, values.get(statement.name))
        target = _target(statement)
        if target is None or not isinstance(statement, ast.Assign | ast.AnnAssign):
            continue
        persona = persona_in(target)
        value = values.get(target)
        if persona is not None:
            yield _told(persona, source, statement, text_of(value))
        elif isinstance(value, Table) and isinstance(statement.value, ast.Dict):
            yield from _in_dict(source, statement.value, value)


def _target(statement: ast.stmt) -> str | None:
    targets = (
        statement.targets
        if isinstance(statement, ast.Assign)
        else [getattr(statement, "target", None)]
    )
    return targets[0].id if targets and isinstance(targets[0], ast.Name) else None


def _told(persona: str, source: SourceFile, node: ast.stmt | ast.expr, text: str) -> PersonaText:
    return PersonaText(persona, source.path, node.lineno, node.end_lineno or node.lineno, text)


def _in_dict(source: SourceFile, node: ast.Dict, table: Table) -> Iterator[PersonaText]:
    for key_node, value_node in zip(node.keys, node.values, strict=True):
        key = key_node.value if isinstance(key_node, ast.Constant) else None
        persona = persona_in(key) if isinstance(key, str) else None
        if persona is not None and key_node is not None and not isinstance(value_node, ast.Name):
            text = text_of(table.entries.get(key))
            yield PersonaText(
                persona,
                source.path,
                key_node.lineno,
                value_node.end_lineno or key_node.lineno,
                text,
            )


def _in_class(source: SourceFile, node: ast.ClassDef, value: Value) -> Iterator[PersonaText]:
    persona = persona_in(node.name)
    if persona is None or not isinstance(value, Class):
        return
    for statement in node.body:
        target = _target(statement)
        if target is not None:
            yield _told(persona, source, statement, text_of(value.scope.names.get(target)))


def _texts_in_functions(
    run: Interpreter, source: SourceFile, told: set[str]
) -> Iterator[PersonaText]:
    """What a function called after a persona assembles, for personas that no constant tells at length."""
    for site in source.functions:
        persona = persona_in(f"{site.owner.name if site.owner else ''} {site.node.name}")
        if persona is None or persona in told:
            continue
        for statement, value in _locals(run, Place(source, site)):
            yield _told(persona, source, statement, text_of(value))


def _chosen_in_functions(run: Interpreter, source: SourceFile) -> Iterator[PersonaText]:
    """The entries of a dict inside a function from which one is picked by persona."""
    for site in source.functions:
        for node in walk(site.node):
            if isinstance(node, ast.Dict) and _personas_of(node) > 1:
                table = run.evaluate(node, run.module(source).scope)
                yield from _in_dict(source, node, table) if isinstance(table, Table) else ()


def _personas_of(node: ast.Dict) -> int:
    keys = (
        key.value
        for key in node.keys
        if isinstance(key, ast.Constant) and isinstance(key.value, str)
    )
    return len({persona for key in keys if (persona := persona_in(key)) is not None})


def _locals(run: Interpreter, place: Place) -> Iterator[tuple[ast.stmt | ast.expr, Value]]:
    """The texts a function makes: what it assigns, and the literals it passes on."""
    node = place.site.node
    scope = run.module(place.source).scope
    function = Function(node, place.source, scope)
    run.fuel = FUEL
    try:
        frame = run.enter(function, [_self(place, scope.names)] if place.site.owner else [], {})
        for inner in walk(node):
            if (
                isinstance(inner, ast.Assign | ast.AnnAssign)
                and (name := _target(inner))
                and not _is_said(name)
            ):
                yield inner, frame.scope.names.get(name)
            elif isinstance(inner, ast.Call):
                told = (k.value for k in inner.keywords if not _is_said(k.arg or ""))
                for argument in [*inner.args, *told]:
                    if isinstance(argument, ast.Constant | ast.JoinedStr | ast.BinOp):
                        yield argument, run.evaluate(argument, frame.scope)
            elif isinstance(inner, ast.Return) and inner.value is not None:
                yield inner, run.evaluate(inner.value, frame.scope)
    except (OutOfFuel, RecursionError):
        return


def _is_said(name: str) -> bool:
    """What a judge without a model says in its opinion is not what it is told."""
    return bool(set(words_of(name)) & SAID_WORDS)


def _self(place: Place, names: Mapping[str, Value]) -> Value:
    owner = names.get(place.site.owner.name) if place.site.owner else None
    return Instance(owner) if isinstance(owner, Class) else None


def text_of(value: Value) -> str:
    """All text in a value: a string, the strings of a list or of a dict's values."""
    texts: list[str] = []
    for choice in choices_of(value):
        if isinstance(choice, str | Template):
            texts.append(as_text(choice))
        elif isinstance(choice, Items):
            texts += [text_of(member) for member in choice.members]
        elif isinstance(choice, Table):
            texts += [text_of(member) for member in choice.entries.values()]
    return "\n".join(filter(None, texts))


def _common_frame(names: Names, judges: Iterable[Place]) -> str:
    """The longest text with holes that the judges' code makes: the template around a one-sentence persona."""
    best = ""
    for place in judges:
        for value in _templates(names, place):
            if len(plain_words(value)) > len(plain_words(best)):
                best = value
    return best


def _templates(names: Names, place: Place) -> Iterator[str]:
    run = Interpreter(names, lambda _: False, FUEL, reads_data=False)
    try:
        for _, value in _locals(run, place):
            if isinstance(value, Template):
                yield value.text
    except (OutOfFuel, RecursionError):
        return
