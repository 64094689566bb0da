"""Provider's words as a report may show them: an error's text may hold paths, traces, addresses
and parts of the API key.
"""

from __future__ import annotations

import re

from courtroom.analysis.security.committed_secrets import redacted

# Enough for one sentence.
WORDS_CHARACTERS = 160
# What a server's own failure looks like from the inside; all that follows is dropped.
TRACE = re.compile(
    r"Traceback \(most recent call last\)|\bFile \"|\n[ \t]*at [^\n]*[(:]|goroutine \d+"
    r"|stack backtrace|\bpanicked at\b",
    re.IGNORECASE,
)
# Every quantifier is bounded or followed by what it cannot match, so that no text is slow.
REMOVED = (
    # Pages of proxies.
    (re.compile(r"</?[a-z!][^<>]{0,300}>", re.IGNORECASE), " "),
    (re.compile(r"\b[a-z][a-z0-9+.-]{1,20}://\S{1,2000}", re.IGNORECASE), "[address]"),
    (re.compile(r"\bBearer\s+\S{1,500}", re.IGNORECASE), "[key]"),
    (
        re.compile(
            r"\b(?:sk|pk|rk|gsk|xai|hf|key|token)[-_](?=[\w.-]{0,99}[\d*])[\w*.-]{4,200}",
            re.IGNORECASE,
        ),
        "[key]",
    ),
    (
        re.compile(
            r"(?:api[ _-]?key|token|password|secret)[\"']?\s*[:=]\s*\S{1,200}", re.IGNORECASE
        ),
        "[key]",
    ),
    (re.compile(r"\(?\b(?:request|trace)[ _-]?id\b[\"']?[: ]*[\w-]{4,100}\)?", re.IGNORECASE), ""),
    (re.compile(r"\breq_\w{4,100}"), ""),
    (re.compile(r"(?:\b[A-Za-z]:|\\)\\[^\s\"'<>|]{1,400}"), "[path]"),
    (re.compile(r"(?<![\w<])~?/[\w.@+-]+(?:/[\w.@+-]*){0,40}(?::\d+)?"), "[path]"),
    (
        re.compile(r"\b[\w./-]{1,200}\.(?:pyc?|[cm]?[jt]sx?|cpp|cc|go|rs|so|dll|gguf)\b(?::\d+)?"),
        "[path]",
    ),
    (re.compile(r"\b(?:\d{1,3}\.){3}\d{1,3}(?::\d+)?\b|\blocalhost(?::\d+)?\b"), "[address]"),
    (re.compile(r"\b(?=\w*\d)(?=\w*[A-Za-z])\w{24,200}\b"), "[id]"),
)


def provider_words(text: str, most: int = WORDS_CHARACTERS) -> str:
    """Return the first words of a provider's text, without paths, traces, addresses and keys."""
    text = redacted(TRACE.split(text[: most * 20], maxsplit=1)[0])
    for pattern, name in REMOVED:
        text = pattern.sub(name, text)
    words = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    if not re.search(r"[^\W\d_]{3}", re.sub(r"\[\w+\]", "", words)):
        return ""
    return words if len(words) <= most else words[:most].rsplit(" ", 1)[0] + " …"
