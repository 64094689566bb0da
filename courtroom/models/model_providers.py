"""Providers whose models are named with a prefix (`anthropic:...`), and the packages of each.

They have a client of their own: all other endpoints speak OpenAI's protocol. This is data, read by
the web process too, so nothing of a package is imported here.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec


@dataclass(frozen=True, slots=True)
class Provider:
    """Provider by its prefix; `package` and `client` name its langchain class.

    `url` is the provider's own address, "" where each customer has another. `key_variable` is the
    variable of the environment with its key, "" where a key alone does not sign in.
    """

    name: str
    label: str
    package: str
    client: str
    url: str = ""
    key_variable: str = ""

    @property
    def is_installed(self) -> bool:
        return find_spec(self.package) is not None


_ROWS = (
    Provider(
        "anthropic",
        "Anthropic",
        "langchain_anthropic",
        "ChatAnthropic",
        "https://api.anthropic.com",
        "ANTHROPIC_API_KEY",
    ),
    Provider(
        "azure_openai",
        "Azure OpenAI",
        "langchain_openai",
        "AzureChatOpenAI",
        key_variable="AZURE_OPENAI_API_KEY",
    ),
    Provider("bedrock_converse", "Amazon Bedrock", "langchain_aws", "ChatBedrockConverse"),
    Provider(
        "cohere",
        "Cohere",
        "langchain_cohere",
        "ChatCohere",
        "https://api.cohere.com",
        "COHERE_API_KEY",
    ),
    Provider(
        "deepseek",
        "DeepSeek",
        "langchain_deepseek",
        "ChatDeepSeek",
        "https://api.deepseek.com/v1",
        "DEEPSEEK_API_KEY",
    ),
    Provider(
        "fireworks",
        "Fireworks",
        "langchain_fireworks",
        "ChatFireworks",
        "https://api.fireworks.ai/inference",
        "FIREWORKS_API_KEY",
    ),
    Provider(
        "google_genai",
        "Google Gemini",
        "langchain_google_genai",
        "ChatGoogleGenerativeAI",
        "https://generativelanguage.googleapis.com",
        "GOOGLE_API_KEY",
    ),
    Provider("groq", "Groq", "langchain_groq", "ChatGroq", "https://api.groq.com", "GROQ_API_KEY"),
    Provider(
        "mistralai",
        "Mistral",
        "langchain_mistralai",
        "ChatMistralAI",
        "https://api.mistral.ai/v1",
        "MISTRAL_API_KEY",
    ),
    Provider("ollama", "Ollama", "langchain_ollama", "ChatOllama", key_variable="OLLAMA_API_KEY"),
    Provider(
        "together",
        "Together",
        "langchain_together",
        "ChatTogether",
        "https://api.together.xyz/v1",
        "TOGETHER_API_KEY",
    ),
    Provider("xai", "xAI", "langchain_xai", "ChatXAI", "https://api.x.ai/v1", "XAI_API_KEY"),
)
PROVIDERS = {provider.name: provider for provider in _ROWS}
# The protocol of all other models, and its name as a prefix.
OPENAI = "openai"
# Speaks it too, at addresses of another form.
AZURE = "azure_openai"


def split_model(model: str) -> tuple[str, str]:
    """Return the provider and the model's own name; OPENAI for a name without a known prefix."""
    prefix, colon, name = model.partition(":")
    is_prefixed = bool(colon) and (prefix in PROVIDERS or prefix == OPENAI)
    return (prefix, name) if is_prefixed else (OPENAI, model)
