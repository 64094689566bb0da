"""Recognition of a judge's failure that was written down in place of an opinion.

One report in seven from practice carries such failures with a number beside them, as if they
were verdicts. A failure names itself at the beginning of the argument: an error, a limit or a
fallback. Words about the errors of the audited code come later, behind a subject.
"""

from __future__ import annotations

import re

SEARCHED = 160
# At the very beginning, perhaps behind a tag such as `[Prosecutor]` or `ERROR:`.
_BEGINS = re.compile(
    r"[\W_]*(?:(?:\[\w{1,20}(?: \w{1,20})?\]|\w{1,20}(?: \w{1,20})?:)[\W_]{1,4})?(?:"
    r"(?:system|api|llm|model|parse|parsing|parse/llm|json|runtime|judge|evaluation|invocation"
    r"|connection|network)[ /]?(?:call )?(?:error|failure|failed)\b"
    r"|error(?: code)?\s*[:=(\d]"
    r"|error (?:calling|during|while|in|from|generating|parsing|invoking|processing|rendering)\b"
    r"|exception\s*[:(]|traceback\b|timed? ?out\b|timeout\b"
    r"|(?:neutral |default |automatic |deterministic |safe )?fall-?back"
    r" (?:opinion|score|verdict|used|due|judg|applied)"
    r"|(?:could not|cannot|can ?not|unable to|failed to|failure to)"
    r" (?:parse|generate|render|produce|obtain|reach|call|invoke|evaluate|complete|get)\b"
    r"|(?:llm|model|judge|opinion|evaluation|verdict|technical evaluation)[\w ]{0,20}"
    r"(?:was |is |were )?"
    r"(?:unavailable|disabled|failed|failing|not available|skipped|timed out)\b"
    r"|no (?:opinion|argument|response|verdict)"
    r" (?:was )?(?:given|rendered|generated|returned|available|received|produced)?\b"
    r"|(?:rate.?limit|quota|resource.?exhausted|too many (?:requests|rate.?limits)|429)\b"
    r"|(?:\d{1,3} )?validation errors? for \w"
    r"|(?:invalid|missing|malformed) (?:api key|json|response|output|structured output)\b)",
    re.IGNORECASE,
)
# Words of providers and frameworks, which no argument about code uses by chance.
_CONTAINS = re.compile(
    r"error calling model|resource_exhausted|insufficient_quota|context_length_exceeded"
    r"|max(?:imum)? retries exceeded|rate limit (?:reached|exceeded|hit|error)"
    r"|error code: [45]\d\d|http [45]\d\d|\b429 |unable to generate (?:a |an )?(?:full )?opinion"
    r"|failed to (?:render|generate|produce|parse) (?:a |an |the )?"
    r"(?:valid |judicial |structured |full )*(?:opinion|response|output|verdict)"
    r"|could not parse response|fall-?back (?:opinion|score|verdict|due)"
    r"|default(?:ing|ed)? (?:to )?(?:a )?(?:neutral )?score"
    r"|(?:automatic|minimum|neutral|conservative|fixed) score (?:was )?(?:applied|assigned)"
    r"|llm (?:call|invocation|request) failed"
    r"|due to (?:an )?(?:llm|api|model|parsing|system) (?:error|failure)"
    r"|no llm (?:was )?(?:available|configured|used)|api[ _]key (?:is )?(?:not|missing|invalid)",
    re.IGNORECASE,
)
# A text that a template keeps the place of an argument with, and nothing beside it.
_FILLER = re.compile(
    r"[\W_]{0,8}(?:tbd|tba|todo|n ?/ ?a|none|null|pending|not (?:given|provided)"
    r"|to be (?:added|completed|decided|determined|done|filled(?: in)?|provided|written)"
    r"|placeholder[\w ]{0,40}|(?:insert|write|your) [\w' ]{0,60}(?:here)?)[\W_]{0,8}"
    r"|[\s*_>`\"]{0,6}(?:\[[^\[\]]{1,80}\]|<[^<>]{1,80}>|\{[^{}]{1,80}\})[\s*_.`\"]{0,6}",
    re.IGNORECASE,
)
# What a template prints beside a judge's score, of whether it is enough.
_STATUS = re.compile(r"status\W{0,8}(?:pass|fail)(?:ed)?\W{0,8}", re.IGNORECASE)


def is_argued(argument: str) -> bool:
    """Return true for the words of a judge, and false for none and for "Status: PASSED" alone."""
    return bool(argument.strip()) and not _STATUS.fullmatch(argument)


def is_filler(argument: str) -> bool:
    """Return true for a placeholder where an argument should stand: "[Opinion of the Defense.]"."""
    return bool(_FILLER.fullmatch(argument[:SEARCHED]))


def is_failure(argument: str) -> bool:
    """Return true for an argument that reports a failure to judge."""
    beginning = argument[:SEARCHED]
    return bool(_BEGINS.match(beginning) or _CONTAINS.search(beginning))
