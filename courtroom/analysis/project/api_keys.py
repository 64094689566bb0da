"""API keys that the clients of models take, against those that README and .env.example name."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from itertools import islice

from courtroom.analysis.langgraph.state_flow.flow_fault import FlowFault, joined
from courtroom.analysis.python.source_files import CallSite, SourceFile
from courtroom.analysis.python.symbol_table import SymbolTable
from courtroom.analysis.python.tree_walk import constant_text, last_name, values_set_once, walk
from courtroom.models.model_providers import PROVIDERS

# Where a reader looks for the keys that he needs.
DOCUMENTS = (
    *("**/README*", "**/.env*", "**/*.env.*", "**/env.example"),
    *("**/*compose*.y*ml", "**/Dockerfile*", "**/Makefile", "*.md", "docs/**/*.md"),
)
MOST_CLIENTS = 100
OPENAI, GOOGLE, GEMINI = "OPENAI_API_KEY", "GOOGLE_API_KEY", "GEMINI_API_KEY"
# Classes whose key comes from the environment where they are not given one.
CLIENTS: Mapping[str, str] = {
    **{
        f"{provider.package}.{provider.client}": provider.key_variable
        for provider in PROVIDERS.values()
        # A server of one's own wants none, and this one an address as well.
        if provider.key_variable and provider.name not in ("ollama", "azure_openai")
    },
    "langchain_openai.ChatOpenAI": OPENAI,
    "langchain_openai.OpenAIEmbeddings": OPENAI,
    "openai.OpenAI": OPENAI,
    "openai.AsyncOpenAI": OPENAI,
    "anthropic.Anthropic": "ANTHROPIC_API_KEY",
    "groq.Groq": "GROQ_API_KEY",
}
# By the variable: words without which no code has a client that reads it.
PROVIDER_WORDS: Mapping[str, tuple[str, ...]] = {
    OPENAI: ("openai", "open_ai", "gpt"),
    GOOGLE: ("google", "gemini", "genai"),
    GEMINI: ("google", "gemini", "genai"),
    "ANTHROPIC_API_KEY": ("anthropic", "claude"),
    "GROQ_API_KEY": ("groq",),
    "XAI_API_KEY": ("xai", "grok"),
    "DEEPSEEK_API_KEY": ("deepseek",),
    "MISTRAL_API_KEY": ("mistral",),
    "COHERE_API_KEY": ("cohere",),
    "TAVILY_API_KEY": ("tavily",),
    "OPENROUTER_API_KEY": ("openrouter",),
}
# Libraries that choose a provider while they run.
_ANY_PROVIDER = re.compile(
    r"litellm|init_chat_model|aisuite|crewai|llama_index|autogen|pydantic_ai"
)
_KEY_ARGUMENT = re.compile(r"(?:\w{1,30}_)?api_key")
_LOOKUPS = frozenset({"getenv", "environ"})
_VARIABLE = re.compile(r"[A-Z][A-Z0-9_]{0,60}_(?:KEY|TOKEN)")


@dataclass(frozen=True, slots=True)
class _Client:
    """A client that is made at a place, and the variable that holds its key."""

    name: str
    variable: str
    path: str
    line: int
    is_in_use: bool


def key_faults(
    symbols: SymbolTable,
    texts: Mapping[str, str],
    unreached: frozenset[str],
    in_use: AbstractSet[tuple[str, int]] = frozenset(),
) -> list[FlowFault]:
    """Return the keys that code and documents do not both name; `texts` are the DOCUMENTS by path.

    `in_use` are the functions that a run of the graph reaches, by file and line: what they make is
    named before what others make.
    """
    if not texts:
        return []
    unnamed: dict[str, FlowFault] = {}
    clients = [*islice(_clients(symbols, unreached, in_use), MOST_CLIENTS)]
    for client in sorted(clients, key=lambda client: not client.is_in_use):
        aliases = {GEMINI} if client.variable == GOOGLE else set()
        if not any(name in text for name in {client.variable, *aliases} for text in texts.values()):
            sentence = (
                f"`{client.name}` takes its key from `{client.variable}`, which no README and no"
                " example of the settings names"
            )
            fault = FlowFault("unnamed_key", sentence, client.path, client.line)
            unnamed.setdefault(client.variable, fault)
    return [*unnamed.values(), *_unread(symbols, texts)]


def _clients(
    symbols: SymbolTable, unreached: frozenset[str], in_use: AbstractSet[tuple[str, int]]
) -> Iterator[_Client]:
    for source in symbols.codebase.production:
        if source.path in unreached:
            continue
        for call in source.calls:
            dotted = symbols.dotted_name(source, call.node.func)
            if dotted in CLIENTS and (variable := _variable_of(source, call, CLIENTS[dotted])):
                name, function = dotted.rpartition(".")[2], call.function
                key = (source.path, function.node.lineno) if function else None
                is_in_use = key is None or key in in_use
                yield _Client(name, variable, source.path, call.node.lineno, is_in_use)


def _variable_of(source: SourceFile, call: CallSite, default: str) -> str:
    """Return the variable that a client takes its key from; "" where that is not known."""
    if any(keyword.arg is None for keyword in call.node.keywords):
        return ""
    given = [k.value for k in call.node.keywords if _KEY_ARGUMENT.fullmatch(k.arg or "")]
    if not given:
        return default
    value = given[0]
    if isinstance(value, ast.Name):
        scope = call.function.node if call.function is not None else source.tree
        value = values_set_once(scope).get(value.id, value)
    nodes = list(walk(value))
    texts = {constant_text(node) or "" for node in nodes}
    wanted = [text for text in texts if _VARIABLE.fullmatch(text)]
    is_looked_up = not _LOOKUPS.isdisjoint(map(last_name, nodes))
    return wanted[0] if is_looked_up and len(wanted) == 1 else ""


def _unread(symbols: SymbolTable, texts: Mapping[str, str]) -> Iterator[FlowFault]:
    """Yield one fault of the keys that documents name, and whose provider no code names."""
    if symbols.codebase.other_languages or symbols.codebase.unreadable:
        return
    code = "\n".join(source.text for source in symbols.codebase).lower()
    if _ANY_PROVIDER.search(code):
        return
    unread = [
        variable
        for variable, words in PROVIDER_WORDS.items()
        if not any(word in code for word in words)
    ]
    places: dict[str, tuple[str, int]] = {}
    for path, text in sorted(texts.items(), key=lambda row: (".env" not in row[0], row[0])):
        for variable in unread:
            named = re.search(rf"(?<!\w){variable}(?!\w)", text)
            if named is not None and variable not in places:
                places[variable] = path, text.count("\n", 0, named.start()) + 1
    if places:
        first, *further = places.values()
        keys = joined([f"`{name}`" for name in places])
        what = "the key" if len(places) == 1 else "the keys"
        whose = "it nor its provider" if len(places) == 1 else "them nor their providers"
        sentence = f"the documents name {what} {keys}, and the code names neither {whose}"
        yield FlowFault("unused_key", sentence, *first, places=tuple(further))
