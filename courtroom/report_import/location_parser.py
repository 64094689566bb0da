"""Parser for files and lines of the audited repository that a text names."""

from __future__ import annotations

import re

from courtroom.report_import.vocabulary import phrases

_WORD = re.compile(r"[^\s,;()\[\]{}<>\"'`|“”\u2018\u2019]+")
# A path with its ending, and perhaps a line behind it: `a.py:12`, `a.py#L12-L20`, `a.py:12:4`.
_PATH = re.compile(
    r"(?:\.{0,2}/)?([\w.@+/-]{1,250}\.([A-Za-z][A-Za-z0-9]{0,7}))"
    r"(?:(?::|#L?)(\d{1,6})(?:[-\u2013]L?\d{1,6})?(?::\d+)?)?[.:]?"
)
_LINE_AFTER = re.compile(
    r"[\s,:(`'\"]{0,4}(?:at |on |in )?(?:lines?|L|ln\.?)[\s:]?(\d{1,6})\b", re.IGNORECASE
)
_LINE_BEFORE = re.compile(
    r"\blines?\s(\d{1,6})(?:[-\u2013]\d{1,6})?\s(?:of|in)\s[`'\"]?$", re.IGNORECASE
)
_ANY_LINE = re.compile(r"\blines?\s(\d{1,6})\b", re.IGNORECASE)
LONGEST_PATH = 300
SEARCHED = 4000
# Only known endings: `e.g` and `LangGraph.The` have the shape of a path too.
_ENDINGS = phrases("""
    py, pyi, ipynb, md, rst, txt, json, jsonl, toml, yaml, yml, cfg, ini, env, lock, csv, tsv,
    html, css, scss, js, mjs, cjs, jsx, ts, tsx, vue, svelte, pdf, png, jpg, jpeg, svg, sh, bash,
    ps1, bat, sql, go, rs, java, kt, rb, php, c, h, cc, cpp, hpp, cs, swift, scala, r, proto,
    graphql, tf, xml, dockerfile, mmd, puml, example
""")


def parse_location(text: str) -> tuple[str | None, int | None]:
    """Return the first file that a text names, with its line where one stands beside it."""
    for word in _WORD.finditer(text[:SEARCHED]):
        if "." not in word[0] or len(word[0]) > LONGEST_PATH or "://" in word[0]:
            continue

        # Windows paths become those of git.
        match = _PATH.fullmatch(word[0].replace("\\", "/"))
        if match and match[2].lower() in _ENDINGS:
            return match[1], _line_number(match[3], text, word)
    return None, None


def parse_line_number(text: str) -> int | None:
    """Return a line that a text names without its file, as in: (lines 30-34)."""
    match = _ANY_LINE.search(text[:SEARCHED])
    return int(match[1]) or None if match else None


def _line_number(digits: str | None, text: str, word: re.Match[str]) -> int | None:
    if digits is None:
        before = text[max(0, word.start() - 40) : word.start()]
        match = _LINE_AFTER.match(text, word.end()) or _LINE_BEFORE.search(before)
        digits = match[1] if match else None

    # Lines are 1-based: a line 0 is no line.
    return int(digits) or None if digits else None
