"""Forms in which an endpoint is asked for JSON, learnt from its refusals.

OpenAI-compatible endpoints differ: some take a JSON Schema, some only `json_object`, some neither,
some refuse a parameter, and the templates of some models take no two messages of a user in a row,
or no system message. The wordings that are recognized are those of llama.cpp, llama-cpp-python,
vLLM, SGLang, LM Studio, Ollama, LiteLLM, Groq, DeepSeek, Mistral, Gemini and OpenAI.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import Any, Literal

from courtroom.models.audit_report import AnswerForm

# From the strictest to the one that every endpoint takes.
FORMS: tuple[AnswerForm, ...] = ("json_schema", "json_object", "text")
# Roles of the messages: as we write them, one system and one user message, or one user message.
Roles = Literal["several", "alternating", "user"]
# An endpoint refuses a form before its model writes a word. So much head start has the first call.
HEAD_START_SECONDS = 0.25
NAMES_FORM = re.compile(
    r"response[ _]?(?:format|schema|mime)|json[ _-]?(?:schema|object|mode)|structured[ _]?outputs?"
    r"|guided[ _]|grammar|invalid format",
    re.IGNORECASE,
)
# A parameter's name where it is quoted, not the same word in a sentence.
NAMES_STORE = re.compile(r"[\"'`]store[\"'`]")
# OpenAI names the parameter that it wants where it refuses the other.
NAMES_TOKENS = re.compile(r"(?<!use ')max_completion_tokens", re.IGNORECASE)
NAMES_TEMPERATURE = re.compile(
    r"[\"'`]temperature[\"'`]"
    r"|\btemperature (?:is|may|must|can|does|parameter)\b"
    r"|(?:unsupported|unknown|invalid|unexpected)[^.\n]{0,40}\btemperature\b",
    re.IGNORECASE,
)
NAMES_ALTERNATION = re.compile(r"\b(?:must|should|requests) alternate\b", re.IGNORECASE)
NAMES_SYSTEM = re.compile(
    r"system[_ ](?:role|message|prompt|instruction)s?[^.\n]{0,20} not (?:supported|allowed|enabled)"
    r"|developer instruction[^.\n]{0,20} not enabled|does not support 'system'"
    r"|only user,? (?:and )?(?:assistant|model)[^.\n]{0,40} roles are supported",
    re.IGNORECASE,
)
FENCED = re.compile(r"^[ \t]*```[\w-]*[ \t]*\r?\n(.*?)^[ \t]*```[ \t]*$", re.DOTALL | re.MULTILINE)
THOUGHTS = re.compile(r"\A\s*<think>.*?</think>", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Dialect:
    """Request that an endpoint takes for one model. `tokens` is its name for the limit of an answer."""

    form: AnswerForm = "json_schema"
    has_store: bool = True
    tokens: str = "max_completion_tokens"
    has_temperature: bool = True
    roles: Roles = "several"

    @property
    def refused(self) -> tuple[str, ...]:
        """Return what the endpoint refused beside forms, in words for the report."""
        parts = {
            "store": self.has_store,
            "max_completion_tokens": self.tokens == "max_completion_tokens",
            "temperature": self.has_temperature,
            "several user messages": self.roles == "several",
            "system messages": self.roles != "user",
        }
        return tuple(name for name, is_taken in parts.items() if not is_taken)

    def parameters(
        self, schema: dict[str, Any], max_tokens: int, temperature: float | None = None
    ) -> dict[str, Any]:
        """Return the request's fields beside model and messages."""
        fields: dict[str, Any] = {self.tokens: max_tokens}
        # Unset, it is not sent: some models take no temperature but their own.
        if temperature is not None and self.has_temperature:
            fields["temperature"] = temperature
        if self.has_store:
            fields["store"] = False
        if self.form == "json_schema":
            named = {"name": "answer", "strict": True, "schema": schema}
            fields["response_format"] = {"type": "json_schema", "json_schema": named}
        elif self.form == "json_object":
            fields["response_format"] = {"type": "json_object"}
        return fields

    def after_refusal(self, words: str) -> Dialect:
        """Return what to try after this refusal; itself where the words name nothing of it."""
        dialect = self
        if self.has_store and NAMES_STORE.search(words):
            dialect = replace(dialect, has_store=False)
        if self.tokens != "max_tokens" and NAMES_TOKENS.search(words):
            dialect = replace(dialect, tokens="max_tokens")
        if self.has_temperature and NAMES_TEMPERATURE.search(words):
            dialect = replace(dialect, has_temperature=False)
        if self.roles != "user" and NAMES_SYSTEM.search(words):
            dialect = replace(dialect, roles="user")
        elif self.roles != "user" and NAMES_ALTERNATION.search(words):
            # A template without a system role may name nothing but the alternation.
            roles: Roles = "alternating" if self.roles == "several" else "user"
            dialect = replace(dialect, roles=roles)
        if self.form != "text" and NAMES_FORM.search(words):
            dialect = replace(dialect, form=FORMS[FORMS.index(self.form) + 1])
        return dialect


# (endpoint, model) -> what the endpoint took, for all audits of this process.
ACCEPTED: dict[tuple[str, str], Dialect] = {}


class DialectTrial:
    """Dialect of one model at one endpoint, as all calls of one bench use it.

    While it is not known, one call goes first: the others follow when it was answered, or after
    the head start. So parallel calls learn from one refusal.
    """

    def __init__(
        self, place: tuple[str, str], head_start_seconds: float = HEAD_START_SECONDS
    ) -> None:
        self._place, self._head_start = place, head_start_seconds
        self.dialect = ACCEPTED.get(place, Dialect())
        self._is_known = place in ACCEPTED
        self._first_call: asyncio.Event | None = None

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[Dialect]:
        """Yield the dialect to use, behind the call that tries it first."""
        while not self._is_known and self._first_call is not None:
            first = self._first_call
            try:
                await asyncio.wait_for(first.wait(), self._head_start)
            except TimeoutError:
                break
        if self._is_known or self._first_call is not None:
            yield self.dialect
            return

        self._first_call = asyncio.Event()
        try:
            yield self.dialect
        finally:
            self._first_call.set()
            self._first_call = None

    def accept(self, dialect: Dialect) -> None:
        """Remember a dialect that was answered; a later refusal has moved on from an older one."""
        if dialect == self.dialect:
            self._is_known = True
            ACCEPTED[self._place] = dialect

    def refuse(self, dialect: Dialect, words: str) -> bool:
        """Return whether the same call is worth sending again: in another dialect than it had."""
        if dialect == self.dialect:
            self.dialect = dialect.after_refusal(words)
            self._is_known = False
            return self.dialect != dialect
        # Others have moved on while this call was under way.
        return dialect.after_refusal(words) != dialect


def form_in_words(form: AnswerForm, schema: Mapping[str, Any]) -> str:
    """Return the form as instructions, for an endpoint that takes no schema."""
    frame = (
        "Answer with one JSON object and nothing before or after it."
        if form == "json_object"
        else "Answer with one JSON object in one fenced block, which begins with ```json and ends"
        " with ```, and write nothing else."
    )
    return f"{frame} The JSON object is {_in_words(schema, '')}"


def _in_words(schema: Mapping[str, Any], indent: str) -> str:
    kind = schema.get("type")
    if kind == "object" and schema.get("properties"):
        inner = indent + "  "
        rows = (
            f"\n{inner}- {json.dumps(name)}: {_in_words(part, inner)}"
            for name, part in schema["properties"].items()
        )
        return f"an object with exactly these keys, in this order:{''.join(rows)}"
    if kind == "array" and isinstance(schema.get("items"), Mapping):
        return f"a list, each item {_in_words(schema['items'], indent)}"
    if "enum" in schema:
        return "one of " + ", ".join(json.dumps(value) for value in schema["enum"])
    names = {"string": "a string", "integer": "a whole number", "boolean": "true or false"}
    # A schema of another shape is shown as it is.
    is_plain = set(schema) <= {"type", "description"} and kind in names
    return names[str(kind)] if is_plain else f"a value of this JSON Schema: {json.dumps(schema)}"


def bare_json(text: str) -> str:
    """Return the one fenced block of an answer that does not begin with its JSON object.

    With no block, or several, the text stays as it is: nothing is guessed.
    """
    answer = THOUGHTS.sub("", text).strip()
    if answer.startswith("{"):
        return answer
    blocks = FENCED.findall(answer)
    return str(blocks[0]) if len(blocks) == 1 else answer
