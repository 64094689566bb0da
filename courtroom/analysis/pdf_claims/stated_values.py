"""Values that a report states of its code and that the code has otherwise.

Numbers of tries, seconds, depths, sizes of chunks, weights, spreads of scores, criteria and nodes, and
settings by their names. Nothing is said where the code has no such value or computes one: what is
held against a report is written in the code.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from courtroom.analysis.pdf.pdf_content import PdfReading
from courtroom.analysis.pdf.plain_text import with_plain_hyphens
from courtroom.analysis.pdf_claims.claim_patterns import CodeFacts
from courtroom.analysis.pdf_claims.claims import CheckedClaim, FeatureClaim, plain_sentences
from courtroom.analysis.pdf_claims.code_values import BoundValue, Value, bound_values

STATED_VALUE = "stated_value"
PASSAGE_CHARACTERS = 400
# The least size of a part of a text that is counted in characters, words or tokens.
FEWEST_CHARACTERS = 20
_WORDS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_N = rf"(?P<number>\d{{1,5}}|{'|'.join(_WORDS)})"
# Words of a sentence on an example, or on what the code does not do.
_ELSEWHERE = re.compile(
    r"\b(?:e\.g|for example|such as|instead of|rather than|could|should|would|propos\w*|recommend\w*"
    r"|suggest\w*|alternativ\w*|consider\w*|versus|vs)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class _Kind:
    """Kind of value: the words that state it, and the names that hold it in the code.

    `is_same` compares the stated number with one of the code, given the words. A sentence states it
    if it has the words of `beside`. The number is in no file that has the word `near`.
    """

    says: re.Pattern[str]
    names: re.Pattern[str]
    is_same: Callable[[float, float, str], bool]
    beside: re.Pattern[str]
    near: str


def _kind(
    says: str,
    names: str,
    is_same: Callable[[float, float, str], bool],
    beside: str = "",
    near: str = "",
) -> _Kind:
    said, named, words = (re.compile(text, re.IGNORECASE) for text in (says, names, beside))
    return _Kind(said, named, is_same, words, near)


def _is_equal(stated: float, value: float, _: str) -> bool:
    return stated == value


def _is_as_often(stated: float, value: float, _: str) -> bool:
    """Return whether two numbers of tries are the same, with or without the first try."""
    return abs(stated - value) <= 1


def _is_as_long(stated: float, value: float, words: str) -> bool:
    """Return whether two sizes are the same, one of words or tokens also in characters."""
    is_of_characters = "char" in words.lower()
    return value == stated or (not is_of_characters and 3 * stated <= value <= 8 * stated)


def _is_as_wide(stated: float, value: float, words: str) -> bool:
    """Return whether two bounds of whole scores are the same, as "> 2" and "at least 3" are."""
    is_above = re.search(r">(?!=)|exceed|more than|greater than", words.lower()) is not None
    return stated + is_above == value


_SIZE = r"(?:char(?:acter)?s?|words?|tokens?)"
_KINDS = (
    _kind(
        rf"\b{_N}[ -](?:(?:more|additional|further) )?(?:retries|retry|attempts?|tries)\b",
        r"(?:^|_)(?:retries|attempts|tries)$|^end of the loop over (?:attempt|retry|trial)|^stop_after_attempt$",
        _is_as_often,
        r"\bretr",
    ),
    _kind(
        rf"\btime-?outs?(?: of| is|:)? ?\(?{_N} ?-?s(?:ec\w*)?\b",
        r"(?:^|_)time_?out(?:_?s|_sec|_seconds)?$",
        _is_equal,
    ),
    _kind(
        rf"\b{_N}[ -]?s(?:ec(?:ond)?s?)? (?:\w+ )?time-?out",
        r"(?:^|_)time_?out(?:_?s|_sec|_seconds)?$",
        _is_equal,
    ),
    _kind(rf"--depth[ =\",]{{1,4}}{_N}\b|\bdepth ?= ?(?P<given>\d{{1,4}})", r"^depth$", _is_equal),
    _kind(
        rf"\b{_N}[ -]{_SIZE} (?:\w+ )?(?:chunk|segment)s?\b",
        r"(?:^|_)chunk_?(?:[a-z]{1,12}_)?(?:size|chars|words|tokens|length)$",
        _is_as_long,
        near="chunk",
    ),
    _kind(
        rf"\b{_N}[ -](?:{_SIZE} )?overlap\b",
        r"(?:^|_)chunk_overlap$|^overlap(?:_size|_chars|_words)?$",
        _is_as_long,
        near="chunk",
    ),
    _kind(
        rf"\b(?:variance|spread)\b(?: across| among| between)?(?: (?:the|three|judges?|scores?)){{0,4}}"
        rf" ?(?:\(max ?[-\u2212\u2013] ?min\) ?)?(?:is )?"
        rf"(?:>=?|\u2265|exceeds?|more than|greater than|at least) ?{_N}(?!\.?\d| ?%)",
        r"^least spread$",
        _is_as_wide,
    ),
)
_WEIGHT = re.compile(
    r"\bweighted (?:at |by )?(?P<share>0?\.\d{1,2})(?!\d)"
    r"|\b(?:prosecutor|defen[cs]e|tech ?lead)[ :=(]{1,3}(?P<given>0?\.\d{1,2})(?!\d)",
    re.IGNORECASE,
)
# A number beside a judge may be a temperature or a share of text.
_OF_WEIGHTS = re.compile(
    r"^(?!.*\b(?:temperature|confidence|overlap|similar\w*)\b)"
    r".*\b(?:weigh\w*|averag\w*|mean|criteria)\b",
    re.IGNORECASE,
)
_SETTING = re.compile(
    r"(?<![\w.\"'])(?P<name>[A-Z][A-Z\d]{1,20}(?:_[A-Z\d]{1,20}){1,4}|max_retries|max_attempts"
    r"|chunk_size|chunk_overlap|temperature|model|max_workers|extra|min_length|max_length) ?= ?"
    r"(?P<value>-?\d{1,6}(?:\.\d{1,4})?(?!\.?\w|[%/])|\"[^\"]{1,60}\"|'[^']{1,60}'|True\b|False\b)"
)
# Settings of Pydantic's models, which nothing but the code itself can set.
_OF_MODELS = ("extra", "min_length", "max_length")
_LANGUAGE_MODEL = re.compile(
    r"[\"'](?:\w+/)?(?:gpt|claude|gemini|llama|deepseek|qwen|mistral|mixtral)-?\d?[\w.:-]*[\"']",
    re.IGNORECASE,
)
_NO_FILE = "no file of the code has"
_CRITERIA = re.compile(
    rf"\b{_N}[ -](?:dimension|criterion|criteria)s? (?:\w+ )?rubric\b"
    rf"|\brubric\.json (?:\w+ )?(?:contains|has|defines|holds|lists) (?:only )?{_N.replace('number', 'held')}"
    r" (?:\w+ )?(?:dimensions|criteria)\b"
    rf"|\bonly {_N.replace('number', 'only')} of (?:the )?\w{{1,6}} (?:\w+ )?(?:dimensions|criteria)"
    r"(?: \w+){0,4} rubric\.json",
    re.IGNORECASE,
)
_NODES = re.compile(
    rf"\bstategraph\b[^.;]{{0,30}}?(?:\bwith|\bof|\(|\bhas|\bcontains) ?{_N} nodes\b"
    rf"|\btotal nodes:? {_N.replace('number', 'total')}\b"
    rf"|\b{_N.replace('number', 'sized')}-node (?:state ?)?graph\b",
    re.IGNORECASE,
)


def differing_values(
    reading: PdfReading, sources: Mapping[str, str], code: CodeFacts
) -> Iterator[CheckedClaim]:
    """Yield the first value of each kind that the sources have otherwise, all as one claim.

    `sources` are the texts of the product by path.
    """
    differing = sorted(_differing(reading, sources, code))
    if differing:
        page, passage, quote = differing[0]
        if len(differing) > 1:
            quote = "; ".join(f"{text} (page {place})" for place, _, text in differing)
        claim = FeatureClaim(STATED_VALUE, "", page, passage, quote=quote)
        yield CheckedClaim(claim, "contradicted")


@dataclass(frozen=True, slots=True)
class _Code:
    bound: tuple[BoundValue, ...]
    sources: Mapping[str, str]
    facts: CodeFacts


@dataclass(frozen=True, slots=True)
class _Check:
    """Pattern of a stated value, and what the code has in place of a match; "" where it does not."""

    says: re.Pattern[str]
    otherwise: Callable[[re.Match[str], _Code], str]
    beside: re.Pattern[str] = re.compile("")


def _differing(
    reading: PdfReading, sources: Mapping[str, str], facts: CodeFacts
) -> Iterator[tuple[int, str, str]]:
    """Yield page, passage and the two values of the first difference of each kind."""
    sentences = [row for row in plain_sentences(reading) if not _ELSEWHERE.search(row[1])]
    code: _Code | None = None
    for check in _CHECKS:
        stated = [
            (page, sentence, match)
            for page, sentence in sentences
            if check.beside.search(sentence)
            for match in check.says.finditer(with_plain_hyphens(sentence))
        ]
        if stated:
            code = code or _Code(bound_values(sources), sources, facts)
            yield from islice(_contradicted(stated, check, code), 1)


def _contradicted(
    stated: Sequence[tuple[int, str, re.Match[str]]], check: _Check, code: _Code
) -> Iterator[tuple[int, str, str]]:
    for page, sentence, match in stated:
        has = check.otherwise(match, code)
        if has:
            words = f"“{sentence[match.start() : match.end()].strip()}”"
            quote = f"{has} {words}" if has == _NO_FILE else f"{has}, not {words}"
            yield page, sentence[:PASSAGE_CHARACTERS], quote


def _number(match: re.Match[str]) -> float:
    text = next(text for text in match.groups() if text)
    return _WORDS.index(text.lower()) + 1.0 if text.lower() in _WORDS else float(text)


def _compared(kind: _Kind) -> Callable[[re.Match[str], _Code], str]:
    def otherwise(match: re.Match[str], code: _Code) -> str:
        rows = [row for row in code.bound if kind.names.search(row.name)]
        numbers = [row.value for row in rows]
        if not rows or any(not isinstance(value, float) for value in numbers):
            return ""
        stated = _number(match)
        is_there = any(
            kind.is_same(stated, value, match[0]) for value in numbers if isinstance(value, float)
        )
        texts = (text for text in code.sources.values() if kind.near and kind.near in text.lower())
        is_open = is_there or any(re.search(rf"\b{stated:g}\b", text) for text in texts)
        # So few are sentences, or pages: another unit than the report's.
        rows = [row for row in rows if kind.near != "chunk" or _is_size(row.value)]
        return "" if is_open else next((row.shown for row in rows if row.is_sure), "")

    return otherwise


def _is_size(value: Value) -> bool:
    return isinstance(value, float) and not 0 < value < FEWEST_CHARACTERS


def _other_weight(match: re.Match[str], code: _Code) -> str:
    """Return a weight of the code where no source has the stated one, in any place."""
    rows = [
        row
        for row in code.bound
        if row.name.startswith("weight of ") and isinstance(row.value, float) and 0 < row.value < 1
    ]
    digits = f"{_number(match):g}".removeprefix("0")
    written = re.compile(rf"(?<![\d.])0?{re.escape(digits)}0*(?!\d)")
    if not rows or any(written.search(text) for text in code.sources.values()):
        return ""
    return rows[0].shown


def _other_setting(match: re.Match[str], code: _Code) -> str:
    """Return the setting as the code has it, or that no file sets it."""
    name, given = match["name"], match["value"]
    rows = [row for row in code.bound if row.name == name]
    if not rows and name in _OF_MODELS:
        is_named = any(re.search(rf"\b{name}\b *[=:]", t) for t in code.sources.values())
        return "" if is_named else _NO_FILE
    if name == "model":
        return _other_model(given[1:-1], code)
    stated: Value = {"True": True, "False": False}.get(given)
    if stated is None:
        stated = given[1:-1] if given[0] in "\"'" else float(given)
    values = [row.value for row in rows]
    is_open = None in values or any(
        type(value) is type(stated) and value == stated for value in values
    )
    return "" if is_open or not rows else rows[0].shown


def _other_model(stated: str, code: _Code) -> str:
    """Return that no file has the name of a language model, where the code has another one."""
    texts = [text.lower() for path, text in code.sources.items() if path]
    if not _LANGUAGE_MODEL.fullmatch(f"'{stated}'"):
        return ""
    is_named = any(stated.lower() in text for text in texts)
    has_another = any(_LANGUAGE_MODEL.search(text) for text in texts)
    return _NO_FILE if has_another and not is_named else ""


def _other_criteria(match: re.Match[str], code: _Code) -> str:
    """Return the number of criteria of the only rubric, where it is another one."""
    sizes = dict(_rubric_sizes(code.sources))
    if not sizes or _number(match) in sizes.values():
        return ""
    path, size = next(iter(sizes.items()))
    return f"{path} has {size} criteria"


def _rubric_sizes(sources: Mapping[str, str]) -> Iterator[tuple[str, int]]:
    """Yield the JSON files of a rubric, each with the number of its criteria."""
    for path, text in sources.items():
        if not path.endswith(".json") or not re.search(r'"(?:dimensions|criteria)"', text):
            continue
        try:
            data = json.loads(text)
        except (ValueError, RecursionError):
            continue
        for key in ("dimensions", "criteria"):
            rows = data.get(key) if isinstance(data, dict) else None
            if (
                isinstance(rows, list)
                and rows
                and all(isinstance(r, dict) and r.get("id") for r in rows)
            ):
                yield path, len(rows)


def _other_nodes(match: re.Match[str], code: _Code) -> str:
    """Return the number of nodes of a graph that is known whole; START and END may count."""
    graph = code.facts.get("graph") or {}
    count = len(graph.get("nodes", ()))
    is_open = not count or graph.get("unresolved") or graph.get("subgraphs")
    if is_open or count <= _number(match) <= count + 2:
        return ""
    return f"the graph at {graph['path']}:{graph['state_graph_line']} has {count} nodes"


_CHECKS = (
    *(_Check(kind.says, _compared(kind), kind.beside) for kind in _KINDS),
    _Check(_WEIGHT, _other_weight, _OF_WEIGHTS),
    _Check(_SETTING, _other_setting),
    _Check(_CRITERIA, _other_criteria),
    _Check(_NODES, _other_nodes),
)
