"""What every software project has or lacks: tests, manifests, locks, CI, quality tools, README, licence.

Known by their usual places in any language; a tool also by its section in a shared configuration file.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any

from courtroom.analysis.project.globs import matches
from courtroom.analysis.python.source_files import is_vendored

TESTS = (
    "**/test_*.py",
    "**/*_test.py",
    "**/*_test.go",
    "**/*.test.*",
    "**/*.spec.*",
    "**/*_spec.rb",
    "**/src/test/**/*.*",
    "**/*Test.java",
    "**/*Tests.cs",
    "**/*Test.php",
    "**/*_test.exs",
    "**/*_test.dart",
    "tests/**/*.rs",
    "**/__tests__/**/*.*",
)
MANIFESTS = (
    "**/pyproject.toml",
    "**/requirements*.txt",
    "**/requirements*.in",
    "requirements/*.*",
    "**/setup.py",
    "**/setup.cfg",
    "**/Pipfile",
    "**/environment.y*ml",
    "**/package.json",
    "**/go.mod",
    "**/Cargo.toml",
    "**/pom.xml",
    "**/build.gradle*",
    "**/Gemfile",
    "**/composer.json",
    "**/*.csproj",
    "**/mix.exs",
    "**/pubspec.yaml",
    "**/Package.swift",
    "**/build.sbt",
)
LOCKS = (
    "**/uv.lock",
    "**/poetry.lock",
    "**/Pipfile.lock",
    "**/pdm.lock",
    "**/package-lock.json",
    "**/yarn.lock",
    "**/pnpm-lock.yaml",
    "**/bun.lock*",
    "**/go.sum",
    "**/Cargo.lock",
    "**/Gemfile.lock",
    "**/composer.lock",
    "**/gradle.lockfile",
    "**/mix.lock",
    "**/pubspec.lock",
    "**/conda-lock.yml",
)
CI = (
    ".github/workflows/*.y*ml",
    ".gitlab-ci.yml",
    ".circleci/config.yml",
    "azure-pipelines.yml",
    "Jenkinsfile",
    ".travis.yml",
    "bitbucket-pipelines.yml",
    ".drone.yml",
    ".woodpecker*",
    "appveyor.yml",
)
README = ("README*", "docs/README*")
LICENCE = ("LICENSE*", "LICENCE*", "COPYING*", "UNLICENSE*")
# Tools that lint, format or check types, by files of their own.
TOOL_FILES: Mapping[str, tuple[str, ...]] = {
    "ruff": ("**/ruff.toml", "**/.ruff.toml"),
    "flake8": ("**/.flake8",),
    "pylint": ("**/.pylintrc", "**/pylintrc"),
    "mypy": ("**/mypy.ini", "**/.mypy.ini"),
    "pyright": ("**/pyrightconfig.json",),
    "eslint": ("**/.eslintrc*", "**/eslint.config.*"),
    "prettier": ("**/.prettierrc*", "**/prettier.config.*"),
    "biome": ("**/biome.json*",),
    "typescript": ("**/tsconfig.json",),
    "golangci-lint": ("**/.golangci.*",),
    "clippy": ("**/clippy.toml", "**/.clippy.toml"),
    "rustfmt": ("**/rustfmt.toml", "**/.rustfmt.toml"),
    "rubocop": ("**/.rubocop.yml",),
    "checkstyle": ("**/checkstyle*.xml",),
    "clang-format": ("**/.clang-format",),
    "editorconfig": ("**/.editorconfig",),
    "pre-commit": (".pre-commit-config.yaml",),
}
# The same tools where configuration is shared: what their section, hook or dependency looks like there.
SHARED_FILES = (
    "**/pyproject.toml",
    "**/setup.cfg",
    "**/tox.ini",
    "**/package.json",
    ".pre-commit-config.yaml",
)
_TOOL_WORDS: Mapping[str, str] = {
    "ruff": r"\[tool\.ruff|ruff-pre-commit",
    "black": r"\[tool\.black|id: black\b",
    "isort": r"\[tool\.isort|id: isort\b",
    "flake8": r"^\[flake8\]|id: flake8\b",
    "pylint": r"\[tool\.pylint|id: pylint\b",
    "mypy": r"\[tool\.mypy|^\[mypy|id: mypy\b",
    "pyright": r"\[tool\.(?:based)?pyright",
    "eslint": r'"eslint"\s*:|"eslintConfig"\s*:',
    "prettier": r'"prettier"\s*:',
    "typescript": r'"typescript"\s*:',
}
FRAMEWORK_FILES = (
    *SHARED_FILES,
    "**/requirements*.txt",
    "**/pytest.ini",
    "**/conftest.py",
    "**/go.mod",
    "**/pom.xml",
    "**/build.gradle*",
    "**/Gemfile",
    "**/composer.json",
    "**/jest.config.*",
    "**/vitest.config.*",
    ".rspec",
)
_FRAMEWORK_WORDS: Mapping[str, str] = {
    "pytest": r"\bpytest\b",
    "jest": r'"jest"\s*:',
    "vitest": r'"vitest"\s*:',
    "mocha": r'"mocha"\s*:',
    "playwright": r'"@playwright/test"\s*:',
    "testify": r"stretchr/testify",
    "junit": r"\bjunit\b",
    "rspec": r"\brspec\b",
    "phpunit": r"\bphpunit\b",
}
_FRAMEWORK_BY_NAME: Mapping[str, tuple[str, ...]] = {
    "pytest": ("**/pytest.ini", "**/conftest.py"),
    "go test": ("**/*_test.go",),
    "jest": ("**/jest.config.*",),
    "vitest": ("**/vitest.config.*",),
    "rspec": (".rspec",),
}
CONFIGURATION = (*SHARED_FILES, *FRAMEWORK_FILES)
# Everything that a question below is about: a large tree is gone through once.
TELLING = (
    *MANIFESTS,
    *LOCKS,
    *CI,
    *README,
    *LICENCE,
    *SHARED_FILES,
    *FRAMEWORK_FILES,
    *(glob for globs in (*TOOL_FILES.values(), *_FRAMEWORK_BY_NAME.values()) for glob in globs),
)
MOST_PATHS = 100
Texts = Mapping[str, str]


def configuration_paths(paths: Iterable[str]) -> list[str]:
    """The files whose words `project_of` needs."""
    return [path for path in paths if matches(path, CONFIGURATION) and not is_vendored(path)]


def project_of(
    paths: Sequence[str], texts: Texts, languages: list[dict[str, str | int]]
) -> dict[str, Any]:
    """The fields of courtroom.models.facts.ProjectFact; `texts` are the configuration files by path."""
    mine = [path for path in paths if not is_vendored(path)]
    tests, own = _matching(mine, TESTS), _matching(mine, TELLING)
    return {
        "languages": languages,
        "tests": len(tests),
        "test_folders": _topmost_folders(tests)[:MOST_PATHS],
        "test_frameworks": _frameworks(own, texts),
        "manifests": _matching(own, MANIFESTS)[:MOST_PATHS],
        "locks": _matching(own, LOCKS)[:MOST_PATHS],
        "ci": _matching(own, CI)[:MOST_PATHS],
        "quality_tools": _rows(_by_words(_TOOL_WORDS, texts) | _by_name(TOOL_FILES, own)),
        "readme": next(iter(_matching(own, README)), None),
        "licence": next(iter(_matching(own, LICENCE)), None),
    }


def _matching(paths: Iterable[str], globs: Iterable[str]) -> list[str]:
    return [path for path in paths if matches(path, globs)]


def _topmost_folders(tests: Iterable[str]) -> list[str]:
    """`tests` for tests/unit/test_a.py; the folder itself where no folder of its path is named for tests."""
    return sorted({_test_folder(PurePosixPath(path).parts[:-1]) for path in tests})


def _test_folder(folders: tuple[str, ...]) -> str:
    named = (
        place
        for place, name in enumerate(folders)
        if re.fullmatch(r"_*(tests?|specs?)_*", name.lower())
    )
    return "/".join(folders[: next(named, len(folders)) + 1]) or "."


def _frameworks(paths: Sequence[str], texts: Texts) -> list[dict[str, str]]:
    return _rows(_by_words(_FRAMEWORK_WORDS, texts) | _by_name(_FRAMEWORK_BY_NAME, paths))


def _by_name(places: Mapping[str, tuple[str, ...]], paths: Sequence[str]) -> dict[str, str]:
    """The first file of each tool that has one of its own."""
    found = {tool: next(iter(_matching(paths, globs)), None) for tool, globs in places.items()}
    return {tool: path for tool, path in found.items() if path is not None}


def _by_words(words: Mapping[str, str], texts: Texts) -> dict[str, str]:
    """The first configuration file that speaks of each tool."""
    return {
        tool: path
        for tool, pattern in words.items()
        for path, text in reversed(list(texts.items()))
        if re.search(pattern, text, re.MULTILINE)
    }


def _rows(places: Mapping[str, str]) -> list[dict[str, str]]:
    return [{"tool": tool, "path": places[tool]} for tool in sorted(places)]
