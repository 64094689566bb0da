"""Files and lines of the audited repository that a text names."""

from __future__ import annotations

import re

_TOKEN = re.compile(r"[^\s,;()\[\]{}<>\"'`|“”\u2018\u2019]+")
_PATH = re.compile(
    r"(?:\.{0,2}/)?([\w.@+/-]{1,250}\.([A-Za-z][A-Za-z0-9]{0,7}))(?:(?::|#L?)(\d{1,6})(?:[-\u2013]L?\d{1,6})?(?::\d+)?)?[.:]?"
)
_LINE = re.compile(
    r"[\s,:(`'\"]{0,4}(?:at |on |in )?(?:lines?|L|ln\.?)[\s:]?(\d{1,6})\b", re.IGNORECASE
)
_LINE_BEFORE = re.compile(
    r"\blines?\s(\d{1,6})(?:[-\u2013]\d{1,6})?\s(?:of|in)\s[`'\"]?$", re.IGNORECASE
)
_ANY_LINE = re.compile(r"\blines?\s(\d{1,6})\b", re.IGNORECASE)
LONGEST_PATH = 300
SEARCHED = 4000
_ENDINGS = frozenset(
    [
        "py",
        "pyi",
        "ipynb",
        "md",
        "rst",
        "txt",
        "json",
        "jsonl",
        "toml",
        "yaml",
        "yml",
        "cfg",
        "ini",
        "env",
        "lock",
        "csv",
        "tsv",
        "html",
        "css",
        "scss",
        "js",
        "mjs",
        "cjs",
        "jsx",
        "ts",
        "tsx",
        "vue",
        "svelte",
        "pdf",
        "png",
        "jpg",
        "jpeg",
        "svg",
        "sh",
        "bash",
        "ps1",
        "bat",
        "sql",
        "go",
        "rs",
        "java",
        "kt",
        "rb",
        "php",
        "c",
        "h",
        "cc",
        "cpp",
        "hpp",
        "cs",
        "swift",
        "scala",
        "r",
        "proto",
        "graphql",
        "tf",
        "xml",
        "dockerfile",
        "mmd",
        "puml",
        "example",
    ]
)


def place_in(text: str) -> tuple[str | None, int | None]:
    """The first file a text names, with its line where one is named beside it."""
    for token in _TOKEN.finditer(text[:SEARCHED]):
        if "." not in token[0] or len(token[0]) > LONGEST_PATH or "://" in token[0]:
            continue
        match = _PATH.fullmatch(token[0].replace("\\", "/"))
        if match and match[2].lower() in _ENDINGS:
            return match[1], _line_of(match[3], text, token)
    return None, None


def line_in(text: str) -> int | None:
    """A line that a text names without its file, as in: (lines 30-34)."""
    match = _ANY_LINE.search(text[:SEARCHED])
    return int(match[1]) or None if match else None


def _line_of(written: str | None, text: str, token: re.Match[str]) -> int | None:
    if written is None:
        beside = _LINE.match(text, token.end()) or _LINE_BEFORE.search(
            text[max(0, token.start() - 40) : token.start()]
        )
        written = beside[1] if beside else None
    return int(written) or None if written else None
