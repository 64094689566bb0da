"""Language of a file, by its name."""

from __future__ import annotations

from pathlib import PurePosixPath

LANGUAGES: dict[str, tuple[str, ...]] = {
    "Python": (".py", ".pyi"),
    "Jupyter": (".ipynb",),
    "JavaScript": (".js", ".mjs", ".cjs", ".jsx"),
    "TypeScript": (".ts", ".mts", ".cts", ".tsx"),
    "Vue": (".vue",),
    "Svelte": (".svelte",),
    "Go": (".go",),
    "Rust": (".rs",),
    "Java": (".java",),
    "Kotlin": (".kt", ".kts"),
    "Scala": (".scala",),
    "C": (".c", ".h"),
    "C++": (".cpp", ".cc", ".cxx", ".hpp", ".hh"),
    "C#": (".cs",),
    "Swift": (".swift",),
    "Dart": (".dart",),
    "Ruby": (".rb",),
    "PHP": (".php",),
    "Elixir": (".ex", ".exs"),
    "Haskell": (".hs",),
    "Lua": (".lua",),
    "R": (".r",),
    "Julia": (".jl",),
    "Solidity": (".sol",),
    "Shell": (".sh", ".bash", ".zsh"),
    "PowerShell": (".ps1",),
    "SQL": (".sql",),
    "HCL": (".tf", ".hcl"),
    "HTML": (".html", ".htm"),
    "CSS": (".css", ".scss", ".sass", ".less"),
    "Markdown": (".md", ".markdown"),
    "YAML": (".yml", ".yaml"),
    "JSON": (".json",),
    "TOML": (".toml",),
}
_BY_SUFFIX = {suffix: name for name, suffixes in LANGUAGES.items() for suffix in suffixes}
_BY_NAME = {"dockerfile": "Dockerfile", "makefile": "Makefile", "jenkinsfile": "Groovy"}
# Prose and data: a repository of these alone has no code.
_NO_CODE = frozenset({"Markdown", "YAML", "JSON", "TOML"})
_TEXT_SUFFIXES = frozenset(
    [
        "",
        ".txt",
        ".rst",
        ".tex",
        ".bib",
        ".csv",
        ".tsv",
        ".svg",
        ".xml",
        ".log",
        ".cfg",
        ".ini",
        ".conf",
        ".env",
        ".example",
        ".lock",
        ".drawio",
        ".mmd",
        ".puml",
    ]
)
# Files without lines that a person wrote are not opened.
BINARY_SUFFIXES = frozenset(
    [
        ".png",
        ".jpg",
        ".jpeg",
        ".gif",
        ".webp",
        ".bmp",
        ".ico",
        ".pdf",
        ".zip",
        ".gz",
        ".tar",
        ".tgz",
        ".bz2",
        ".xz",
        ".7z",
        ".whl",
        ".jar",
        ".class",
        ".pyc",
        ".so",
        ".dll",
        ".exe",
        ".dylib",
        ".o",
        ".a",
        ".bin",
        ".pkl",
        ".pt",
        ".onnx",
        ".parquet",
        ".sqlite",
        ".sqlite3",
        ".db",
        ".woff",
        ".woff2",
        ".ttf",
        ".otf",
        ".eot",
        ".mp3",
        ".mp4",
        ".mov",
        ".wav",
        ".docx",
        ".xlsx",
        ".pptx",
    ]
)


def language_of(path: str) -> str | None:
    """Return the file's language, or None for one that is not in LANGUAGES."""
    pure = PurePosixPath(path)
    return _BY_SUFFIX.get(pure.suffix.lower()) or _BY_NAME.get(pure.name.lower())


def may_be_code(path: str) -> bool:
    """Return whether a text file may hold code: an unknown suffix may be that of a language."""
    language = language_of(path)
    if language is not None:
        return language not in _NO_CODE
    return PurePosixPath(path).suffix.lower() not in _TEXT_SUFFIXES


def is_binary(path: str) -> bool:
    return PurePosixPath(path).suffix.lower() in BINARY_SUFFIXES
