"""Names of language models in a sentence or a source, by which one model is told from another."""

from __future__ import annotations

import re
from collections.abc import Mapping

_NAME = re.compile(
    r"\b(?:gpt-?\d(?:\.\d)?[a-z]{0,2}|gemini|claude)\b"
    r"(?:[- ](?:\d{1,8}(?:\.\d)?[a-z]?|pro|flash|ultra|nano|lite|mini|turbo|sonnet|opus|haiku|instant"
    r"|(?<=-)vision|(?<=-)vision-?preview|preview|exp|latest|thinking)\b){0,5}"
)
# What a provider puts behind the name of a model that it offers in several versions.
_VERSION = re.compile(r"(?:(?>\d{3,40})|latest|preview|exp){0,6}")
_SETTING = re.compile(r"\s{0,8}(?:-\s{1,4}|export\s{1,4})?[\"']?(\w{1,60})[\"']?\s{0,4}[:=]")


def model_names(text: str) -> set[str]:
    """Return the models that the text names, in small letters and digits alone."""
    return {re.sub(r"[^a-z0-9]", "", match[0]) for match in _NAME.finditer(text.lower())}


def is_same_model(stated: str, name: str) -> bool:
    """Return whether a name of the code is that of the stated model, with a version or without."""
    return name.startswith(stated) and _VERSION.fullmatch(name, len(stated)) is not None


def models_of_code(sources: Mapping[str, str]) -> list[str]:
    """Return the models that the sources name by path; a setting counts if Python code has its name."""
    python = [text for path, text in sources.items() if path.endswith(".py")]
    names = {name for text in python for name in model_names(text)}
    words = {word for text in python for word in re.findall(r"\w+", text)}
    for path, text in sources.items():
        lines = () if path.endswith(".py") else text.split("\n")
        for line in lines:
            setting = _SETTING.match(line)
            if setting is None or setting[1] in words:
                names |= model_names(line)
    return sorted(names)
