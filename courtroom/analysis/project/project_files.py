"""Find tests, manifests, lock files, CI, quality tools, README and licence of a project.

They are recognised by their usual paths in any language, and a tool also by its section in a shared
configuration file.
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
# Tools that lint, format or check types, by their own configuration files.
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
# The same tools in shared configuration files, by their section, hook or dependency.
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
# All patterns below: a first pass over a large tree leaves only the paths that matter.
RELEVANT = (
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
    """Return the files whose text `project_of` needs."""
    return [path for path in paths if matches(path, CONFIGURATION) and not is_vendored(path)]


def project_of(
    paths: Sequence[str],
    texts: Texts,
    languages: list[dict[str, str | int]],
    code_files: int,
) -> dict[str, Any]:
    """Return the fields of facts.ProjectFact; `texts` are the configuration files by path."""
    own = [path for path in paths if not is_vendored(path)]
    tests, relevant = _matching(own, TESTS), _matching(own, RELEVANT)
    return {
        "languages": languages,
        "code_files": code_files,
        "tests": len(tests),
        "test_folders": _topmost_folders(tests)[:MOST_PATHS],
        "test_frameworks": _frameworks(relevant, texts),
        "manifests": _matching(relevant, MANIFESTS)[:MOST_PATHS],
        "locks": _matching(relevant, LOCKS)[:MOST_PATHS],
        "ci": _matching(relevant, CI)[:MOST_PATHS],
        "quality_tools": _rows(_by_content(_TOOL_WORDS, texts) | _by_name(TOOL_FILES, relevant)),
        "readme": next(iter(_matching(relevant, README)), None),
        "licence": next(iter(_matching(relevant, LICENCE)), None),
    }


def _matching(paths: Iterable[str], globs: Iterable[str]) -> list[str]:
    return [path for path in paths if matches(path, globs)]


def _topmost_folders(tests: Iterable[str]) -> list[str]:
    """Return `tests` for tests/unit/test_a.py, or a test's own folder when none is named so."""
    return sorted({_test_folder(PurePosixPath(path).parts[:-1]) for path in tests})


def _test_folder(folders: tuple[str, ...]) -> str:
    indexes = (
        index
        for index, name in enumerate(folders)
        if re.fullmatch(r"_*(tests?|specs?)_*", name.lower())
    )
    return "/".join(folders[: next(indexes, len(folders)) + 1]) or "."


def _frameworks(paths: Sequence[str], texts: Texts) -> list[dict[str, str]]:
    return _rows(_by_content(_FRAMEWORK_WORDS, texts) | _by_name(_FRAMEWORK_BY_NAME, paths))


def _by_name(globs_by_tool: Mapping[str, tuple[str, ...]], paths: Sequence[str]) -> dict[str, str]:
    """Return tool to the first of its own files."""
    files = {tool: _matching(paths, globs) for tool, globs in globs_by_tool.items()}
    return {tool: matching[0] for tool, matching in files.items() if matching}


def _by_content(patterns: Mapping[str, str], texts: Texts) -> dict[str, str]:
    """Return tool to the first configuration file that mentions it."""
    # In reverse, so that the first file is the last one to be stored.
    return {
        tool: path
        for tool, pattern in patterns.items()
        for path, text in reversed(list(texts.items()))
        if re.search(pattern, text, re.MULTILINE)
    }


def _rows(paths: Mapping[str, str]) -> list[dict[str, str]]:
    return [{"tool": tool, "path": paths[tool]} for tool in sorted(paths)]
