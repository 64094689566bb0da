"""A judge's failure that was written down where an opinion should stand.

In the wild one report in seven carried such failures with a number beside them, as if they were verdicts. They tell of
themselves: of an error, a limit or a fallback, at the beginning of what should be an argument. Words about the errors of
the audited code stand further back, behind a subject.
"""

from __future__ import annotations

import re

SEARCHED = 160
_BEGINS = re.compile(
    r"[\W_]*(?:(?:\[\w{1,20}(?: \w{1,20})?\]|\w{1,20}(?: \w{1,20})?:)[\W_]{1,4})?(?:"
    r"(?:system|api|llm|model|parse|parsing|parse/llm|json|runtime|judge|evaluation|invocation|connection|network)[ /]?(?:call )?"
    r"(?:error|failure|failed)\b"
    r"|error(?: code)?\s*[:=(\d]|error (?:calling|during|while|in|from|generating|parsing|invoking|processing|rendering)\b"
    r"|exception\s*[:(]|traceback\b|timed? ?out\b|timeout\b"
    r"|(?:neutral |default |automatic |deterministic |safe )?fall-?back (?:opinion|score|verdict|used|due|judg|applied)"
    r"|(?:could not|cannot|can ?not|unable to|failed to|failure to) (?:parse|generate|render|produce|obtain|reach|call|invoke|evaluate|complete|get)\b"
    r"|(?:llm|model|judge|opinion|evaluation|verdict|technical evaluation)[\w ]{0,20}(?:was |is |were )?"
    r"(?:unavailable|disabled|failed|failing|not available|skipped|timed out)\b"
    r"|no (?:opinion|argument|response|verdict) (?:was )?(?:given|rendered|generated|returned|available|received|produced)?\b"
    r"|(?:rate.?limit|quota|resource.?exhausted|too many requests|429)\b|(?:\d{1,3} )?validation errors? for \w"
    r"|(?:invalid|missing|malformed) (?:api key|json|response|output|structured output)\b)",
    re.IGNORECASE,
)
_TELLS = re.compile(
    r"error calling model|resource_exhausted|insufficient_quota|context_length_exceeded|max(?:imum)? retries exceeded"
    r"|rate limit (?:reached|exceeded|hit|error)|error code: [45]\d\d|http [45]\d\d|\b429 |unable to generate (?:a |an )?(?:full )?opinion"
    r"|failed to (?:render|generate|produce|parse) (?:a |an |the )?(?:valid |judicial |structured |full )*(?:opinion|response|output|verdict)"
    r"|could not parse response|fall-?back (?:opinion|score|verdict|due)|default(?:ing|ed)? (?:to )?(?:a )?(?:neutral )?score"
    r"|llm (?:call|invocation|request) failed|due to (?:an )?(?:llm|api|model|parsing|system) (?:error|failure)"
    r"|no llm (?:was )?(?:available|configured|used)|api[ _]key (?:is )?(?:not|missing|invalid)",
    re.IGNORECASE,
)


def is_failure(argument: str) -> bool:
    """Whether what stands for an argument tells of a failure to judge."""
    return bool(_BEGINS.match(argument[:SEARCHED]) or _TELLS.search(argument[:SEARCHED]))
