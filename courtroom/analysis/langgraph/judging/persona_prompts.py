"""Persona prompts of the judges, and the share of text that each pair has in common.

A persona is found by name: a constant, a dict entry, a class or a function named after it, or a
prompt file. Where the persona itself is only a sentence, the whole prompt around it is compared.
"""

from __future__ import annotations

import itertools
from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass, replace

from courtroom.analysis.langgraph.judging.judge_functions import Layers
from courtroom.analysis.langgraph.judging.persona_names import (
    PERSONAS,
    PersonaText,
)
from courtroom.analysis.langgraph.judging.persona_texts import (
    MIN_SHORT_WORDS,
    SENTENCE_WORDS,
    common_frame,
    constructors_of,
    is_long,
    texts_in_code,
)
from courtroom.analysis.langgraph.judging.prompt_files import texts_in_data, texts_in_files
from courtroom.analysis.langgraph.judging.text_overlap import own_words, plain_words, shared_text
from courtroom.analysis.python.call_graph import FunctionRef
from courtroom.analysis.python.symbol_table import SymbolTable
from courtroom.analysis.python.tree_walk import (
    constant_text,
    walk,
)

MAX_SHARED = 0.5
# A turn of phrase of so many words may stand in two texts.
SAME_WORDS = 5


@dataclass(frozen=True, slots=True)
class PersonaReading:
    """Prompts of the personas, the longest text of each; `texts` are all, the prompts first.

    `shared` is the share of text of each pair, 0..1, by the two persona names. `own_words` is the
    number of words of a persona's text that stand in no other persona's. `unfollowed` are files that
    were too long to be followed to their end. `frame` is the text that all judges get, where it was
    compared with each prompt. `beside` is such a text that was not, and `told_shared` the largest
    share with it.
    """

    prompts: list[PersonaText]
    texts: list[PersonaText]
    shared: dict[tuple[str, str], float]
    own_words: dict[str, int]
    unfollowed: tuple[str, ...] = ()
    frame: PersonaText | None = None
    beside: PersonaText | None = None
    told_shared: float = 0.0

    @property
    def are_distinct(self) -> bool:
        """At least two personas, and no pair with more than half of its text in common."""
        return bool(self.shared) and max(self.shared.values()) <= MAX_SHARED

    @property
    def too_close(self) -> str:
        """Sentence on every pair with more than half of its text in common, the closest first."""
        pairs = [pair for pair, share in self.shared.items() if share > MAX_SHARED]
        pairs.sort(key=self.shared.__getitem__, reverse=True)
        shares = [(" and ".join(pair), f"{self.shared[pair] * 100:.0f} %") for pair in pairs]
        if not shares:
            return ""
        (names, share), *others = shares
        first = f"The prompts of {names} have {share} of their text in common"
        if self.frame:
            first = f"{share} of what {names} are told is the same text"
            others = [(f"of {pair}", share) for pair, share in others]
        return "; ".join([first, *(f"{names} {share}" for names, share in others)]) + "."

    @property
    def shared_places(self) -> list[PersonaText]:
        """The text that all judges get, then the prompts of the pairs that are too close."""
        close = {name for pair, share in self.shared.items() if share > MAX_SHARED for name in pair}
        prompts = [prompt for prompt in self.prompts if prompt.persona in close]
        return [self.frame, *prompts] if self.frame and prompts else prompts


def read_personas(
    symbols: SymbolTable,
    layers: Layers,
    files: Mapping[str, str],
    idle_files: Container[str] = (),
) -> PersonaReading:
    """Return the personas in the order Prosecutor, Defense, TechLead.

    `files`: the texts of prompt files by path; `idle_files`: those that no run imports.
    """
    unfollowed: list[str] = []
    unused: list[PersonaText] = []
    candidates = [
        *texts_in_code(symbols, layers.judges, unfollowed, unused),
        *texts_in_files(files),
        *texts_in_data(symbols.codebase.data, _keys_of(layers.judges)),
    ]
    in_use = [text for text in candidates if text.path not in idle_files]
    if any(map(is_long, in_use)):
        candidates = in_use
    candidates = _without_foreign_texts(candidates, symbols, layers)
    texts = _prompts_among(candidates, _code_that_runs(layers))
    prompts = [best for persona in PERSONAS if (best := _best_text(texts, persona)) is not None]
    if not prompts:
        prompts = _one_for_all(symbols, layers.judges, unused)
    prompt_texts = {prompt.persona: prompt.text for prompt in prompts}

    around = common_frame(symbols, layers.judges)
    is_short = any(p.is_of_sentences or len(plain_words(p.text)) < SENTENCE_WORDS for p in prompts)
    frame = around if is_short else None
    shared = _shared(prompt_texts, frame)
    # A prompt with holes may be the longest text of that kind.
    is_own = around is not None and any(_is_in(around.text, row.text) for row in candidates)
    beside = None if is_own or is_short else around
    largest = max(_shared(prompt_texts, beside).values(), default=0.0)
    texts = list(dict.fromkeys([*prompts, *texts]))
    own = own_words(prompt_texts)
    return PersonaReading(prompts, texts, shared, own, tuple(unfollowed), frame, beside, largest)


def _shared(texts: Mapping[str, str], frame: PersonaText | None) -> dict[tuple[str, str], float]:
    """Return the share of common text of each pair, each with the frame where there is one."""
    around = f" {frame.text}" if frame is not None else ""
    return {
        (first, second): shared_text(texts[first] + around, texts[second] + around)
        for first, second in itertools.combinations(texts, 2)
    }


def _is_in(text: str, other: str) -> bool:
    """Return whether a part of a text stands in another one."""
    words, own = len(plain_words(text)), own_words({"text": text, "other": other})["text"]
    return own < words - SAME_WORDS


def _one_for_all(
    symbols: SymbolTable, judges: Iterable[FunctionRef], unused: Iterable[PersonaText]
) -> list[PersonaText]:
    """Return the text that all judges get as the prompt of each whose own text nothing uses."""
    personas = {text.persona for text in unused if is_long(text)}
    text = common_frame(symbols, judges) if len(personas) > 1 else None
    if text is None or not is_long(text):
        return []
    # Little more than the judge's name may be put into it.
    return [
        replace(text, persona=persona, text=f"{persona} {text.text}")
        for persona in PERSONAS
        if persona in personas
    ]


def _prompts_among(texts: list[PersonaText], lines: Mapping[str, list[range]]) -> list[PersonaText]:
    """Return the texts that are prompts by their length.

    Where a persona has one in a function that no run reaches, those that a run reaches are its
    prompts, however short; `lines` are those of the functions that a run reaches, by file.
    """
    prompts = [text for text in texts if text.is_beside_prompts or is_long(text)]
    for persona in {text.persona for text in prompts if _is_idle(text, lines)}:
        own = [text for text in texts if text.persona == persona and not _is_idle(text, lines)]
        long = list(filter(is_long, own))
        short = [text for text in own if len(text.text.split()) >= MIN_SHORT_WORDS]
        prompts = [text for text in prompts if text.persona != persona] + (long or short)
    return prompts


def _without_foreign_texts(
    texts: list[PersonaText], symbols: SymbolTable, layers: Layers
) -> list[PersonaText]:
    """Return the texts without those in functions that no judge runs, where a persona has others.

    A detective has patterns by persona, the Chief Justice remedies.
    """
    if not _are_judges_known(layers):
        return texts
    judge_lines = _lines_of(layers.judges)
    files = symbols.codebase.files
    paths = {text.path for text in texts} & files.keys()
    function_lines = _lines_of(
        FunctionRef(files[p], site) for p in paths for site in files[p].functions
    )
    foreign_texts = {
        text
        for text in texts
        if any(text.line in lines for lines in function_lines.get(text.path, ()))
        and not any(text.line in lines for lines in judge_lines.get(text.path, ()))
    }
    settled_personas = {
        text.persona for text in texts if text not in foreign_texts and is_long(text)
    }
    return [
        text for text in texts if text not in foreign_texts or text.persona not in settled_personas
    ]


def _is_idle(text: PersonaText, lines: Mapping[str, list[range]]) -> bool:
    return (
        text.is_in_function
        and bool(lines)
        and not any(text.line in reached for reached in lines.get(text.path, ()))
    )


def _code_that_runs(layers: Layers) -> dict[str, list[range]]:
    """Return the lines of the functions that a run reaches; {} where not all judges are known."""
    return _lines_of([*layers.in_use, *layers.judges]) if _are_judges_known(layers) else {}


def _are_judges_known(layers: Layers) -> bool:
    return "judge" in layers.roles.values() and not layers.unfollowed.get("judge")


def _lines_of(functions: Iterable[FunctionRef]) -> dict[str, list[range]]:
    lines: dict[str, list[range]] = {}
    for function in functions:
        # An object whose method runs was made.
        for node in (function.site.node, *constructors_of(function.site.owner)):
            last = node.end_lineno or node.lineno
            lines.setdefault(function.source.path, []).append(range(node.lineno, last + 1))
    return lines


def _keys_of(judges: Iterable[FunctionRef]) -> set[str]:
    """Return the texts in the judges' code, by which it may look something up."""
    nodes = (node for judge in judges for node in walk(judge.site.node))
    return {text for node in nodes if (text := constant_text(node))}


def _best_text(texts: list[PersonaText], persona: str) -> PersonaText | None:
    """Return the longest text; of equals the first, which stands under the persona's own name."""
    candidates = [text for text in texts if text.persona == persona]
    return max(candidates, key=lambda text: len(plain_words(text.text)), default=None)
