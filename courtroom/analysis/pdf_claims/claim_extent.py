"""Claims on all of a kind: a fact that shows one case of it does not bear them out."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from courtroom.analysis.pdf_claims.claim_patterns import CodeFacts

_EVERY = r"\b(?:all|every|each|any|entire|whole)(?: of)? (?:[\w-]+ ){0,3}?"
_OF_CLONES = re.compile(r"\b(?:all|every|each|any|always|never|only)\b")
_OF_STATE = re.compile(
    rf"{_EVERY}(?:states?|transitions?|data|nodes?|agents?|structures?|boundar(?:y|ies)|hand-?offs?"
    r"|messages?|communication)\b"
)
_OF_CALLS = re.compile(rf"{_EVERY}(?:judges?|personas?|llms?|agents?|calls?|outputs?|responses?)\b")
_OF_JUDGES = re.compile(r"\b(?:judges?|personas?)\b")


def _clones(sentence: str, code: CodeFacts) -> bool:
    """Only one function that clones was looked at."""
    others = (code.get("clone_function") or {}).get("others")
    return not others or _OF_CLONES.search(sentence) is None


def _folders(sentence: str, code: CodeFacts) -> bool:
    """Code that also makes a folder by mkdtemp may clone there, by a function that gets one."""
    is_other = code.get("has_mkdtemp") and not code.get("clone_makes_its_folder")
    is_whole = not is_other or _OF_CLONES.search(sentence) is None
    return is_whole and _clones(sentence, code)


def _models(sentence: str, code: CodeFacts) -> bool:
    """A model among classes of other kinds is not what all data passes through."""
    kind = (code.get("state_class") or {}).get("kind")
    return kind == "BaseModel" or _OF_STATE.search(sentence) is None


def _bound_calls(sentence: str, code: CodeFacts) -> bool:
    """The judges' calls are known to be bound where one is: that of all models is not."""
    extent = _OF_CALLS.search(sentence)
    if extent is None:
        return True
    rows = code.get("structured_output_calls") or ()
    return bool(_OF_JUDGES.search(extent[0])) and any(row.get("by_judge") for row in rows)


_EXTENTS: Mapping[str, Callable[[str, CodeFacts], bool]] = {
    **dict.fromkeys(
        ("sandboxed_clone", "mkdtemp", "removed_clone", "clone_timeout"),
        _clones,
    ),
    "temporary_directory": _folders,
    "url_validated": _clones,
    "pydantic_models": _models,
    "structured_output": _bound_calls,
}


def is_as_wide(feature: str, sentence: str, code: CodeFacts) -> bool:
    """Return whether the fact of a feature reaches as far as the sentence, in lower case."""
    reaches = _EXTENTS.get(feature)
    return reaches is None or reaches(sentence, code)
