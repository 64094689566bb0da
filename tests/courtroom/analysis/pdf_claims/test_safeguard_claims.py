"""Claims on rate limits, retries, fallbacks, time-outs and caches, held against words of the code."""

from __future__ import annotations

import pytest

from courtroom.analysis.pdf.pdf_content import PdfReading
from courtroom.analysis.pdf_claims.claims import check_against_code, feature_claims
from courtroom.analysis.pdf_claims.source_words import safeguard_words

PLAIN = "model = ChatOllama(model=name)\nreturn model.invoke(prompt)\n"
CLAIMS = {
    "rate_limit": "Calls of the judges pass a rate limiter.",
    "call_retry": "API calls are retried with exponential backoff.",
    "model_fallback": "Each judge falls back to a second provider.",
    "call_timeout": "Each model call has a timeout of 30 seconds.",
    "cache": "Evidence is cached by commit.",
}


def _standings(sentence: str, *texts: str) -> dict[str, str]:
    claims = feature_claims(PdfReading((sentence,)))
    held = check_against_code(claims, safeguard_words(texts))
    return {claim.claim.feature: claim.standing for claim in held}


@pytest.mark.parametrize("feature", CLAIMS)
def test_safeguard_of_which_the_code_has_no_word_is_contradicted(feature: str) -> None:
    assert _standings(CLAIMS[feature], PLAIN) == {feature: "contradicted"}
    assert _standings(CLAIMS[feature]) == {feature: "contradicted"}


@pytest.mark.parametrize(
    ("feature", "source"),
    [
        ("rate_limit", "time.sleep(2)"),
        ("rate_limit", "limiter = Semaphore(3)"),
        ("call_retry", "for attempt in range(3):"),
        # The client of a provider retries by itself.
        ("call_retry", "model = ChatOpenAI(model=name)"),
        ("model_fallback", "chain = first.with_fallbacks([second])"),
        ("model_fallback", "return ChatGroq(model=name) if is_fast else ChatOpenAI(model=name)"),
        ("call_timeout", "run(command, timeout=30)"),
        ("cache", "@lru_cache"),
    ],
)
def test_word_of_the_code_leaves_a_safeguard_open(feature: str, source: str) -> None:
    assert _standings(CLAIMS[feature], PLAIN, source) == {feature: "open"}


@pytest.mark.parametrize(
    "sentence",
    [
        "The audit stopped at 429 errors of the provider's rate limiter.",
        "Tests were kept small to avoid rate limiting.",
        "There is no caching of evidence.",
        "Retries exist for the judges, but not for the clone.",
        "A caching layer is the next step.",
        "It suggests caching strategies to the student.",
        "If the model fails, the judge falls back to a heuristic.",
        "The clone handles timeouts of the network.",
        "The detective checks whether API calls are retried.",
    ],
)
def test_limits_of_others_plans_and_denials_claim_no_safeguard(sentence: str) -> None:
    assert not CLAIMS.keys() & _standings(sentence, PLAIN).keys()
