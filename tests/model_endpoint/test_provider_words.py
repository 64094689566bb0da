"""Report's words on a provider's failure: our sentence, and none of its paths, traces or keys."""

import asyncio

import pytest

from courtroom.judges.llm import LlmBench
from courtroom.judges.provider_failures import failure_of
from courtroom.judges.provider_words import WORDS_CHARACTERS, provider_words
from courtroom.models.case import BenchSettings
from courtroom.models.judge_answer import PERSONAS, JudgeFailure
from tests.courtroom.judges.questions import make_question
from tests.factories.model_server import model_endpoint
from tests.model_endpoint.picky_endpoint import TRACEBACK, VALIDATION, PickyHandler


def ask(base_url, model):
    settings = BenchSettings(
        kind="llm", models=dict.fromkeys(PERSONAS, model), api_key="key", base_url=base_url
    )

    async def answer():
        bench = LlmBench(settings)
        try:
            return (await bench.answer([make_question("Defense", ("a",), ("b",))]))[0].opinion
        finally:
            await bench.close()

    return asyncio.run(answer())


def test_traceback_of_an_endpoint_does_not_reach_the_record():
    with model_endpoint(PickyHandler) as endpoint:
        failure = ask(endpoint.base_url, "tracing")
    assert isinstance(failure, JudgeFailure)
    assert (failure.failure, failure.message) == ("server", "The endpoint failed (HTTP 500).")


def test_endpoint_that_is_not_there_is_told_in_one_sentence():
    failure = ask("http://127.0.0.1:9/v1", "any")
    assert isinstance(failure, JudgeFailure)
    assert (failure.failure, failure.message) == ("server", "The endpoint could not be reached.")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("slow down", "slow down"),
        (TRACEBACK, ""),
        (f"Out of memory.\n{TRACEBACK}", "Out of memory."),
        ("Error: no\n    at generate (/srv/app/index.js:20:1)", "Error: no"),
        ("cannot open /srv/models/a.gguf", "cannot open [path]"),
        ("cannot open C:\\Users\\me\\model.bin now", "cannot open [path] now"),
        ("cannot open ~/models/a and model.py:12", "cannot open [path] and [path]"),
        ("see https://user:word@host/x?key=abc for more", "see [address] for more"),
        ("connect to 10.0.0.3:8000 or localhost:11434", "connect to [address] or [address]"),
        ("Incorrect key sk-proj-abc***xyz given", "Incorrect key [key] given"),
        ("api_key=abcdefgh refused", "[key] refused"),
        ("Authorization: Bearer abc.def was refused", "Authorization: [key] was refused"),
        ("busy (request id: 20241022210315850288268h2ZnBgbC)", "busy"),
        ("quota of org a1B2c3D4e5F6a1B2c3D4e5F6 is used up", "quota of org [id] is used up"),
        ("meta-llama/Llama-3.3-70B is overloaded", "meta-llama/Llama-3.3-70B is overloaded"),
        ("model\x00 \x1b[31mis\n\n gone", "model [31mis gone"),
        ("/srv/a", ""),
    ],
)
def test_paths_traces_addresses_and_keys_are_cut_from_a_providers_words(text, words):
    assert provider_words(text) == words


def test_long_words_are_cut_at_a_word():
    words = provider_words("word " * 5000)
    assert len(words) <= WORDS_CHARACTERS + 2
    assert words.endswith("word …")


def test_message_of_an_unknown_error_is_not_repeated():
    assert failure_of(KeyError("/srv/secret")).message == "The endpoint's answer could not be read."


def test_validation_with_a_traceback_keeps_its_first_words():
    assert "File" not in provider_words(VALIDATION, 10_000)
    assert "/srv" not in provider_words(VALIDATION, 10_000)
