"""Words of the sources that claims of a report are held against: libraries, models, folders."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

# By library: its modules.
LIBRARIES: Mapping[str, tuple[str, ...]] = {
    "tree_sitter": ("tree_sitter", "tree_sitter_languages", "tree_sitter_python"),
    "docling": ("docling", "docling_core", "langchain_docling"),
    "gitpython": ("git",),
    "pymupdf": ("fitz", "pymupdf", "pymupdf4llm"),
    "pdfplumber": ("pdfplumber",),
    "pypdf": ("pypdf",),
    "pypdf2": ("PyPDF2",),
    "tenacity": ("tenacity",),
}
# By family of models: its names, and the words of its provider.
MODELS: Mapping[str, tuple[re.Pattern[str], re.Pattern[str]]] = {
    family: (re.compile(name, re.IGNORECASE), re.compile(provider, re.IGNORECASE))
    for family, name, provider in (
        ("gpt", r"gpt-?[345]", r"open_?ai|azure"),
        ("gemini", r"gemini", r"google"),
        ("claude", r"claude", r"anthropic"),
    )
}
# What runs open models alone, and what passes calls on to the models of any provider.
_LOCAL_MODELS = re.compile(r"ollama", re.IGNORECASE)
_GATEWAYS = re.compile(
    r"open_?router|litellm|init_chat_model|groq|langchain_together", re.IGNORECASE
)
# What may remove a folder, by Python or by a command; a rubric names TemporaryDirectory, too.
_REMOVES = re.compile(
    r"rmtree|(?:with|=|return) (?:tempfile\.)?TemporaryDirectory\(|\brmdir\b|removedirs|rm -rf|\.cleanup\("
)
# Calls that run several functions of one node at the same time.
_SIDE_BY_SIDE = re.compile(
    r"\basyncio\.(?:gather|wait|TaskGroup)\b|\b(?:Thread|Process)PoolExecutor\b"
)
# A test of a source's text for a word of LangGraph or Pydantic, outside of an assertion.
_TESTS_SOURCE = re.compile(
    r"^[ \t]*+(?!assert\b)[^\n#]{0,160}[\"'](?:with_structured_output|bind_tools|StateGraph|add_edge"
    r"|add_conditional_edges|BaseModel|TypedDict|operator\.(?:add|ior))(?:\(\w{0,40}\)?)?[\"']"
    r" (?:not )?in "
    r"(?:file_|source_)?(?:source|code|contents?)\b(?![.(\[])",
    re.MULTILINE,
)
# "assert overlap < 0.60" of a test.
_ASSERTED_SHARE = re.compile(
    r"^[ \t]*+assert \w{0,40}(?:overlap|similarity|shared)\w{0,20} <=? 0?\.(\d{1,2})\b",
    re.MULTILINE,
)
# What holds parsed answers to a Pydantic model.
_VALIDATES = re.compile(
    r"\bmodel_validate(?:_json)?\(|\bparse_(?:obj|raw)\(|\bPydanticOutputParser\("
)
# Calls that make JSON, and those that write it to a file or return it to a browser.
_MAKES_JSON = re.compile(r"\bjson\.dumps\(|model_dump_json\(|\bto_json\(|\borjson\b|\.json\(")
_WRITES_JSON = re.compile(
    r"\bjson\.dump\(|\bJSONResponse\(|\bjsonify\("
    r"|\b(?:write|write_text|write_bytes|print)\([^\n]{0,120}(?:\bdumps\(|dump_json\(|to_json\()"
)
# A median, and the difference between the highest and the lowest score.
_MEDIAN = re.compile(r"\bmedian(?:_low|_high)?\(")
_SPREAD = re.compile(r"\bmax\([^()\n]{1,80}\) ?- ?min\(")
# By the claim on a slow, busy or failing service: words of code that may bear it out. A client of
# the models of a provider retries by itself.
_SAFEGUARDS: Mapping[str, re.Pattern[str]] = {
    name: re.compile(words, re.IGNORECASE)
    for name, words in (
        (
            "rate_limit",
            (
                r"rate_?limit|throttl|limiter|sleep\(|semaphore|concurrency|max_workers|requests_per"
                r"|\b[rt]pm\b|bucket|cool_?down|delay|jitter|stagger|interval|wait_|quota|429"
            ),
        ),
        (
            "call_retry",
            (
                r"retr(?:y|ies)|attempt|back_?off|tenacity|tries\b|while true"
                r"|\bchat(?!ollama)[a-z]{4,20}\(|boto3|init_chat_model"
                r"|\b(?:async)?(?:openai|anthropic|groq)\(|genai"
            ),
        ),
        (
            "model_fallback",
            r"fall_?back|back_?up|secondary|alternat|next_|candidates|providers|models\b",
        ),
        ("call_timeout", r"time_?out|deadline|wait_for|alarm\(|time_limit|max_time|max_seconds"),
        (
            "cache",
            (
                r"cach|memoi[sz]|\bmemo\b|lru_|shelve|pickle|sqlite|redis|checkpoint|memorysaver|chroma"
                r"|faiss"
            ),
        ),
    )
}
_CHAT_MODEL = re.compile(r"\bChat[A-Z]\w{2,30}(?=\()")
# Not as a requirement with its bound, "pymupdf>=1.2", which uses nothing by itself.
_NOT_REQUIRED = r"(?![\w-]{0,40}(?:\[[\w,-]{0,80}\])? ?[<>=~!])"
# Files that say what is to be installed, which runs nothing.
_MANIFEST = re.compile(
    r"(?:^|/)(?:requirements[\w.-]*\.(?:txt|in)|Pipfile|setup\.(?:py|cfg)|environment\.ya?ml"
    r"|pyproject\.toml|package(?:-lock)?\.json|[\w.-]+\.lock)$"
)
_IMPORT = re.compile(r"^[ \t]*(?:import|from)[ \t]+(\w+)", re.MULTILINE)


def is_manifest(path: str) -> bool:
    """Return whether a file lists what is to be installed: a package in it may be used by nothing."""
    return _MANIFEST.search(path) is not None


def source_words(texts: Sequence[str]) -> dict[str, Any]:
    """Return facts on the sources by the words in them.

    `uses_<library>` goes by its imports, `uses_<family>` of models by their names. The others say
    whether the sources call mkdtemp, remove folders, look for words in a source, take a median beside
    a spread, hold answers to a model, run functions side by side and write JSON, which is null where
    some is made that another call may write. `asserted_shares` are the percentages up to which a test
    lets texts overlap.

    A library that is named but not imported may run in another way: null. A requirement alone does
    not run it.
    """
    imported = {name for text in texts for name in _IMPORT.findall(text)}
    words: dict[str, Any] = {
        f"uses_{library}": True if imported.intersection(modules) else _is_named(library, texts)
        for library, modules in LIBRARIES.items()
    }
    return {
        **words,
        **_uses_of_models(texts),
        "has_mkdtemp": any("mkdtemp(" in text for text in texts),
        "removes_folders": any(_REMOVES.search(text) for text in texts),
        "tests_source_words": any(_TESTS_SOURCE.search(text) for text in texts),
        "asserted_shares": sorted(
            {int(share.ljust(2, "0")) for text in texts for share in _ASSERTED_SHARE.findall(text)}
        ),
        "takes_median_by_spread": any(_MEDIAN.search(t) and _SPREAD.search(t) for t in texts),
        "validates_answers": _is_in(_VALIDATES, texts),
        "runs_side_by_side": any(_SIDE_BY_SIDE.search(text) for text in texts),
        "writes_json": True
        if _is_in(_WRITES_JSON, texts)
        else None
        if _is_in(_MAKES_JSON, texts)
        else False,
    }


def safeguard_words(texts: Sequence[str]) -> dict[str, bool | None]:
    """Return `has_<claim>` by safeguard, false where the code has no word for it.

    `texts` are those of the code that a run may reach. A word by itself bears nothing out: null.
    """
    named = {name for name, words in _SAFEGUARDS.items() if _is_in(words, texts)}
    if len({model for text in texts for model in _CHAT_MODEL.findall(text)}) > 1:
        named.add("model_fallback")
    return {f"has_{name}": None if name in named else False for name in _SAFEGUARDS}


def _uses_of_models(texts: Sequence[str]) -> dict[str, bool | None]:
    """Return false for a family where only others are named: a setting may name any of them.

    Where none is named, code that runs models by Ollama alone has none of them.
    """
    named = {
        family for family, (name, _) in MODELS.items() if any(name.search(text) for text in texts)
    }
    is_local = _is_in(_LOCAL_MODELS, texts) and not _is_in(_GATEWAYS, texts)
    uses: dict[str, bool | None] = {}
    for family, (_, provider) in MODELS.items():
        is_open = not (named or is_local) or _is_in(provider, texts)
        uses[f"uses_{family}"] = True if family in named else None if is_open else False
    return uses


def _is_in(words: re.Pattern[str], texts: Sequence[str]) -> bool:
    return any(words.search(text) for text in texts)


def _is_named(library: str, texts: Sequence[str]) -> bool | None:
    # PyPDF2 became pypdf: the one neither bears out nor contradicts the other.
    spellings = (library.rstrip("2"), library.replace("_", "-"), *LIBRARIES[library])
    words = "|".join(map(re.escape, spellings))
    name = re.compile(rf"(?:{words}){_NOT_REQUIRED}", re.IGNORECASE)
    return None if any(name.search(text) for text in texts) else False
