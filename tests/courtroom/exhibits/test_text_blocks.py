"""Blocks around a line in prose, configuration and code of any language."""

from __future__ import annotations

import pytest

from courtroom.exhibits.text_blocks import LONGEST_BLOCK, WINDOW, block_around, definition_lines

MARKDOWN = "# Title\n\nIntro.\n\nSetup\n-----\nRun it.\n\n## Use\nThis.\nThat."
GO = "package main\n\n// Serve listens.\nfunc Serve(port int) error {\n\treturn nil\n}\n\nvar x = 1\n"
TOML = '[project]\nname = "x"\n\n[tool.ruff]\nline-length = 100\nselect = ["E"]\n\n[tool.mypy]\nstrict = true'
YAML = (
    "on: push\njobs:\n  test:\n    steps:\n      - run: make test\n  lint:\n    steps: []\nname: CI"
)


@pytest.mark.parametrize(
    ("text", "path", "line", "block"),
    [
        (MARKDOWN, "README.md", 3, (1, 3)),
        (MARKDOWN, "README.md", 7, (5, 7)),
        (MARKDOWN, "README.md", 10, (9, 11)),
        (GO, "main.go", 5, (3, 6)),
        (GO, "main.go", 8, (8, 8)),
        (TOML, "pyproject.toml", 5, (4, 6)),
        (YAML, "ci.yml", 5, (2, 7)),
        ("", "empty.txt", 3, (1, 1)),
    ],
)
def test_block_is_the_section_or_what_is_indented(
    text: str, path: str, line: int, block: tuple[int, int]
) -> None:
    assert block_around(text.split("\n"), line, path) == block


def test_block_that_is_too_long_is_a_window() -> None:
    lines = ["class Long {", *["  x();"] * (2 * LONGEST_BLOCK), "}"]
    assert block_around(lines, 200, "a.ts") == (200 - WINDOW, 200 + WINDOW)


@pytest.mark.parametrize(
    "line",
    [
        "func Clone(url string) error {",
        "func (r *Repo) Clone(url string) error {",
        "pub async fn Clone(url: &str) {",
        "export default function Clone(url) {",
        "  public static void Clone(String url) {",
        "export const Clone = (url) => {",
        "class Clone extends Base {",
        "interface Clone {",
    ],
)
def test_definition_is_recognised_in_usual_languages(line: str) -> None:
    assert definition_lines(["// Clone", line, "  Clone(1);", "return Clone(2)"], "Clone") == [2]
