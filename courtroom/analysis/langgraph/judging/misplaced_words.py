"""Words of a rule for a criterion that the rubric uses only under another criterion.

No judge is asked about them there: the rule waits in the wrong place. What the judges' own code
names, as in a prompt for all criteria, they are asked about everywhere.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from courtroom.analysis.langgraph.judging.awaited_words import Functions, awaited_words
from courtroom.analysis.langgraph.judging.score_changes import ScoreChange
from courtroom.analysis.langgraph.state_flow.other_keys import objects_in
from courtroom.analysis.python.call_graph import FunctionRef
from courtroom.analysis.python.tree_walk import constant_text, walk, words_of

# Letters by which forms of a word are the same: hallucinated, hallucination.
STEM = 7
# Shorter words say nothing of a subject.
LEAST_LETTERS = 5
Stems = frozenset[str]


@dataclass(frozen=True, slots=True)
class MisplacedWord:
    """Line of a rule for `criterion` that waits for a word of the criterion `home`."""

    function: FunctionRef
    line: int
    word: str
    criterion: str
    home: str


def misplaced_words(
    changes: Iterable[ScoreChange],
    functions: Functions,
    data: Mapping[str, str],
    judges: Iterable[FunctionRef] = (),
) -> Iterator[MisplacedWord]:
    """Yield the changes whose awaited words all belong to other criteria; `data` has the rubric."""
    rubric = _stems_of_criteria(data)
    sources = {judge.source.path: judge.source for judge in judges} if rubric else {}
    for change in changes:
        words = awaited_words(change.holds, change.function, functions)
        criteria = list(_compared(change.holds, rubric)) if words else []
        if len(criteria) != 1:
            continue
        # The file of the rule holds the words itself.
        judge_files = (
            source for path, source in sources.items() if path != change.function.source.path
        )
        texts = (str(node.value) for source in judge_files for node, _ in source.strings)
        own_stems = rubric[criteria[0]] | _stems(" ".join(texts))
        homes = [_home_of(word, {**rubric, criteria[0]: own_stems}, criteria[0]) for word in words]
        if all(homes):
            yield MisplacedWord(change.function, change.line, words[0], criteria[0], homes[0])


def _stems_of_criteria(data: Mapping[str, str]) -> dict[str, Stems]:
    """Return by its id what each criterion of the work's rubrics speaks of."""
    rubric: dict[str, Stems] = {}
    for _, entry in objects_in(data):
        identity = entry.get("id")
        if isinstance(identity, str) and len(entry) > 1:
            rubric[identity] = rubric.get(identity, frozenset()) | _stems(" ".join(_texts(entry)))
    return rubric


def _texts(entry: Mapping[str, Any]) -> Iterator[str]:
    return (str(value) for value in entry.values())


def _stems(text: str) -> Stems:
    return frozenset(word[:STEM] for word in words_of(text) if len(word) >= LEAST_LETTERS)


def _compared(tests: Iterable[ast.expr], rubric: Mapping[str, Stems]) -> Iterator[str]:
    """Yield the criteria whose ids the tests compare a value with."""
    for node in (node for test in tests for node in walk(test)):
        if isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.Eq):
            texts = map(constant_text, (node.left, node.comparators[0]))
            yield from (text for text in texts if text and text in rubric)


def _home_of(phrase: str, rubric: Mapping[str, Stems], criterion: str) -> str:
    """Return another criterion that speaks of a word of the phrase, as this one does not."""
    words = _stems(phrase) - rubric[criterion]
    return next((other for other in sorted(rubric) if words & rubric[other]), "")
